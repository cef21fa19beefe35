//! What writes cost and reads take on this drive: the state behind the cost regulator, the code and the error model.
//!
//! Where a drive has neither a code nor a regulator none of this exists, and pages are read and written as the data
//! sheet says.

mod cost_table;
mod reads;
mod refresh;
mod writes;

use crate::RegulationCounts;
use crate::regulator::days;
use crate::regulator::{BITS_MAX, COSTS_MAX, Candidate, CostRegulator, WriteCost, WriteView};
use crate::settings::FtlConfig;
use controller::{Controller, Origin, Reading};
use cost_table::CostTable;
use ecc::Ladder;
use engine::{RandomStream, large_array};
use nand::errors::{Condition, ErrorModel};
use std::collections::VecDeque;
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

/// Wear is told apart in steps of this ratio, to the worse side.
const WEAR_RATIO: f64 = 1.1;
const WEAR_ROWS: usize = 150;

/// The host accessed the unit since the run began.
const SEEN: u8 = 1 << 6;
/// The unit waits to be written anew.
const QUEUED: u8 = 1 << 7;
const NOTES: u8 = (1 << BITS_MAX) - 1;

/// Set in `rungs` where even the best way to read does not hold to the end of the retention time.
const DOUBTFUL: u8 = 0x80;

/// What is known of a die's load, and what waits to be written anew there.
#[derive(Clone, Debug, Default)]
struct DieLoad {
    last: SimTime,
    /// Host operations so far, up to two.
    seen: u8,
    gap_ns: u64,
    rewrites: VecDeque<Lpn>,
}

/// The unit a cost is chosen for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub lpn: Lpn,
    pub origin: Origin,
    /// Where its old copy lies: a page row numbered over the drive.
    pub old_row: Option<u32>,
}

impl DieLoad {
    /// What a regulator sees of a unit that nothing is known about.
    fn view<'a>(&self, origin: Origin, now: SimTime, costs: &'a [Candidate]) -> WriteView<'a> {
        WriteView {
            origin,
            first: true,
            previous: None,
            age: None,
            waiting: 0,
            gap: (self.seen > 1).then_some(Nanos::new(self.gap_ns)),
            quiet: now.since(self.last),
            costs,
        }
    }
}

/// The most cycles of each row of wear, from that of a drive's blocks at the start.
fn wear_edges(pe_cycles: u32) -> Vec<u32> {
    let next = |last: &u32| Some((f64::from(*last) * WEAR_RATIO).min(1e9) as u32 + 1);
    std::iter::successors(Some(pe_cycles), next).take(WEAR_ROWS).collect()
}

/// Everything the FTL keeps about costs.
pub struct Regulation {
    regulator: Box<dyn CostRegulator>,
    pub(crate) table: CostTable,
    ladder: Option<Ladder>,
    errors: Box<dyn ErrorModel>,
    types: usize,
    page_bytes: u64,
    reads_reckoned: u32,
    /// For each cost, the age of data that the rungs are for.
    age_reckoned: Vec<Nanos>,
    /// The most cycles of each row of wear.
    wear_edges: Vec<u32>,
    /// For each cost, row of wear and page type: the rung a read begins with.
    rungs: Vec<u8>,
    /// For each row of wear, the costs.
    candidates: Vec<Candidate>,
    /// Reading by rung without retries.
    readings: Vec<Reading>,
    /// Cost of each page row of the drive.
    row_cost: Vec<u8>,
    rows: u32,
    /// Notes about each unit: the regulator's bits, [`SEEN`], [`QUEUED`].
    notes: Vec<u8>,
    bits: u32,
    /// By superblock of the drive: row of wear, when it was opened (ns, negative: before the run), reads since.
    wear_row: Vec<u8>,
    opened_at: Vec<i64>,
    reads: Vec<u32>,
    /// When a superblock holds data that must be written anew, by superblock of the drive.
    due: Vec<SimTime>,
    /// Superblocks read as often as was reckoned with.
    worn_by_reads: Vec<u32>,
    newly_due: Option<SimTime>,
    reclaims: bool,
    dies: Vec<DieLoad>,
    /// Finest cost asked for by the units collected at each die and stream.
    pending: Vec<[u8; 3]>,
    random: RandomStream,
    pub(crate) counts: RegulationCounts,
}

const NO_COST: u8 = u8::MAX;

