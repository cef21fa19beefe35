//! How reads begin, and what regulators are shown: worked out once, for each write cost and each wear.

use super::Reckoned;
use super::cost_table::CostTable;
use crate::regulator::Candidate;
use controller::{Controller, Reading};
use ecc::{Ladder, Rates, Soft};
use nand::errors::{Condition, ErrorModel};
use units::Nanos;

/// Constant: ratio, apart from one cycle that is added, between the highest program/erase cycles of neighbouring wear
/// rows (ranges of program/erase cycles, for each of which read plans are computed once).
const WEAR_RATIO: f64 = 1.1;
const WEAR_ROWS: usize = 150;

/// Record of the plan of the first attempt of a read of a page: the step of the read sequence (read ladder: hard read,
/// then soft reads) with which the read begins, whether this step is enough, and the decoder's time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begin {
    /// Index, in the plan of a read, of the step of the read sequence (read ladder: hard read, then soft reads) with
    /// which the first attempt of the read begins.
    pub rung: u8,
    /// Flag of the plan: true if the step `rung` of the read sequence (hard or soft read) corrects the page up to the
    /// greatest age and number of reads for which reads are planned.
    pub holds: bool,
    /// Field of a read plan: time of the decoder's iterations for the first attempt of a read, in nanoseconds.
    pub iterating_ns: u32,
}

impl Begin {
    /// Chooses the first attempt of reads of a page; `rates` are the page's raw bit error rates at the greatest age and
    /// number of reads for which reads are planned.
    pub(super) fn of(ladder: &Ladder, rates: &Rates) -> Self {
        let last = ladder.rungs.len() - 1;
        let (rung, holds) = match (ladder.needed(rates.usual, rates.soft), rates.shifted) {
            (Some(rung), None) | (Some(rung @ 0), Some(_)) => (rung, true),
            (None, None) => (last, false),
            // Other references are tried before more of them.
            (_, Some(_)) => (0, false),
        };
        let iterating_ns = ladder.time_ns(ladder.iterations(rung, rates.usual, rates.soft));
        Self { rung: rung as u8, holds, iterating_ns }
    }
}

/// Set of the parts that correct reads: the read ladder (sequence of hard and soft reads) of the error-correcting code,
/// the error model of the pages, and the page's size and number of types.
pub(super) struct Correction {
    /// Field of the parts that correct reads: read ladder of the code, which is the sequence of ways to read a page
    /// (hard read, then soft reads) with the number and step of the read retries.
    pub ladder: Ladder,
    /// Field of the parts that correct reads: error model, which gives the raw bit error rates of a page of each type
    /// from its wear, age and number of reads.
    pub errors: Box<dyn ErrorModel>,
    /// Number of page types (such as lower, middle, upper) for which read plans are computed; equals the number of bits
    /// of a cell.
    pub page_types: usize,
    /// Number of data bytes of a page, for the chance that a codeword of the page has nearly as many bit errors as the
    /// code corrects.
    pub page_bytes: u64,
}

impl Correction {
    /// Returns the raw bit error rates of a page in this condition: with the usual reference voltages, with the best
    /// ones if the drive has a retry table and the error model knows them, and the factors for soft reads.
    pub fn rates(&self, page_type: usize, condition: &Condition) -> Rates {
        let best = self.ladder.retry_step_v.and_then(|_| self.errors.best(page_type, condition));
        let shifted = best.and_then(|best| self.ladder.shifted(best.rber, best.below_v));
        let soft = Soft(self.errors.soft(page_type, condition));
        Rates { usual: self.errors.rber(page_type, condition), shifted, soft }
    }

    /// Returns the raw bit error rate of a page with the reference voltages of the best retry; the rate with the usual
    /// ones if retries do not reach them.
    pub fn rate_left(&self, rates: &Rates) -> f64 {
        rates
            .shifted
            .filter(|shifted| self.ladder.reaches(*shifted))
            .map_or(rates.usual, |shifted| shifted.rber)
    }

    /// Returns the probability that a codeword of the page has more bit errors than the fraction `margin` of the number
    /// that the code corrects.
    pub fn chance_near_limit(&self, page_type: usize, condition: &Condition, margin: f64) -> f64 {
        let left = self.rate_left(&self.rates(page_type, condition));
        self.ladder.chance_near_limit(margin, left, self.page_bytes)
    }
}

/// Record with the tables of read plans, computed once for the greatest age and number of reads: the first attempt of a
/// read and the write costs offered to the cost regulator, for each row of wear (range of program/erase cycles).
pub(super) struct Reckoning {
    /// Number of reads of a superblock since its last erase up to which the read plans (the first attempts of reads)
    /// are computed.
    pub reads: u32,
    /// For each write cost (way to program a page), the greatest age of data for which the first attempt of a read is
    /// chosen; older data may need retries.
    pub ages: Vec<Nanos>,
    /// For each step of the read sequence (read ladder: hard read, then soft reads), the timing parameters of a read
    /// that succeeds in that step without retries.
    pub readings: Vec<Reading>,
    page_types: usize,
    /// For each row of wear (range of program/erase cycles of a block), the highest number of cycles in the range.
    wear_edges: Vec<u32>,
    /// List of the plans of the first attempt of a read: one for each combination of write cost (way to program a
    /// page), wear row (range of program/erase cycles) and page type, in this order.
    begins: Vec<Begin>,
    /// For each wear row (range of program/erase cycles), all write costs (ways to program a page) as candidates for
    /// the cost regulator: program time, number of reference voltages, and whether the write cost is feasible on blocks
    /// so worn.
    candidates: Vec<Candidate>,
}

