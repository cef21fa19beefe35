//! Features that go together: each does what it does alone, and the account of `--check` finds nothing.

use crate::common::{TLC, closed_loop, drive, run, uniform};
use crate::upkeep::years;
use ftl::{Ftl, Seen};
use host::Op;
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions, Session};
use units::{Lpn, Ppa};

/// Constant: settings, beside those of [`TLC`], of a test drive of four dies with room for an SLC cache; a superblock
/// holds 24 units of 4 KiB with three bits per cell, 8 with one.
const MORE_ROOM: &[&str] = &["nand.blocks_per_plane=96", "ftl.op_ratio=1.0"];
const CACHE: &[&str] =
    &["ftl.slc_cache.name=static", "ftl.slc_cache.size=1MB", "ftl.slc_cache.when_full=fold-first"];
const PARITY: &[&str] = &["ftl.parity.name=rain"];
const CODE: &[&str] = &["ecc.code.name=ldpc", "nand.errors.name=power-law", "ftl.refresh.age=30d"];
const SNAPSHOTS: &[&str] = &["ftl.snapshots.every=150ms", "ftl.snapshots.keep=2"];

/// Runs 12,000 writes on a filled test drive with these features, and returns the result.
fn played(features: &[&[&str]]) -> Value {
    played_with(Op::WRITE, PreconditionKind::Fill, features)
}

fn played_with(op: Op, precondition: PreconditionKind, features: &[&[&str]]) -> Value {
    let options = RunOptions { check: true, precondition, ..RunOptions::default() };
    let drive = drive_with(features);
    let span = drive.capacity().get();
    run(drive, uniform(12_000, 16, op, 4096, span, 1), options).1
}

fn drive_with(features: &[&[&str]]) -> Drive {
    let lines: Vec<&str> =
        TLC.iter().chain(MORE_ROOM).chain(features.iter().copied().flatten()).copied().collect();
    drive(&lines)
}

fn played_by(features: &[&[&str]], options: RunOptions) -> (Session, Value) {
    let drive = drive_with(features);
    let span = drive.capacity().get();
    run(drive, uniform(12_000, 16, Op::WRITE, 4096, span, 1), options)
}

fn number(result: &Value, path: &str) -> u64 {
    let found = path.split('.').fold(result, |value, key| &value[key]);
    found.as_u64().unwrap_or_else(|| panic!("{path} is {found}"))
}

/// Checks, in a result, that more than 100 superblocks of the SLC cache were folded.
fn assert_folds(result: &Value) {
    assert!(number(result, "ftl.slc_cache.superblocks_folded") > 100, "{}", result["ftl"]["slc_cache"]);
}

/// Checks, in a result, that at least four snapshots were taken, and at least three checkpoints of their maps.
fn assert_keeps(result: &Value) {
    let taken = number(result, "ftl.snapshots.taken");
    assert!(taken >= 4, "{}", result["ftl"]["snapshots"]);
    assert!(number(result, "ftl.snapshots.checkpoints") >= 3, "{}", result["ftl"]["snapshots"]);
}

#[test]
fn a_cache_goes_with_a_map_on_flash() {
    for kind in ["ftl.mapping.name=dftl", "ftl.mapping.name=birrell"] {
        let result = played(&[CACHE, &[kind]]);
        assert_folds(&result);
        assert!(number(&result, "flash.programs.map") > 0, "{kind} writes its map");
    }
}

#[test]
fn a_cache_goes_with_a_code_and_costs_nothing_of_its_ways() {
    let result = played(&[CACHE, CODE]);
    assert_folds(&result);
    let units = |whose: &str| -> u64 {
        let steps = &result["ftl"]["write_cost"]["units_by_step"][whose];
        steps.as_array().unwrap().iter().map(|units| units.as_u64().unwrap()).sum()
    };
    let [host, other] = ["host", "other"].map(units);
    // What the host writes takes a cost when it leaves the cache, not before.
    assert_eq!(host, number(&result, "ftl.slc_cache.units_bypassed"), "{}", result["ftl"]["write_cost"]);
    assert!(other > 0, "{}", result["ftl"]["write_cost"]);
}

