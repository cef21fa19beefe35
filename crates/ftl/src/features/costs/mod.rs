//! What writes cost and reads take on this drive: the state behind the cost regulator, the code and the error model.
//!
//! Where a drive has neither a code nor a regulator none of this exists, and pages are read and written as the data
//! sheet says.

mod cost_table;
mod counts;
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
use load::DieLoad;
use nand::errors::ErrorModel;
use reckoning::{Correction, Reckoning};
use refresh::DueTimes;
pub use settings::{CostRules, Reckoned};
use unit_notes::UnitNotes;
use units::{Lpn, SimTime};

/// The parts from which a drive's regulation is built.
pub struct CorrectionParts {
    /// The ways to read a page.
    pub ladder: Option<Ladder>,
    /// Which attempt of a read comes next.
    pub flow: Box<dyn Flow>,
    /// Model of the raw bit errors of pages.
    pub errors: Box<dyn ErrorModel>,
    /// Number of page types, which is the bits of a cell.
    pub page_types: u32,
    /// Data bytes of a page.
    pub page_bytes: u64,
    /// Wear that the blocks have at the start.
    pub pe_cycles: u32,
}

/// The unit a cost is chosen for.
#[derive(Clone, Copy, Debug)]
struct Unit {
    pub lpn: Lpn,
    pub origin: Origin,
    /// Place of the unit's old copy: a page row numbered over the drive.
    pub old_row: Option<u32>,
}

/// The age and reads of the data in each superblock of the drive.
struct Ages {
    /// Row of wear of the superblock.
    wear_row: Vec<u8>,
    /// When the superblock was opened, in ns; negative: before the run.
    opened_at: Vec<i64>,
    /// Reads of the superblock since it was opened.
    reads: Vec<u32>,
    /// The retry step at which a read of the superblock last succeeded, or [`NO_STEP`]; empty where no read flow uses
    /// it.
    good_step: Vec<u8>,
}

/// No read of the superblock has succeeded by an attempt of the read flow since it was erased.
const NO_STEP: u8 = u8::MAX;

impl Ages {
    /// Notes that a superblock takes new data.
    fn begins_anew(&mut self, superblock: usize, now: SimTime) {
        self.opened_at[superblock] = now.ns() as i64;
        self.reads[superblock] = 0;
        if let Some(step) = self.good_step.get_mut(superblock) {
            *step = NO_STEP;
        }
    }

    /// Returns the retry step at which a read of a superblock last succeeded.
    fn good_step_of(&self, superblock: usize) -> Option<u32> {
        self.good_step.get(superblock).filter(|step| **step != NO_STEP).map(|step| u32::from(*step))
    }
}

/// The write cost of each page row of the drive.
struct RowCosts {
    costs: Vec<u8>,
    /// Page rows of a superblock.
    per_superblock: u32,
}

impl RowCosts {
    /// Returns the superblock of a row, and the row's number within it.
    #[inline]
    fn place_of(&self, row: u32) -> (usize, usize) {
        ((row / self.per_superblock) as usize, (row % self.per_superblock) as usize)
    }

    #[inline]
    fn of(&self, row: u32) -> usize {
        usize::from(self.costs[row as usize])
    }
}

/// Everything the FTL keeps about costs.
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
    /// Which attempt of a read comes next.
    flows: Flows,
    /// The random stream for estimates of error rates.
    estimating: RandomStream,
    /// Decoder for the codewords of reads, where no table gives the outcome of decoding.
    words: Option<Words>,
    counts: RegulationCounts,
}

impl Regulation {
    /// Returns what was counted since the drive was built.
    pub fn counts(&self) -> RegulationCounts {
        self.counts
    }

    /// Returns the number of bits that the regulator keeps for each mapping unit.
    pub fn bits_per_unit(&self) -> u32 {
        self.notes.bits()
    }

    /// Returns the program steps, voltages and retention times of the costs.
    pub fn costs(&self) -> &[WriteCost] {
        &self.table.costs
    }

    /// Returns the write costs, in the order of their numbers in transactions from 1 on: the program step
    /// over the usual one, or a set of voltages.
    pub fn ways_to_write(&self) -> Vec<(f64, Option<&str>)> {
        let named = self.table.costs.iter().map(|cost| cost.voltages.as_deref());
        self.table.steps.iter().copied().zip(named).collect()
    }

    /// Returns the reference voltages of the rungs.
    pub fn references(&self) -> Vec<u32> {
        self.correction.ladder.rungs.iter().map(|rung| rung.references).collect()
    }
}
