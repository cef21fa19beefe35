//! Power cuts on drives that map blocks: which superblocks are which block, and where the newest copy of each unit is, follows
//! from the spare areas alone, in the middle of any merge.

use crate::common::bench::Bench;
use crate::common::{SMALL, closed_loop_forced, drive, run};
use crate::power_cuts::{mixed, total};
use controller::{Kind, Origin};
use engine::RandomStream;
use host::{Op, Workload};
use serde_json::Value;
use sim::RunOptions;
use units::{Lpn, Ppa};

const UNPROTECTED: &str = "ftl.buffer.power_loss_protection=false";
/// Constant: settings of a test drive with blocks so small that merges of block-mapped layers are always in progress.
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

/// Makes a test workload in which about half of the writes go on in order from random places, so that blocks are filled
/// in place, and the rest go to random units; also reads, trims, flushes and FUA writes.
fn half_in_order(requests: u64, units: u64, seed: u64) -> Box<dyn Workload> {
    let mut random = RandomStream::new(seed, "half-in-order");
    let mut next = 0;
    closed_loop_forced(requests, 16, 7, move |index| match index % 20 {
        0 => (Op::FLUSH, 0, 0),
        1 => (Op::TRIM, random.below(units - 16) * 4096, 16 * 4096),
        2..5 => (Op::READ, random.below(units) * 4096, 4096),
        5..12 => {
            next = if random.chance(0.02) { random.below(units) } else { (next + 1) % units };
            (Op::WRITE, next * 4096, 4096)
        }
        _ => (Op::WRITE, random.below(units) * 4096, 4096),
    })
}

fn result_of(kind: &[&str], settings: &[&str], workload: Box<dyn Workload>, seed: u64) -> Value {
    let options = RunOptions { check: true, seed, ..RunOptions::default() };
    run(drive(&[SMALL, &BUSY, kind, settings].concat()), workload, options).1
}

/// Runs drives of each block-mapped kind with each seed of `seeds`, with eight power cuts at random operations; returns
/// the results.
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

/// Checks that power cuts that come while a block-mapped drive still looks for its map (most of eight within 600
/// operations) lose no durable data.
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

/// Checks that units which were trimmed before a merge, so that the merged block ends before them, do not come back
/// from the old block, which still holds them when the power fails.
#[test]
fn what_a_merge_left_out_does_not_come_back_from_the_old_block() {
    // That a program ended is heard long after.
    let more = [UNPROTECTED, "power.cut.drawn=1", "bus.cycles_status=100000"];
    let settings = [SMALL, &BUSY, KINDS[2], &more].concat();
    let mut bench = Bench::filled(&settings);
    let of_block = u64::from(bench.ftl.layout().superblock_units);
    let place = |bench: &Bench, lpn: u32| bench.ftl.lookup(Lpn(lpn)).0 % of_block;
    let places: Vec<(u32, u64)> =
        (0..bench.ftl.layout().logical_units).map(|lpn| (lpn, place(&bench, lpn))).collect();
    let at_least = |least: u64| places.iter().filter(move |it| it.1 >= least).map(|it| it.0);
    at_least(4).for_each(|lpn| bench.trim(lpn, 1));
    // One unit of each block, until a log block must be merged for the next: that of the first.
    let mut writes = places.iter().filter(|it| it.1 == 1).map(|it| it.0);
    let merged = |bench: &Bench| bench.ctx.probe.of(Kind::Program, Origin::Gc).count();
    while merged(&bench) < 3 {
        if !bench.pass() {
            assert!(bench.write(writes.next().expect("a merge before each block was written to")));
        }
    }
    bench.pass_until(bench.now().ns() + 300_000);
    assert_eq!((merged(&bench), bench.ctx.probe.of(Kind::Erase, Origin::Gc).count()), (3, 0));
    bench.cut(drive(&settings).build(1).expect("a drive"));
    let gone: Vec<u32> = at_least(4).filter(|&lpn| bench.ftl.lookup(Lpn(lpn)) == Ppa::NONE).collect();
    assert_eq!(gone, [4, 5, 6, 7]);
}

#[test]
fn a_cut_at_rest_leaves_nothing_to_merge() {
    for kind in KINDS {
        let settings = [SMALL, &BUSY, kind, &[UNPROTECTED, "power.cut.drawn=1"]].concat();
        let mut bench = Bench::filled(&settings);
        bench.rest();
        bench.cut(drive(&settings).build(1).expect("a drive"));
        bench.rest();
        assert!(bench.ctx.probe.placed.is_empty(), "{kind:?}: {:?}", bench.ctx.probe.placed[0]);
    }
}
