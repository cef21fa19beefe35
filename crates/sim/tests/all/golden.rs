//! What does each policy of each seam do in one small run? `tests/data/counters.txt` has a line for each with the flash
//! pages read and programmed and the blocks erased, by origin, and when the run ended. A change there is a line in a
//! diff that its commit has to explain: `FLOATGATE_BLESS=1 cargo test -p sim --test all golden::` writes the file anew.

use crate::common::{PAPER, SMALL, catalogue, closed_loop, drive, policies_of_plain_runs, run};
use config::PolicyEntry;
use engine::RandomStream;
use host::{Op, Workload};
use serde_json::Value;
use sim::{Drive, PreconditionKind, RunOptions};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Constant: settings of a test drive with 32 blocks of 8 pages in each plane, and 0.8 times as much spare space as
/// capacity (the host has five ninths).
const SHAPE: &[&str] = &["nand.blocks_per_plane=32", "nand.pages_per_block=8", "ftl.op_ratio=0.8"];

/// Constant: settings of cells that hold three bits, or one bit in SLC mode.
const THREE_BITS: &[&str] = &[
    "nand.cell=tlc",
    "nand.pages_per_block=24",
    "nand.t_r=[\"40us\", \"60us\", \"90us\"]",
    "nand.t_prog=[\"400us\", \"600us\", \"900us\"]",
    "nand.slc_mode.t_r=25us",
    "nand.slc_mode.t_prog=200us",
];

/// Constant: setting of a chip that supports every kind of flash interface, so that each can be selected with a rate of
/// its own.
const EVERY_INTERFACE: &str = "nand.interfaces=[\"conv\", \"sync-only\", \"proposed\", \"sdr:5\", \"nv-ddr:5\", \
                               \"nv-ddr2:10\", \"nv-ddr3:19\", \"nv-lpddr4:19\"]";

/// Constant: settings of a chip from the catalogue whose raw bit error rates come from tables.
const TABLES: &[&str] = &[
    "chip=derived/poster-mlc",
    "nand.pe_cycles=500",
    "bus.interface.name=plain",
    "bus.interface.rate=166MT/s",
    "ecc.code.name=ldpc",
    "controller.multi_plane=false",
    "ftl.mapping_unit=4KiB",
];

/// Constant: settings of a test drive whose data fall due for refresh quicker than a die can rewrite them, so that the
/// order of refresh matters.
const OLD: &[&str] = &["ftl.reading.data_age=1d", "ftl.refresh.age=1s", "ftl.upkeep.share=0.9"];

/// Constant: settings of a test drive with data so old that half of the reads need several attempts.
const AGED: &[&str] = &[
    "ftl.reading.age=1d",
    "ftl.write_cost.retention=1000d",
    "ftl.reading.data_age=1000d",
    "ecc.decoder.clock=500MHz",
];

