//! Snapshots of the logical drive in whole runs: what they cost, what happens when they have no room, going back.

use crate::collection::one_die;
use crate::common::bench::Bench;
use crate::common::{SMALL, closed_loop, drive, run, uniform};
use controller::Transaction;
use engine::RandomStream;
use ftl::Act;
use host::{Op, Workload};
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions};

fn with(more: &[&str]) -> Drive {
    drive(&SMALL.iter().chain(more).copied().collect::<Vec<_>>())
}

fn checked() -> RunOptions {
    RunOptions { check: true, precondition: PreconditionKind::Fill, ..RunOptions::default() }
}

/// Runs a workload on a filled drive with snapshots, and returns the section of the result about snapshots.
fn snapshots(settings: &[&str], workload: Box<dyn Workload>) -> Value {
    run(with(settings), workload, checked()).1["ftl"]["snapshots"].clone()
}

fn count(result: &Value, key: &str) -> u64 {
    result[key].as_u64().unwrap_or_else(|| panic!("{key}: {result}"))
}

const AT_ONCE: &str = "ftl.snapshots.at=0s";
/// Returns the number of units that the map of the test's drives takes on flash: four bytes for each logical unit.
fn map_units(drive: &Drive) -> u64 {
    (drive.capacity().get() / 4096).div_ceil(1024)
}

#[test]
fn a_snapshot_costs_the_map_and_no_data() {
    let reads = closed_loop(400, 1, |index| (Op::READ, index * 4096, 4096));
    let result = snapshots(&[AT_ONCE], reads);
    assert_eq!((count(&result, "taken"), count(&result, "checkpoints")), (1, 1));
    assert_eq!(count(&result, "map_bytes_written"), map_units(&with(&[])) * 4096);
    assert_eq!(count(&result, "units_kept"), 0, "what was not overwritten is not kept twice");
    // The bus and one program for each unit on each of four dies, not the time to copy the drive.
    let t_take = result["t_take_ns"]["max"].as_f64().unwrap();
    assert!((200_000.0..3.0 * 225_000.0).contains(&t_take), "{t_take}");
    assert_eq!(
        run(with(&[]), uniform(10, 1, Op::READ, 4096, 40_960, 1), checked()).1["ftl"]["snapshots"],
        Value::Null
    );
}

#[test]
fn it_keeps_each_overwritten_unit_once_and_no_other() {
    // A hundred units, twice each: the version in between is seen by no snapshot.
    let writes = || closed_loop(200, 1, |index| (Op::WRITE, index % 100 * 4096, 4096));
    let result = snapshots(&[AT_ONCE], writes());
    assert_eq!(count(&result, "units_kept"), 100);
    assert_eq!(count(&result["kept"][0], "differences"), 100);
    // The buffer has room for all of these: 25 writes of 6,280 ns each before the third snapshot, 25 after it.
    let few = closed_loop(50, 1, |index| (Op::WRITE, index % 25 * 4096, 4096));
    let thrice = "ftl.snapshots.at=[\"0s\", \"1us\", \"160us\"]";
    let result = snapshots(&[thrice], few);
    let kept: Vec<u64> = (0..3).map(|at| count(&result["kept"][at], "units_kept")).collect();
    assert_eq!(kept, [0, 25, 25], "the first sees what the second sees: one table names it");
    // Of units that were never written there is nothing to keep.
    let fresh = RunOptions { check: true, ..RunOptions::default() };
    let result = &run(with(&[AT_ONCE]), writes(), fresh).1["ftl"]["snapshots"];
    assert_eq!((count(result, "units_kept"), count(&result["kept"][0], "differences")), (0, 100));
}

/// Makes a test workload of random writes of one unit to the share `share` (0 to 1) of the drive.
fn overwrite(share: f64, requests: u64) -> Box<dyn Workload> {
    let units = (with(&[]).capacity().get() as f64 / 4096.0 * share) as u64;
    let mut random = RandomStream::new(3, "overwrite");
    closed_loop(requests, 4, move |_| (Op::WRITE, random.below(units) * 4096, 4096))
}

#[test]
fn what_snapshots_hold_costs_write_amplification() {
    let waf =
        |settings: &[&str]| run(with(settings), overwrite(0.1, 12_000), checked()).1["waf"].as_f64().unwrap();
    let (none, one) = (waf(&[]), waf(&[AT_ONCE, "ftl.snapshots.space_ratio=1.0"]));
    assert!(one > 1.05 * none, "{one} with a snapshot, {none} without");
}

