//! What regulating costs takes from the engine's speed: one drive with errors and a code, without and with AGCR.

use crate::cases::{GIB, Per, drive_with, prepared_of, stretch};
use crate::cost::{Cost, CostSpread, InstructionMeter, ROUNDS};
use crate::table::TableLine;
use crate::workload::BlockLoad;
use host::Op;

/// The name of the case.
pub const CASE: &str = "random 4 KiB read and write with AGCR";

/// Errors and a code, as a worn drive has them; both drives do.
const CODE: [&str; 3] = ["nand.pe_cycles=1000", "nand.errors.name=power-law", "ecc.code.name=ldpc"];

/// The cost of a page operation with the regulator `name`.
fn per_page(gib: u64, requests: u64, name: &str, meter: &mut InstructionMeter) -> Cost {
    let regulator = format!("ftl.regulator.name={name}");
    let keys: Vec<&str> = CODE.into_iter().chain([regulator.as_str()]).collect();
    let mut blocks = BlockLoad::new(Op::WRITE, 4096, gib * GIB, false, requests, 32);
    blocks.other = Some(Op::READ);
    let mut session = prepared_of(drive_with(gib, &keys), blocks);
    let (cost, progress) = meter.of(|| stretch(&mut session, u64::MAX));
    cost.per(progress.page_operations as f64)
}

/// The drive with AGCR; the note says how its cost compares with that of the drive without a regulator, which runs
/// in turn with it.
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