impl Regulation {
    // Long: a value for each field.
    /// What the configuration asks for; none when it asks for nothing.
    ///
    /// # Errors
    /// When the code cannot correct what a way to write leaves; the text names the constraint.
    pub(crate) fn new(
        config: &FtlConfig,
        parts: RegulationParts,
        controller: &mut Controller,
        seed: u64,
    ) -> Result<Option<Box<Self>>, String> {
        let FtlConfig { layout, steps, reckoned, .. } = config;
        let regulator = (config.regulator)();
        let mut costs = regulator.costs(steps);
        assert!((1..=COSTS_MAX).contains(&costs.len()), "a regulator has 1 to {COSTS_MAX} ways to write");
        if reckoned.refresh_age > Nanos::ZERO {
            for cost in &mut costs {
                cost.refresh = Some(cost.refresh.unwrap_or(reckoned.refresh_age).min(reckoned.refresh_age));
            }
        }
        let bits = regulator.bits_per_unit();
        assert!(bits <= BITS_MAX, "a regulator keeps at most {BITS_MAX} bits of a unit");
        if parts.ladder.is_none() {
            return Ok(None);
        }
        let table = CostTable::new(costs, steps.usual, controller, parts.page_types)?;
        if let Some(way) = table.voltages.iter().position(|set| *set > 0 && !parts.errors.knows_voltages()) {
            return Err(format!(
                "ftl.regulator.voltages: {} needs nand.errors.name = tables: the model in use knows no sets of voltages",
                table.describe(way)
            ));
        }
        let age_of = |cost: &WriteCost| reckoned.age.map_or(cost.retention, |age| age.min(cost.retention));
        let age_reckoned = table.costs.iter().map(age_of).collect();
        let mut regulation = Self {
            age_reckoned,
            table,
            ladder: parts.ladder,
            errors: parts.errors,
            types: parts.page_types as usize,
            page_bytes: parts.page_bytes,
            reads_reckoned: reckoned.reads,
            rungs: Vec::new(),
            candidates: Vec::new(),
            readings: Vec::new(),
            row_cost: large_array(layout.superblocks() * layout.rows as usize, 0),
            rows: layout.rows,
            notes: if bits > 0 { large_array(layout.written_units() as usize, 0) } else { Vec::new() },
            bits,
            wear_row: vec![0; layout.superblocks()],
            opened_at: vec![-1 - reckoned.data_age.ns() as i64; layout.superblocks()],
            reads: vec![0; layout.superblocks()],
            due: vec![SimTime::NEVER; layout.superblocks()],
            worn_by_reads: Vec::new(),
            newly_due: None,
            reclaims: reckoned.reclaim,
            dies: vec![DieLoad::default(); layout.dies as usize],
            pending: vec![[NO_COST; 3]; layout.dies as usize],
            random: RandomStream::new(seed, "ftl.regulation"),
            counts: RegulationCounts::default(),
            wear_edges: wear_edges(parts.pe_cycles),
            regulator,
        };
        regulation.work_out(controller);
        regulation.check_feasible()?;
        regulation.cost_what_is_there();
        Ok(Some(Box::new(regulation)))
    }

    /// What was there before the run counts as moved since it was written, while the drive was idle.
    fn cost_what_is_there(&mut self) {
        let costs = &self.candidates[..self.table.len()];
        let idle = DieLoad::default().view(Origin::Refresh, SimTime::ZERO, costs);
        let initial = self.regulator.choose(&idle, &mut 0) as u8;
        if initial != 0 {
            self.row_cost.fill(initial);
        }
    }

    fn ladder(&self) -> &Ladder {
        self.ladder.as_ref().expect("regulation exists only with a code")
    }

    /// The raw bit error rate at `age`, after the reads that are reckoned with.
    fn rber_at(&self, age: Nanos, cost: usize, pe_cycles: u32, page_type: usize) -> f64 {
        let condition = self.condition(cost, pe_cycles, age.ns() as f64 * 1e-9, self.reads_reckoned);
        self.errors.rber(page_type, &condition)
    }

    /// The rung that the end of the retention time calls for; none where the code cannot correct that.
    fn needed_at_end(&self, cost: usize, pe_cycles: u32, page_type: usize) -> Option<usize> {
        let age = self.table.costs[cost].retention;
        self.ladder().needed(self.rber_at(age, cost, pe_cycles, page_type))
    }

