//! The power fails on drives whose superblocks belong together: by parity over dies, or because snapshots see them. The
//! checker's accounts look at every unit after every cut. Random drives: `swarm`.

use crate::common::bench::Bench;
use crate::common::{SMALL, closed_loop_forced, drive, run};
use engine::RandomStream;
use ftl::Coverage;
use host::{Op, Workload};
use serde_json::Value;
use sim::RunOptions;
use units::{Lpn, Ppa};

const CUTS: [&str; 3] =
    ["power.cut.drawn=6", "power.cut.within=3000", "ftl.buffer.power_loss_protection=false"];
const RAIN: [&str; 2] = ["ftl.parity.name=rain", "ftl.op_ratio=0.9"];

/// Writes, some of parts of units and some forced, reads, trims and flushes over some of the units.
fn mixed(requests: u64, units: u64, seed: u64) -> Box<dyn Workload> {
    let mut random = RandomStream::new(seed, "mixed");
    closed_loop_forced(requests, 16, 7, move |index| match index % 20 {
        0 => (Op::Flush, 0, 0),
        1 | 2 => (Op::Trim, random.below(units) * 4096, 4096),
        3..7 => (Op::Read, random.below(units) * 4096, 4096),
        _ => (Op::Write, random.below(units) * 4096 + 512 * random.below(3), 4096),
    })
}

fn checked(settings: &[&str], workload: Box<dyn Workload>, seed: u64) -> Value {
    let options = RunOptions { check: true, seed, ..RunOptions::default() };
    run(drive(&[SMALL, settings].concat()), workload, options).1
}

#[test]
fn drives_with_parity_keep_what_was_durable() {
    for seed in 0..12 {
        let recovery = ["scan", "summaries", "checkpoint"][seed as usize % 3];
        let method = format!("ftl.recovery.name={recovery}");
        let result = checked(&[&CUTS[..], &RAIN, &[&method]].concat(), mixed(6_000, 6_000, seed), seed);
        assert_eq!(result["power"]["cuts"].as_array().unwrap().len(), 6, "{}", result["power"]);
        assert!(result["flash"]["programs"]["parity"].as_u64().unwrap() > 500, "{}", result["flash"]);
        assert_eq!(result["host"]["failed"]["write"], 0, "seed {seed}");
    }
}

/// Pages of a wordline that are programmed one after the other: what an interrupted program takes along is found again.
#[test]
fn what_a_cut_tore_is_found_again_from_the_others() {
    let pages = ["nand.cell=mlc", "nand.program=page", "power.cut.drawn=20", "power.cut.within=20000"];
    let mut rebuilt = 0;
    for seed in 0..12 {
        let result = checked(&[&CUTS[2..], &RAIN, &pages].concat(), mixed(12_000, 6_000, seed), seed);
        let of = |whose: &str| result["unreadable"]["reads_rebuilt"][whose].as_u64().unwrap();
        rebuilt += of("host") + of("other");
        assert_eq!(result["unreadable"]["reads_lost"]["host"], 0, "{}", result["unreadable"]);
    }
    assert!(rebuilt > 10, "{rebuilt}");
}
