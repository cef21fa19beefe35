//! Features that go together: each does what it does alone, and the account of `--check` finds nothing.

use crate::common::{drive, run, uniform};
use host::Op;
use serde_json::Value;
use sim::{PreconditionKind, RunOptions};

/// A TLC drive of four dies with a cache; a superblock holds 24 units of 4 KiB with three bits a cell, 8 with one.
const TLC: &[&str] = &[
    "geometry.channels=2",
    "geometry.ways=2",
    "nand.cell=tlc",
    "nand.program=one-shot",
    "nand.planes=1",
    "nand.blocks_per_plane=96",
    "nand.pages_per_block=24",
    "nand.page_size=4KiB",
    "nand.t_r=50us",
    "nand.t_prog=1200us",
    "nand.t_bers=3500us",
    "nand.slc_mode.t_r=25us",
    "nand.slc_mode.t_prog=150us",
    "nand.slc_mode.erases_per_cycle=10",
    "bus.interface.rate=400MT/s",
    "ftl.op_ratio=1.0",
    "ftl.buffer.size=256KiB",
];
const CACHE: &[&str] =
    &["ftl.slc_cache.name=static", "ftl.slc_cache.size=1MB", "ftl.slc_cache.when_full=fold-first"];
const PARITY: &[&str] = &["ftl.parity.name=rain"];
const CODE: &[&str] = &["ecc.code.name=ldpc", "nand.errors.name=power-law", "ftl.refresh.age=30d"];
const SNAPSHOTS: &[&str] = &["ftl.snapshots.every=150ms", "ftl.snapshots.keep=2"];

/// Twelve thousand writes over a drive that was filled.
fn played(features: &[&[&str]]) -> Value {
    played_from(PreconditionKind::Fill, features)
}

fn played_from(precondition: PreconditionKind, features: &[&[&str]]) -> Value {
    let lines: Vec<&str> = TLC.iter().chain(features.iter().copied().flatten()).copied().collect();
    let drive = drive(&lines);
    let span = drive.capacity().get();
    let options = RunOptions { check: true, precondition, ..RunOptions::default() };
    run(drive, uniform(12_000, 16, Op::Write, 4096, span, 1), options).1
}

fn number(result: &Value, path: &str) -> u64 {
    let found = path.split('.').fold(result, |value, key| &value[key]);
    found.as_u64().unwrap_or_else(|| panic!("{path} is {found}"))
}

/// A host's write goes to the cache, is folded, and nothing of that is lost.
fn assert_folds(result: &Value) {
    assert!(number(result, "slc_cache.superblocks_folded") > 100, "{}", result["slc_cache"]);
}

/// Every snapshot of the run is on flash, with a map as it then was.
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
        let steps = &result["regulation"]["units_by_step"][whose];
        steps.as_array().unwrap().iter().map(|units| units.as_u64().unwrap()).sum()
    };
    let [host, other] = ["host", "other"].map(units);
    // What the host writes takes a cost when it leaves the cache, not before.
    assert_eq!(host, number(&result, "slc_cache.units_bypassed"), "{}", result["regulation"]);
    assert!(other > 0, "{}", result["regulation"]);
}

#[test]
fn a_cache_goes_with_parity_and_stands_apart_from_its_groups() {
    let result = played(&[CACHE, PARITY]);
    assert_folds(&result);
    let programs = |origin: &str| number(&result, &format!("flash.programs.{origin}"));
    // Three programs with data for one of parity; those with one bit a cell have none.
    let one_bit = number(&result, "slc_cache.units_written"); // A unit each.
    let dense = programs("total") - programs("parity") - one_bit;
    assert!(dense.abs_diff(3 * programs("parity")) < 400, "{dense} and {}", programs("parity"));
}

/// What is constructed has its groups: their parity goes on where it was, and they give room back.
#[test]
fn parity_goes_with_a_used_state_that_is_constructed() {
    for more in [&[][..], &["geometry.ways=4", "ftl.parity.stripe=3"], &["ftl.gc.stream=mixed"]] {
        let waf = |kind| {
            let result = played_from(kind, &[PARITY, more]);
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