/// Returns, for each row of wear (range of program/erase cycles), the highest number of cycles in the range; the first
/// range ends at the cycles that the drive's blocks have at the start, `pe_cycles`.
fn wear_edges(pe_cycles: u32) -> Vec<u32> {
    let next = |last: &u32| Some((f64::from(*last) * WEAR_RATIO).min(1e9) as u32 + 1);
    std::iter::successors(Some(pe_cycles), next).take(WEAR_ROWS).collect()
}

/// Makes, for each step of the read sequence (read ladder: hard read, then soft reads), the timing parameters of a read
/// that succeeds in that step without retries.
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
    /// Computes the first attempt of reads and the candidate write costs (ways to program a page) of the cost regulator
    /// for all wear rows (ranges of program/erase cycles), on a drive whose blocks have `pe_cycles` at the start.
    ///
    /// # Errors
    /// When the code cannot correct data of a write cost at the end of their retention time on blocks with `pe_cycles`.
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
        let rates = |age: Nanos, cost: usize, pe_cycles: u32, page_type: usize| {
            correction.rates(page_type, &condition(age, cost, pe_cycles))
        };
        let age_of = |retention: Nanos| reckoned.age.map_or(retention, |age| age.min(retention));
        let ages: Vec<Nanos> = table.costs.iter().map(|cost| age_of(cost.retention)).collect();
        let (wear_edges, last) = (wear_edges(pe_cycles), ladder.rungs.len() - 1);
        let mut begins = Vec::new();
        for (cost, &age) in ages.iter().enumerate() {
            for &pe_cycles in &wear_edges {
                let begin = |page_type| Begin::of(ladder, &rates(age, cost, pe_cycles, page_type));
                begins.extend((0..*page_types).map(begin));
            }
        }
        // The rung that the worst page needs at the end of its time, after retries.
        let needed = |cost: usize, pe_cycles: u32| {
            let of_page = |page_type| {
                let rates = rates(table.costs[cost].retention, cost, pe_cycles, page_type);
                ladder.needed(correction.rate_left(&rates), rates.soft)
            };
            (0..*page_types).map(of_page).try_fold(0, |worst, rung| Some(worst.max(rung?)))
        };
        let mut candidates = Vec::new();
        for &pe_cycles in &wear_edges {
            for cost in 0..table.len() {
                let worst = needed(cost, pe_cycles);
                candidates.push(Candidate {
                    t_prog: controller.t_prog(0, 0, table.names[cost]),
                    references: ladder.rungs[worst.unwrap_or(last)].references,
                    feasible: worst.is_some(),
                });
            }
        }
        let mut usable = candidates.iter().take(table.len()).map(|candidate| candidate.feasible);
        if let Some(cost) = usable.position(|feasible| !feasible) {
            let of_page = |page_type| {
                let rates = rates(table.costs[cost].retention, cost, pe_cycles, page_type);
                (correction.rate_left(&rates), ladder.greatest_rate(ladder.target, rates.soft))
            };
            let pages = (0..*page_types).map(of_page);
            let worst = pages.max_by(|(a, most_a), (b, most_b)| (a / most_a).total_cmp(&(b / most_b)));
            return Err(too_coarse(table, cost, pe_cycles, worst.expect("a page has a type")));
        }
        let (reads, readings, page_types) = (reckoned.reads, readings(ladder), *page_types);
        Ok(Self { reads, ages, readings, page_types, wear_edges, begins, candidates })
    }

    /// Returns the candidate write costs (ways to program a page) that the cost regulator sees for a block in this wear
    /// row (range of program/erase cycles): program time, number of reference voltages, and whether the write cost is
    /// feasible.
    #[inline]
    pub fn candidates(&self, wear_row: u8) -> &[Candidate] {
        let costs = self.ages.len();
        &self.candidates[usize::from(wear_row) * costs..][..costs]
    }

    /// Returns the plan of the first attempt of a read of a page with this write cost (way to program), wear row (range
    /// of program/erase cycles) and page type.
    #[inline]
    pub fn begin(&self, cost: usize, wear_row: u8, page_type: usize) -> Begin {
        self.begins[(cost * self.wear_edges.len() + usize::from(wear_row)) * self.page_types + page_type]
    }

    /// Returns the index of the row of wear (range of program/erase cycles) to which a block with `pe_cycles` belongs.
    pub fn wear_row_of(&self, pe_cycles: u32) -> u8 {
        let row = self.wear_edges.partition_point(|edge| *edge < pe_cycles);
        row.min(self.wear_edges.len() - 1) as u8
    }

    /// Returns the number of program/erase cycles for which the plans of the wear row `wear_row` (range of cycles) are
    /// computed: the upper bound of the row.
    pub fn pe_cycles(&self, wear_row: u8) -> u32 {
        self.wear_edges[usize::from(wear_row)]
    }
}

/// Makes the error message for a write cost (way to program a page) whose data the code could not correct at the end of
/// their retention time. `worst` is the worst raw bit error rate, `limit` the rate that the code corrects.
fn too_coarse(table: &CostTable, cost: usize, pe_cycles: u32, (worst, limit): (f64, f64)) -> String {
    format!(
        "ftl.regulator: {} leaves a raw bit error rate of {worst:.2e} after {} on blocks with {pe_cycles} program/erase \
         cycles, and ecc.code corrects {limit:.2e} at most: use retries that move the references (ecc.code.retries, \
         ecc.code.retry_step), a finer step, a shorter retention time or a stronger code",
        table.describe(cost),
        table.costs[cost].retention.in_days(),
    )
}