#[test]
fn a_cache_goes_with_parity_and_stands_apart_from_its_groups() {
    let result = played(&[CACHE, PARITY]);
    assert_folds(&result);
    let programs = |origin: &str| number(&result, &format!("flash.programs.{origin}"));
    // Three programs with data for one of parity; those with one bit a cell have none.
    let one_bit = number(&result, "ftl.slc_cache.units_written"); // A unit each.
    let dense = programs("total") - programs("parity") - one_bit;
    assert!(dense.abs_diff(3 * programs("parity")) < 400, "{dense} and {}", programs("parity"));
}

/// Checks that a constructed used state has groups with parity: the parity goes on from its place, groups are
/// reclaimed, and write amplification is within 5 % of that after overwriting.
#[test]
fn parity_goes_with_a_used_state_that_is_constructed() {
    for more in [&[][..], &["geometry.ways=4", "ftl.parity.stripe=3"], &["ftl.streams.name=mixed"]] {
        let waf = |kind| {
            let result = played_with(Op::WRITE, kind, &[PARITY, more]);
            let programs = |origin: &str| number(&result, &format!("flash.programs.{origin}"));
            let data = programs("total") - programs("parity");
            assert!(data.abs_diff(3 * programs("parity")) < 300, "{more:?}: {}", result["flash"]);
            assert!(programs("gc") > 3_000, "{more:?}: {}", result["flash"]);
            result["waf"].as_f64().expect("something was written")
        };
        let [steady, instant] = [PreconditionKind::Steady, PreconditionKind::Instant].map(waf);
        // The two differ by where in a round of groups they begin: one of 192 units with 12,000.
        assert!((instant / steady - 1.0).abs() < 0.05, "{more:?}: {instant}, steady {steady}");
    }
}

#[test]
fn snapshots_go_with_a_map_on_flash() {
    let clean = number(&played(&[SNAPSHOTS]), "ftl.snapshots.map_bytes_written");
    for kind in ["ftl.mapping.name=dftl", "ftl.mapping.name=birrell"] {
        let result = played(&[SNAPSHOTS, &[kind]]);
        assert_keeps(&result);
        let units = number(&result, "ftl.snapshots.map_bytes_written");
        assert!(units > 0 && units <= 2 * clean, "{kind}: {units} bytes, all of the map takes {clean}");
    }
}

#[test]
fn snapshots_go_with_parity() {
    let result = played(&[SNAPSHOTS, PARITY]);
    assert_keeps(&result);
    assert!(number(&result, "flash.programs.parity") > 100);
}

#[test]
fn all_of_them_go_together() {
    for kind in ["ftl.mapping.name=page", "ftl.mapping.name=dftl"] {
        let result = played(&[CACHE, PARITY, CODE, SNAPSHOTS, &[kind]]);
        assert_folds(&result);
        assert_keeps(&result);
    }
}

/// Type for a snapshot's serial number, with the place where it sees each logical unit.
type SeenBy = (u32, Vec<Seen>);

/// Returns the contents of a drive: map, valid units of each superblock, which superblocks have one bit per cell, and
/// where each snapshot sees each unit.
fn held(ftl: &Ftl) -> (Vec<Ppa>, Vec<u32>, Vec<bool>, Vec<SeenBy>) {
    let units = ftl.layout().logical_units;
    let kept = ftl.feature::<ftl::snapshots::Snapshots>().into_iter().flat_map(|snapshots| snapshots.kept());
    let seen =
        |serial: u32| (0..units).map(|lpn| ftl.lookup_in(serial, Lpn(lpn)).expect("it is kept")).collect();
    let superblocks = 0..ftl.layout().superblocks();
    (
        (0..units).map(|lpn| ftl.lookup(Lpn(lpn))).collect(),
        ftl.valid_units().to_vec(),
        superblocks.map(|superblock| ftl.holds_one_bit(superblock)).collect(),
        kept.map(|snapshot| (snapshot.serial, seen(snapshot.serial))).collect(),
    )
}

