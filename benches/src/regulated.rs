//! What regulating costs takes from the engine's speed: one drive with errors and a code, without and with AGCR.

use crate::workload::Blocks;
use crate::{GIB, Row, drive_with, prepared_of};
use host::Op;

/// The name of the case.
pub const CASE: &str = "random 4 KiB read and write with AGCR";

/// Errors and a code, as a worn drive has them; both drives do.
const CODE: [&str; 3] = ["nand.pe_cycles=1000", "nand.errors.name=power-law", "ecc.code.name=ldpc"];
/// Each drive runs so often, in turn; the quickest run counts, as the others were disturbed.
const ROUNDS: usize = 5;

/// Nanoseconds of a page operation with the regulator `name`.
fn ns_per_page(gib: u64, requests: u64, name: &str) -> f64 {
    let regulator = format!("ftl.regulator.name={name}");
    let keys: Vec<&str> = CODE.into_iter().chain([regulator.as_str()]).collect();
    let mut blocks = Blocks::new(Op::Write, 4096, gib * GIB, false, requests, 32);
    blocks.other = Some(Op::Read);
    let mut session = prepared_of(drive_with(gib, &keys), blocks);
    session.finish().unwrap_or_else(|error| panic!("{error}"));
    let result = session.result().unwrap_or_else(|error| panic!("{error}"));
    let wall_s = result["engine"]["wall_s"].as_f64().expect("a number");
    wall_s * 1e9 / result["engine"]["page_operations"].as_u64().expect("a number") as f64
}

/// The drive with AGCR; the note says how its cost compares with that of the drive without a regulator.
pub fn measure(gib: u64, requests: u64, wall_ns: f64) -> Row {
    let mut least = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        for (of, name) in least.iter_mut().zip(["mcw-mcr", "agcr"]) {
            *of = of.min(ns_per_page(gib, requests, name));
        }
    }
    let [without, ns] = least;
    let note = format!("{:.3} of the cost without a regulator, {without:.1} ns; budget 1.1", ns / without);
    Row { case: CASE.into(), gib, ns, what: "page operation", wall_ns, note }
}
