//! Parity over dies: what it costs, what it gives back, and what is refused.

use crate::common;
use crate::common::bench::Bench;
use crate::common::{SMALL, drive, run, uniform};
use controller::{Kind, Origin};
use engine::RandomStream;
use ftl::SuperblockState;
use host::Op;
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions};

const RAIN: &[&str] = &["ftl.parity.name=rain", "ftl.op_ratio=0.7"];

fn small(more: &[&str]) -> Drive {
    drive(&[SMALL, more].concat())
}

fn checked(precondition: PreconditionKind) -> RunOptions {
    RunOptions { check: true, precondition, ..RunOptions::default() }
}

fn number(result: &Value, path: &str) -> u64 {
    let found = path.split('.').fold(result, |value, key| &value[key]);
    found.as_u64().unwrap_or_else(|| panic!("{path} is {found}"))
}

#[test]
fn one_program_in_four_is_parity() {
    let drive = small(RAIN);
    let span = drive.capacity().get();
    let (_, result) =
        run(drive, uniform(30_000, 8, Op::WRITE, 4096, span, 1), checked(PreconditionKind::Fill));
    let programs = |origin: &str| number(&result, &format!("flash.programs.{origin}"));
    let data = programs("total") - programs("parity");
    // Three programs with data for one of parity, but for stripes that are not complete.
    assert!(data.abs_diff(3 * programs("parity")) < 400, "{data} and {}", programs("parity"));
    assert!(programs("gc") > 1000);
    assert_eq!(number(&result, "ftl.parity.stripe"), 3);
    assert_eq!(number(&result, "ftl.parity.superblocks"), 64);
    assert_eq!(number(&result, "unreadable.reads_rebuilt.host"), 0);
}

/// Constant: settings of a test drive with blocks worn by 3000 program/erase cycles and a code that cannot correct some
/// pages of old data.
const WORN: &[&str] = &[
    "nand.cell=mlc",
    "nand.pe_cycles=3000",
    "nand.errors.name=power-law",
    "ecc.code.name=ldpc",
    "ecc.code.limits=[4e-3, 8e-3, 1.2e-2]",
    "ftl.write_cost.retention=30d",
];

fn worn(more: &[&str]) -> Drive {
    small(&[WORN, more].concat())
}

#[test]
fn what_the_code_cannot_correct_is_found_again_from_the_others() {
    // Of the pages of this age about one in a hundred cannot be corrected.
    let age = "ftl.reading.data_age=10700d";
    let read = |more: &[&str]| {
        let drive = worn(&[&["ftl.op_ratio=0.7", age], more].concat());
        let span = 16 << 20;
        run(drive, uniform(20_000, 4, Op::READ, 4096, span, 1), checked(PreconditionKind::Fill)).1
    };
    let (plain, rain) = (read(&[]), read(RAIN));
    let uncorrectable = number(&plain, "host.read.uncorrectable");
    assert!((20..2000).contains(&uncorrectable), "{uncorrectable}");
    assert_eq!(number(&plain, "unreadable.reads_lost.host"), uncorrectable);
    assert_eq!(number(&plain, "unreadable.reads_rebuilt.host"), 0);
    let (rebuilt, lost) =
        (number(&rain, "unreadable.reads_rebuilt.host"), number(&rain, "host.read.uncorrectable"));
    assert!(rebuilt > 20 && lost * 10 < rebuilt, "{rebuilt} rebuilt, {lost} lost");
    // Three others are read for each that is found again: two with data and the parity.
    assert_eq!(number(&rain, "flash.reads.rebuild"), 3 * (rebuilt + lost));
    assert_eq!(number(&rain, "host.failed.read"), lost);
}

#[test]
fn what_is_lost_is_lost_in_a_saved_state_too() {
    let old = "ftl.reading.data_age=12000d";
    let made = |more: &[&str]| worn(&[&["ftl.op_ratio=0.7"], more].concat());
    let span = made(&[]).capacity().get();
    let writes = uniform(9_000, 8, Op::WRITE, 4096, span, 3);
    let (mut session, before) = run(made(&[old]), writes, checked(PreconditionKind::Fill));
    assert!(number(&before, "unreadable.units_lost") > 100);
    let folder = tempfile::tempdir().expect("a folder for the state");
    let path = folder.path().join("state");
    session.save_state(&path).unwrap_or_else(|error| panic!("{error}"));
    // Young data, of which every page can be read: what fails was marked before.
    let load_state = Some(path.display().to_string());
    let options = RunOptions { load_state, ..checked(PreconditionKind::None) };
    let after = run(made(&[]), uniform(9_000, 8, Op::READ, 4096, span, 4), options).1;
    assert_eq!(number(&after, "unreadable.reads_lost.host"), 0);
    assert!(number(&after, "unreadable.units_read_lost") > 10, "{}", after["unreadable"]);
}

