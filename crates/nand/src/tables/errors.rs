//! Raw bit error rates by page type, program step, wear, age and reads.
//!
//! ```text
//! [tables.errors]
//! steps              program steps over the usual one
//! pe_cycles          wear
//! ages               time since writing, at `reference_celsius`
//! reads              reads of the block since writing
//! rate               with the usual references: for each step, wear and age one rate of each page type
//! rate_best          the same with the best references, as retries find them
//! shift              for each wear and age how far below the usual references the best lie, usual step; optional
//! rate_soft_2, rate_soft_3    for each wear and age one rate of each page type, usual step: of Gaussian noise whose reads with two
//!                    (three) soft bits fail as often as those of the page; optional, else states are taken for normal
//! rate_reads         for each wear and number of reads one rate of each page type: usual step and references, new data
//! activation_ev, reference_celsius    of the chip's charge loss: other temperatures are other ages
//! ```
//!
//! Between grid points the normal quantile of the rate is taken along straight lines, because it is how many standard
//! deviations lie between states and references: over step, over wear^0.62 (how trapping grows), over the logarithm
//! of age (how charge leaks) and over reads. What reads do to new data is added to what age
//! does, and is at each wear at least what it is at less. Past the last grid point the last line goes on, up to one half. Rates that fall with wear, age or reads are
//! refused. Rates are means over blocks; which block, layer or neighbour's data they come from is not told apart.

use super::grid::{Grid, Points, rate_quantile};
use super::{count, rising_steps};
use crate::cells::arrhenius;
use crate::cells::normal::{above, between};
use config::{ConfigError, Section};
use units::{Nanos, Potential};

/// Constant: least raw bit error rate of equivalent Gaussian noise that is computed for soft reads: lower rates count
/// as this one, as differences no longer matter.
pub const LEAST_NOISE: f64 = 1e-6;

/// Coordinates, in the error table, of the condition of a page when it is read: program step, wear, time since writing
/// and reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Age {
    /// Program step (voltage increase per program pulse) with which the page was written, relative to the default step
    /// of the voltage set.
    pub step: f64,
    /// Number of program/erase cycles of the page's block.
    pub pe_cycles: u32,
    /// Time in seconds since the page was written, at the reference temperature ([`ErrorTable::at_reference`]).
    pub seconds: f64,
    /// Number of reads of the page's block since the page was written.
    pub reads: u32,
}

/// Kind of read reference voltages with which a page is read: the default ones, or the best ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum References {
    /// Case of read references: the defaults of the voltage set.
    Usual,
    /// Case of read references: the best, at which fewest cells are misread, as read retries along a retry table find
    /// them.
    Best,
}

/// Table of raw bit error rates on a grid of program step (voltage increase per pulse), wear, time since writing and
/// reads, for each page type.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorTable {
    types: usize,
    steps: Axis,
    wear: Axis,
    ages: Axis,
    reads: Axis,
    usual: Vec<f64>,
    best: Vec<f64>,
    by_reads: Vec<f64>,
    /// List of the distances in volts, for each wear and age, by which the best read references lie below the default
    /// ones; empty when the table has none.
    shift: Vec<f64>,
    /// Pair of lists, for reads with two and with three soft bits, of the raw bit error rates (as normal quantiles) of
    /// the Gaussian noise with which decoding fails as often; each list is empty when the table has none.
    soft: [Vec<f64>; 2],
    activation_ev: f64,
    reference_celsius: f64,
    known: Known,
}

/// Record of the grid points of wear, age and reads for which an error table has rates, as three lists.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// List of the numbers of program/erase cycles for which the table has rates, rising.
    pub pe_cycles: Vec<u32>,
    /// List of the ages (times since writing) for which the table has rates: seconds at the reference temperature,
    /// rising.
    pub ages_s: Vec<f64>,
    /// List of the numbers of reads of a block since its data were written for which the table has rates, rising from
    /// 0.
    pub reads: Vec<u32>,
}

/// Type of one axis of the error table's grid: list of the positions of the grid points, in a scale in which the normal
/// quantiles of error rates are interpolated linearly.
#[derive(Clone, Debug, PartialEq)]
struct Axis(Vec<f64>);

