//! How reads begin, and what regulators are shown: worked out once, for each write cost and each wear.

use super::Reckoned;
use super::cost_table::CostTable;
use crate::regulator::{Candidate, days};
use controller::{Controller, Reading};
use ecc::{Ladder, Shifted};
use nand::errors::{Condition, ErrorModel};
use units::Nanos;

/// Wear is told apart in steps of this ratio, to the worse side.
const WEAR_RATIO: f64 = 1.1;
const WEAR_ROWS: usize = 150;

/// Set in a rung where even the best way to read does not hold to the end of the retention time.
const DOUBTFUL: u8 = 0x80;

/// The code, and the errors that it meets.
pub(super) struct Correction {
    /// The ways to read a page.
    pub ladder: Ladder,
    /// Raw bit errors.
    pub errors: Box<dyn ErrorModel>,
    /// Page types: bits of a cell.
    pub page_types: usize,
    /// Data bytes of a page.
    pub page_bytes: u64,
}

impl Correction {
    /// The raw bit error rate of a page, and what retries come to where drive and chip know it.
    pub fn rates(&self, page_type: usize, condition: &Condition) -> (f64, Option<Shifted>) {
        let best = self.ladder.retry_step_v.and_then(|_| self.errors.best(page_type, condition));
        let shifted = best.and_then(|best| self.ladder.shifted(best.rber, best.below_v));
        (self.errors.rber(page_type, condition), shifted)
    }

    /// The raw bit error rate that is left when retries have done what they can.
    pub fn rate_left(&self, page_type: usize, condition: &Condition) -> f64 {
        let (usual, shifted) = self.rates(page_type, condition);
        shifted.filter(|shifted| self.ladder.reaches(*shifted)).map_or(usual, |shifted| shifted.rber)
    }

    /// The chance that a codeword of a page has more errors than `margin` of those the code corrects.
    pub fn chance_near_limit(&self, rber: f64, margin: f64) -> f64 {
        let most = (margin * f64::from(self.ladder.most_correctable())) as u32;
        self.ladder.chance_beyond(most, rber, self.page_bytes)
    }
}

/// What reads are reckoned with, and how they begin then.
pub(super) struct Reckoning {
    /// Reads of a superblock between erases.
    pub reads: u32,
    /// For each cost, the age of data.
    pub ages: Vec<Nanos>,
    /// Reading by rung without retries.
    pub readings: Vec<Reading>,
    page_types: usize,
    /// The most cycles of each row of wear.
    wear_edges: Vec<u32>,
    /// For each cost, row of wear and page type: the rung a read begins with.
    rungs: Vec<u8>,
    /// For each row of wear, the costs.
    candidates: Vec<Candidate>,
}

/// The most cycles of each row of wear, from that of a drive's blocks at the start.
fn wear_edges(pe_cycles: u32) -> Vec<u32> {
    let next = |last: &u32| Some((f64::from(*last) * WEAR_RATIO).min(1e9) as u32 + 1);
    std::iter::successors(Some(pe_cycles), next).take(WEAR_ROWS).collect()
}

/// Reading by rung without retries.
fn readings(ladder: &Ladder) -> Vec<Reading> {
    let hard = ladder.rungs[0].bit_planes as u16;
    let reading = |rung: &ecc::Rung| Reading {
        senses: rung.senses as u16,
        planes: (rung.bit_planes as u16, hard),
        ..Reading::HARD
    };
    ladder.rungs.iter().map(reading).collect()
}

