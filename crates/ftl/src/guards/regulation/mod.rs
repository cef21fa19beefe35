//! What writes cost and reads take on this drive: the state behind the cost regulator, the code and the error model.
//!
//! Where a drive has neither a code nor a regulator none of this exists, and pages are read and written as the data
//! sheet says.

mod cost_table;
mod load;
mod reads;
mod reckoning;
mod refresh;
mod unit_notes;
mod writes;

use crate::RegulationCounts;
use crate::regulator::{BITS_MAX, COSTS_MAX, CostRegulator, WriteCost};
use crate::settings::FtlConfig;
use controller::{Controller, Origin};
use cost_table::CostTable;
use ecc::Ladder;
use engine::{RandomStream, large_array};
use load::DieLoad;
use nand::errors::ErrorModel;
use reckoning::{Correction, Reckoning};
use refresh::DueTimes;
use unit_notes::UnitNotes;
use units::{Lpn, Nanos, SimTime};

/// What a drive is given to build its regulation from.
pub struct RegulationParts {
    /// The ways to read a page.
    pub ladder: Option<Ladder>,
    /// Raw bit errors.
    pub errors: Box<dyn ErrorModel>,
    /// Page types: bits of a cell.
    pub page_types: u32,
    /// Data bytes of a page.
    pub page_bytes: u64,
    /// Wear that the blocks have at the start.
    pub pe_cycles: u32,
}

/// The unit a cost is chosen for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub lpn: Lpn,
    pub origin: Origin,
    /// Where its old copy lies: a page row numbered over the drive.
    pub old_row: Option<u32>,
}

/// What the data of each superblock of the drive went through.
struct Ages {
    /// Row of wear of the superblock.
    wear_row: Vec<u8>,
    /// When it was opened, in ns; negative: before the run.
    opened_at: Vec<i64>,
    /// Reads since.
    reads: Vec<u32>,
}

/// The way that each page row of the drive was written.
struct RowCosts {
    costs: Vec<u8>,
    /// Rows of a superblock.
    per_superblock: u32,
}

impl RowCosts {
    /// The superblock of a row, and the row's number within it.
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
    pub(crate) table: CostTable,
    correction: Correction,
    reckoning: Reckoning,
    rows: RowCosts,
    notes: UnitNotes,
    ages: Ages,
    due: DueTimes,
    dies: Vec<DieLoad>,
    random: RandomStream,
    pub(crate) counts: RegulationCounts,
}

impl Regulation {
    /// What the configuration asks for; none when it asks for nothing.
    ///
    /// # Errors
    /// When the code cannot correct what a write cost leaves; the text names the constraint.
    pub(crate) fn new(
        config: &FtlConfig,
        parts: RegulationParts,
        controller: &mut Controller,
        seed: u64,
    ) -> Result<Option<Box<Self>>, String> {
        let (layout, rules) = (&config.layout, &config.costs);
        let mut regulator = (rules.regulator)();
        regulator.take_random(RandomStream::new(seed, "ftl.regulator"));
        let mut costs = regulator.costs(&rules.steps);
        assert!((1..=COSTS_MAX).contains(&costs.len()), "a regulator has 1 to {COSTS_MAX} write costs");
        let refresh_age = config.upkeep.refresh_age;
        if refresh_age > Nanos::ZERO {
            for cost in &mut costs {
                cost.refresh = Some(cost.refresh.unwrap_or(refresh_age).min(refresh_age));
            }
        }
        let bits = regulator.bits_per_unit();
        assert!(bits <= BITS_MAX, "a regulator keeps at most {BITS_MAX} bits of a unit");
        let RegulationParts { ladder, errors, page_types, page_bytes, pe_cycles } = parts;
        let Some(ladder) = ladder else { return Ok(None) };
        let table = CostTable::new(costs, rules.steps.usual, controller, page_types)?;
        if let Some(way) = table.voltages.iter().position(|set| *set > 0 && !errors.knows_voltages()) {
            return Err(format!(
                "ftl.regulator.voltages: {} needs nand.errors.name = tables: the model in use knows no sets of voltages",
                table.describe(way)
            ));
        }
        let correction = Correction { ladder, errors, page_types: page_types as usize, page_bytes };
        let reckoning = Reckoning::new(&rules.reckoned, pe_cycles, &table, &correction, controller)?;
        let superblocks = layout.superblocks();
        // What was there before the run counts as moved since it was written, while the drive was idle.
        let idle = DieLoad::IDLE.view(Origin::Refresh, SimTime::ZERO, reckoning.candidates(0));
        let initial = regulator.choose(&idle, &mut 0) as u8;
        let rows = superblocks * layout.rows as usize;
        Ok(Some(Box::new(Self {
            table,
            correction,
            reckoning,
            rows: RowCosts { costs: large_array(rows, initial), per_superblock: layout.rows },
            notes: UnitNotes::new(bits, layout.written_units()),
            ages: Ages {
                wear_row: vec![0; superblocks],
                opened_at: vec![-1 - rules.reckoned.data_age.ns() as i64; superblocks],
                reads: vec![0; superblocks],
            },
            due: DueTimes::new(superblocks, &rules.reckoned),
            dies: vec![DieLoad::IDLE; layout.dies as usize],
            random: RandomStream::new(seed, "ftl.regulation"),
            counts: RegulationCounts::default(),
            regulator,
        })))
    }

    /// The wear of every superblock, when time begins.
    pub(crate) fn begin(&mut self, pe_cycles: impl Fn(usize) -> u32) {
        for superblock in 0..self.ages.wear_row.len() {
            self.note_wear(superblock, pe_cycles(superblock));
        }
    }

    /// A superblock has this wear now.
    pub(crate) fn note_wear(&mut self, superblock: usize, pe_cycles: u32) {
        self.ages.wear_row[superblock] = self.reckoning.wear_row_of(pe_cycles);
    }

    /// Bits that the regulator keeps for each mapping unit.
    pub fn bits_per_unit(&self) -> u32 {
        self.notes.bits()
    }

    /// Program steps, voltages and retention times of the costs.
    pub fn costs(&self) -> &[WriteCost] {
        &self.table.costs
    }

    /// The write costs, in the order of their numbers in transactions from 1 on: the program step over the usual one,
    /// or a set of voltages.
    pub fn ways_to_write(&self) -> Vec<(f64, Option<&str>)> {
        let named = self.table.costs.iter().map(|cost| cost.voltages.as_deref());
        self.table.steps.iter().copied().zip(named).collect()
    }

    /// Reference voltages of the rungs.
    pub fn references(&self) -> Vec<u32> {
        self.correction.ladder.rungs.iter().map(|rung| rung.references).collect()
    }

    /// Bytes of state.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.costs.len() + self.notes.bytes() + self.ages.wear_row.len() * (1 + 8 + 4 + 8)
    }
}
