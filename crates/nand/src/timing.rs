//! How long the array is busy: read, program and erase times by page type.

use crate::{Cell, Geometry, ProgramOrder, SlcMode, Tables};
use config::{ConfigError, Section};
use units::Nanos;

/// Type of the busy times of a chip's flash array, in nanoseconds, for reads, programs, erases and suspends. Where the
/// chip's file has `[tables]` (made by `floatgate derive`), programs and erases depend on wear, and programs also on
/// the program step.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayTiming {
    cell: Cell,
    t_r: [Nanos; 4],
    /// List of wear values (numbers of program/erase cycles); each row of program and erase times holds from its value
    /// on, the first row from 0.
    pe_cycles: Vec<u32>,
    /// List of program steps (voltage increases per program pulse) relative to the default one, rising.
    steps: Vec<f64>,
    /// Index of the default program step (voltage increase per program pulse) in the list `steps`.
    usual_step: usize,
    /// List of the names of the voltage sets (verify levels and read references), the default one left out.
    sets: Vec<String>,
    /// List of program times of each page type, in rows by wear value: first the rows for each program step (voltage
    /// increase per pulse) with the default voltage set, step after step, then the rows for each other voltage set
    /// (verify levels and read references) with the default step.
    t_prog: Vec<[Nanos; 4]>,
    /// List of erase times, one for each wear value of `pe_cycles`.
    t_bers: Vec<Nanos>,
    /// Field: times and wear of SLC mode (one bit a cell); none when the chip's file has no such mode.
    slc_mode: Option<SlcMode>,
    /// Time from a suspend command to a running program until reads may start.
    pub t_suspend_program: Nanos,
    /// Time from a suspend command to a running erase until reads may start.
    pub t_suspend_erase: Nanos,
    /// Additional time that a suspended program or erase takes when it is resumed.
    pub t_resume: Nanos,
}

impl ArrayTiming {
    /// Reads the busy times of the flash array from the keys of `[nand]`; the chip's tables, where it has some, replace
    /// the program and erase times.
    ///
    /// # Errors
    /// When a time is missing or wrong, or a list has neither one value nor one for each page type (for programs by
    /// wordline: not exactly one).
    pub fn read(
        nand: &mut Section,
        geometry: &Geometry,
        tables: Option<&Tables>,
    ) -> Result<Self, ConfigError> {
        let bits = geometry.cell.bits() as usize;
        let t_r = per_page_type(nand, "t_r", bits, "array read time, one value or one per page type")?;
        let times = match geometry.program {
            ProgramOrder::Page => bits,
            ProgramOrder::OneShot => 1,
        };
        let t_prog = per_page_type(
            nand,
            "t_prog",
            times,
            "program time of a page, one value or one per page type; of a whole wordline with program = one-shot",
        )?;
        let t_bers = nand.required("t_bers", "block erase time")?;
        let types = if geometry.program == ProgramOrder::Page { bits } else { 1 };
        let steps = tables.map_or_else(|| vec![1.0], |tables| tables.steps.clone());
        let times = |times: &[Nanos]| {
            let mut by_type = [times[0]; 4];
            by_type[..types].copy_from_slice(times);
            by_type
        };
        Ok(Self {
            cell: geometry.cell,
            t_r,
            pe_cycles: tables.map_or_else(|| vec![0], |tables| tables.pe_cycles.clone()),
            usual_step: steps.iter().position(|step| *step == 1.0).expect("the usual step is among them"),
            steps,
            sets: tables
                .map_or_else(Vec::new, |tables| tables.voltages.iter().map(|set| set.name.clone()).collect()),
            t_prog: tables.map_or_else(
                || vec![t_prog],
                |tables| {
                    let sets = tables.voltages.iter().map(|set| &set.t_prog);
                    let all = std::iter::once(&tables.t_prog).chain(sets);
                    all.flat_map(|of| of.chunks(types)).map(times).collect()
                },
            ),
            t_bers: tables.map_or_else(|| vec![t_bers], |tables| tables.t_bers.clone()),
            slc_mode: SlcMode::read(nand, geometry)?,
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

    /// Returns the page type of page `page` of a block, from 0: pages of a wordline are numbered one after the other.
    #[inline]
    pub fn page_type(&self, page: u32) -> usize {
        (page % self.cell.bits()) as usize
    }

    /// Returns the array read time (tR) that the chip takes for page `page` of a block, by its page type.
    #[inline]
    pub fn t_r(&self, page: u32) -> Nanos {
        self.t_r[self.page_type(page)]
    }

    /// Returns true if the program or erase times of a block depend on its wear (program/erase cycles).
    #[inline]
    pub fn ages(&self) -> bool {
        self.pe_cycles.len() > 1
    }

    /// Returns the index of the table row of times that holds for a block of this wear, in program/erase cycles.
    #[inline]
    pub fn wear_row(&self, pe_cycles: u32) -> u8 {
        self.pe_cycles[1..].partition_point(|row| *row <= pe_cycles) as u8
    }

    /// Returns the program time (tPROG), with the default program step, of the operation that begins at page `page` of
    /// a block; `wear` is the index of the table row for the block's wear ([`Self::wear_row`]).
    #[inline]
    pub fn t_prog(&self, page: u32, wear: u8) -> Nanos {
        self.t_prog_by_step(page, wear, self.usual_step)
    }

    /// Returns the list of program steps (voltage increases per program pulse), relative to the default one, for which
    /// the chip has times; rising.
    pub fn steps(&self) -> &[f64] {
        &self.steps
    }

    /// Returns the names of the voltage sets (verify levels and read references), other than the default one, for which
    /// the chip has times.
    pub fn voltage_sets(&self) -> &[String] {
        &self.sets
    }

    /// Returns the program time of page `page` with the voltage set (verify levels and read references) of index `set`
    /// in [`Self::voltage_sets`]; `wear` is the index of the table row for the block's wear.
    #[inline]
    pub fn t_prog_by_set(&self, page: u32, wear: u8, set: usize) -> Nanos {
        self.t_prog_by_step(page, wear, self.steps.len() + set)
    }

    /// Returns the program time of page `page` with the program step (voltage increase per pulse) of index `step` in
    /// [`Self::steps`]; `wear` is the index of the table row for the block's wear.
    #[inline]
    pub fn t_prog_by_step(&self, page: u32, wear: u8, step: usize) -> Nanos {
        self.t_prog[step * self.pe_cycles.len() + wear as usize][self.page_type(page)]
    }

    /// Returns the times and wear of SLC mode; `None` when the chip's file has no such mode.
    pub fn slc_mode(&self) -> Option<&SlcMode> {
        self.slc_mode.as_ref()
    }

    /// Returns the erase time (tBERS) of a block; `wear` is the index of the table row for the block's wear.
    #[inline]
    pub fn t_bers(&self, wear: u8) -> Nanos {
        self.t_bers[wear as usize]
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