impl Reckoning {
    /// For a drive whose blocks have `pe_cycles` at the start.
    ///
    /// # Errors
    /// When the code cannot correct what a write cost leaves there.
    pub fn new(
        reckoned: &Reckoned,
        pe_cycles: u32,
        table: &CostTable,
        correction: &Correction,
        controller: &Controller,
    ) -> Result<Self, String> {
        let Correction { ladder, page_types, .. } = correction;
        let condition = |age: Nanos, cost: usize, pe_cycles: u32| {
            table.condition(cost, pe_cycles, age.ns() as f64 * 1e-9, reckoned.reads)
        };
        let rate = |age: Nanos, cost: usize, pe_cycles: u32, page_type: usize| {
            correction.rate_left(page_type, &condition(age, cost, pe_cycles))
        };
        let age_of = |retention: Nanos| reckoned.age.map_or(retention, |age| age.min(retention));
        let ages: Vec<Nanos> = table.costs.iter().map(|cost| age_of(cost.retention)).collect();
        let (wear_edges, last) = (wear_edges(pe_cycles), ladder.rungs.len() - 1);
        let mut rungs = Vec::new();
        for (cost, &age) in ages.iter().enumerate() {
            for &pe_cycles in &wear_edges {
                let rung = |page_type| {
                    let (usual, shifted) = correction.rates(page_type, &condition(age, cost, pe_cycles));
                    match (ladder.needed(usual), shifted) {
                        (Some(rung), None) | (Some(rung @ 0), Some(_)) => rung as u8,
                        (None, None) => last as u8 | DOUBTFUL,
                        // Other references are tried before more of them.
                        (_, Some(_)) => DOUBTFUL,
                    }
                };
                rungs.extend((0..*page_types).map(rung));
            }
        }
        let mut candidates = Vec::new();
        for &pe_cycles in &wear_edges {
            for (cost, way) in table.costs.iter().enumerate() {
                let rates = (0..*page_types).map(|page_type| rate(way.retention, cost, pe_cycles, page_type));
                let worst = ladder.needed(rates.fold(0.0, f64::max));
                candidates.push(Candidate {
                    t_prog: controller.t_prog(0, 0, table.names[cost]),
                    references: ladder.rungs[worst.unwrap_or(last)].references,
                    feasible: worst.is_some(),
                });
            }
        }
        let mut usable = candidates.iter().take(table.len()).map(|candidate| candidate.feasible);
        if let Some(cost) = usable.position(|feasible| !feasible) {
            let retention = table.costs[cost].retention;
            let worst = (0..*page_types).map(|page_type| rate(retention, cost, pe_cycles, page_type));
            return Err(too_coarse(table, cost, pe_cycles, worst.fold(0.0, f64::max), ladder.limit()));
        }
        let (reads, readings, page_types) = (reckoned.reads, readings(ladder), *page_types);
        Ok(Self { reads, ages, readings, page_types, wear_edges, rungs, candidates })
    }

    /// The write costs on a block with this row of wear.
    #[inline]
    pub fn candidates(&self, wear_row: u8) -> &[Candidate] {
        let costs = self.ages.len();
        &self.candidates[usize::from(wear_row) * costs..][..costs]
    }

    /// The rung that a read begins with, and whether that holds to the end of the retention time.
    #[inline]
    pub fn rung(&self, cost: usize, wear_row: u8, page_type: usize) -> (usize, bool) {
        let at = (cost * self.wear_edges.len() + usize::from(wear_row)) * self.page_types + page_type;
        (usize::from(self.rungs[at] & !DOUBTFUL), self.rungs[at] & DOUBTFUL == 0)
    }

    /// The row of wear of a block.
    pub fn wear_row_of(&self, pe_cycles: u32) -> u8 {
        let row = self.wear_edges.partition_point(|edge| *edge < pe_cycles);
        row.min(self.wear_edges.len() - 1) as u8
    }

    /// The most cycles of a row of wear.
    pub fn pe_cycles(&self, wear_row: u8) -> u32 {
        self.wear_edges[usize::from(wear_row)]
    }
}

/// The refusal of a write cost whose data the code could not read at the end of their time.
fn too_coarse(table: &CostTable, cost: usize, pe_cycles: u32, worst: f64, limit: f64) -> String {
    format!(
        "ftl.regulator: {} leaves a raw bit error rate of {worst:.2e} after {} on blocks with {pe_cycles} program/erase \
         cycles, and ecc.code corrects {limit:.2e} at most: use a finer step, a shorter retention time or a stronger code",
        table.describe(cost),
        days(table.costs[cost].retention),
    )
}
