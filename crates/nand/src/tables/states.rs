//! What the data written does to times, wear and errors.
//!
//! ```text
//! [tables.states]
//! patterns      what all cells hold: "random", or one state by its bits
//! t_prog        for each pattern one time of each page type, new blocks
//! stress        wear of a cycle with it, over that of a cycle with random data: from lives to failure
//! misread       share of its cells read as another state after `pe_cycles` and `age`, usual references
//! pe_cycles, age
//! erase_only    wear of a cycle that only erases, over that of a cycle with random data
//! ```

use super::count;
use crate::Cell;
use config::{ConfigError, Section};
use units::Nanos;

/// Type of the chip's table of the effects of written data: for each data pattern, the program times, the wear of a
/// cycle, and the fraction of misread cells.
#[derive(Clone, Debug, PartialEq)]
pub struct StateTable {
    patterns: Vec<String>,
    types: usize,
    t_prog: Vec<Nanos>,
    stress: Vec<f64>,
    misread: Vec<f64>,
    /// Wear of a cycle that erases a block without programming it, relative to a program/erase cycle with random data.
    pub erase_only: f64,
}

impl StateTable {
    pub(super) fn read(tables: &mut Section, cell: Cell, types: usize) -> Result<Option<Self>, ConfigError> {
        let written = tables.has("states");
        let mut s = tables.child("states")?;
        if !written {
            return Ok(None);
        }
        let patterns: Vec<String> =
            s.required("patterns", "what all cells hold: random, or a state's bits")?;
        let bits = cell.bits() as usize;
        let known = |p: &String| p == "random" || (p.len() == bits && p.bytes().all(|b| b"01".contains(&b)));
        if !patterns.iter().all(known) {
            return Err(s.reject("patterns", &format!("expected random or {bits} bits each")));
        }
        let t_prog: Vec<Nanos> =
            s.required("t_prog", "program times: for each pattern one of each page type")?;
        count(&s, "t_prog", t_prog.len(), patterns.len() * types, "patterns times page types")?;
        let stress: Vec<f64> = s
            .unit("cycles for each of random data")
            .required("stress", "wear of a cycle with it, over one with random data")?;
        count(&s, "stress", stress.len(), patterns.len(), "one for each pattern")?;
        let misread: Vec<f64> =
            s.unit("ratio").required("misread", "share of its cells read as another state")?;
        count(&s, "misread", misread.len(), patterns.len(), "one for each pattern")?;
        s.or("pe_cycles", 0u32, "wear at which cells were misread")?;
        s.or("age", Nanos::ZERO, "time since writing after which cells were misread")?;
        let erase_only = s
            .unit("cycles for each of random data")
            .required("erase_only", "wear of a cycle that only erases, over one with random data")?;
        s.finish()?;
        Ok(Some(Self { patterns, types, t_prog, stress, misread, erase_only }))
    }

    /// Returns the index of the table's row for a data pattern: a cell state, named by its bits, or `random`; `None` if
    /// the table does not have the pattern.
    pub fn row(&self, pattern: &str) -> Option<usize> {
        self.patterns.iter().position(|known| known == pattern)
    }

    /// Returns the program times with the data pattern of row `row`, one for each page type.
    pub fn t_prog(&self, row: usize) -> &[Nanos] {
        &self.t_prog[row * self.types..(row + 1) * self.types]
    }

    /// Returns the wear of a program/erase cycle with the data pattern of this row, relative to a cycle with random
    /// data.
    pub fn stress(&self, row: usize) -> f64 {
        self.stress[row]
    }

    /// Returns the fraction (0 to 1) of the cells programmed with the data pattern of this row that are misread.
    pub fn misread(&self, row: usize) -> f64 {
        self.misread[row]
    }
}