/// Returns the test drive on which a policy is tried: the small drive, with the settings that make the policy's
/// decision matter.
pub(crate) fn drive_of(entry: &PolicyEntry) -> Drive {
    let (seam, policy) = (entry.seam, entry.card.name);
    let name = format!("{seam}.name={policy}");
    let without = |lines: &[&'static str], key: &str| -> Vec<&'static str> {
        lines.iter().copied().filter(|line| !line.starts_with(key)).collect()
    };
    let settings = match (seam, policy) {
        ("nand.errors", "tables") => {
            let settings = [TABLES, SHAPE, &[&name]].concat();
            let settings: Vec<String> = settings.into_iter().map(str::to_owned).collect();
            return Drive::load(&catalogue(), "mlc", &settings).unwrap_or_else(|error| panic!("{error}"));
        }
        ("ecc.code", "bch") => [without(PAPER, seam), SHAPE.to_vec(), vec!["ecc.code.t=120"]].concat(),
        ("ecc.code" | "nand.errors", _) => [without(PAPER, seam), SHAPE.to_vec()].concat(),
        ("ftl.regulator", _) => [PAPER, SHAPE].concat(),
        ("ecc.flow", _) => [without(PAPER, "ecc.code.limits"), SHAPE.to_vec(), AGED.to_vec()].concat(),
        ("ftl.slc_cache", "static") => [SMALL, SHAPE, THREE_BITS, &["ftl.slc_cache.size=1MiB"]].concat(),
        ("ftl.slc_cache", "dynamic") => {
            let sizes = ["ftl.slc_cache.least=512KiB", "ftl.slc_cache.most=2MiB"];
            [SMALL, SHAPE, THREE_BITS, &sizes].concat()
        }
        ("ftl.wear", "static" | "latency-guided") => {
            [SMALL, SHAPE, &["ftl.wear.threshold=2", "ftl.wear.period=2"]].concat()
        }
        ("ftl.refresh.order", _) => [PAPER, SHAPE, OLD].concat(),
        ("ftl.snapshots.expiry", _) => {
            [SMALL, SHAPE, &["ftl.snapshots.every=4ms", "ftl.snapshots.keep=3"]].concat()
        }
        ("ftl.placement", _) => [SMALL, SHAPE, &["controller.program_queue=8"]].concat(),
        ("ftl.slc_cache" | "ftl.program_order", _) => [SMALL, SHAPE, THREE_BITS].concat(),
        ("bus.interface", "plain") => [SMALL, SHAPE].concat(),
        ("bus.interface", "conv" | "sync-only" | "proposed") => {
            [without(SMALL, seam), SHAPE.to_vec(), vec![EVERY_INTERFACE]].concat()
        }
        ("bus.interface", _) => {
            [without(SMALL, seam), SHAPE.to_vec(), vec![EVERY_INTERFACE, "bus.interface.mode=3"]].concat()
        }
        ("host.place", _) => [SMALL, SHAPE, &["ftl.streams.name=fdp", "ftl.streams.handles=4"]].concat(),
        _ => [SMALL, SHAPE].concat(),
    };
    // The name first: it takes away what its section held.
    drive(&[&[name.as_str()], &settings[..]].concat())
}

/// Makes the test workload for policies of a seam: reads and writes of one to four units (most in a tenth of the
/// drive), parts of units, sequences and trims; for the read-ahead seam mostly sequential reads.
pub(crate) fn workload(seam: &str, capacity: u64) -> Box<dyn Workload> {
    let mut random = RandomStream::new(1, "golden");
    let units = capacity / 4096;
    if seam == "ftl.read_ahead" {
        return closed_loop(2_000, 2, move |index| match index % 10 {
            0 => (Op::WRITE, random.below(units) * 4096, 4096),
            _ => (Op::READ, index % units * 4096, 4096),
        });
    }
    closed_loop(4_000, 8, move |index| {
        let part = if random.chance(0.7) { units / 10 } else { units - 8 };
        let unit = random.below(part);
        match random.below(20) {
            0 => (Op::TRIM, unit * 4096, 4096),
            1 => (Op::WRITE, unit * 4096 + 512, 1024),
            2 => (Op::READ, index % (units / 8) * 8 * 4096, 8 * 4096),
            3..8 => (Op::READ, unit * 4096, 4096),
            _ => (Op::WRITE, unit * 4096, 4096 * (1 + random.below(4)) as u32),
        }
    })
}

/// Returns the counts by origin that are not zero, as text.
fn counts(of: &Value) -> String {
    let by_origin = of.as_object().expect("counts by origin");
    let there = by_origin.iter().filter(|(name, count)| *name != "total" && count.as_u64() != Some(0));
    there.map(|(name, count)| format!(" {name} {count}")).collect()
}

fn line_of(entry: &PolicyEntry) -> String {
    let drive = drive_of(entry);
    let capacity = drive.capacity().get();
    // A full drive keeps no room for a cache.
    let fill = if entry.seam == "ftl.slc_cache" { 0.1 } else { 1.0 };
    let precondition = PreconditionKind::Fill;
    let options = RunOptions { check: true, precondition, fill, ..RunOptions::default() };
    let (_, result) = run(drive, workload(entry.seam, capacity), options);
    let [reads, programs, erases] =
        ["reads", "programs", "erases"].map(|kind| counts(&result["flash"][kind]));
    let name = format!("{} {}", entry.seam, entry.card.name);
    format!(
        "{name:40} reads:{reads}; programs:{programs}; erases:{erases}; ends at {} ns\n",
        result["simulated_ns"]
    )
}

fn file() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/counters.txt"))
}

const HEAD: &str = "\
# What each policy does in one small run: flash pages read and programmed and blocks erased, by origin, and the end of the
# run. Compared by crates/sim/tests/all/golden.rs. To write it anew after a change that is meant (say why in the commit):
#   FLOATGATE_BLESS=1 cargo test -p sim --test all golden::
";

#[test]
fn every_policy_does_what_it_did() {
    let mut found = HEAD.to_owned();
    // Zones take other writes than these, and are counted in `zones.rs`.
    policies_of_plain_runs().iter().for_each(|entry| found += &line_of(entry));
    if std::env::var_os("FLOATGATE_BLESS").is_some() {
        std::fs::write(file(), &found).expect("the file can be written");
    }
    let kept = std::fs::read_to_string(file()).unwrap_or_default();
    let mut differs = String::new();
    for (line, was) in found.lines().zip(kept.lines().chain(std::iter::repeat(""))) {
        if line != was {
            let _ = write!(differs, "\n  was {was}\n  is  {line}");
        }
    }
    assert!(
        found == kept,
        "other counts than in {}, which says how to change it:{differs}",
        file().display()
    );
}