/// Saves a test drive after a run, checks that the loaded drive holds the same and is saved to the same bytes, and runs
/// it on. Returns the session before saving, and the result of the run after loading.
fn gone_on(features: &[&[&str]]) -> (Session, Value) {
    let folder = tempfile::tempdir().expect("a folder for the states");
    let [path, again] = ["state", "again"].map(|name| folder.path().join(name));
    let options = RunOptions { check: true, precondition: PreconditionKind::Fill, ..RunOptions::default() };
    let (mut before, _) = played_by(features, options);
    before.save_state(&path).unwrap_or_else(|error| panic!("{features:?}: {error}"));
    let load_state = Some(path.display().to_string());
    let options = RunOptions { check: true, load_state, ..RunOptions::default() };
    let mut loaded =
        Session::with_workload(drive_with(features), uniform(1, 1, Op::READ, 4096, 4096, 1), options.clone())
            .unwrap_or_else(|error| panic!("{features:?}: {error}"));
    assert!(
        held(before.ftl().unwrap()) == held(loaded.ftl().unwrap()),
        "{features:?}: it holds something else"
    );
    loaded.save_state(&again).unwrap_or_else(|error| panic!("{features:?}: {error}"));
    let states = [&before, &loaded].map(|session| session.ftl().unwrap().save().unwrap());
    let differing: Vec<usize> =
        (0..states[0].words.len()).filter(|&at| states[0].words[at] != states[1].words[at]).collect();
    assert!(differing.is_empty(), "{features:?}: other arrays {differing:?}");
    assert!(std::fs::read(&path).unwrap() == std::fs::read(&again).unwrap(), "{features:?}: another state");
    let result = played_by(features, options).1;
    (before, result)
}

#[test]
fn a_saved_state_holds_the_groups_of_parity() {
    let (before, result) = gone_on(&[PARITY]);
    let states = before.ftl().unwrap().superblock_states();
    assert!(states.contains(&ftl::SuperblockState::Open), "a group is partly written");
    let programs = |origin: &str| number(&result, &format!("flash.programs.{origin}"));
    let data = programs("total") - programs("parity");
    assert!(data.abs_diff(3 * programs("parity")) < 300, "{}", result["flash"]);
    assert!(programs("gc") > 3_000, "{}", result["flash"]);
}

#[test]
fn a_saved_state_holds_snapshots() {
    let (before, result) = gone_on(&[SNAPSHOTS]);
    let kept = before.ftl().unwrap().feature::<ftl::snapshots::Snapshots>().unwrap();
    assert!(kept.kept().len() == 2 && kept.units_kept() > 1_000, "{} units", kept.units_kept());
    // Two are kept: those of before expire as those of the run are taken.
    let gone = number(&result, "ftl.snapshots.expired") + number(&result, "ftl.snapshots.dropped_full");
    assert_eq!(gone, number(&result, "ftl.snapshots.taken"), "{}", result["ftl"]["snapshots"]);
}

#[test]
fn a_saved_state_holds_what_lies_in_the_cache() {
    for more in [&[][..], PARITY] {
        let (before, result) = gone_on(&[CACHE, more]);
        assert!(
            before.ftl().unwrap().cache_bytes() > Some(500_000),
            "{:?}",
            before.ftl().unwrap().cache_bytes()
        );
        assert_folds(&result);
    }
}

#[test]
fn a_saved_state_holds_all_of_them() {
    for kind in ["ftl.mapping.name=page", "ftl.mapping.name=dftl"] {
        let (_, result) = gone_on(&[CACHE, PARITY, CODE, SNAPSHOTS, &[kind]]);
        assert_folds(&result);
        assert_keeps(&result);
    }
}