#[test]
fn without_room_the_oldest_snapshot_goes_or_writes_fail() {
    let every = ["ftl.snapshots.every=20ms", "ftl.snapshots.keep=100"];
    let (_, result) = run(with(&every), overwrite(1.0, 12_000), checked());
    let seen = &result["ftl"]["snapshots"];
    assert!(count(seen, "dropped_full") > 3 && result["host"]["failed"]["total"] == 0, "{seen}");
    assert!(count(seen, "units_kept_max") <= count(seen, "room_units"));
    let refusing = [every[0], every[1], "ftl.snapshots.when_full=refuse-writes"];
    let (_, result) = run(with(&refusing), overwrite(1.0, 12_000), checked());
    let seen = &result["ftl"]["snapshots"];
    assert_eq!((count(seen, "dropped_full"), count(seen, "units_kept")), (0, count(seen, "room_units")));
    assert_eq!(result["host"]["failed"]["write"], seen["units_refused"]);
    assert!(count(seen, "units_refused") > 0);
    assert!(result["waf"].as_f64().unwrap() < 40.0, "a full drive still writes: {}", result["waf"]);
}

#[test]
fn no_more_than_keep_are_kept() {
    let result = snapshots(&["ftl.snapshots.every=1100us", "ftl.snapshots.keep=3"], overwrite(0.05, 8_000));
    assert_eq!(result["kept"].as_array().unwrap().len(), 3);
    assert_eq!(count(&result, "taken"), count(&result, "expired") + 3 + count(&result, "dropped_full"));
}

#[test]
fn a_drive_goes_back_to_its_newest_snapshot() {
    // Two rollbacks to the same snapshot, the checker seeing to it that all is as it was; then reads of all.
    let settings = [AT_ONCE, "ftl.snapshots.rollback_at=[\"10ms\", \"30ms\"]"];
    for cache in ["ftl.buffer.eviction.name=fifo", "ftl.buffer.eviction.name=lru"] {
        for through in ["ftl.buffer.write_back=true", "ftl.buffer.write_back=false"] {
            let mut random = RandomStream::new(8, "back");
            let workload = closed_loop(6_000, 8, move |index| match index {
                0..4_000 => (Op::WRITE, random.below(500) * 4096, 4096 + 4096 * (index % 3) as u32),
                _ if index % 50 == 0 => (Op::TRIM, random.below(500) * 4096, 8 * 4096),
                _ => (Op::READ, index % 600 * 4096, 4096),
            });
            let result = snapshots(&[&settings[..], &[cache, through]].concat(), workload);
            assert_eq!((count(&result, "rollbacks"), count(&result, "rollbacks_void")), (2, 0));
            assert!(count(&result, "rollback_units") > 100, "{result}");
            assert!(result["t_rollback_ns_mean"].as_f64().unwrap() < 30e6, "{result}");
        }
    }
}

#[test]
fn the_same_run_takes_the_same_snapshots() {
    let result = || {
        let settings = ["ftl.snapshots.every=5ms", "nand.bad_blocks.program_fail_ratio=0.0005"];
        let mut result = run(with(&settings), overwrite(0.3, 8_000), checked()).1;
        result.as_object_mut().unwrap().remove("engine");
        result.to_string()
    };
    assert_eq!(result(), result());
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let refused = |settings: &[&str], expected: &str| {
        let lines: Vec<String> = SMALL.iter().chain(settings).map(|line| (*line).to_owned()).collect();
        let error = match Drive::from_resolved("test", &lines) {
            Ok(drive) => drive.build(1).err().unwrap_or_else(|| panic!("{settings:?} was taken")),
            Err(error) => error,
        };
        let error = error.to_string();
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    };
    refused(&["ftl.snapshots.every=0s"], "expected more than 0ns");
    refused(&[AT_ONCE, "ftl.snapshots.keep=0"], "expected at least 1");
    refused(&["ftl.snapshots.keep=3"], "expected ftl.snapshots.every or ftl.snapshots.at beside it");
    refused(&["ftl.snapshots.at=[\"2s\", \"1s\"]"], "ascending order");
    refused(&[AT_ONCE, "ftl.snapshots.space_ratio=1.5"], "expected more than 0 and at most 1");
    refused(&["ftl.snapshots.at=5s", "ftl.snapshots.rollback_at=1s"], "after the first snapshot");
    refused(&[AT_ONCE, "ftl.snapshots.when_full=dorp"], "did you mean \"drop\"");
    for kind in ["block", "fast"] {
        refused(&[AT_ONCE, &format!("ftl.mapping.name={kind}")], "cannot be combined with ftl.mapping.name");
    }
    refused(&[AT_ONCE, "ftl.snapshots.space_ratio=0.0001"], "cannot sustain writes with snapshots");
}