    fn condition(&self, cost: usize, pe_cycles: u32, seconds: f64, reads: u32) -> Condition {
        let (step, voltages) = (self.table.steps[cost], self.table.voltages[cost]);
        Condition { step, voltages, pe_cycles, seconds, reads }
    }

    /// Tables by cost and wear: how reads begin, what regulators are shown.
    fn work_out(&mut self, controller: &Controller) {
        let hard = self.ladder().rungs[0].bit_planes as u16;
        let reading = |rung: &ecc::Rung| Reading {
            senses: rung.senses as u16,
            planes: (rung.bit_planes as u16, hard),
            ..Reading::HARD
        };
        self.readings = self.ladder().rungs.iter().map(reading).collect();
        let last = self.readings.len() - 1;
        for cost in 0..self.table.len() {
            for &pe_cycles in &self.wear_edges {
                for page_type in 0..self.types {
                    let rate = self.rber_at(self.age_reckoned[cost], cost, pe_cycles, page_type);
                    let needed = self.ladder().needed(rate);
                    self.rungs.push(needed.map_or(last as u8 | DOUBTFUL, |rung| rung as u8));
                }
            }
        }
        for row in 0..self.wear_edges.len() {
            for cost in 0..self.table.len() {
                let at_end = |page_type| self.needed_at_end(cost, self.wear_edges[row], page_type);
                let rungs: Option<Vec<usize>> = (0..self.types).map(at_end).collect();
                let worst = rungs.as_ref().map(|rungs| *rungs.iter().max().expect("a cell has a bit"));
                self.candidates.push(Candidate {
                    t_prog: controller.t_prog(0, 0, self.table.names[cost]),
                    references: self.ladder().rungs[worst.unwrap_or(last)].references,
                    feasible: worst.is_some(),
                });
            }
        }
    }

    #[inline]
    fn rung_at(&self, cost: usize, wear_row: usize, page_type: usize) -> usize {
        (cost * self.wear_edges.len() + wear_row) * self.types + page_type
    }

    fn check_feasible(&self) -> Result<(), String> {
        for (cost, (of, candidate)) in self.table.costs.iter().zip(&self.candidates).enumerate() {
            if candidate.feasible {
                continue;
            }
            let wear = self.wear_edges[0];
            let worst = (0..self.types).map(|page_type| self.rber_at(of.retention, cost, wear, page_type));
            return Err(format!(
                "ftl.regulator: {} leaves a raw bit error rate of {:.2e} after {} on blocks with \
                 {wear} program/erase cycles, and ecc.code corrects {:.2e} at most: use a finer step, a shorter \
                 retention time or a stronger code",
                self.table.describe(cost),
                worst.fold(0.0, f64::max),
                days(of.retention),
                self.ladder().limit(),
            ));
        }
        Ok(())
    }

    /// The wear of every superblock, when time begins.
    pub(crate) fn begin(&mut self, pe_cycles: impl Fn(usize) -> u32) {
        for superblock in 0..self.wear_row.len() {
            self.note_wear(superblock, pe_cycles(superblock));
        }
    }

    /// A superblock has this wear now.
    pub(crate) fn note_wear(&mut self, superblock: usize, pe_cycles: u32) {
        let row = self.wear_edges.partition_point(|edge| *edge < pe_cycles);
        self.wear_row[superblock] = row.min(self.wear_edges.len() - 1) as u8;
    }

    /// Bits that the regulator keeps for each mapping unit.
    pub fn bits_per_unit(&self) -> u32 {
        self.bits
    }

    /// Program steps, voltages and retention times of the costs.
    pub fn costs(&self) -> &[WriteCost] {
        &self.table.costs
    }

    /// The ways to write, in the order of their numbers in transactions from 1 on: the program step over the usual one,
    /// or a set of voltages.
    pub fn ways_to_write(&self) -> Vec<(f64, Option<&str>)> {
        let named = self.table.costs.iter().map(|cost| cost.voltages.as_deref());
        self.table.steps.iter().copied().zip(named).collect()
    }

    /// Reference voltages of the rungs.
    pub fn references(&self) -> Vec<u32> {
        self.ladder().rungs.iter().map(|rung| rung.references).collect()
    }

    /// Bytes of state.
    pub(crate) fn bytes(&self) -> usize {
        self.row_cost.len() + self.notes.len() + self.wear_row.len() * (1 + 8 + 4 + 8)
    }
}
