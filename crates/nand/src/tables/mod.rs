//! The page model: what whole drives know about a chip that `floatgate derive` measured on its cells.
//!
//! ```text
//! [tables]
//! pe_cycles    wear from which each row of times holds, the first 0
//! steps        program steps over the usual one, rising, with 1 among them: what a write costs; default [1.0]
//! t_prog       for each step, for each wear, one time of each page type (or of the whole wordline)
//! t_bers       for each wear
//! laws         number of the laws of cells that the tables were derived by; other than the present number are refused
//!
//! [tables.errors]      raw bit error rates, see `errors.rs`
//! [tables.endurance]   when blocks fail, see `endurance.rs`
//! [tables.states]      what the data written does, see `states.rs`
//! [tables.voltages]    what other sets of voltages do, see `voltages.rs`
//! ```

mod bins;
mod endurance;
mod errors;
mod grid;
mod humps;
mod ranks;
mod sample;
mod spreads;
mod states;
mod valleys;
mod voltages;

pub use endurance::Endurance;
pub use errors::{Age, ErrorTable, Known, LEAST_NOISE, References};
pub use sample::{Rates, Rest, Sample, error_rates};
pub use spreads::{STEP_V, Spreads, spreads};
pub use states::StateTable;
pub use voltages::VoltageSet;

use crate::{Geometry, ProgramOrder};
use config::{ConfigError, Place, Section, at_least};
use std::path::Path;
use units::Nanos;

/// Constant: version of the cell model (`cells/`) from which tables are derived. The number rises with every change of
/// the model; tables of an earlier version are refused, since a drive would then age as no simulated cells do. Version
/// 2: wear follows from the charge that the programmed data put into cells.
pub const CELL_LAWS: u32 = 2;
const ROWS_MAX: usize = 64;
const STEPS_MAX: usize = 16;

/// Tables of a chip for the page model: program and erase times, error rates, endurance, and effects of the data.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables {
    /// List of wear values (numbers of program/erase cycles), rising from 0; each row of program and erase times holds
    /// from its value on.
    pub pe_cycles: Vec<u32>,
    /// List of the program steps (voltage increases per program pulse) for which the table has times, relative to the
    /// default step, rising.
    pub steps: Vec<f64>,
    /// List of program times by program step, then wear, then page type (one type only when a wordline is written at
    /// once).
    pub t_prog: Vec<Nanos>,
    /// List of erase times, one for each wear value of `pe_cycles`.
    pub t_bers: Vec<Nanos>,
    /// Table of raw bit error rates; none when the chip has none.
    pub errors: Option<ErrorTable>,
    /// Distribution of the blocks' endurance; none when the chip has none.
    pub endurance: Option<Endurance>,
    /// Effect of the written data on program times, wear and errors; none when the chip has none.
    pub states: Option<StateTable>,
    /// List of the chip's voltage sets (program verify levels with their read references) other than the default set,
    /// with for each set its name, program times, wear per program/erase cycle and raw bit error rates.
    pub voltages: Vec<VoltageSet>,
}

impl Tables {
    /// Reads the tables from `[tables]` of a chip file (`nand.tables` of a drive); returns `None` when there is no such
    /// section.
    ///
    /// # Errors
    /// When the lists do not fit each other or a value lies outside its range.
    pub fn read(nand: &mut Section, geometry: &Geometry) -> Result<Option<Self>, ConfigError> {
        let written = nand.has("tables");
        let mut s = nand.child("tables")?;
        if !written {
            return Ok(None);
        }
        check_laws(&mut s)?;
        let bits = geometry.cell.bits() as usize;
        let types = if geometry.program == ProgramOrder::Page { bits } else { 1 };
        let wear: Vec<u32> =
            s.required("pe_cycles", "wear from which each row holds, program/erase cycles")?;
        if wear[0] != 0 || wear.windows(2).any(|pair| pair[0] >= pair[1]) || wear.len() > ROWS_MAX {
            return Err(
                s.reject("pe_cycles", &format!("expected at most {ROWS_MAX} rising values, the first 0"))
            );
        }
        let steps: Vec<f64> =
            s.unit("usual steps").or("steps", vec![1.0], "program steps over the usual one")?;
        rising_steps(&s, "steps", &steps)?;
        if !steps.contains(&1.0) || steps.len() > STEPS_MAX {
            return Err(s.reject("steps", &format!("expected at most {STEPS_MAX} steps, 1.0 among them")));
        }
        let help = "program times: for each step and wear one of each page type, or of the whole wordline";
        let t_prog: Vec<Nanos> = s.required("t_prog", help)?;
        count(
            &s,
            "t_prog",
            t_prog.len(),
            steps.len() * wear.len() * types,
            "steps times rows times page types",
        )?;
        let t_bers: Vec<Nanos> = s.required("t_bers", "erase time for each wear")?;
        count(&s, "t_bers", t_bers.len(), wear.len(), "rows")?;
        let tables = Self {
            errors: ErrorTable::read(&mut s, bits)?,
            endurance: Endurance::read(&mut s)?,
            states: StateTable::read(&mut s, geometry.cell, types)?,
            voltages: voltages::read(&mut s, wear.len(), types, bits)?,
            pe_cycles: wear,
            steps,
            t_prog,
            t_bers,
        };
        s.finish()?;
        Ok(Some(tables))
    }
}

/// Refuses tables that were derived from another version of the cell model than the present one; tables made from the
/// log of a test rig need not name a version.
fn check_laws(s: &mut Section) -> Result<(), ConfigError> {
    let is_derived = s.has("states");
    let help = "laws of cells that the tables were derived by";
    let today = at_least(CELL_LAWS).at_most(CELL_LAWS);
    let found = if is_derived {
        s.within(today).required::<u32>("laws", help).map(Some)
    } else {
        s.within(today).optional::<u32>("laws", help)
    };
    found.map(|_| ()).map_err(renewed)
}

/// Returns an error about tables of another version of the cell model with the command added that derives the tables
/// anew.
fn renewed(error: ConfigError) -> ConfigError {
    let path = match &error.place {
        Place::Line(path, _) => path.to_string(),
        _ => "CHIP-derived.toml".to_owned(),
    };
    let stem = Path::new(&path).file_stem().map_or_else(|| "CHIP".into(), |stem| stem.to_string_lossy());
    let chip = stem.trim_end_matches("-derived");
    let expected = format!(
        "expected {CELL_LAWS}, the present laws of cells: `floatgate derive {chip} --out {path}` derives these tables anew"
    );
    ConfigError { expected, hint: None, ..error }
}

/// Refuses a list under `key` whose length is not `expected`; `of` says what the values are.
fn count(s: &Section, key: &str, found: usize, expected: usize, of: &str) -> Result<(), ConfigError> {
    if found == expected {
        return Ok(());
    }
    Err(s.reject(key, &format!("expected {expected} values, not {found}: {of}")))
}

fn rising_steps(s: &Section, key: &str, steps: &[f64]) -> Result<(), ConfigError> {
    let rises = steps.windows(2).all(|pair| pair[0] < pair[1]);
    if rises && steps.first().is_some_and(|step| *step > 0.0) {
        return Ok(());
    }
    Err(s.reject(key, "expected rising values above zero"))
}
