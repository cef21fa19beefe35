//! How fast cells are programmed: blocks of 4 Mi cells of each kind, erased and then programmed with random states.

use crate::cost::{Cost, CostSpread, InstructionMeter, ROUNDS, ValueSpread};
use config::{Document, Section};
use nand::Cell;
use nand::cells::normal::Stream;
use nand::cells::{CellBlock, CellPhysics, Condition};
use std::fmt::Write as _;

const KINDS: [(Cell, &str, &str); 4] = [
    (Cell::Slc, "SLC", include_str!("../../chips/nand128w3a2bn.toml")),
    (Cell::Mlc, "MLC", include_str!("../../chips/poster-mlc.toml")),
    (Cell::Tlc, "TLC", include_str!("../../chips/tlc-3d-256g.toml")),
    (Cell::Qlc, "QLC", include_str!("../../chips/qlc-3d-1t.toml")),
];
const BITLINES: usize = 1 << 16;

/// Record of the measured costs of erasing, programming and reading a block of one kind of flash cell in the benchmark.
pub struct CellRow {
    kind: &'static str,
    wear: &'static str,
    cells: usize,
    erase: CostSpread,
    program: CostSpread,
    read: CostSpread,
}

/// Measures blocks of every kind of flash cell, new and worn; a block has `wordlines` wordlines of 65,536 cells.
pub fn measure(wordlines: usize) -> Vec<CellRow> {
    KINDS
        .iter()
        .flat_map(|kind| [(kind, "new", 0.0), (kind, "worn", 1000.0)])
        .map(|(kind, wear, cycles)| one(kind, wear, cycles, wordlines))
        .collect()
}

fn one(kind: &(Cell, &'static str, &str), wear: &'static str, cycles: f64, wordlines: usize) -> CellRow {
    let physics = physics(kind.0, kind.2);
    let draws = Stream::new(7);
    let states: Vec<u8> =
        (0..BITLINES as u64).map(|cell| (draws.bits(cell) % physics.states.len() as u64) as u8).collect();
    let condition = Condition::worn(cycles);
    let mut block = CellBlock::new(&physics, Stream::new(1), wordlines, BITLINES, condition);
    let mut meter = InstructionMeter::new();
    let [mut erased, mut programmed, mut read]: [Vec<Cost>; 3] = Default::default();
    for _ in 0..ROUNDS {
        erased.push(meter.of(|| block.erase(&physics, condition)).0);
        let (cost, ()) = meter.of(|| {
            for line in 0..wordlines {
                let done = block.program_all(&physics, &physics.plans[0], line, &states);
                assert!(done.iter().all(|pass| pass.ok), "{} cells reach their states", kind.1);
            }
        });
        programmed.push(cost);
        let (cost, errors) = meter.of(|| block.errors(&physics, &physics.plans[0].references, 86_400.0, 0));
        read.push(cost);
        assert!(
            errors.raw_bit_error_rate(&physics.states).is_some_and(|rate| rate < 0.1),
            "states tell apart"
        );
    }
    let [erase, program, read] = [erased, programmed, read].map(|costs| CostSpread::of(&costs));
    CellRow { kind: kind.1, wear, cells: wordlines * BITLINES, erase, program, read }
}

fn physics(cell: Cell, text: &str) -> CellPhysics {
    let document = Document::parse("chip.toml", text).unwrap_or_else(|error| panic!("{error}"));
    let physics = CellPhysics::read(&mut Section::root(&document), cell);
    physics.unwrap_or_else(|error| panic!("{error}")).expect("the chip has cells")
}

/// Formats the measurements of flash cells as a Markdown table.
pub fn table(rows: &[CellRow]) -> String {
    let mut text = String::from(
        "| cells | block | programmed | programmed (M cells/s) | erased (M cells/s) | aged, read, compared (M cells/s) \
         | instructions, programmed |\n|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let speed = |costs: &CostSpread| row.cells as f64 * 1e3 / costs.main_ns();
        let ValueSpread { median, min, max } = row.program.cpu_ns.unwrap_or(row.program.wall_ns);
        let _ = writeln!(
            text,
            "| {}, {} | {:.1} Mi | in {:.0} ({:.0} to {:.0}) ms | {:.0} | {:.0} | {:.0} | {} |",
            row.kind,
            row.wear,
            row.cells as f64 / f64::from(1 << 20),
            median / 1e6,
            min / 1e6,
            max / 1e6,
            speed(&row.program),
            speed(&row.erase),
            speed(&row.read),
            row.program
                .instructions
                .map_or("-".into(), |one| format!("{:.0}", one.median / row.cells as f64)),
        );
    }
    let _ = writeln!(text, "\nMemory, copied: {:.1} GB/s read and as many written.", copied_gb_per_s());
    text
}

/// Measures how fast memory can be copied, in GB/s, with arrays far larger than the processor's caches.
fn copied_gb_per_s() -> f64 {
    const BYTES: usize = 256 << 20;
    let (from, mut to) = (vec![1u8; BYTES], vec![2u8; BYTES]);
    let mut meter = InstructionMeter::new();
    let copies = [(); ROUNDS].map(|()| {
        let (cost, ()) = meter.of(|| to.copy_from_slice(std::hint::black_box(&from)));
        std::hint::black_box(&mut to);
        cost
    });
    BYTES as f64 / CostSpread::of(&copies).main_ns()
}

/// Formats the measurements of flash cells as CSV.
pub fn csv(rows: &[CellRow]) -> String {
    let mut text = String::from("kind,wear,cells,program_cpu_s,erase_cpu_s,read_cpu_s\n");
    for row in rows {
        let seconds = [&row.program, &row.erase, &row.read].map(|costs| costs.main_ns() / 1e9);
        let [program_s, erase_s, read_s] = seconds;
        let _ =
            writeln!(text, "{},{},{},{program_s:.6},{erase_s:.6},{read_s:.6}", row.kind, row.wear, row.cells);
    }
    text
}
