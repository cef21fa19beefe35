//! The page model: what whole drives know about a chip that `floatgate derive` measured on its cells.
//!
//! ```text
//! [tables]
//! pe_cycles    wear from which each row of times holds, the first 0
//! steps        program steps over the usual one, rising, with 1 among them: what a write costs; default [1.0]
//! t_prog       for each step, for each wear, one time of each page type (or of the whole wordline)
//! t_bers       for each wear
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
mod states;
mod valleys;
mod voltages;

pub use endurance::Endurance;
pub use errors::{Age, ErrorTable, Known, References};
pub use sample::{Rates, Rest, Sample, error_rates};
pub use states::StateTable;
pub use voltages::VoltageSet;

use crate::{Geometry, ProgramOrder};
use config::{ConfigError, Section};
use units::Nanos;

const ROWS_MAX: usize = 64;
const STEPS_MAX: usize = 16;

/// A chip's tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables {
    /// Wear from which each row holds, rising from 0.
    pub pe_cycles: Vec<u32>,
    /// Program steps over the usual one, rising.
    pub steps: Vec<f64>,
    /// For each step, for each wear, for each page type (one only when a wordline is written at once).
    pub t_prog: Vec<Nanos>,
    /// For each wear.
    pub t_bers: Vec<Nanos>,
    /// Raw bit error rates.
    pub errors: Option<ErrorTable>,
    /// When blocks fail.
    pub endurance: Option<Endurance>,
    /// What the data written does.
    pub states: Option<StateTable>,
    /// Sets of voltages beside the usual one.
    pub voltages: Vec<VoltageSet>,
}

impl Tables {
    /// Reads `[tables]` of a chip file (`nand.tables` of a drive); none where there is none.
    ///
    /// # Errors
    /// When the lists do not fit each other or a value lies outside its range.
    pub fn read(nand: &mut Section, geometry: &Geometry) -> Result<Option<Self>, ConfigError> {
        let written = nand.has("tables");
        let mut s = nand.child("tables")?;
        if !written {
            return Ok(None);
        }
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

/// Refuses a list of another length.
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
