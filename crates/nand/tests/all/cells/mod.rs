//! Do the cells do what closed forms say: pulses, widths, wear, time, errors?

mod charge;
mod errors;
mod physics;
mod poster;
mod program;
mod retention;
mod tails;

use config::{ConfigError, Document, Section};
use nand::Cell;
use nand::cells::CellPhysics;

/// Constant: text of the chip file of an MLC part for tests that sets every key of `[cells]`.
const COMPLETE: &str = include_str!("complete.toml");

/// Constant: list of chip files of the catalogue as text, one for each kind of cell.
const CHIPS: [(Cell, &str); 4] = [
    (Cell::Slc, include_str!("../../../../../chips/nand128w3a2bn.toml")),
    (Cell::Mlc, include_str!("../../../../../chips/poster-mlc.toml")),
    (Cell::Tlc, include_str!("../../../../../chips/tlc-3d-256g.toml")),
    (Cell::Qlc, include_str!("../../../../../chips/qlc-3d-1t.toml")),
];

/// Reads, for tests, the cell parameters from the text of a chip file, which must have some.
fn read(text: &str, cell: Cell) -> Result<CellPhysics, ConfigError> {
    let document = Document::parse("chip.toml", text)?;
    let physics = CellPhysics::read(&mut Section::root(&document), cell)?;
    Ok(physics.expect("the file has cells"))
}

fn physics(text: &str, cell: Cell) -> CellPhysics {
    read(text, cell).unwrap_or_else(|error| panic!("{error}"))
}

fn complete() -> CellPhysics {
    physics(COMPLETE, Cell::Mlc)
}

/// Returns the cell parameters of the test part `COMPLETE` without injection noise and without coupling between cells.
fn quiet() -> CellPhysics {
    let mut physics = complete();
    physics.injection_sigma = 0.0;
    physics.coupling_wordline = 0.0;
    physics.coupling_bitline = 0.0;
    physics.coupling_diagonal = 0.0;
    physics
}

/// Returns the mean and the standard deviation of the values.
fn moments(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let variance = values.map(|value| (value - mean) * (value - mean)).sum::<f64>() / count;
    (mean, variance.sqrt())
}
