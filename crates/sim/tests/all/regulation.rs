//! What costs of writes and reads do to a drive: times to the nanosecond, retries, losses, re-writes.

use crate::common;
use crate::common::{PAPER, closed_loop, drive, run, uniform};
use host::Op;
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions};

fn paper(more: &[&str]) -> Drive {
    drive(&[PAPER, more].concat())
}

fn checked(precondition: PreconditionKind) -> RunOptions {
    RunOptions { check: true, precondition, ..RunOptions::default() }
}

fn at<'a>(result: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(result, |value, key| &value[key])
}

fn number(result: &Value, path: &str) -> u64 {
    at(result, path).as_u64().unwrap_or_else(|| panic!("{path} is {}", at(result, path)))
}

fn mean_us(result: &Value, op: &str) -> f64 {
    let mean = at(result, &format!("host.{op}.latency_ns.mean")).as_f64().expect("requests");
    (mean / 1000.0).floor()
}

#[test]
fn table_1_is_what_single_operations_take() {
    let cases = [("hcw-lcr", 70, 800, 3), ("mcw-mcr", 170, 600, 9), ("lcw-hcr", 310, 450, 21)];
    for (name, read_us, write_us, references) in cases {
        let regulator = format!("ftl.regulator.name={name}");
        let workload = |op| uniform(500, 1, op, 4096, 4 << 20, 1);
        let (_, read) = run(paper(&[&regulator]), workload(Op::READ), checked(PreconditionKind::Fill));
        // The link takes some ns for 4 KiB.
        assert_eq!(mean_us(&read, "read"), read_us as f64, "{name}");
        let rung = read["ecc"]["references"].as_array().unwrap();
        let rung = rung.iter().position(|count| *count == references).unwrap();
        assert_eq!(read["ecc"]["reads_by_references"]["host"][rung], 500, "{name}");
        let (_, write) = run(paper(&[&regulator]), workload(Op::WRITE), checked(PreconditionKind::None));
        // 40 us to bring two bit-planes in, then the program.
        assert_eq!(mean_us(&write, "write") - 40.0, write_us as f64, "{name}");
        assert_eq!(write["ftl"]["write_cost"]["units_by_step"]["host"][0], 500, "{name}");
    }
}

#[test]
fn a_drive_without_a_code_has_no_regulation() {
    let plain: Vec<&str> = PAPER.iter().copied().filter(|line| !line.starts_with("ecc.code")).collect();
    let (_, result) =
        run(drive(&plain), uniform(100, 1, Op::READ, 4096, 4 << 20, 1), checked(PreconditionKind::Fill));
    assert!(result["ecc"].is_null() && result["ftl"]["write_cost"].is_null());
    assert!(result["ftl"]["regulator"].is_null() && result["ftl"]["refresh"].is_null());
    assert_eq!(mean_us(&result, "read"), 70.0);
    let lines = [&plain[..], &["ftl.regulator.name=agcr"]].concat();
    let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    let error = sim::Drive::from_resolved("test", &lines).err().expect("refused").to_string();
    assert!(error.contains("needs ecc.code.name"), "{error}");
}

