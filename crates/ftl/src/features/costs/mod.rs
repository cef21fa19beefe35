//! What writes cost and reads take on this drive: the state behind the cost regulator, the code and the error model.
//!
//! Where a drive has neither a code nor a regulator none of this exists, and pages are read and written as the data
//! sheet says.

mod cost_table;
mod counts;
mod forecast;
mod hooked;
mod load;
mod make;
mod reads;
mod reckoning;
mod refresh;
mod settings;
mod unit_notes;
mod writes;

use crate::regulator::{CostRegulator, WriteCost};
use controller::Origin;
use cost_table::CostTable;
pub use counts::RegulationCounts;
use ecc::Ladder;
use ecc::flow::{Flow, Flows};
use ecc::words::Words;
use engine::RandomStream;
pub use forecast::{PageForecast, ReadForecast};
use load::DieLoad;
use nand::errors::ErrorModel;
use reckoning::{Correction, Reckoning};
use refresh::DueTimes;
pub use settings::{CostRules, Reckoned};
use unit_notes::UnitNotes;
use units::Lpn;

/// Set of parts from which a drive's read correction and choice of write costs (ways to program a page) are built: read
/// ladder (sequence of hard and soft reads), policy of read retry, error model, and sizes.
pub struct CorrectionParts {
    /// Field of the parts of read correction: read ladder, the sequence of ways to read a page, from a hard read to
    /// soft reads and retries; `None` for a drive without error-correcting code.
    pub ladder: Option<Ladder>,
    /// Field of the parts of read correction: policy of read retry (read flow), which chooses the next attempt of a
    /// read.
    pub flow: Box<dyn Flow>,
    /// Field of the parts of read correction: error model, which gives the raw bit error rates of pages.
    pub errors: Box<dyn ErrorModel>,
    /// Number of page types (such as lower, middle, upper), which equals the bits of a cell.
    pub page_types: u32,
    /// Number of data bytes of a flash page, for the read correction.
    pub page_bytes: u64,
    /// Number of program/erase cycles that the blocks have at the start of the run.
    pub pe_cycles: u32,
}

/// Record of a mapping unit that is about to be written, for the choice of its write cost (way to program a page):
/// logical number, origin of the write, and present place on flash.
#[derive(Clone, Copy, Debug)]
struct Unit {
    pub lpn: Lpn,
    pub origin: Origin,
    /// Page row (pages of one index on all planes; numbered over the drive) of the unit's present place on flash;
    /// `None` if the unit has no place on flash, or one in SLC mode.
    pub old_row: Option<u32>,
}

/// Record of the tables of wear, age, reads and last good read-retry step, with one entry for each superblock of the
/// drive.
struct Ages {
    /// For each superblock, the index of its wear row: the range that its program/erase cycles lie in, for which read
    /// plans are computed once.
    wear_row: Vec<u8>,
    /// For each superblock, the time at which it was opened, in ns; negative: before the run.
    opened_at: Vec<i64>,
    /// For each superblock, the number of reads since it was opened.
    reads: Vec<u32>,
    /// For each superblock, the number of the read-retry step at which a read last succeeded, or [`NO_STEP`]; empty if
    /// the policy of read retry does not use it.
    good_step: Vec<u8>,
    /// Present time in ns, by nominal clocks, while requests are carried forward without simulated time; `None`
    /// otherwise.
    untimed_ns: Option<i64>,
}

/// Constant: special value in place of a superblock's last good read-retry step, while no read has succeeded since the
/// superblock took new data.
const NO_STEP: u8 = u8::MAX;

impl Ages {
    /// Resets age, reads and last good read-retry step of a superblock that begins to take new data at `now_ns`.
    fn begins_anew(&mut self, superblock: usize, now_ns: i64) {
        self.opened_at[superblock] = now_ns;
        self.reads[superblock] = 0;
        if let Some(step) = self.good_step.get_mut(superblock) {
            *step = NO_STEP;
        }
    }

    /// Returns the number of the read-retry step at which a read of a superblock last succeeded; `None` if no read of
    /// its present data has succeeded yet.
    fn good_step_of(&self, superblock: usize) -> Option<u32> {
        self.good_step.get(superblock).filter(|step| **step != NO_STEP).map(|step| u32::from(*step))
    }
}

/// Type of the table of the write costs (ways to program a page) with which the page rows of the drive were last
/// programmed: one entry for each row.
struct RowCosts {
    costs: Vec<u8>,
    /// Number of page rows (pages of one index on all planes) of a superblock.
    per_superblock: u32,
}

impl RowCosts {
    /// Returns the number of the superblock to which a page row (numbered over the drive) belongs, and the number of
    /// the row within the superblock.
    #[inline]
    fn place_of(&self, row: u32) -> (usize, usize) {
        ((row / self.per_superblock) as usize, (row % self.per_superblock) as usize)
    }

    #[inline]
    fn of(&self, row: u32) -> usize {
        usize::from(self.costs[row as usize])
    }
}

/// State of write costs (ways to program a page) and read correction: the cost regulator, the code with the error
/// model, and the wear, age and write cost of the data on flash.
pub struct Regulation {
    regulator: Box<dyn CostRegulator>,
    table: CostTable,
    correction: Correction,
    reckoning: Reckoning,
    rows: RowCosts,
    notes: UnitNotes,
    ages: Ages,
    due: DueTimes,
    dies: Vec<DieLoad>,
    random: RandomStream,
    /// Field of the state of read correction: policy of read retry (read flow), which chooses the next attempt of a
    /// read, with the records and the estimator of error rates that it needs.
    flows: Flows,
    /// Field of the state of read correction: random stream for the estimates of raw bit error rates during read retry.
    estimating: RandomStream,
    /// Field of the state of read correction: stock of results of decoding simulated codewords, from which the outcomes
    /// of reads are taken, with its decoder; `None` where tables give the outcome of decoding.
    words: Option<Words>,
    counts: RegulationCounts,
}

impl Regulation {
    /// Returns the counters of write costs (ways to program a page), reads, rewrites and refresh since the drive was
    /// built.
    pub fn counts(&self) -> RegulationCounts {
        self.counts
    }

    /// Returns the number of bits that the cost regulator stores as its own note on each mapping unit.
    pub fn bits_per_unit(&self) -> u32 {
        self.notes.bits()
    }

    /// Returns the list of write costs (ways to program a page) of the cost regulator: program step (ISPP) or voltage
    /// set, and retention time of each.
    pub fn costs(&self) -> &[WriteCost] {
        &self.table.costs
    }

    /// Returns the write costs (ways to program a page) in the order of their numbers in transactions, from 1 on: for
    /// each its program step (ISPP voltage increment) relative to the usual step, and the name of its set of program
    /// and read voltages where the write cost uses one.
    pub fn ways_to_write(&self) -> Vec<(f64, Option<&str>)> {
        let named = self.table.costs.iter().map(|cost| cost.voltages.as_deref());
        self.table.steps.iter().copied().zip(named).collect()
    }

    /// Returns, for each step of the read sequence (read ladder: hard read, then soft reads), the number of reference
    /// voltages with which cells are compared.
    pub fn references(&self) -> Vec<u32> {
        self.correction.ladder.rungs.iter().map(|rung| rung.references).collect()
    }
}