/// Checks that a saved state whose arrays contradict each other, although its checksum is right, is refused in one line
/// or loads to a consistent state.
#[test]
fn a_saved_state_that_contradicts_itself_is_refused() {
    let dftl = &["ftl.mapping.name=dftl"];
    let features = [CACHE, PARITY, SNAPSHOTS, dftl];
    let options = RunOptions { precondition: PreconditionKind::Fill, ..RunOptions::default() };
    let folder = tempfile::tempdir().expect("a folder for the state");
    let (mut session, _) = played_by(&features, options);
    session.save_state(&folder.path().join("state")).unwrap();
    let saved = session.ftl().unwrap().save().unwrap();
    let fresh = || drive_with(&features).build(1).unwrap();
    assert_eq!(fresh().load(&saved), Ok(()));
    let dies = 4;
    let of_guards = 6 + 2 * dies;
    let mut refused = 0;
    for at in of_guards..of_guards + 3 + 3 * dies + 3 {
        for word in [0, saved.words[at].len() / 2] {
            let mut other = saved.clone();
            let Some(word) = other.words[at].get_mut(word) else { continue };
            *word = 0xFFFF_0000;
            let Err(error) = fresh().load(&other) else { continue }; // Any number may be that of the next snapshot.
            assert!(!error.contains('\n') && error.contains("saved state"), "{error}");
            refused += 1;
        }
        let mut other = saved.clone();
        other.words[at].push(u32::MAX - 7);
        fresh().load(&other).expect_err("it holds too much");
    }
    assert!(refused > 10, "{refused}");
    let bare =
        drive_with(&[CACHE, PARITY, dftl]).build(1).unwrap().load(&saved).expect_err("it takes no snapshots");
    assert!(bare.contains("keeps snapshots: expected a drive with ftl.snapshots"), "{bare}");
}

/// Checks that with known sectors only the written sectors of each unit of a program cross the channel, and of a page
/// row only the units that a read asks for.
#[test]
fn sectors_go_with_programs_of_several_units() {
    // So that the flush at the end sends all to the flash.
    const SECTORS: &[&str] =
        &["ftl.sectors.track=true", "ftl.mapping_unit=2KiB", "ftl.buffer.power_loss_protection=false"];
    let moved = |op: Op, offset: u64, bytes: u32, precondition: PreconditionKind| -> [u64; 3] {
        let whole = drive_with(&[SECTORS]);
        let layout = whole.build(1).unwrap().layout().clone();
        assert!(layout.program_units == 6 && layout.row_units == 2);
        let source = closed_loop(601, 1, move |number| match number {
            600 => (Op::FLUSH, 0, 0),
            _ => (op, number * 4096 + offset, bytes),
        });
        let options = RunOptions { check: true, precondition, ..RunOptions::default() };
        let result = run(whole, source, options).1;
        ["energy_j.bytes_to_dies", "energy_j.bytes_from_dies", "flash.reads.host"]
            .map(|path| number(&result, path))
    };
    // One of the four sectors of the first of two units, then the last of it and one of the second.
    let [first, _, _] = moved(Op::WRITE, 0, 512, PreconditionKind::None);
    assert_eq!(first, 600 * 512);
    let [both, _, _] = moved(Op::WRITE, 1536, 1024, PreconditionKind::None);
    assert_eq!(both, 600 * 1024);
    let [_, sent, reads] = moved(Op::READ, 1536, 1024, PreconditionKind::Fill);
    assert_eq!((sent, reads), (600 * 1024, 600), "both units of a page row come with one read");
}

const BLOCK_MAPS: [&str; 4] = ["bast", "block", "fast", "replacement"];

#[test]
fn a_code_goes_with_a_map_of_blocks() {
    for kind in BLOCK_MAPS {
        let kind = format!("ftl.mapping.name={kind}");
        let result = played(&[CODE, &[&kind]]);
        let steps = &result["ftl"]["write_cost"]["units_by_step"];
        let units =
            |whose: &str| steps[whose].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum::<u64>();
        let programmed = number(&result, "flash.units_programmed.host");
        let under_way = units("host") - programmed;
        assert!(under_way < 100, "{kind}: {programmed} units, {steps}");
        assert!(units("other") > 0, "{kind} merges: {steps}");
        // Worn blocks are read with more references.
        let mean = |wear: &str| {
            let result = played_with(Op::READ, PreconditionKind::Fill, &[CODE, &[&kind, wear]]);
            result["host"]["read"]["latency_ns"]["mean"].as_f64().unwrap()
        };
        let [fresh, worn] = ["nand.pe_cycles=0", "nand.pe_cycles=3000"].map(mean);
        assert!(worn > 1.2 * fresh, "{kind}: {worn} ns on worn blocks, {fresh} on fresh ones");
    }
}

