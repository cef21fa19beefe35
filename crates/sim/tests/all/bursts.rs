//! Does collection in bursts do what it says: all dies at once, the host waiting meanwhile, and as much copied as without?

use crate::common::drive;
use serde_json::Value;
use sim::{PreconditionKind, RunOptions, Session, WorkloadSpec};

/// Four dies with superblocks of 96 units, a program of a millisecond for each six, and a buffer of 16 units.
const DIES: &[&str] = &[
    "geometry.channels=4",
    "geometry.ways=1",
    "nand.cell=tlc",
    "nand.planes=2",
    "nand.blocks_per_plane=48",
    "nand.pages_per_block=48",
    "nand.page_size=4KiB",
    "nand.t_r=40us",
    "nand.t_prog=1ms",
    "nand.t_bers=3ms",
    "bus.interface.rate=800MT/s",
    "ftl.gc.trigger.background=false",
    "ftl.buffer.size=256KiB",
    "ftl.op_ratio=0.35",
];

/// Random writes at random moments, at about a third of the rate that the drive can have.
fn loaded(settings: &[&str]) -> Value {
    let spec = WorkloadSpec::FioText {
        name: "job".into(),
        text: "[j]\nbs=4k\nsize=100%\nrw=randwrite\nnorandommap=1\nioengine=libaio\niodepth=64\nrate_iops=4000\n\
               rate_process=poisson\nio_size=160m\n"
            .into(),
        variables: Default::default(),
    };
    let options = RunOptions { precondition: PreconditionKind::Steady, check: true, ..RunOptions::default() };
    let mut session = Session::new(drive(&[DIES, settings].concat()), &spec, options).unwrap();
    session.finish().unwrap_or_else(|error| panic!("{error}"));
    session.result().unwrap()
}

fn p99_us(result: &Value) -> f64 {
    result["host"]["write"]["latency_ns"]["p99"].as_f64().unwrap() / 1e3
}

fn waf(result: &Value) -> f64 {
    result["waf"].as_f64().unwrap()
}

#[test]
fn in_bursts_few_writes_wait_long_and_as_much_is_copied() {
    let paced = loaded(&[]);
    let shares = ["0.5", "0.1"].map(|share| format!("ftl.gc.trigger.host_share={share}"));
    let [half, tenth] = shares.each_ref().map(|share| loaded(&["ftl.gc.trigger.name=bursts", share]));
    assert!(p99_us(&paced) < 200.0, "{}", p99_us(&paced));
    assert!(p99_us(&tenth) > 20.0 * p99_us(&paced), "{} beside {}", p99_us(&tenth), p99_us(&paced));
    assert!(p99_us(&tenth) > p99_us(&half), "{} beside {}", p99_us(&tenth), p99_us(&half));
    for bursts in [&half, &tenth] {
        assert!((waf(bursts) / waf(&paced) - 1.0).abs() < 0.1, "{} beside {}", waf(bursts), waf(&paced));
    }
}

/// Dies that have little garbage take no part, and a drive comes to rest all the same.
#[test]
fn a_burst_ends() {
    let result =
        loaded(&["ftl.gc.trigger.name=bursts", "ftl.gc.trigger.high=9", "ftl.gc.trigger.least_gain=0.6"]);
    assert_eq!(result["host"]["write"]["requests"], 40_960);
}