impl Axis {
    /// Returns the index of the grid point below `at`, and the fraction of the way to the next point at which `at`
    /// lies: 0 to 1, or beyond that outside the grid.
    fn place(&self, at: f64) -> (usize, f64) {
        if self.0.len() == 1 {
            return (0, 0.0);
        }
        let below = self.0.partition_point(|point| *point <= at).clamp(1, self.0.len() - 1) - 1;
        (below, (at - self.0[below]) / (self.0[below + 1] - self.0[below]))
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

const AGE_SCALE_S: f64 = 3600.0;

fn worn(pe_cycles: f64) -> f64 {
    libm::pow(pe_cycles, 0.62)
}

fn aged(seconds: f64) -> f64 {
    libm::log1p(seconds / AGE_SCALE_S)
}

impl ErrorTable {
    pub(super) fn read(tables: &mut Section, types: usize) -> Result<Option<Self>, ConfigError> {
        let written = tables.has("errors");
        let mut s = tables.child("errors")?;
        if !written {
            return Ok(None);
        }
        let steps: Vec<f64> = s.unit("usual steps").required("steps", "program steps over the usual one")?;
        rising_steps(&s, "steps", &steps)?;
        let wear: Vec<u32> = s.required("pe_cycles", "program/erase cycles of the grid")?;
        let ages: Vec<Nanos> = s.required("ages", "times since writing, of the grid")?;
        let reads: Vec<u32> = s.required("reads", "reads of the block, of the grid")?;
        rising(&s, "pe_cycles", &wear)?;
        rising(&s, "ages", &ages)?;
        rising(&s, "reads", &reads)?;
        if reads[0] != 0 {
            return Err(s.reject("reads", "expected 0 as the first: what reads add is counted from there"));
        }
        let by_wear =
            Points { axis: "pe_cycles", says: wear.iter().map(|n| format!("{n} cycles")).collect() };
        let aged_to = Points { axis: "ages", says: ages.iter().map(|age| format!("age {age}")).collect() };
        let read_to = Points { axis: "reads", says: reads.iter().map(|n| format!("{n} reads")).collect() };
        let grid_of_ages = Grid { each: steps.len(), outer: &by_wear, inner: &aged_to, types };
        let grid_of_soft = Grid { each: 1, outer: &by_wear, inner: &aged_to, types };
        let grid_of_reads = Grid { each: 1, outer: &by_wear, inner: &read_to, types };
        let table = Self {
            usual: grid_of_ages.rates(&mut s, "rate", "bit error rates with the usual references: for each step, wear and age one of each page type")?,
            best: grid_of_ages.rates(&mut s, "rate_best", "bit error rates with the best references")?,
            by_reads: grid_of_reads.rates(
                &mut s,
                "rate_reads",
                "bit error rates after reads of the block",
            )?,
            shift: shifts(&mut s, wear.len() * ages.len())?,
            soft: softness(&mut s, &grid_of_soft)?,
            types,
            steps: Axis(steps),
            wear: Axis(wear.iter().map(|cycles| worn(f64::from(*cycles))).collect()),
            ages: Axis(ages.iter().map(|age| aged(age.ns() as f64 * 1e-9)).collect()),
            reads: Axis(reads.iter().map(|reads| f64::from(*reads)).collect()),
            activation_ev: s.unit("eV").required("activation_ev", "activation energy of charge loss, eV")?,
            reference_celsius: s
                .unit("degrees Celsius")
                .required("reference_celsius", "temperature of the ages, degrees Celsius")?,
            known: Known {
                ages_s: ages.iter().map(|age| age.ns() as f64 * 1e-9).collect(),
                pe_cycles: wear,
                reads,
            },
        };
        s.finish()?;
        Ok(Some(table))
    }

    /// Returns the seconds at the reference temperature that age a page as `seconds` at `celsius` do
    /// (Arrhenius).
    pub fn at_reference(&self, seconds: f64, celsius: f64) -> f64 {
        seconds * arrhenius(self.activation_ev, celsius, self.reference_celsius)
    }

    /// Returns two constants of the error table: the activation energy of charge loss in eV, and the reference
    /// temperature of the table's ages in degrees Celsius.
    pub fn temperature(&self) -> (f64, f64) {
        (self.activation_ev, self.reference_celsius)
    }

    /// Returns the grid points for which the table has rates; beyond the last points, rates are extrapolated.
    pub fn known(&self) -> &Known {
        &self.known
    }

    /// Returns the raw bit error rate (0 to 1) of a page of this type (its position in the wordline) in condition `age`
    /// (program step, wear, time since writing, reads).
    ///
    /// # Panics
    /// When there is no such page type.
    pub fn rber(&self, page_type: usize, age: &Age, references: References) -> f64 {
        assert!(page_type < self.types, "page type {page_type} of {}", self.types);
        let grid = match references {
            References::Usual => &self.usual,
            References::Best => &self.best,
        };
        let wear = self.wear.place(worn(f64::from(age.pe_cycles)));
        let places = [self.steps.place(age.step), wear, self.ages.place(aged(age.seconds))];
        let sizes = [self.steps.len(), self.wear.len(), self.ages.len()];
        let rate = above(self.along(grid, &sizes, &places, page_type));
        if age.reads == 0 || self.reads.len() == 1 {
            return rate.min(0.5);
        }
        (rate + self.added(wear, f64::from(age.reads), page_type)).min(0.5)
    }

    /// Returns the raw bit error rate that `reads` reads (read disturb) add to that of new data. At each wear of the
    /// grid it is the greatest that they add at that or less wear: a difference of two rates falls with wear where both
    /// come near a half, and errors do not.
    fn added(&self, (below, share): (usize, f64), reads: f64, page_type: usize) -> f64 {
        let (point, onwards) = self.reads.place(reads);
        let at = |row: usize| {
            let quantile =
                |point: usize| self.by_reads[(row * self.reads.len() + point) * self.types + page_type];
            let (none, below, next) = (quantile(0), quantile(point), quantile(point + 1));
            // Where reads add little, the difference of two rates would be rounding, which falls as it rises.
            between(none, (none - below) + onwards * (below - next))
        };
        let most = (0..=below).map(at).fold(0.0, f64::max);
        let most_next = if below + 1 < self.wear.len() { most.max(at(below + 1)) } else { most };
        let (here, next) = (rate_quantile(most), rate_quantile(most_next));
        above(here + share * (next - here))
    }

    /// Returns how far the best read references lie below the default ones, in volts; `None` when the table does not
    /// have these distances.
    pub fn shift(&self, age: &Age) -> Option<f64> {
        if self.shift.is_empty() {
            return None;
        }
        let places = [self.wear.place(worn(f64::from(age.pe_cycles))), self.ages.place(aged(age.seconds))];
        let sizes = [self.wear.len(), self.ages.len()];
        Some(weighted(&sizes, &places, |index| self.shift[index]).max(0.0))
    }

    /// Returns, for reads of a page of this type with two and with three soft bits, the raw bit error rate of Gaussian
    /// noise with which decoding fails equally often, relative to the page's own rate with the best references, both
    /// for data written with the default step and never read. Rates below [`LEAST_NOISE`] count as that rate; 1 where
    /// the table has no rates for soft bits.
    pub fn soft(&self, page_type: usize, age: &Age) -> [f64; 2] {
        let places = [self.wear.place(worn(f64::from(age.pe_cycles))), self.ages.place(aged(age.seconds))];
        let sizes = [self.wear.len(), self.ages.len()];
        let usual = Age { step: 1.0, reads: 0, ..*age };
        let ratio = |soft: &Vec<f64>| match soft.is_empty() {
            true => 1.0,
            false => {
                above(self.along(soft, &sizes, &places, page_type)).max(LEAST_NOISE)
                    / self.rber(page_type, &usual, References::Best).max(LEAST_NOISE)
            }
        };
        [ratio(&self.soft[0]), ratio(&self.soft[1])]
    }

    /// Returns the normal quantile of a page type's error rate at a point of the grid `grid`, interpolated linearly
    /// between the corners of the grid cell in which the point lies.
    fn along(&self, grid: &[f64], sizes: &[usize], places: &[(usize, f64)], page_type: usize) -> f64 {
        weighted(sizes, places, |index| grid[index * self.types + page_type])
    }
}

/// Returns the linear interpolation of a quantity between the corners of a grid cell of the error table; `at` gives the
/// value at a corner.
fn weighted(sizes: &[usize], places: &[(usize, f64)], at: impl Fn(usize) -> f64) -> f64 {
    let mut sum = 0.0;
    for corner in 0..1usize << places.len() {
        let (mut index, mut weight) = (0, 1.0);
        for (axis, (size, (below, share))) in sizes.iter().zip(places).enumerate() {
            let up = corner >> axis & 1;
            weight *= if up == 1 { *share } else { 1.0 - share };
            index = index * size + (below + up).min(size - 1);
        }
        if weight != 0.0 {
            sum += weight * at(index);
        }
    }
    sum
}

fn shifts(s: &mut Section, expected: usize) -> Result<Vec<f64>, ConfigError> {
    let help = "how far below the usual references the best lie, for each wear and age";
    let found: Option<Vec<Potential>> = s.optional("shift", help)?;
    let Some(found) = found else { return Ok(Vec::new()) };
    count(s, "shift", found.len(), expected, "one for each wear and age")?;
    Ok(found.into_iter().map(Potential::volts).collect())
}

/// Reads, for reads with two and with three soft bits, the list of error rates of equivalent Gaussian noise; a list
/// that is missing is empty.
fn softness(s: &mut Section, grid: &Grid<'_>) -> Result<[Vec<f64>; 2], ConfigError> {
    let two = "rates of Gaussian noise whose reads with two soft bits fail as often";
    let three = "rates of Gaussian noise whose reads with three soft bits fail as often";
    Ok([grid.rates_if_any(s, "rate_soft_2", two)?, grid.rates_if_any(s, "rate_soft_3", three)?])
}

fn rising<T: PartialOrd>(s: &Section, key: &str, values: &[T]) -> Result<(), ConfigError> {
    if values.is_empty() || values.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(s.reject(key, "expected rising values"));
    }
    Ok(())
}