#[test]
fn what_nobody_looks_after_is_lost_on_a_map_of_blocks_too_and_merges_do_not_hide_it() {
    for kind in BLOCK_MAPS {
        let kind = format!("ftl.mapping.name={kind}");
        let result = years(&[&kind]);
        assert!(number(&result, "host.read.uncorrectable") >= 5, "{kind}: {}", result["host"]);
    }
}

#[test]
fn a_map_of_blocks_writes_anew_what_is_old_or_near_its_limit_by_merges() {
    for kind in BLOCK_MAPS {
        let kind = format!("ftl.mapping.name={kind}");
        for (upkeep, origin) in [("ftl.refresh.age=300d", "refresh"), ("ftl.scrub.period=60d", "scrub")] {
            let result = years(&[&kind, upkeep]);
            assert_eq!(number(&result, "host.read.uncorrectable"), 0, "{kind}, {upkeep}");
            let moved = number(&result, &format!("flash.units_programmed.{origin}"));
            assert!(moved >= 1024, "{kind}, {upkeep}: {moved} units of 1024, which are due again and again");
            assert!(number(&result, "ftl.mapping.merges.full") > 0, "{kind}, {upkeep}");
        }
    }
}

#[test]
fn a_dead_die_fails_its_reads_on_a_map_of_blocks() {
    for kind in BLOCK_MAPS {
        let kind = format!("ftl.mapping.name={kind}");
        let result = played_with(Op::READ, PreconditionKind::Fill, &[&[&kind, "ftl.failed_die=1"]]);
        let reads = number(&result, "host.read.requests");
        let lost = number(&result, "host.read.uncorrectable");
        assert!(lost.abs_diff(reads / 4) < reads / 10, "{kind}: {lost} of {reads}, a die of four");
        assert_eq!(number(&played(&[&[&kind, "ftl.failed_die=1"]]), "flash.programs.total"), 0, "{kind}");
    }
}

/// Returns the mean transfer time, in ns, of writes and of reads of 1024 bytes (a quarter of a unit) on a test drive
/// with these features.
fn transfer_ns(features: &[&[&str]]) -> [f64; 2] {
    [Op::WRITE, Op::READ].map(|op| {
        let drive = drive_with(features);
        let span = drive.capacity().get();
        let options =
            RunOptions { check: true, precondition: PreconditionKind::Fill, ..RunOptions::default() };
        let result = run(drive, uniform(3_000, 4, op, 1024, span, 1), options).1;
        result["stages"][op.name()]["transfer"].as_f64().expect("a time")
    })
}

#[test]
fn sectors_go_with_a_map_of_blocks() {
    for kind in BLOCK_MAPS {
        let kind = format!("ftl.mapping.name={kind}");
        let one_unit: &[&str] = &["nand.program=page", "ftl.buffer.write_back=false", &kind];
        let track = ["ftl.sectors.track=true", "ftl.buffer.in_flight=64KiB", "ftl.buffer.dram.transfers=800"];
        let (known, unknown) = (transfer_ns(&[one_unit, &track]), transfer_ns(&[one_unit]));
        for (known, unknown) in known.into_iter().zip(unknown) {
            assert!(known < 0.5 * unknown, "{kind}: {known} ns for the sectors, {unknown} for the unit");
        }
    }
}

/// Checks that units which a merge of a block-mapped drive could not read stay lost in a saved state, also when it is
/// loaded and saved again.
#[test]
fn a_saved_state_holds_what_a_map_of_blocks_lost() {
    for kind in BLOCK_MAPS {
        let kind = format!("ftl.mapping.name={kind}");
        let old = [
            "ecc.code.name=ldpc",
            "ecc.code.limits=[4e-3, 8e-3, 1.2e-2]",
            "ecc.code.retries=0",
            "nand.errors.name=power-law",
            "nand.pe_cycles=1000",
        ];
        let (before, _) = gone_on(&[&old, &["ftl.reading.data_age=3650d", &kind]]);
        assert!(before.ftl().unwrap().stats().units_lost > 100, "{kind} lost nothing");
    }
}
