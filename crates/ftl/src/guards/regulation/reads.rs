//! How a page is read, by what it was written with and what became of it since.

use super::{DOUBTFUL, NOTES, QUEUED, Regulation, SEEN};
use crate::regulator::ReadView;
use controller::{Origin, Reading};
use units::{Lpn, SimTime};

impl Regulation {
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
        let within = age_ns <= self.age_reckoned[cost].ns() as i64;
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
        self.counts.retried[usize::from(origin != Origin::Host)] += u64::from(outcome.retries > 0);
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
}
