//! How long the array is busy: read, program and erase times by page type.

use crate::{Cell, Geometry, ProgramOrder};
use config::{ConfigError, Section};
use units::Nanos;

/// Busy times of a chip. Constant: wear, age and cost of a write do not change them yet.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayTiming {
    cell: Cell,
    t_r: [Nanos; 4],
    t_prog: [Nanos; 4],
    /// Block erase.
    pub t_bers: Nanos,
    /// From a suspend command until reads may start, when a program is running.
    pub t_suspend_program: Nanos,
    /// The same when an erase is running.
    pub t_suspend_erase: Nanos,
    /// Extra time when the suspended operation goes on.
    pub t_resume: Nanos,
}

impl ArrayTiming {
    /// Reads the time keys of `[nand]`.
    ///
    /// # Errors
    /// When a time is missing or the number of values fits neither one nor the number of page types.
    pub fn read(nand: &mut Section, geometry: &Geometry) -> Result<Self, ConfigError> {
        let bits = geometry.cell.bits() as usize;
        let t_r = per_page_type(nand, "t_r", bits, "array read time, one value or one per page type")?;
        let t_prog = match geometry.program {
            ProgramOrder::Page => {
                per_page_type(nand, "t_prog", bits, "page program time, one value or one per page type")?
            }
            ProgramOrder::OneShot => per_page_type(nand, "t_prog", 1, "program time of a whole wordline")?,
        };
        Ok(Self {
            cell: geometry.cell,
            t_r,
            t_prog,
            t_bers: nand.required("t_bers", "block erase time")?,
            t_suspend_program: nand.or(
                "t_suspend_program",
                Nanos::new(20_000),
                "time until reads may start after a program is suspended",
            )?,
            t_suspend_erase: nand.or(
                "t_suspend_erase",
                Nanos::new(60_000),
                "time until reads may start after an erase is suspended",
            )?,
            t_resume: nand.or(
                "t_resume",
                Nanos::new(10_000),
                "extra time when a suspended operation resumes",
            )?,
        })
    }

    /// The page type of page `page` of a block: pages of a wordline are numbered one after the other.
    #[inline]
    pub fn page_type(&self, page: u32) -> usize {
        (page % self.cell.bits()) as usize
    }

    /// Array read time of page `page` of a block.
    #[inline]
    pub fn t_r(&self, page: u32) -> Nanos {
        self.t_r[self.page_type(page)]
    }

    /// Program time of the operation that begins at page `page` of a block.
    #[inline]
    pub fn t_prog(&self, page: u32) -> Nanos {
        self.t_prog[self.page_type(page)]
    }
}

fn per_page_type(
    nand: &mut Section,
    key: &str,
    types: usize,
    help: &'static str,
) -> Result<[Nanos; 4], ConfigError> {
    let values: Vec<Nanos> = nand.required(key, help)?;
    if values.len() != 1 && values.len() != types {
        let wanted =
            if types == 1 { "expected one time".into() } else { format!("expected one time or {types}") };
        return Err(nand.reject(key, &wanted));
    }
    let mut times = [values[0]; 4];
    times[..values.len()].copy_from_slice(&values);
    Ok(times)
}