#[test]
fn data_that_could_not_be_read_do_not_move_on_as_if_they_could() {
    let age = "ftl.reading.data_age=12000d";
    let work = |more: &[&str]| {
        let drive = worn(&[&["ftl.op_ratio=0.7", age], more].concat());
        let span = drive.capacity().get();
        let mut random = engine::RandomStream::new(3, "test");
        // Much of what the host does not write anew is moved, and then read.
        let workload = common::closed_loop(14_000, 8, move |at| {
            let op = if at < 9_000 { Op::WRITE } else { Op::READ };
            (op, random.below(span / 4096) * 4096, 4096)
        });
        run(drive, workload, checked(PreconditionKind::Fill)).1
    };
    let plain = work(&[]);
    assert!(number(&plain, "unreadable.units_lost") > 100);
    assert!(number(&plain, "unreadable.units_read_lost") > 0);
    let rain = work(RAIN);
    assert!(
        number(&rain, "unreadable.reads_rebuilt.other") + number(&rain, "unreadable.reads_lost.other") > 100
    );
}

#[test]
fn a_dead_die_is_read_from_the_others() {
    let read = |more: &[&str]| {
        let drive = small(&[&["ftl.op_ratio=0.7", "ftl.failed_die=2"], more].concat());
        let span = drive.capacity().get();
        run(drive, uniform(8_000, 4, Op::READ, 4096, span, 1), checked(PreconditionKind::Fill)).1
    };
    let (plain, rain) = (read(&[]), read(RAIN));
    // A quarter of the data lies on each of four dies; nothing of it comes back without parity.
    let lost = number(&plain, "host.read.uncorrectable");
    assert!(lost.abs_diff(2_000) < 150, "{lost}");
    assert_eq!(number(&rain, "host.read.uncorrectable"), 0);
    let rebuilt = number(&rain, "unreadable.reads_rebuilt.host");
    assert!(rebuilt.abs_diff(2_000) < 250, "{rebuilt}");
    assert_eq!(number(&rain, "host.completed.read"), 8_000);
    assert!(number(&rain, "flash.reads.rebuild") > 2 * rebuilt);
    let p99 = |result: &Value| number(result, "host.read.latency_ns.p99");
    assert!(p99(&rain) > p99(&plain), "a read of several dies takes longer");
    let writes = |more: &[&str]| {
        let drive = small(&[RAIN, &["ftl.failed_die=0"], more].concat());
        run(drive, uniform(100, 4, Op::WRITE, 4096, 1 << 20, 1), checked(PreconditionKind::Fill)).1
    };
    assert_eq!(number(&writes(&[]), "host.failed.write"), 100);
}

#[test]
fn what_does_not_fit_is_refused_in_a_line() {
    let refused = |more: &[&str]| {
        let settings: Vec<String> = [SMALL, more].concat().iter().map(|line| (*line).to_owned()).collect();
        let error = Drive::from_resolved("test", &settings)
            .and_then(|drive| drive.build(1).map(|_| ()))
            .expect_err("refused")
            .to_string();
        assert!(!error.contains('\n'), "{error}");
        error
    };
    for stripe in ["0", "1", "64"] {
        let error = refused(&["ftl.parity.name=rain", &format!("ftl.parity.stripe={stripe}")]);
        assert!(
            error.contains("ftl.parity.stripe") && error.contains("expected 2 to 63: 1 would be a mirror"),
            "{error}"
        );
    }
    for stripe in ["2", "4", "7"] {
        let error = refused(&["ftl.parity.name=rain", &format!("ftl.parity.stripe={stripe}")]);
        assert!(
            error.contains("the drive's 4 dies can be divided among") && error.contains("here 3"),
            "{error}"
        );
    }
    let error = refused(&["ftl.parity.name=rain", "geometry.channels=1", "geometry.ways=2"]);
    assert!(error.contains("at least 3 are needed"), "{error}");
    let error = refused(&["ftl.parity.name=rain", "ftl.op_ratio=0.3"]);
    assert!(error.contains("cannot sustain writes") && error.contains("set ftl.op_ratio to"), "{error}");
    let error = refused(&["ftl.failed_die=4"]);
    assert!(error.contains("expected the number of a die, 0 to 3"), "{error}");
    let error = refused(&["ftl.parity.name=rain", "ftl.mapping.name=bast"]);
    assert!(error.contains("expected ftl.mapping.name = page, dftl or birrell"), "{error}");
}

