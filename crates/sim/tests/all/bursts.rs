//! Garbage collection in bursts: writes seldom wait, then long, and no more is moved than where collection is paced.

use crate::common::{SMALL, drive, run, uniform};
use host::Op;
use sim::{PreconditionKind, RunOptions};

/// Returns write amplification, and the mean and 99.9th percentile in ns of the write latency, of random overwriting at
/// depth 1 with bursts of `programs` programs; the account checks each step.
fn overwritten(programs: u32, more: &[&str]) -> [f64; 3] {
    let bursts = format!("ftl.gc.burst_programs={programs}");
    let small = ["ftl.buffer.size=64KiB", "ftl.gc.trigger.background=false", &bursts];
    let drive = drive(&[SMALL, &small, more].concat());
    let load = uniform(40_000, 1, Op::WRITE, 4096, drive.capacity().get(), 3);
    let options =
        RunOptions { precondition: PreconditionKind::Instant, check: true, ..RunOptions::default() };
    let (_, result) = run(drive, load, options);
    let latency = &result["host"]["write"]["latency_ns"];
    [
        result["waf"].as_f64().expect("writes"),
        latency["mean"].as_f64().expect("writes"),
        latency["p999"].as_f64().expect("writes"),
    ]
}

#[test]
fn bursts_move_no_more_and_make_few_writes_wait_long() {
    let [paced, mean, tail] = overwritten(0, &[]);
    let [waf, mean_in_bursts, tail_in_bursts] = overwritten(32, &[]);
    // What rests is overwritten meanwhile, so that a little less is moved.
    assert!((0.92..1.01).contains(&(waf / paced)), "{waf} for {paced}");
    assert!(mean_in_bursts < 1.5 * mean, "{mean_in_bursts} for {mean}");
    assert!(tail_in_bursts > 2.0 * tail, "{tail_in_bursts} for {tail}");
}

#[test]
fn bursts_go_on_where_groups_of_superblocks_share_parity() {
    let parity = ["ftl.parity.name=rain", "ftl.parity.stripe=3", "ftl.op_ratio=0.9"];
    let [paced, ..] = overwritten(0, &parity);
    let [waf, ..] = overwritten(4, &parity);
    assert!((waf / paced - 1.0).abs() < 0.05, "{waf} for {paced}");
}
