//! The power fails on drives whose superblocks belong together: by parity over dies, or because snapshots see them. The
//! checker's accounts look at every unit after every cut. Random drives: `swarm`.

use crate::common::bench::Bench;
use crate::common::{SMALL, closed_loop_forced, drive, run};
use engine::RandomStream;
use host::{Op, Workload};
use serde_json::Value;
use sim::RunOptions;
use units::{Lpn, Ppa};

const CUTS: [&str; 3] =
    ["power.cut.drawn=6", "power.cut.within=3000", "ftl.buffer.power_loss_protection=false"];
const RAIN: [&str; 2] = ["ftl.parity.name=rain", "ftl.op_ratio=0.9"];

/// Makes a test workload of writes (some of parts of units, some FUA), reads, trims and flushes over the first `units`
/// units, with 16 requests in flight.
fn mixed(requests: u64, units: u64, seed: u64) -> Box<dyn Workload> {
    at_depth(16, requests, units, seed)
}

/// Makes the workload of [`mixed`] with at most `depth` requests in flight.
fn at_depth(depth: u32, requests: u64, units: u64, seed: u64) -> Box<dyn Workload> {
    let mut random = RandomStream::new(seed, "mixed");
    closed_loop_forced(requests, depth, 7, move |index| match index % 20 {
        0 => (Op::FLUSH, 0, 0),
        1 | 2 => (Op::TRIM, random.below(units) * 4096, 4096),
        3..7 => (Op::READ, random.below(units) * 4096, 4096),
        _ => (Op::WRITE, random.below(units) * 4096 + 512 * random.below(3), 4096),
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
        let result = checked(&[&CUTS[..], &RAIN, &[&method]].concat(), mixed(6_000, 4_000, seed), seed);
        assert_eq!(result["power"]["cuts"].as_array().unwrap().len(), 6, "{}", result["power"]);
        assert!(result["flash"]["programs"]["parity"].as_u64().unwrap() > 500, "{}", result["flash"]);
        assert_eq!(result["wear"]["read_only"], false, "seed {seed}");
    }
}

/// Checks that a page torn by a power cut, and earlier pages of its wordline that it spoiled, are rebuilt from the
/// other dies' parity stripe, if each write waits for the flash so that no other die was working on the stripe.
#[test]
fn what_a_cut_tore_is_found_again_from_the_others() {
    let pages =
        ["nand.cell=mlc", "nand.program=page", "ftl.recovery.name=summaries", "ftl.buffer.write_back=false"];
    let cuts = ["power.cut.drawn=20", "power.cut.within=60000", CUTS[2]];
    let mut rebuilt = 0;
    for seed in 0..12 {
        let result = checked(&[&cuts[..], &RAIN, &pages].concat(), at_depth(1, 40_000, 4_000, seed), seed);
        let of = |whose: &str| result["unreadable"]["reads_rebuilt"][whose].as_u64().unwrap();
        rebuilt += of("host") + of("other");
        assert_eq!(result["unreadable"]["reads_lost"]["host"], 0, "{}", result["unreadable"]);
    }
    assert!(rebuilt > 10, "{rebuilt}");
}

/// Checks that the data of a die that fails after a power cut are rebuilt from the other dies, except data in open
/// stripes (fewer than 40 units).
#[test]
fn a_die_that_fails_after_a_cut_is_read_from_the_others() {
    let settings = [SMALL, &RAIN, &CUTS].concat();
    let mut bench = Bench::filled(&settings);
    let (units, per_die) = (bench.ftl.layout().logical_units, bench.ftl.layout().superblocks_per_die);
    let mut random = RandomStream::new(2, "overwrites");
    (0..4_000).for_each(|_| assert!(bench.write(random.below(u64::from(units)) as u32)));
    let found = bench.cut(drive(&[&settings[..], &["ftl.failed_die=2"]].concat()).build(2).expect("a drive"));
    assert!(found.units > u64::from(units) - 100, "{found:?}");
    let on_dead = |lpn: &u32| bench.ftl.lookup(Lpn(*lpn)) != Ppa::NONE && bench.home_of(*lpn) / per_die == 2;
    let asked: Vec<u32> = (0..units).filter(on_dead).collect();
    for &lpn in &asked {
        bench.ftl.read(0, Lpn(lpn), 1, &mut bench.ctx);
        bench.rest();
    }
    let (lost, rebuilt) = (bench.ftl.stats().reads_lost[0], bench.ftl.stats().reads_rebuilt[0]);
    assert_eq!(lost + rebuilt, asked.len() as u64);
    assert!(rebuilt > 1_000 && lost < 40, "{rebuilt} rebuilt, {lost} lost");
}

const SNAPSHOTS: [&str; 4] =
    ["ftl.snapshots.every=9ms", "ftl.snapshots.keep=3", "ftl.snapshots.space_ratio=1.0", "ftl.op_ratio=0.8"];

#[test]
fn snapshots_see_after_every_cut_what_they_saw() {
    let mut kept = 0;
    for seed in 0..12 {
        let map = ["page", "page", "birrell", "dftl"][seed as usize % 4];
        let map = format!("ftl.mapping.name={map}");
        let settings = [&CUTS[..], &SNAPSHOTS, &[&map]].concat();
        let result = checked(&settings, mixed(8_000, 3_000, seed), seed);
        let snapshots = &result["ftl"]["snapshots"];
        assert!(snapshots["taken"].as_u64().unwrap() > 3, "{snapshots}");
        kept += snapshots["kept"].as_array().unwrap().len();
    }
    assert!(kept > 12, "{kept} snapshots");
}

#[test]
fn what_was_undone_does_not_come_back() {
    let mut done = 0;
    for seed in 0..12 {
        let back = format!("ftl.snapshots.rollback_at=[\"{}ms\", \"35ms\"]", 14 + seed);
        let settings = [&CUTS[..], &SNAPSHOTS, &[&back], &["power.off=1us"]].concat();
        let result = checked(&settings, mixed(8_000, 3_000, seed), seed);
        done += result["ftl"]["snapshots"]["rollbacks"].as_u64().unwrap();
    }
    assert!(done > 6, "{done} rollbacks");
}

#[test]
fn snapshots_and_parity_together_survive() {
    for seed in 0..12 {
        let settings = [&CUTS[..], &SNAPSHOTS[..3], &["ftl.parity.name=rain", "ftl.op_ratio=1.5"]].concat();
        let result = checked(&settings, mixed(8_000, 3_000, seed), seed);
        assert_eq!(result["power"]["cuts"].as_array().unwrap().len(), 6, "{}", result["power"]);
    }
}

#[test]
fn a_state_saved_with_snapshots_goes_on_through_cuts() {
    let folder = tempfile::tempdir().expect("a folder for the state");
    let path = folder.path().join("state").display().to_string();
    let made = || drive(&[SMALL, &CUTS, &SNAPSHOTS].concat());
    let options = RunOptions { check: true, save_state: Some(path.clone()), ..RunOptions::default() };
    run(made(), mixed(8_000, 3_000, 1), options);
    let options = RunOptions { check: true, load_state: Some(path), seed: 5, ..RunOptions::default() };
    let result = run(made(), mixed(8_000, 3_000, 2), options).1;
    assert_eq!(result["power"]["cuts"].as_array().unwrap().len(), 6, "{}", result["power"]);
}
