//! Power cuts on drives that map blocks: which superblocks are which block, and where the newest copy of each unit is, follows
//! from the spare areas alone, in the middle of whatever merge.

use crate::common::{SMALL, closed_loop_forced, drive, run};
use crate::power_cuts::{mixed, total};
use engine::RandomStream;
use host::{Op, Workload};
use serde_json::Value;
use sim::RunOptions;

const UNPROTECTED: &str = "ftl.buffer.power_loss_protection=false";
/// Blocks so small that merges go on all the time.
const BUSY: [&str; 4] =
    ["nand.pages_per_block=8", "nand.blocks_per_plane=48", "ftl.op_ratio=0.6", "ftl.buffer.size=256KiB"];
const KINDS: [&[&str]; 6] = [
    &["ftl.mapping.name=block"],
    &["ftl.mapping.name=replacement", "ftl.mapping.chain=2"],
    &["ftl.mapping.name=bast"],
    &["ftl.mapping.name=fast"],
    &["ftl.mapping.name=bast", "ftl.mapping.dies_per_block=2"],
    &["ftl.mapping.name=fast", "ftl.mapping.dies_per_block=4", "ftl.mapping.log_blocks=3"],
];

/// A half in order from random places on, so that blocks are filled in place; the rest anywhere.
fn half_in_order(requests: u64, units: u64, seed: u64) -> Box<dyn Workload> {
    let mut random = RandomStream::new(seed, "half-in-order");
    let mut next = 0;
    closed_loop_forced(requests, 16, 7, move |index| match index % 20 {
        0 => (Op::Flush, 0, 0),
        1 => (Op::Trim, random.below(units - 16) * 4096, 16 * 4096),
        2..5 => (Op::Read, random.below(units) * 4096, 4096),
        5..12 => {
            next = if random.chance(0.02) { random.below(units) } else { (next + 1) % units };
            (Op::Write, next * 4096, 4096)
        }
        _ => (Op::Write, random.below(units) * 4096, 4096),
    })
}

fn result_of(kind: &[&str], settings: &[&str], workload: Box<dyn Workload>, seed: u64) -> Value {
    let options = RunOptions { check: true, seed, ..RunOptions::default() };
    run(drive(&[SMALL, &BUSY, kind, settings].concat()), workload, options).1
}

/// Cuts so many drives of each kind at random operations, under both loads; gives what the cuts did.
fn cut_at_random(settings: &[&str], seeds: std::ops::Range<u64>) -> Vec<Value> {
    let cuts = ["power.cut.drawn=8", "power.cut.within=3000"];
    let mut all = Vec::new();
    for (kind, seed) in KINDS.iter().flat_map(|kind| seeds.clone().map(move |seed| (kind, seed))) {
        let load = if seed % 2 == 0 { mixed(4_000, 600, seed) } else { half_in_order(4_000, 600, seed) };
        let result = result_of(kind, &[&cuts, settings].concat(), load, seed);
        assert_eq!(result["power"]["cuts"].as_array().unwrap().len(), 8, "{kind:?}: {}", result["power"]);
        assert!(!result["wear"]["read_only"].as_bool().unwrap(), "{kind:?}, seed {seed}");
        all.push(result);
    }
    all
}

#[test]
fn what_was_durable_is_there_after_every_cut_of_a_map_of_blocks() {
    let results = cut_at_random(&[UNPROTECTED], 0..6);
    let sum = |key| -> u64 { results.iter().map(|result| total(&result["power"], key)).sum() };
    let (torn, half_erased, lost) =
        (sum("torn_rows"), sum("half_erased_superblocks"), sum("units_lost_in_buffer"));
    // All that a cut can destroy was destroyed, or this would try nothing.
    assert!(torn > 100 && half_erased > 30 && lost > 300, "{torn}, {half_erased}, {lost}");
}

#[test]
fn capacitors_leave_nothing_to_lose_on_a_map_of_blocks() {
    let results = cut_at_random(&["ftl.buffer.power_loss_protection=true"], 0..2);
    let lost: u64 = results.iter().map(|result| total(&result["power"], "units_lost_in_buffer")).sum();
    assert_eq!(lost, 0);
}

/// So many cuts within so few operations that most of them come while the drive is looking for its map.
#[test]
fn cuts_while_blocks_are_looked_for_change_nothing() {
    let often = [UNPROTECTED, "power.cut.drawn=8", "power.cut.within=600", "power.off=1us"];
    let results = KINDS.iter().map(|kind| result_of(kind, &often, mixed(2_000, 600, 3), 3));
    let is_early = |cut: &Value| cut["ready_ns"].is_null();
    let early: usize = results
        .map(|result| result["power"]["cuts"].as_array().unwrap().iter().filter(|cut| is_early(cut)).count())
        .sum();
    assert!(early > 12, "{early}");
}
