//! How costs come about.

use super::cost_table::CostTable;
use super::load::DieLoad;
use super::reckoning::{Correction, Reckoning};
use super::refresh::DueTimes;
use super::unit_notes::UnitNotes;
use super::{Ages, CorrectionParts, CostRules, NO_STEP, Regulation, RowCosts};
use crate::features::{Made, Making, Said};
use crate::regulator::{BITS_MAX, COSTS_MAX};
use crate::{Layout, RegulationCounts};
use config::{ConfigError, Section};
use controller::Origin;
use ecc::Ladder;
use ecc::flow::Flows;
use engine::{RandomStream, large_array};
use units::{Nanos, SimTime};

/// Constant: number of bytes of simulator memory for the cost regulator's record of each superblock: wear row (range of
/// program/erase cycles), opening time, reads, last good read-retry step, time of refresh.
const REGULATED: u64 = 1 + 8 + 4 + 1 + 8;

impl Said for Regulation {
    type Settings = CostRules;
}

impl Made for Regulation {
    fn read(ftl: &mut Section, _: &mut Layout) -> Result<CostRules, ConfigError> {
        CostRules::read(ftl)
    }

    fn retention(rules: &CostRules) -> Option<Nanos> {
        Some(rules.steps.retention)
    }

    /// Returns the number of bytes of memory that the simulator needs for write costs (ways to program a page) and wear
    /// of superblocks, plus one byte for each mapping unit where the cost regulator stores notes on single units; zero
    /// if the drive has no error-correcting code.
    fn bytes_most(rules: &CostRules, layout: &Layout, code: Option<&Ladder>) -> u64 {
        let notes = if (rules.regulator)().bits_per_unit() > 0 { layout.written_units() } else { 0 };
        let kept = layout.superblocks() as u64 * (u64::from(layout.rows) + REGULATED) + notes;
        if code.is_some() { kept } else { 0 }
    }

    /// Makes the state of write costs (ways to program a page) and read correction for a fresh drive; `None` if the
    /// drive has no error-correcting code.
    fn new(rules: &CostRules, making: &mut Making<'_>) -> Result<Option<Box<Self>>, String> {
        let Making { layout, seed, refresh_age, .. } = *making;
        let mut regulator = (rules.regulator)();
        regulator.take_random(RandomStream::new(seed, "ftl.regulator"));
        let mut costs = regulator.costs(&rules.steps);
        assert!((1..=COSTS_MAX).contains(&costs.len()), "a regulator has 1 to {COSTS_MAX} write costs");
        if refresh_age > Nanos::ZERO {
            for cost in &mut costs {
                cost.refresh = Some(cost.refresh.unwrap_or(refresh_age).min(refresh_age));
            }
        }
        let bits = regulator.bits_per_unit();
        assert!(bits <= BITS_MAX, "a regulator keeps at most {BITS_MAX} bits of a unit");
        let Some(parts) = making.correction.take() else { return Ok(None) };
        let CorrectionParts { ladder, flow, errors, page_types, page_bytes, pe_cycles } = parts;
        let Some(ladder) = ladder else { return Ok(None) };
        let flows = Flows::new(flow, &ladder)?;
        let controller = &mut *making.controller;
        let table = CostTable::new(costs, rules.steps.usual, controller, page_types)?;
        if let Some(way) = table.voltages.iter().position(|set| *set > 0 && !errors.knows_voltages()) {
            return Err(format!(
                "ftl.regulator.voltages: {} needs nand.errors.name = tables: the model in use knows no sets of voltages",
                table.describe(way)
            ));
        }
        let words = ladder.words(RandomStream::new(seed, "ecc.words").bits())?;
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
                good_step: vec![NO_STEP; if flows.notes.good_steps { superblocks } else { 0 }],
                untimed_ns: None,
            },
            due: DueTimes::new(superblocks, &rules.reckoned),
            dies: vec![DieLoad::IDLE; layout.dies as usize],
            random: RandomStream::new(seed, "ftl.regulation"),
            flows,
            estimating: RandomStream::new(seed, "ecc.flow"),
            words,
            counts: RegulationCounts::default(),
            regulator,
        })))
    }

    /// Restores, after a power cut, the state of write costs and read correction as the cut left it: the write cost
    /// (way to program) of each page row, and the age and reads of each superblock, survive with the data.
    fn take_back(&mut self, before: Self) {
        *self = before;
    }
}