#[test]
fn a_step_that_the_code_cannot_correct_is_refused() {
    let error = paper(&["ftl.regulator.name=lcw-hcr", "ftl.write_cost.steps=[\"0.2V\", \"0.3V\", \"0.5V\"]"])
        .build(1)
        .err()
        .expect("refused")
        .to_string();
    let expected = "a program step of 500mV leaves a raw bit error rate of 1.68e-2 after 365 days on blocks with \
                    1000 program/erase cycles, and ecc.code corrects 1.20e-2 at most";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn old_data_are_read_with_retries_and_at_last_lost() {
    let read = |age: &str| {
        let drive = paper(&[&format!("ftl.reading.data_age={age}")]);
        run(drive, uniform(300, 1, Op::READ, 4096, 4 << 20, 1), checked(PreconditionKind::Fill)).1
    };
    let young = read("300d");
    assert_eq!((number(&young, "ecc.read_retries"), number(&young, "host.read.uncorrectable")), (0, 0));
    let old = read("2000d");
    assert!(number(&old, "ecc.read_retries") > 0, "{}", old["ecc"]);
    assert_eq!(number(&old, "host.read.uncorrectable"), 0);
    assert!(mean_us(&old, "read") > mean_us(&young, "read"));
    let lost = read("40000d");
    assert_eq!(number(&lost, "host.read.uncorrectable"), 300);
    assert_eq!(number(&lost, "host.completed.read"), 0);
    assert_eq!(number(&lost, "host.failed.read"), 300);
}

/// Checks that a first read attempt for young data (`ftl.reading.age`) is cheap and old data take retries, and that
/// without this key the first attempt fits data as old as data may get.
#[test]
fn a_first_attempt_for_young_data_is_cheaper_and_old_data_take_retries() {
    let read = |more: &[&str]| {
        run(paper(more), uniform(300, 1, Op::READ, 4096, 4 << 20, 1), checked(PreconditionKind::Fill)).1
    };
    let by_retries = |result: &Value| result["ecc"]["requests_by_retries"].clone();
    let young = read(&["ftl.reading.age=1d"]);
    assert_eq!(young["ecc"]["reads_by_references"]["host"], serde_json::json!([300, 0, 0]));
    assert_eq!(mean_us(&young, "read"), 70.0);
    let none = serde_json::json!({ "share": 0.0, "requests": [300], "latency_ns_mean": [at(&young, "host.read.latency_ns.mean")] });
    assert_eq!(by_retries(&young), none);
    let old = read(&["ftl.reading.age=1d", "ftl.reading.data_age=364d", "nand.pe_cycles=2000"]);
    assert_eq!(old["ecc"]["reads_by_references"]["host"], serde_json::json!([0, 300, 0]));
    // The hard read that was not enough, and the one with nine references.
    assert_eq!(mean_us(&old, "read"), 70.0 + 170.0);
    assert_eq!((number(&old, "ecc.read_retries"), number(&old, "ecc.reads_retried.host")), (300, 300));
    let mean = at(&old, "host.read.latency_ns.mean");
    let all = serde_json::json!({ "share": 1.0, "requests": [0, 300], "latency_ns_mean": [null, mean] });
    assert_eq!(by_retries(&old), all);
    let lines: Vec<String> =
        PAPER.iter().chain(&["ftl.reading.age=400d"]).map(|line| (*line).to_owned()).collect();
    let error = Drive::from_resolved("test", &lines).err().expect("refused").to_string();
    assert!(
        error.contains("ftl.reading.age") && error.contains("at most ftl.write_cost.retention"),
        "{error}"
    );
}

#[test]
fn agcr_rewrites_in_idle_time_what_turns_out_to_be_only_read() {
    const UNITS: u64 = 200;
    // Each unit is written twice, so that the second write is cheap; then all are read three times over.
    let workload = |rounds: u64| {
        closed_loop(rounds * UNITS, 1, |at| {
            let op = if at < 2 * UNITS { Op::WRITE } else { Op::READ };
            (op, at % UNITS * 4096, 4096)
        })
    };
    let settings = ["ftl.regulator.name=agcr", "ftl.rewrite.idle_after=50us", "controller.multi_plane=false"];
    let (_, result) = run(paper(&settings), workload(6), checked(PreconditionKind::None));
    assert_eq!(at(&result, "ftl.write_cost.units_by_step.host"), &serde_json::json!([UNITS, 0, UNITS]));
    // The second read of each finds a low-cost page, the re-write follows while the host reads others.
    assert_eq!(number(&result, "ftl.regulator.rewrites_asked"), UNITS);
    assert_eq!(number(&result, "flash.units_programmed.rewrite"), UNITS);
    assert_eq!(result["ecc"]["reads_by_references"]["host"], serde_json::json!([2 * UNITS, 0, 2 * UNITS]));
    assert_eq!(number(&result, "ftl.regulator.bits_per_unit"), 2);
    let units = 4 * 64 * 32 * 4 / 5;
    assert_eq!(number(&result, "ftl.regulator.overhead_bytes"), (units * 2u64).div_ceil(8));
}

/// Checks that each unit of a page row with several units is found and rewritten by the cost regulator.
#[test]
fn each_unit_of_a_row_is_rewritten() {
    const UNITS: u64 = 200;
    let workload = closed_loop(6 * UNITS, 1, |at| {
        let op = if at < 2 * UNITS { Op::WRITE } else { Op::READ };
        (op, at % UNITS * 4096, 4096)
    });
    let rows = ["nand.planes=2", "ftl.buffer.write_back=true"];
    let settings = [&["ftl.regulator.name=agcr", "ftl.rewrite.idle_after=50us"], &rows[..]].concat();
    let (_, result) = run(paper(&settings), workload, checked(PreconditionKind::None));
    let asked = number(&result, "ftl.regulator.rewrites_asked");
    assert_eq!((asked, number(&result, "flash.units_programmed.rewrite")), (UNITS, UNITS));
}

#[test]
fn moved_data_are_regulated_too() {
    for name in ["agcr", "li-queue", "wu-slack", "retention-relaxation", "tvr", "lcw-hcr"] {
        let drive = paper(&[&format!("ftl.regulator.name={name}")]);
        let span = drive.capacity().get();
        let (_, result) =
            run(drive, uniform(30_000, 8, Op::WRITE, 4096, span, 1), checked(PreconditionKind::Fill));
        let sum = |path: &str| -> u64 {
            at(&result, path).as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum()
        };
        let moved = number(&result, "flash.units_programmed.gc");
        assert!(moved > 1000, "{name}: {moved}");
        // A program in flight at the end was chosen for and is not counted yet.
        assert!(sum("ftl.write_cost.units_by_step.other").abs_diff(moved) < 64, "{name}");
        assert!(sum("ftl.write_cost.units_by_step.host").abs_diff(30_000) < 64, "{name}");
    }
}

/// Checks that program times and error rates follow from the chip's tables by program step.
#[test]
fn a_chip_with_tables_gives_times_and_errors_by_step() {
    let settings = |more: &[&str]| -> Vec<String> {
        let few = [
            "bus.interface.name=plain",
            "bus.interface.rate=166MT/s",
            "chip=derived/poster-mlc",
            "nand.pe_cycles=500",
            "nand.blocks_per_plane=64",
            "ftl.op_ratio=0.5",
            "ftl.buffer.write_back=false",
            "ecc.code.name=ldpc",
        ];
        let all = few.iter().chain(&["nand.errors.name=tables", "controller.multi_plane=false"]).chain(more);
        all.map(|line| (*line).to_owned()).collect()
    };
    let load = |more: &[&str]| Drive::load(&common::catalogue(), "mlc", &settings(more));
    let write = |name: &str| {
        let drive = load(&[&format!("ftl.regulator.name={name}"), "ftl.mapping_unit=4KiB"]);
        let drive = drive.unwrap_or_else(|error| panic!("{error}"));
        let (_, result) = run(drive, uniform(4000, 1, Op::WRITE, 4096, 4 << 20, 1), RunOptions::default());
        at(&result, "energy_j.nand_by_kind.program").as_f64().expect("energy")
    };
    let [high, medium, low] = ["hcw-lcr", "mcw-mcr", "lcw-hcr"].map(write);
    assert!(high > 1.05 * medium && medium > 1.05 * low, "{high} {medium} {low}");
    let error = Drive::load(&common::catalogue(), "mlc", &["nand.errors.name=tables".to_owned()])
        .and_then(|drive| drive.build(1).map(|_| ()))
        .expect_err("refused");
    assert!(error.to_string().contains("has no [tables.errors]"), "{error}");
}

/// Checks that the regulator `tvr` uses the chip's tables for program times at reduced voltages, page type by page
/// type, on the chip `derived/poster-mlc`.
#[test]
fn reduced_voltages_take_the_times_of_the_chips_tables() {
    let settings = |more: &[&str]| -> Vec<String> {
        let few = [
            "bus.interface.name=plain",
            "bus.interface.rate=40MT/s",
            "bus.interface.cycle=0ns",
            "chip=derived/poster-mlc",
            "nand.blocks_per_plane=64",
            "nand.errors.name=tables",
            "ftl.mapping_unit=4KiB",
            "ftl.op_ratio=0.5",
            "ftl.buffer.write_back=false",
            "ecc.code.name=ldpc",
            "controller.multi_plane=false",
            "ftl.regulator.name=tvr",
            "ftl.regulator.new_data=true",
        ];
        few.iter().chain(more).map(|line| (*line).to_owned()).collect()
    };
    let load =
        |more: &[&str]| Drive::load(&common::catalogue(), "mlc", &settings(more)).map_err(|e| e.to_string());
    let build = |more: &[&str]| load(more)?.build(1).map(|_| ()).map_err(|e| e.to_string());
    let reduced = "ftl.regulator.voltages=retention_free";
    // Other times than the chip's, so that the test knows them: first and second pages, by wear.
    let times = ["\"100us\", \"300us\""; 11].join(", ");
    let times = format!("nand.tables.voltages.retention_free.t_prog=[{times}]");
    let drive = load(&[reduced, &times]).unwrap_or_else(|error| panic!("{error}"));
    let (_, result) =
        run(drive, uniform(512, 1, Op::WRITE, 4096, 4 << 20, 1), checked(PreconditionKind::None));
    assert_eq!(at(&result, "stages.write.array").as_f64(), Some(200_000.0));
    assert_eq!(at(&result, "ftl.write_cost.voltages"), &serde_json::json!(["retention_free", null]));
    assert_eq!(result["ftl"]["write_cost"]["units_by_step"]["host"], serde_json::json!([512, 0]));

    let error = build(&["ftl.regulator.voltages=retention_fre"]).expect_err("refused");
    assert!(
        error.contains("\"retention_fre\": no such set of voltages: expected one of retention_free"),
        "{error}"
    );
    let error = build(&[reduced, "nand.errors.name=power-law"]).expect_err("refused");
    assert!(error.contains("needs nand.errors.name = tables"), "{error}");
    let error = build(&[reduced, "ftl.regulator.speed=1.5"]).expect_err("refused");
    assert!(error.contains("ftl.regulator.speed") && error.contains("whose times the chip knows"), "{error}");
    let error = build(&[reduced, "ftl.regulator.horizon=3650d", "nand.pe_cycles=5000"]).expect_err("refused");
    assert!(error.contains("the set of voltages retention_free leaves a raw bit error rate of"), "{error}");
}

#[test]
fn relaxed_data_are_written_anew_before_they_are_lost() {
    // 8 MiB are written; then a unit is read every ten hours.
    let result = {
        let settings = [
            "ftl.regulator.name=retention-relaxation",
            "ftl.regulator.retention=20h",
            "ftl.regulator.refresh_period=10h",
        ];
        let drive = paper(&settings);
        let text = "[global]\nfilename=data\nbs=4k\nsize=8m\n[fill]\nrw=write\nio_size=8m\n\
                    [later]\nstonewall\nrw=randread\nthinktime=36000000000\nnumber_ios=4\n";
        let spec = sim::WorkloadSpec::FioText {
            name: "hours.fio".into(),
            text: text.into(),
            variables: Default::default(),
        };
        let workload = spec.open(drive.capacity().get(), 1).unwrap_or_else(|error| panic!("{error}"));
        run(drive, workload, checked(PreconditionKind::None)).1
    };
    // Two thousand units, but for those in superblocks that are still open.
    let refreshed = number(&result, "flash.units_programmed.refresh");
    assert!(refreshed > 1700 && refreshed <= 2048, "{refreshed}");
    assert!(number(&result, "ftl.refresh.superblocks_refreshed") >= 60);
    assert_eq!(number(&result, "ftl.wear.relocations"), 0);
    assert_eq!(number(&result, "host.read.uncorrectable"), 0);
}

#[test]
fn superblocks_read_too_often_are_reclaimed() {
    let read = |reclaim: &str| {
        let settings = ["ftl.reading.reads=500", "nand.errors.gamma=2e-5", reclaim];
        run(paper(&settings), uniform(40_000, 4, Op::READ, 4096, 1 << 20, 1), checked(PreconditionKind::Fill))
            .1
    };
    let (without, with) = (read("ftl.reading.reclaim=false"), read("ftl.reading.reclaim=true"));
    assert_eq!(number(&without, "flash.units_programmed.refresh"), 0);
    assert!(number(&without, "ecc.read_retries") > 1000);
    assert!(number(&with, "flash.units_programmed.refresh") > 256);
    assert!(number(&with, "ecc.read_retries") < number(&without, "ecc.read_retries") / 10);
}
