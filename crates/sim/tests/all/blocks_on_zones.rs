//! A host that keeps blocks on a drive of zones: requests of all kinds are answered, its collection costs what closed forms say,
//! streams separate data, and what cannot be is refused.

use crate::common::zones::mixed;
use crate::common::{TLC, closed_loop, drive, run, uniform};
use engine::RandomStream;
use host::Op;
use serde_json::Value;
use sim::{Checking, PreconditionKind, RunOptions};

/// Constant: settings of a drive with 40 zones of 384 KiB over four dies, whose host keeps blocks on three quarters of
/// their space.
const LOG: &[&str] = &[
    "ftl.buffer.power_loss_protection=true",
    "ftl.buffer.size=4MiB",
    "ftl.mapping.name=zoned-all",
    "ftl.mapping.zone_size=512KiB",
    "host.translation.name=log",
    "host.translation.op_ratio=0.35",
];

fn on_zones(settings: &[&str]) -> sim::Drive {
    drive(&[TLC, LOG, settings].concat())
}

fn options(precondition: PreconditionKind) -> RunOptions {
    RunOptions { check: true, precondition, ..RunOptions::default() }
}

fn number(result: &Value, path: &str) -> f64 {
    let found = path.split('.').fold(result, |value, key| &value[key]);
    found.as_f64().unwrap_or_else(|| panic!("{path} is {found}"))
}

#[test]
fn requests_of_all_kinds_are_answered_at_any_depth_and_the_account_agrees() {
    let widths = ["ftl.mapping.name=zoned-width", "ftl.mapping.dies=2", "ftl.mapping.zone_capacity=384KiB"];
    let on_write =
        ["ftl.mapping.name=zoned-on-write", "ftl.mapping.dies=1", "ftl.mapping.zone_capacity=384KiB"];
    for (kind, depth) in [(&[] as &[&str], 1), (&[], 64), (&widths, 16), (&on_write, 200)] {
        let drive = on_zones(kind);
        let bytes = drive.space().bytes;
        let (_, result) = run(drive, mixed(bytes, 5, 20_000, depth), options(PreconditionKind::Fill));
        assert_eq!(number(&result, "host.completed.total"), 20_000.0, "{kind:?} {depth}");
        assert!(result["host"]["errors"].is_null(), "{}", result["host"]["errors"]);
        assert!(number(&result, "host.translation.zones_collected") > 100.0);
        assert!(number(&result, "host.translation.completed_bytes") > 0.0);
    }
}

#[test]
fn runs_with_one_seed_are_equal() {
    let once = || {
        let drive = on_zones(&["host.translation.victim.name=random"]);
        let bytes = drive.space().bytes;
        let (_, mut result) = run(drive, mixed(bytes, 9, 5000, 32), options(PreconditionKind::Steady));
        result["engine"].take();
        result
    };
    assert_eq!(once(), once());
}

/// Checks write amplification against a closed form: zones collected in the order in which they were filled, under
/// uniform writes, hold the share `v` of needed blocks that solves `v = exp(-(1 - v) T / U)`, where `T` blocks lie in
/// zones in use and `U` are kept (Desnoyers, SYSTOR 2012); each write of the workload costs `1 / (1 - v)`.
#[test]
fn uniform_writes_cost_what_a_closed_form_says_before_and_during_the_run() {
    let drive = on_zones(&[
        "nand.blocks_per_plane=400",
        "ftl.op_ratio=0.1",
        "host.translation.victim.name=fifo",
        "host.translation.op_ratio=0.25",
    ]);
    let bytes = drive.space().bytes;
    let workload = uniform(60_000, 8, Op::WRITE, 4096, bytes, 3);
    let (_, result) = run(drive, workload, options(PreconditionKind::Steady));
    let zones = number(&result, "ftl.zones.count") - 3.0;
    let ratio = zones * 96.0 * 4096.0 / bytes as f64;
    let valid = (0..200).fold(0.5, |valid: f64, _| (-(1.0 - valid) * ratio).exp());
    let expected = 1.0 / (1.0 - valid);
    let windows = result["precondition"]["waf_by_window"].as_array().expect("windows");
    let long_run = number(&result, "waf_long_run.value");
    for found in [windows.last().unwrap().as_f64().unwrap(), number(&result, "waf"), long_run] {
        assert!((found / expected - 1.0).abs() < 0.03, "{found}, expected {expected}");
    }
}

#[test]
fn streams_keep_hot_and_cold_data_apart() {
    let waf = |settings: &[&str]| {
        let drive = on_zones(settings);
        let bytes = drive.space().bytes;
        let mut random = RandomStream::new(4, "hot");
        // Nine of ten writes go to a tenth of the space.
        let workload = closed_loop(40_000, 8, move |_| {
            let hot = random.chance(0.9);
            let (from, span) = if hot { (0, bytes / 10) } else { (bytes / 10, bytes - bytes / 10) };
            (Op::WRITE, (from + random.below(span / 4096) * 4096) / 4096 * 4096, 4096)
        });
        let (_, result) = run(drive, workload, options(PreconditionKind::Fill));
        assert_eq!(
            number(&result, "waf"),
            number(&result, "waf_bytes.programmed") / number(&result, "waf_bytes.host_written")
        );
        number(&result, "waf")
    };
    let together = waf(&[]);
    let apart = waf(&["host.translation.streams=2", "host.place.name=address"]);
    assert!(apart < 0.9 * together, "{apart} with streams, {together} without");
}

#[test]
fn what_cannot_be_is_refused_in_a_line() {
    let refused = |settings: &[&str]| {
        let settings: Vec<String> = [TLC, settings].concat().iter().map(|one| (*one).to_owned()).collect();
        sim::Drive::from_resolved("test", &settings).err().expect("refused").to_string()
    };
    let blocks = refused(&["host.translation.name=log"]);
    assert!(
        blocks.contains("host.translation.name = \"log\"") && blocks.contains("a drive of zones"),
        "{blocks}"
    );
    let large = refused(&[LOG, &["host.translation.op_ratio=0.01"]].concat());
    assert!(large.contains("host.translation.op_ratio") && large.contains("expected at most"), "{large}");
    let many = refused(&[LOG, &["host.translation.streams=9"]].concat());
    assert!(many.contains("host.translation.streams") && many.contains("expected at most 6"), "{many}");
    for error in [blocks, large, many] {
        assert!(!error.contains('\n'), "{error}");
    }
    let drive = on_zones(&[]);
    let bytes = drive.space().bytes;
    let workload = uniform(10, 1, Op::WRITE, 4096, bytes, 3);
    let refused = sim::Session::with_workload(drive, workload, options(PreconditionKind::Instant));
    assert!(refused.err().expect("refused").to_string().contains("--precondition"));
}

#[test]
fn the_log_counts_as_memory() {
    let zones: Vec<&str> = LOG.iter().copied().filter(|line| !line.starts_with("host.")).collect();
    let without = drive(&[TLC, &zones].concat()).memory_bytes(Checking::Off);
    let drive = on_zones(&[]);
    let (places, blocks) = (40 * 96, drive.space().bytes / 4096);
    assert_eq!(drive.memory_bytes(Checking::Off), without + 4 * (places + blocks));
}
