//! What regulating costs takes from the engine's speed: one drive with errors and a code, without and with AGCR.

use crate::cases::{GIB, Per, drive_with, prepared_of, stretch};
use crate::cost::{Cost, CostSpread, InstructionMeter, ROUNDS};
use crate::table::TableLine;
use crate::workload::BlockLoad;
use host::Op;

/// Constant: name of the benchmark case that measures what a cost regulator (AGCR) adds to the simulation's processor
/// time.
pub const CASE: &str = "random 4 KiB read and write with AGCR";

/// Constant: configuration keys for bit errors and an error-correcting code, as a worn drive has them; used with and
/// without AGCR.
const CODE: [&str; 3] = ["nand.pe_cycles=1000", "nand.errors.name=power-law", "ecc.code.name=ldpc"];

/// Measures the simulation's cost of one page operation on a drive with the cost regulator `name`.
fn per_page(gib: u64, requests: u64, name: &str, meter: &mut InstructionMeter) -> Cost {
    let regulator = format!("ftl.regulator.name={name}");
    let keys: Vec<&str> = CODE.into_iter().chain([regulator.as_str()]).collect();
    let mut blocks = BlockLoad::new(Op::WRITE, 4096, gib * GIB, false, requests, 32);
    blocks.other = Some(Op::READ);
    let mut session = prepared_of(drive_with(gib, &keys), blocks);
    let (cost, progress) = meter.of(|| stretch(&mut session, u64::MAX));
    cost.per(progress.page_operations as f64)
}

/// Measures the simulation's cost on a drive with the cost regulator AGCR and, in alternating rounds, on the same drive
/// without a regulator; the note of the returned line gives the ratio.
pub fn measure(gib: u64, requests: u64, memory_wall_ns: f64) -> TableLine {
    let mut meter = InstructionMeter::new();
    let [mut without, mut with] = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        without.push(per_page(gib, requests, "mcw-mcr", &mut meter));
        with.push(per_page(gib, requests, "agcr", &mut meter));
    }
    let [without, costs] = [CostSpread::of(&without), CostSpread::of(&with)];
    let note = format!(
        "{:.3} of the cost without a regulator, {:.1} ns; budget 1.1",
        costs.main_ns() / without.main_ns(),
        without.main_ns()
    );
    TableLine { case: CASE.into(), gib, what: Per::Page.name(), costs, memory_wall_ns, note }
}
