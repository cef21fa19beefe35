//! What sets of voltages beside the usual one do.
//!
//! ```text
//! [tables.voltages]
//! sets          their names, such as retention_free
//!
//! [tables.voltages.<set>]
//! t_prog        for each wear of [tables] one time of each page type
//! stress        wear of a cycle with it over that of a cycle with the usual set: from lives to failure
//!
//! [tables.voltages.<set>.errors]    raw bit error rates, as [tables.errors]
//! ```

use super::{ErrorTable, count};
use config::{ConfigError, Section, above};
use units::Nanos;

const SETS_MAX: usize = 8;

/// Type for the tables of a voltage set (verify levels and read references) of the chip other than the default one:
/// program times, wear and error rates.
#[derive(Clone, Debug, PartialEq)]
pub struct VoltageSet {
    /// Name of the voltage set, by which configurations choose it.
    pub name: String,
    /// List of program times with the voltage set (verify levels and read references): for each wear value of the
    /// chip's tables, one time for each page type.
    pub t_prog: Vec<Nanos>,
    /// Wear of a program/erase cycle with this voltage set, relative to a cycle with the default set.
    pub stress: f64,
    /// Table of raw bit error rates of pages that were written with this voltage set; none when the chip's file has no
    /// such table.
    pub errors: Option<ErrorTable>,
}

/// Reads the tables of the voltage sets (verify levels and read references) from `[tables.voltages]`: `rows` is the
/// number of rows of wear, `types` the number of program times in each row, and `bits` the number of bits of a cell.
pub(super) fn read(
    tables: &mut Section,
    rows: usize,
    types: usize,
    bits: usize,
) -> Result<Vec<VoltageSet>, ConfigError> {
    let written = tables.has("voltages");
    let mut s = tables.child("voltages")?;
    if !written {
        return Ok(Vec::new());
    }
    let names: Vec<String> = s.required("sets", "names of sets of voltages beside the usual one")?;
    let twice = |(at, name): (usize, &String)| names[..at].contains(name);
    if names.len() > SETS_MAX || names.iter().enumerate().any(twice) {
        return Err(s.reject("sets", &format!("expected at most {SETS_MAX} different names")));
    }
    let mut sets = Vec::new();
    for name in names {
        let mut of = s.named_child(&name, "SET")?;
        let t_prog: Vec<Nanos> =
            of.required("t_prog", "program times: for each wear one of each page type")?;
        count(&of, "t_prog", t_prog.len(), rows * types, "rows times page types")?;
        let stress: f64 = of
            .unit("cycles for each usual one")
            .within(above(0.0).at_most(10.0))
            .required("stress", "wear of a cycle with it, over one with the usual set")?;
        let errors = ErrorTable::read(&mut of, bits)?;
        of.finish()?;
        sets.push(VoltageSet { name, t_prog, stress, errors });
    }
    s.finish()?;
    Ok(sets)
}
