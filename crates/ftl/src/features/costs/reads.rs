//! How a page is read, by what it was written with and what became of it since.

use super::Regulation;
use super::unit_notes::{NOTES, QUEUED, SEEN};
use crate::core::Core;
use crate::regulator::ReadView;
use controller::{Origin, Reading, Transaction};
use ecc::PageRead;
use nand::errors::Condition;
use units::{Lpn, SimTime};

impl Regulation {
    /// Plans the read of a page row (numbered over the drive) at time `now`, that is, the number of senses, decodes and
    /// retries, and counts the read; returns the plan.
    #[inline]
    pub(super) fn plan_read(&mut self, row: u32, origin: Origin, now: SimTime) -> Reading {
        let (superblock, page_type) = self.page_of(row);
        let (cost, wear_row) = (self.rows.of(row), self.ages.wear_row[superblock]);
        let begin = self.reckoning.begin(cost, wear_row, page_type);
        let reads = self.ages.reads[superblock].saturating_add(1);
        self.ages.reads[superblock] = reads;
        if reads == self.reckoning.reads {
            self.due.note_worn_by_reads(superblock, now);
        }
        let age_ns = now.ns() as i64 - self.ages.opened_at[superblock];
        let within = age_ns <= self.reckoning.ages[cost].ns() as i64;
        let rung = usize::from(begin.rung);
        if within && begin.holds && reads <= self.reckoning.reads && self.words.is_none() {
            self.count_read(origin, rung);
            return Reading { iterating_ns: begin.iterating_ns, ..self.reckoning.readings[rung] };
        }
        self.read_in_doubt(row, rung, origin, now)
    }

    /// Returns the number of the superblock to which a page row (numbered over the drive) belongs, and the page type
    /// (such as lower, middle, upper) of the row.
    #[inline]
    fn page_of(&self, row: u32) -> (usize, usize) {
        let (superblock, within) = self.rows.place_of(row);
        (superblock, within % self.correction.page_types)
    }

    /// Plans and counts the read of a page row in SLC mode: one sense and one decode, since bit errors of SLC mode are
    /// not modelled.
    pub(super) fn plan_one_bit_read(&mut self, origin: Origin) -> Reading {
        self.count_read(origin, 0);
        Reading { senses: 1, ..self.reckoning.readings[0] }
    }

    #[inline]
    fn count_read(&mut self, origin: Origin, rung: usize) {
        match origin {
            Origin::Host => self.counts.host_reads[rung] += 1,
            _ => self.counts.other_reads[rung] += 1,
        }
    }

    /// Returns the page type of a page row, and the row's present condition (program step, wear, age, reads) for the
    /// error model.
    pub(super) fn condition_now(&self, row: u32, now: SimTime) -> (usize, Condition) {
        let (superblock, page_type) = self.page_of(row);
        let pe_cycles = self.reckoning.pe_cycles(self.ages.wear_row[superblock]);
        let age_ns = now.ns() as i64 - self.ages.opened_at[superblock];
        let (seconds, reads) = (age_ns as f64 * 1e-9, self.ages.reads[superblock]);
        (page_type, self.table.condition(self.rows.of(row), pe_cycles, seconds, reads))
    }

    /// Plans a read whose outcome must be determined from the page's actual error rate, because the page is older, or
    /// was read more often, than read plans assume, because its first attempt may fail, or because the drive decodes
    /// simulated codewords.
    #[cold]
    fn read_in_doubt(&mut self, row: u32, rung: usize, origin: Origin, now: SimTime) -> Reading {
        let (page_type, condition) = self.condition_now(row, now);
        let rates = self.correction.rates(page_type, &condition);
        let draw = self.random.unit();
        let ladder = &self.correction.ladder;
        let superblock = self.rows.place_of(row).0;
        let good_step = self.ages.good_step_of(superblock);
        let page = PageRead {
            ladder,
            first: rung,
            rates: &rates,
            bytes: self.correction.page_bytes,
            page_type,
            good_step,
        };
        let outcome = match &mut self.words {
            None => page.by_draw(&mut self.flows, &mut self.estimating, draw),
            Some(words) => page.by_words(&mut self.flows, &mut self.estimating, words),
        };
        if let Some(step) = self.ages.good_step.get_mut(superblock).filter(|_| !outcome.uncorrectable) {
            *step = outcome.step as u8;
        }
        let attempts = (outcome.retries + 1).min(255) as u8;
        let pieces = if ladder.pipelined { attempts } else { 1 };
        // Attempts read in pieces are decoded while the next is sensed: the data wait for the last.
        let iterating_ns = ladder.time_ns(outcome.iterations[usize::from(pieces > 1)]);
        self.count_read(origin, outcome.rung);
        self.counts.retries += u64::from(outcome.retries);
        self.counts.retried[usize::from(origin != Origin::Host)] += u64::from(outcome.retries > 0);
        self.counts.uncorrectable[usize::from(origin != Origin::Host)] += u64::from(outcome.uncorrectable);
        Reading {
            senses: outcome.senses as u16,
            planes: (outcome.bit_planes as u16, self.reckoning.readings[0].planes.1),
            decodes: attempts,
            pieces,
            iterating_ns,
            uncorrectable: outcome.uncorrectable,
        }
    }

    /// Extends the decoding time of a read of several codewords, which are decoded one after the other unless the
    /// decoder works on them in parallel.
    #[inline]
    pub(super) fn await_words(&self, core: &Core, read: &mut Transaction) {
        let ladder = &self.correction.ladder;
        if ladder.decodes_beside() {
            return;
        }
        let units = read.mask.count_ones();
        let bytes = u64::from(units) * core.store.layout.unit.get();
        let transfer = core.store.controller.bus().data_out(units);
        let attempts = if read.reading.pieces > 1 { 1 } else { u32::from(read.reading.decodes) };
        read.reading.iterating_ns = ladder.iterating_ns(read.reading.iterating_ns, bytes, transfer, attempts);
    }

    /// Asks the cost regulator whether mapping unit `lpn`, which the host reads from page row `row` of `die`, should be
    /// programmed again with another write cost (way to program) for faster reads, and queues the unit, once, if so;
    /// does nothing if the regulator stores no notes on units.
    #[inline]
    pub(super) fn on_host_read(&mut self, lpn: Lpn, row: u32, die: usize) {
        if !self.notes.are_kept() {
            return;
        }
        let note = self.notes.of(lpn);
        let view = ReadView { first: note & SEEN == 0, cost: self.rows.of(row) };
        let mut bits = note & NOTES;
        let rewrite = self.regulator.on_read(&view, &mut bits);
        let queue = rewrite && note & QUEUED == 0;
        self.notes.set(lpn, (note & QUEUED) | SEEN | bits | if queue { QUEUED } else { 0 });
        if queue {
            self.counts.rewrites_asked += 1;
            self.dies[die].rewrites.push_back(lpn);
        }
    }
}
