//! What writes cost and reads take on this drive: the state behind the cost regulator, the code and the error model.
//!
//! Where a drive has neither a code nor a regulator none of this exists, and pages are read and written as the data
//! sheet says.

mod ways;

use crate::RegulationCounts;
use crate::regulator::days;
use crate::regulator::{BITS_MAX, COSTS_MAX, Candidate, CostRegulator, ReadView, WriteCost, WriteView};
use crate::settings::FtlConfig;
use controller::{Controller, Origin, Reading};
use ecc::Ladder;
use engine::{RandomStream, large_array};
use nand::errors::{Condition, ErrorModel};
use std::collections::VecDeque;
use units::{Lpn, Nanos, SimTime};
use ways::Ways;

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

impl RegulationParts {
    /// True when the configuration asks for errors or for regulated costs.
    pub(crate) fn asks(&self, config: &FtlConfig) -> bool {
        self.ladder.is_some()
            || (config.regulator)().costs(&config.steps) != [config.steps.medium()]
            || needs_errors(config).is_some()
    }
}

/// The key that asks for data to be looked after, which needs errors.
fn needs_errors(config: &FtlConfig) -> Option<&'static str> {
    let keys = [("ftl.refresh.age", config.reckoned.refresh_age), ("ftl.scrub.period", config.scrub.period)];
    keys.iter().find(|(_, time)| *time > Nanos::ZERO).map(|(key, _)| *key)
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

