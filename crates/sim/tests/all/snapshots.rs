//! Snapshots of the logical drive in whole runs: what they cost, what happens when they have no room, going back.

use crate::common::{SMALL, closed_loop, drive, run, uniform};
use engine::RandomStream;
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