#[test]
fn filled_fast_and_filled_in_time_agree_on_write_amplification() {
    let waf = |precondition| {
        let drive = small(&["ftl.parity.name=rain", "ftl.op_ratio=0.9"]);
        let span = drive.capacity().get();
        let (_, result) = run(drive, uniform(60_000, 8, Op::WRITE, 4096, span, 2), checked(precondition));
        let history = result["precondition"]["waf_by_window"].as_array().unwrap().clone();
        (history.last().and_then(Value::as_f64), result["waf"].as_f64().unwrap())
    };
    let (untimed, timed) = waf(PreconditionKind::Steady);
    let untimed = untimed.expect("windows");
    assert!((timed / untimed - 1.0).abs() < 0.06, "{untimed} untimed, {timed} timed");
}

/// Checks, on a drive without spare blocks, that a parity group goes on without a superblock whose erase fails (with
/// data or parity): the remaining superblocks share the parity, until only one is left, which parity could not protect.
#[test]
fn a_group_goes_on_with_the_members_that_are_left() {
    let fails = ["ftl.op_ratio=3", "nand.bad_blocks.erase_fail_ratio=0.05"];
    let mut bench = Bench::new(&[SMALL, &RAIN[..1], &fails].concat());
    let logical = u64::from(bench.ftl.layout().logical_units);
    let mut random = RandomStream::new(1, "overwrites");
    let count = |bench: &Bench, state| (0..4).map(|die| u64::from(bench.count(die, &[state]))).sum::<u64>();
    let groups = count(&bench, SuperblockState::Owned);
    while bench.write(random.below(logical) as u32) && !bench.ftl.is_read_only() {
        let stats = bench.ftl.stats();
        assert_eq!(count(&bench, SuperblockState::Lost), stats.superblocks_lost);
    }
    let stats = bench.ftl.stats();
    assert!(count(&bench, SuperblockState::Owned) < groups, "no group came to its end");
    assert!(
        stats.erase_failures > 50 && stats.superblocks_lost > stats.erase_failures,
        "none was left alone"
    );
}

/// Checks that idle dies reclaim a parity group when all of its superblocks together give back enough of their room
/// (the least gain).
#[test]
fn idle_dies_reclaim_groups_that_are_worth_it() {
    let reclaimed = |least: &str| {
        let idle = ["ftl.gc.trigger.background=true", "ftl.gc.trigger.high=24"];
        let worth = format!("ftl.gc.trigger.least_gain={least}");
        let mut bench = Bench::new(&[SMALL, RAIN, &idle, &[&worth]].concat());
        let logical = u64::from(bench.ftl.layout().logical_units);
        let mut random = RandomStream::new(1, "overwrites");
        (0..logical as u32).for_each(|lpn| assert!(bench.write(lpn)));
        (0..4_000).for_each(|_| assert!(bench.write(random.below(logical) as u32)));
        let before = *bench.ftl.stats();
        bench.settle();
        let after = bench.ftl.stats();
        let [taken, units, room] = [
            after.victims - before.victims,
            after.victim_units - before.victim_units,
            after.victim_room - before.victim_room,
        ];
        (taken, room as f64 / (units + room) as f64)
    };
    let (many, gain) = reclaimed("0.1");
    assert!(many > 100 && gain > 0.1, "{many} superblocks gave back {gain}");
    // None has so much to give: only operations in flight come to their end.
    let few = reclaimed("0.5").0;
    assert!(few < 12, "{few} superblocks");
}

/// Checks that static wear levelling moves a parity group as a whole: three superblocks with data, and the parity.
#[test]
fn wear_levelling_moves_whole_groups() {
    let levelled = ["ftl.wear.name=static", "ftl.wear.threshold=4", "ftl.gc.trigger.background=false"];
    let mut bench = Bench::new(&[SMALL, RAIN, &levelled].concat());
    let logical = bench.ftl.layout().logical_units;
    let mut random = RandomStream::new(1, "overwrites");
    (0..logical).for_each(|lpn| assert!(bench.write(lpn)));
    (0..40_000).for_each(|_| assert!(bench.write(random.below(u64::from(logical) / 8) as u32)));
    bench.settle();
    let moved = bench.ftl.stats().wear_relocations;
    let erased = bench.ctx.probe.of(Kind::Erase, Origin::Wear).count() as u64;
    assert!(moved > 30, "{moved}");
    assert_eq!(4 * moved, 3 * erased);
}