/// Everything the FTL keeps about costs.
pub struct Regulation {
    regulator: Box<dyn CostRegulator>,
    pub(crate) ways: Ways,
    ladder: Option<Ladder>,
    errors: Box<dyn ErrorModel>,
    types: usize,
    page_bytes: u64,
    reads_reckoned: u32,
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
            if let Some(key) = needs_errors(config) {
                return Err(format!(
                    "{key}: no data need that without ecc.code: expected a code, such as ldpc, with it"
                ));
            }
            return match parts.asks(config) {
                false => Ok(None),
                true => Err("ftl.regulator: regulating costs needs a code: without ecc.code no read costs more for a \
                          coarser step"
                    .into()),
            };
        }
        let ways = Ways::new(costs, steps.usual, controller, parts.page_types)?;
        if let Some(way) = ways.voltages.iter().position(|set| *set > 0 && !parts.errors.knows_voltages()) {
            return Err(format!(
                "ftl.regulator.voltages: {} needs nand.errors.name = tables: the model in use knows no sets of voltages",
                ways.describe(way)
            ));
        }
        let mut wear_edges: Vec<u32> = vec![parts.pe_cycles];
        while wear_edges.len() < WEAR_ROWS {
            let last = *wear_edges.last().expect("never empty");
            wear_edges.push((f64::from(last) * WEAR_RATIO).min(1e9) as u32 + 1);
        }
        let mut regulation = Self {
            ways,
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
            wear_edges,
            regulator,
        };
        regulation.work_out(controller);
        regulation.check_feasible()?;
        // What was there before the run counts as moved since it was written, while the drive was idle.
        let costs = &regulation.candidates[..regulation.ways.len()];
        let idle = DieLoad::default().view(Origin::Refresh, SimTime::ZERO, costs);
        let initial = regulation.regulator.choose(&idle, &mut 0) as u8;
        if initial != 0 {
            regulation.row_cost.fill(initial);
        }
        Ok(Some(Box::new(regulation)))
    }

    fn ladder(&self) -> &Ladder {
        self.ladder.as_ref().expect("regulation exists only with a code")
    }

    fn rber_at_end(&self, cost: usize, pe_cycles: u32, page_type: usize) -> f64 {
        let seconds = self.ways.costs[cost].retention.ns() as f64 * 1e-9;
        let condition = self.condition(cost, pe_cycles, seconds, self.reads_reckoned);
        self.errors.rber(page_type, &condition)
    }

    fn condition(&self, cost: usize, pe_cycles: u32, seconds: f64, reads: u32) -> Condition {
        let (step, voltages) = (self.ways.steps[cost], self.ways.voltages[cost]);
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
        let last = self.readings.len() as u8 - 1;
        for cost in 0..self.ways.len() {
            for &pe_cycles in &self.wear_edges {
                for page_type in 0..self.types {
                    let needed = self.ladder().needed(self.rber_at_end(cost, pe_cycles, page_type));
                    self.rungs.push(needed.map_or(last | DOUBTFUL, |rung| rung as u8));
                }
            }
        }
        for row in 0..self.wear_edges.len() {
            for cost in 0..self.ways.len() {
                let rungs: Vec<u8> =
                    (0..self.types).map(|page_type| self.rungs[self.rung_at(cost, row, page_type)]).collect();
                let worst = *rungs.iter().max().expect("a cell has a bit");
                self.candidates.push(Candidate {
                    t_prog: controller.t_prog(0, 0, self.ways.names[cost]),
                    references: self.ladder().rungs[usize::from(worst & !DOUBTFUL)].references,
                    feasible: worst & DOUBTFUL == 0,
                });
            }
        }
    }

    #[inline]
    fn rung_at(&self, cost: usize, wear_row: usize, page_type: usize) -> usize {
        (cost * self.wear_edges.len() + wear_row) * self.types + page_type
    }

    fn check_feasible(&self) -> Result<(), String> {
        for (cost, (of, candidate)) in self.ways.costs.iter().zip(&self.candidates).enumerate() {
            if candidate.feasible {
                continue;
            }
            let wear = self.wear_edges[0];
            let worst = (0..self.types).map(|page_type| self.rber_at_end(cost, wear, page_type));
            return Err(format!(
                "ftl.regulator: {} leaves a raw bit error rate of {:.2e} after {} on blocks with \
                 {wear} program/erase cycles, and ecc.code corrects {:.2e} at most: use a finer step, a shorter \
                 retention time or a stronger code",
                self.ways.describe(cost),
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

    // ---- reads ----------------------------------------------------------------------------------------

    /// How a page row (numbered over the drive) is read now.
    #[inline]
    pub(crate) fn plan_read(&mut self, row: u32, origin: Origin, now: SimTime) -> Reading {
        let superblock = (row / self.rows) as usize;
        let page_type = (row % self.rows) as usize % self.types;
        let cost = usize::from(self.row_cost[row as usize]);
        let rung = self.rungs[self.rung_at(cost, usize::from(self.wear_row[superblock]), page_type)];
        self.reads[superblock] = self.reads[superblock].saturating_add(1);
        if self.reads[superblock] == self.reads_reckoned && self.reclaims {
            self.worn_by_reads.push(superblock as u32);
        }
        let age_ns = now.ns() as i64 - self.opened_at[superblock];
        let within = age_ns <= self.ways.costs[cost].retention.ns() as i64;
        if within && rung & DOUBTFUL == 0 && self.reads[superblock] <= self.reads_reckoned {
            self.count_read(origin, usize::from(rung));
            return self.readings[usize::from(rung)];
        }
        self.read_in_doubt(superblock, page_type, cost, usize::from(rung & !DOUBTFUL), age_ns, origin)
    }

    /// How a page row with one bit a cell is read: not modelled are errors there, which the code corrects at once.
    pub(crate) fn plan_one_bit_read(&mut self, origin: Origin) -> Reading {
        self.count_read(origin, 0);
        Reading { senses: 1, ..self.readings[0] }
    }

    #[inline]
    fn count_read(&mut self, origin: Origin, rung: usize) {
        match origin {
            Origin::Host => self.counts.host_reads[rung] += 1,
            _ => self.counts.other_reads[rung] += 1,
        }
    }

    /// The raw bit error rate of a page, as its superblock is.
    fn rber_now(&self, superblock: usize, page_type: usize, cost: usize, age_ns: i64) -> f64 {
        let pe_cycles = self.wear_edges[usize::from(self.wear_row[superblock])];
        let condition = self.condition(cost, pe_cycles, age_ns as f64 * 1e-9, self.reads[superblock]);
        self.errors.rber(page_type, &condition)
    }

    /// The chance that a codeword of a page row (numbered over the drive) has more errors than `margin` of those the code
    /// corrects.
    pub(crate) fn chance_near_limit(&self, row: u32, margin: f64, now: SimTime) -> f64 {
        let (superblock, page_type) = ((row / self.rows) as usize, (row % self.rows) as usize % self.types);
        let cost = usize::from(self.row_cost[row as usize]);
        let rber = self.rber_now(superblock, page_type, cost, now.ns() as i64 - self.opened_at[superblock]);
        let most = (margin * f64::from(self.ladder().most_correctable())) as u32;
        self.ladder().chance_beyond(most, rber, self.page_bytes)
    }

    /// Older, more worn or read more often than was reckoned with: what happens depends on the page.
    #[cold]
    fn read_in_doubt(
        &mut self,
        superblock: usize,
        page_type: usize,
        cost: usize,
        rung: usize,
        age_ns: i64,
        origin: Origin,
    ) -> Reading {
        let rber = self.rber_now(superblock, page_type, cost, age_ns);
        let luck = self.random.unit();
        let outcome = self.ladder().read(rung, rber, self.page_bytes, luck);
        self.count_read(origin, outcome.rung);
        self.counts.retries += u64::from(outcome.retries);
        self.counts.uncorrectable[usize::from(origin != Origin::Host)] += u64::from(outcome.uncorrectable);
        Reading {
            senses: outcome.senses as u16,
            planes: (outcome.bit_planes as u16, self.readings[0].planes.1),
            decodes: (outcome.retries + 1).min(255) as u8,
            uncorrectable: outcome.uncorrectable,
        }
    }

    /// The host reads a unit that lies in `row` of `die`.
    #[inline]
    pub(crate) fn on_host_read(&mut self, lpn: Lpn, row: u32, die: usize) {
        if self.bits == 0 {
            return;
        }
        let note = self.notes[lpn.index()];
        let view = ReadView { first: note & SEEN == 0, cost: usize::from(self.row_cost[row as usize]) };
        let mut bits = note & NOTES;
        let rewrite = self.regulator.on_read(&view, &mut bits);
        let queue = rewrite && note & QUEUED == 0;
        self.notes[lpn.index()] = (note & QUEUED) | SEEN | bits | if queue { QUEUED } else { 0 };
        if queue {
            self.counts.rewrites_asked += 1;
            self.dies[die].rewrites.push_back(lpn);
        }
    }

    /// An operation of the host goes to a die.
    #[inline]
    pub(crate) fn note_host_operation(&mut self, die: usize, now: SimTime) {
        let load = &mut self.dies[die];
        let gap = now.since(load.last).ns();
        match load.seen {
            0 => load.seen = 1,
            1 => (load.seen, load.gap_ns) = (2, gap),
            _ => load.gap_ns = load.gap_ns - load.gap_ns / 8 + gap / 8,
        }
        load.last = now;
    }

    // ---- writes ---------------------------------------------------------------------------------------

    /// Chooses the cost of a unit that joins the next program of a die's stream, which goes to `superblock` (numbered
    /// over the drive). `waiting`: operations of the host at the die.
    pub(crate) fn choose(
        &mut self,
        die: usize,
        stream: usize,
        superblock: usize,
        unit: Unit,
        waiting: u32,
        now: SimTime,
    ) {
        let Unit { lpn, origin, old_row } = unit;
        let note = if self.bits > 0 { self.notes[lpn.index()] } else { 0 };
        let opened = old_row.map(|row| self.opened_at[(row / self.rows) as usize]);
        let age = opened.filter(|opened| *opened >= 0).map(|opened| Nanos::new(now.ns() - opened as u64));
        let first_cost = usize::from(self.wear_row[superblock]) * self.ways.len();
        let costs = &self.candidates[first_cost..first_cost + self.ways.len()];
        let view = WriteView {
            first: if self.bits > 0 { note & SEEN == 0 } else { age.is_none() },
            previous: old_row.map(|row| usize::from(self.row_cost[row as usize])),
            age,
            waiting,
            ..self.dies[die].view(origin, now, costs)
        };
        let mut bits = note & NOTES;
        let chosen = self.regulator.choose(&view, &mut bits);
        let costs = self.ways.len();
        assert!(chosen < costs, "the cost regulator chose way {chosen} of {costs}");
        if self.bits > 0 {
            // Whatever was to be written anew is being written now.
            let seen = if origin == Origin::Host { SEEN } else { note & SEEN };
            self.notes[lpn.index()] = seen | (bits & NOTES);
        }
        let chosen = self.refine(chosen, first_cost);
        match origin {
            Origin::Host => self.counts.host_units[chosen] += 1,
            _ => self.counts.other_units[chosen] += 1,
        }
        if origin == Origin::Host {
            self.note_host_operation(die, now);
        }
        let pending = &mut self.pending[die][stream];
        // One program has one step: the finest any of its units asks for, which holds for them all.
        if *pending == NO_COST || self.ways.finer(chosen, usize::from(*pending)) {
            *pending = chosen as u8;
        }
    }

    /// The host writes a unit with one bit a cell, where there is nothing to choose.
    pub(crate) fn note_one_bit(&mut self, die: usize, lpn: Lpn, now: SimTime) {
        if self.bits > 0 {
            self.notes[lpn.index()] = (self.notes[lpn.index()] & NOTES) | SEEN;
        }
        self.note_host_operation(die, now);
    }

    /// A row with one bit a cell of a superblock is programmed: nothing there falls due, it is folded before.
    pub(crate) fn open_one_bit(&mut self, superblock: usize, row: u32) {
        if row == 0 {
            self.reads[superblock] = 0;
            self.due[superblock] = SimTime::NEVER;
        }
    }

    /// The way asked for, or the next finer one that holds on a block of this wear.
    #[inline]
    fn refine(&mut self, chosen: usize, first: usize) -> usize {
        if self.candidates[first + chosen].feasible {
            return chosen;
        }
        self.counts.refined += 1;
        let coarseness = &self.ways.coarseness;
        let finer = |&other: &usize| coarseness[other] <= coarseness[chosen];
        let by_step = |a: &usize, b: &usize| coarseness[*a].total_cmp(&coarseness[*b]);
        let all = || (0..self.ways.len()).filter(finer);
        let holds = |other: &usize| self.candidates[first + other].feasible;
        all().filter(holds).max_by(by_step).or_else(|| all().min_by(by_step)).unwrap_or(chosen)
    }

    /// The cost of the units collected at a die's stream.
    pub(crate) fn take_cost(&mut self, die: usize, stream: usize) -> u8 {
        let pending = std::mem::replace(&mut self.pending[die][stream], NO_COST);
        if pending == NO_COST { 0 } else { pending }
    }

    /// A program of this cost is issued to `rows` rows from `row` of `superblock`: what its transaction names its cost by.
    pub(crate) fn issue(&mut self, cost: u8, superblock: usize, row: u32, rows: u32, now: SimTime) -> u8 {
        if row == 0 {
            self.opened_at[superblock] = now.ns() as i64;
            self.reads[superblock] = 0;
            self.due[superblock] = SimTime::NEVER;
        }
        let first = superblock * self.rows as usize + row as usize;
        self.row_cost[first..first + rows as usize].fill(cost);
        if let Some(refresh) = self.ways.costs[usize::from(cost)].refresh {
            let opened = self.opened_at[superblock].max(0) as u64;
            let due = SimTime::from_ns(opened.saturating_add(refresh.ns()));
            if due < self.due[superblock] {
                self.newly_due = Some(due.max(now));
                self.due[superblock] = due;
            }
        }
        self.ways.names[usize::from(cost)]
    }

    // ---- re-writes ------------------------------------------------------------------------------------

    /// Units that wait at a die to be written anew.
    #[inline]
    pub(crate) fn rewrites_waiting(&self, die: usize) -> usize {
        self.dies[die].rewrites.len()
    }

    /// The next of them that still has to be.
    pub(crate) fn next_rewrite(&mut self, die: usize) -> Option<Lpn> {
        while let Some(lpn) = self.dies[die].rewrites.pop_front() {
            if self.notes[lpn.index()] & QUEUED != 0 {
                return Some(lpn);
            }
            self.counts.rewrites_dropped += 1;
        }
        None
    }

    /// A unit will not be written anew after all; it may be asked for again.
    pub(crate) fn drop_rewrite(&mut self, lpn: Lpn) {
        self.notes[lpn.index()] &= !QUEUED;
        self.counts.rewrites_dropped += 1;
    }

    // ---- refresh ----------------------------------------------------------------------------------------

    /// When the superblock of the program issued last has to be looked at, if that was not said before.
    pub(crate) fn take_due(&mut self) -> Option<SimTime> {
        self.newly_due.take()
    }

    /// Notes when the data that a superblock holds before time begins must be written anew, and gives that.
    pub(crate) fn due_from_start(&mut self, superblock: usize) -> Option<SimTime> {
        let cost = usize::from(self.row_cost[superblock * self.rows as usize]);
        let refresh = self.ways.costs[cost].refresh?.ns().min(i64::MAX as u64);
        let due = SimTime::from_ns(self.opened_at[superblock].saturating_add(refresh as i64).max(0) as u64);
        self.due[superblock] = due;
        Some(due)
    }

    /// From now on nothing falls due: the host is gone.
    pub(crate) fn forget_due(&mut self) {
        self.due.fill(SimTime::NEVER);
        self.reclaims = false;
        self.ways.costs.iter_mut().for_each(|cost| cost.refresh = None);
    }

    /// Since when the superblock holds data that must be written anew; none where that is yet to come.
    pub(crate) fn due_since(&self, superblock: usize, now: SimTime) -> Option<SimTime> {
        (self.due[superblock] <= now).then_some(self.due[superblock])
    }

    /// When a superblock was opened, in ns; negative: before the run.
    pub(crate) fn opened_at(&self, superblock: usize) -> i64 {
        self.opened_at[superblock]
    }

    /// The shortest time after which a way to write wants its data written anew.
    pub(crate) fn shortest_refresh(&self) -> Option<Nanos> {
        self.ways.costs.iter().filter_map(|cost| cost.refresh).min()
    }

    /// How often a page is sensed when nothing is in doubt.
    pub(crate) fn hard_senses(&self) -> u64 {
        u64::from(self.readings[0].senses)
    }

    /// A superblock that was read as often as was reckoned with.
    #[inline]
    pub(crate) fn take_worn_by_reads(&mut self) -> Option<u32> {
        self.worn_by_reads.pop()
    }

    // ---- results --------------------------------------------------------------------------------------

    /// Bits that the regulator keeps for each mapping unit.
    pub fn bits_per_unit(&self) -> u32 {
        self.bits
    }

    /// Program steps, voltages and retention times of the costs.
    pub fn costs(&self) -> &[WriteCost] {
        &self.ways.costs
    }

    /// The ways to write, in the order of their numbers in transactions from 1 on: the program step over the usual one,
    /// or a set of voltages.
    pub fn ways_to_write(&self) -> Vec<(f64, Option<&str>)> {
        let named = self.ways.costs.iter().map(|cost| cost.voltages.as_deref());
        self.ways.steps.iter().copied().zip(named).collect()
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
