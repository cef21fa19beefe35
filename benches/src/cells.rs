//! How fast cells are programmed: blocks of 4 Mi cells of each kind, erased and then programmed with random states.

use config::{Document, Section};
use nand::Cell;
use nand::cells::normal::Stream;
use nand::cells::{CellBlock, CellPhysics, Condition};
use std::fmt::Write as _;
use std::time::Instant;

const KINDS: [(Cell, &str, &str); 4] = [
    (Cell::Slc, "SLC", include_str!("../../chips/nand128w3a2bn.toml")),
    (Cell::Mlc, "MLC", include_str!("../../chips/poster-mlc.toml")),
    (Cell::Tlc, "TLC", include_str!("../../chips/tlc-3d-256g.toml")),
    (Cell::Qlc, "QLC", include_str!("../../chips/qlc-3d-1t.toml")),
];
const BITLINES: usize = 1 << 16;

/// What was measured for one kind of cell.
pub struct CellRow {
    kind: &'static str,
    wear: &'static str,
    cells: usize,
    erase_s: f64,
    program_s: f64,
    read_s: f64,
}

/// Measures every kind, new and worn; `wordlines` of 65,536 cells make a block.
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
    let (mut erase_s, mut program_s, mut read_s) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
    // The best of three: the machine has other things to do.
    for _ in 0..3 {
        let begin = Instant::now();
        block.erase(&physics, condition);
        erase_s = erase_s.min(begin.elapsed().as_secs_f64());
        let begin = Instant::now();
        for line in 0..wordlines {
            let done = block.program_all(&physics, &physics.plans[0], line, &states);
            assert!(done.iter().all(|pass| pass.ok), "{} cells reach their states", kind.1);
        }
        program_s = program_s.min(begin.elapsed().as_secs_f64());
        let begin = Instant::now();
        let errors = block.errors(&physics, &physics.plans[0].references, 86_400.0, 0);
        read_s = read_s.min(begin.elapsed().as_secs_f64());
        assert!(
            errors.raw_bit_error_rate(&physics.states).is_some_and(|rate| rate < 0.1),
            "states tell apart"
        );
    }
    CellRow { kind: kind.1, wear, cells: wordlines * BITLINES, erase_s, program_s, read_s }
}

fn physics(cell: Cell, text: &str) -> CellPhysics {
    let document = Document::parse("chip.toml", text).unwrap_or_else(|error| panic!("{error}"));
    let physics = CellPhysics::read(&mut Section::root(&document), cell);
    physics.unwrap_or_else(|error| panic!("{error}")).expect("the chip has cells")
}

/// As a table for people.
pub fn table(rows: &[CellRow]) -> String {
    let mut text = String::from(
        "| cells | block | programmed | programmed (M cells/s) | erased (M cells/s) | aged, read, compared (M cells/s) |\n\
         |---|---|---|---|---|---|\n",
    );
    for row in rows {
        let speed = |seconds: f64| row.cells as f64 / seconds / 1e6;
        let _ = writeln!(
            text,
            "| {}, {} | {:.1} Mi | in {:.0} ms | {:.0} | {:.0} | {:.0} |",
            row.kind,
            row.wear,
            row.cells as f64 / f64::from(1 << 20),
            row.program_s * 1e3,
            speed(row.program_s),
            speed(row.erase_s),
            speed(row.read_s),
        );
    }
    let _ = writeln!(text, "\nMemory, copied: {:.1} GB/s read and as many written.", copied_gb_per_s());
    text
}

/// What memory itself allows: a copy of arrays far beyond the caches, the best of three.
fn copied_gb_per_s() -> f64 {
    const BYTES: usize = 256 << 20;
    let (from, mut to) = (vec![1u8; BYTES], vec![2u8; BYTES]);
    let mut best_s = f64::INFINITY;
    for _ in 0..3 {
        let begin = Instant::now();
        to.copy_from_slice(std::hint::black_box(&from));
        std::hint::black_box(&mut to);
        best_s = best_s.min(begin.elapsed().as_secs_f64());
    }
    BYTES as f64 / best_s / 1e9
}

/// As lines for programs.
pub fn csv(rows: &[CellRow]) -> String {
    let mut text = String::from("kind,wear,cells,program_s,erase_s,read_s\n");
    for row in rows {
        let _ = writeln!(
            text,
            "{},{},{},{:.6},{:.6},{:.6}",
            row.kind, row.wear, row.cells, row.program_s, row.erase_s, row.read_s
        );
    }
    text
}