/// Number of map entries in a translation unit (map page) of the test drive with its map on flash.
const ENTRIES: usize = 16;

/// Record of the map of a test drive that lies on flash, page by page, in numbers of events that the bench has passed.
struct MapPages {
    /// For each page of the map, the event with which an entry of it changed last.
    changed: Vec<u64>,
    /// For each page of the map, the event with which the program of its newest version on flash was submitted.
    written: Vec<u64>,
    /// List of the programs of the drive, each with the event with which it was submitted.
    programs: Vec<(Transaction, u64)>,
    committed: usize,
}

impl MapPages {
    fn of(bench: &Bench) -> Self {
        let pages = (bench.ftl.layout().logical_units as usize).div_ceil(ENTRIES);
        Self { changed: vec![0; pages], written: vec![0; pages], programs: Vec::new(), committed: 0 }
    }

    /// Notes what the drive has done since the last call, with event number `now`.
    fn note(&mut self, bench: &Bench, now: u64) {
        let (log, layout) = (&bench.ctx.probe, bench.ftl.layout());
        let placed = log.placed[self.programs.len()..].iter();
        self.programs.extend(placed.map(|(program, _)| (*program, now)));
        for &(lpn, place, is_moved) in &log.committed[self.committed..] {
            let Some(page) = lpn.0.checked_sub(layout.logical_units) else {
                self.changed[lpn.index() / ENTRIES] = now;
                continue;
            };
            let superblock = layout.superblock_of(place);
            let row = (place.0 - layout.first_ppa(superblock)) as u32 / layout.row_units;
            let holds = |program: &Transaction| {
                bench.superblock_of(program) == superblock
                    && (program.row..program.row + program.rows).contains(&row)
            };
            let program = self.programs.iter().rev().find(|(program, _)| holds(program));
            if !is_moved {
                self.written[page as usize] = program.expect("it was placed").1;
            }
        }
        self.committed = log.committed.len();
    }
}

/// Checks that the checkpoint of a snapshot, on a drive with its map on flash of which a small part is cached, ends
/// when the flash has each translation unit (map page) with all changes from before the snapshot: also a unit that was
/// being read to be changed, that waited in the buffer, or of which an older version was in flight.
#[test]
fn a_checkpoint_waits_for_the_map_that_is_on_its_way() {
    let more = [
        "ftl.mapping.name=dftl",
        "ftl.mapping.cache=512B",
        "ftl.mapping.entry=256B",
        "ftl.snapshots.at=1000s",
    ];
    let mut bench = Bench::filled(&one_die(&[&more[..], &["nand.blocks_per_plane=48"]].concat()));
    let checkpoints = |bench: &Bench| {
        bench.ftl.feature::<ftl::snapshots::Snapshots>().expect("has snapshots").counts.checkpoints
    };
    let logical = bench.ftl.layout().logical_units;
    let (mut random, mut pages) = (RandomStream::new(3, "overwrites"), MapPages::of(&bench));
    let (mut now, mut awaited, mut ended) = (0, None::<(u64, Vec<u64>)>, 0);
    for step in 0..40_000u64 {
        now += 1;
        if bench.ftl.has_room() {
            assert!(bench.write(random.below(u64::from(logical)) as u32));
        } else {
            assert!(bench.pass(), "{}", bench.ftl.explain_stall());
        }
        pages.note(&bench, now);
        if let Some((before, changed)) = awaited.take_if(|(before, _)| checkpoints(&bench) > *before) {
            let is_old = |&page: &usize| pages.written[page] < changed[page];
            let old: Vec<usize> = (0..changed.len()).filter(is_old).collect();
            assert!(old.is_empty(), "checkpoint {before} at {now}: pages {old:?} are not on flash");
            ended += 1;
        }
        if awaited.is_none() && step % 97 == 0 {
            awaited = Some((checkpoints(&bench), pages.changed.clone()));
            bench.ftl.act(Act::Keep, &mut bench.ctx);
        }
    }
    assert!(ended > 50, "{ended} checkpoints");
}
