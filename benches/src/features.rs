//! What each feature of the translation layer costs the engine: one small drive that is filled, then random writes and reads.
//!
//! The build of another commit measures the same if it has this file. `README.md` says how instructions are counted.

use crate::Row;
use crate::workload::BlockLoad;
use host::Op;
use sim::{Drive, PreconditionKind, RunOptions, Session};

/// Constant: beginning of the names of the benchmark cases for FTL features; an `--only` that begins with it selects
/// them.
pub const CASES: &str = "feature: ";
const REQUESTS: u64 = 300_000;

/// Constant: configuration keys of the benchmark drive for FTL features: 512 MiB of user capacity, with enough spare
/// blocks for every feature.
const DRIVE: [&str; 14] = [
    "title=benchmark drive",
    "geometry.channels=4",
    "geometry.ways=2",
    "nand.planes=1",
    "nand.blocks_per_plane=512",
    "nand.page_size=4KiB",
    "nand.t_bers=1500us",
    "nand.pages_per_block=48",
    "nand.pe_cycles=1000",
    "bus.interface.rate=400MT/s",
    "controller.multi_plane=false",
    "ecc.t_decode=3us",
    "ftl.buffer.size=1MiB",
    "ftl.user_capacity=512MiB",
];
const ONE_BIT: [&str; 3] = ["nand.cell=slc", "nand.t_r=25us", "nand.t_prog=200us"];
const THREE_BITS: [&str; 5] = [
    "nand.cell=tlc",
    "nand.t_r=[\"40us\", \"60us\", \"90us\"]",
    "nand.t_prog=[\"400us\", \"600us\", \"900us\"]",
    "nand.slc_mode.t_r=25us",
    "nand.slc_mode.t_prog=200us",
];
const CODE: [&str; 2] = ["nand.errors.name=power-law", "ecc.code.name=ldpc"];

/// Record of a benchmark case for one feature of the FTL: the configuration keys of its chip and the keys that enable
/// the feature.
struct Feature {
    name: &'static str,
    chip: &'static [&'static str],
    keys: &'static [&'static [&'static str]],
    check: bool,
}

const fn feature(name: &'static str, keys: &'static [&'static [&'static str]]) -> Feature {
    Feature { name, chip: &ONE_BIT, keys, check: false }
}

const FEATURES: [Feature; 14] = [
    feature("none", &[]),
    Feature { check: true, ..feature("--check", &[]) },
    feature("parity", &[&["ftl.parity.name=rain"]]),
    Feature {
        chip: &THREE_BITS,
        ..feature("SLC cache", &[&["ftl.slc_cache.name=static", "ftl.slc_cache.size=32MiB"]])
    },
    feature("snapshots", &[&["ftl.snapshots.every=200ms", "ftl.snapshots.keep=3"]]),
    feature("code", &[&CODE]),
    feature("AGCR", &[&CODE, &["ftl.regulator.name=agcr"]]),
    feature(
        "refresh and patrol",
        &[&CODE, &["ftl.refresh.age=1h", "ftl.scrub.period=1h", "ftl.scrub.idle_after=0ns"]],
    ),
    feature("wear levelling", &[&["ftl.wear.name=static", "ftl.wear.threshold=2", "ftl.wear.period=2"]]),
    feature("sectors", &[&["ftl.sectors.track=true", "ftl.sectors.unwritten=flash"]]),
    feature("DFTL", &[&["ftl.mapping.name=dftl", "ftl.mapping.cache=64KiB"]]),
    feature("Birrell", &[&["ftl.mapping.name=birrell"]]),
    feature("FAST", &[&["ftl.mapping.name=fast"]]),
    feature("BAST", &[&["ftl.mapping.name=bast"]]),
];

/// Measures the benchmark case of each FTL feature that `wanted` accepts; `wall_ns` is the memory wall in ns.
pub fn measure(wall_ns: f64, wanted: impl Fn(&str) -> bool) -> Vec<Row> {
    let cases = FEATURES.iter().map(|feature| (feature, format!("{CASES}{}", feature.name)));
    cases.filter(|(_, case)| wanted(case)).map(|(feature, case)| one(feature, case, wall_ns)).collect()
}

fn one(feature: &Feature, case: String, wall_ns: f64) -> Row {
    let lines = DRIVE.iter().chain(feature.chip).chain(feature.keys.iter().copied().flatten());
    let lines: Vec<String> = lines.map(|line| (*line).to_owned()).collect();
    let drive = Drive::from_resolved("bench", &lines).unwrap_or_else(|error| panic!("{case}: {error}"));
    let mut blocks = BlockLoad::new(Op::WRITE, 4096, drive.capacity().get(), false, REQUESTS, 32);
    blocks.other = Some(Op::READ);
    let options =
        RunOptions { precondition: PreconditionKind::Fill, check: feature.check, ..RunOptions::default() };
    let mut session = Session::with_workload(drive, Box::new(blocks), options)
        .unwrap_or_else(|error| panic!("{case}: {error}"));
    while session.progress().phase == "precondition" {
        session.advance(1 << 16).unwrap_or_else(|error| panic!("{case}: {error}"));
    }
    feature_run(&mut session);
    let result = session.result().unwrap_or_else(|error| panic!("{case}: {error}"));
    let wall_s = result["engine"]["wall_s"].as_f64().expect("a number");
    let note = format!(
        "waf {}, {} page operations",
        result["waf"].as_f64().map_or("-".into(), |waf| format!("{waf:.3}")),
        result["engine"]["page_operations"],
    );
    Row { case, gib: 0, ns: wall_s * 1e9 / REQUESTS as f64, what: "request", wall_ns, note }
}

/// Runs the measured part of the session to its end; a function that is not inlined, so that callgrind can count its
/// instructions by its name.
#[inline(never)]
fn feature_run(session: &mut Session) {
    session.finish().unwrap_or_else(|error| panic!("{error}"));
}
