//! How long the array is busy: read, program and erase times by page type.

use crate::{Cell, Geometry, ProgramOrder};
use config::{ConfigError, Section};
use units::Nanos;

/// Program and erase times from some wear on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct WearRow {
    pe_cycles: u32,
    t_prog: [Nanos; 4],
    t_bers: Nanos,
}

/// Busy times of a chip. Programs and erases follow wear where the chip's file has `[tables]`, which
/// `floatgate derive` makes; age and cost of a write do not change them yet.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayTiming {
    cell: Cell,
    t_r: [Nanos; 4],
    /// By rising wear; the first holds from the beginning.
    rows: Vec<WearRow>,
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
        let t_bers = nand.required("t_bers", "block erase time")?;
        let types = if geometry.program == ProgramOrder::Page { bits } else { 1 };
        Ok(Self {
            cell: geometry.cell,
            t_r,
            rows: wear_rows(nand, WearRow { pe_cycles: 0, t_prog, t_bers }, types)?,
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

    /// True when wear changes times.
    #[inline]
    pub fn ages(&self) -> bool {
        self.rows.len() > 1
    }

    /// The row of the tables for a block of this wear.
    #[inline]
    pub fn wear_row(&self, pe_cycles: u32) -> u8 {
        self.rows[1..].partition_point(|row| row.pe_cycles <= pe_cycles) as u8
    }

    /// Program time of the operation that begins at page `page` of a block, by the row of its wear.
    #[inline]
    pub fn t_prog(&self, page: u32, wear: u8) -> Nanos {
        self.rows[wear as usize].t_prog[self.page_type(page)]
    }

    /// Block erase, by the row of its wear.
    #[inline]
    pub fn t_bers(&self, wear: u8) -> Nanos {
        self.rows[wear as usize].t_bers
    }
}

const ROWS_MAX: usize = 64;

/// The rows of `[tables]`, or the one row of the data sheet's times.
fn wear_rows(nand: &mut Section, sheet: WearRow, types: usize) -> Result<Vec<WearRow>, ConfigError> {
    let written = nand.has("tables");
    let mut s = nand.child("tables")?;
    if !written {
        return Ok(vec![sheet]);
    }
    let wear: Vec<u32> = s.required("pe_cycles", "wear from which each row holds, program/erase cycles")?;
    if wear[0] != 0 || wear.windows(2).any(|pair| pair[0] >= pair[1]) || wear.len() > ROWS_MAX {
        return Err(s.reject("pe_cycles", &format!("expected at most {ROWS_MAX} rising values, the first 0")));
    }
    let help = "program times: for each wear one of each page type, or of the whole wordline";
    let t_prog: Vec<Nanos> = s.required("t_prog", help)?;
    let t_bers: Vec<Nanos> = s.required("t_bers", "erase time for each wear")?;
    for (key, count, expected) in
        [("t_prog", t_prog.len(), wear.len() * types), ("t_bers", t_bers.len(), wear.len())]
    {
        if count != expected {
            return Err(
                s.reject(key, &format!("expected {expected} times, not {count}: {} rows", wear.len()))
            );
        }
    }
    s.finish()?;
    let row = |index: usize| {
        let mut times = [t_prog[index * types]; 4];
        times[..types].copy_from_slice(&t_prog[index * types..(index + 1) * types]);
        WearRow { pe_cycles: wear[index], t_prog: times, t_bers: t_bers[index] }
    };
    Ok((0..wear.len()).map(row).collect())
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
