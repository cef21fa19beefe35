//! With what cost a unit is written, and what that leaves behind.

use super::load::NO_COST;
use super::unit_notes::{NOTES, SEEN};
use super::{Regulation, Unit};
use crate::regulator::WriteView;
use controller::Origin;
use units::{Lpn, Nanos, SimTime};

impl Regulation {
    /// Chooses the write cost (way to program a page: program step and retention time) of a mapping unit that joins the
    /// next program of a die's stream in `superblock` (numbered over the drive); of the costs of all units of the
    /// program the finest counts. `waiting` is the number of host operations that wait at the die.
    pub(super) fn choose(
        &mut self,
        die: usize,
        stream: usize,
        superblock: usize,
        unit: Unit,
        waiting: u32,
        now: SimTime,
    ) {
        let origin = unit.origin;
        let wear_row = self.ages.wear_row[superblock];
        // With one write cost there is nothing to ask for.
        let asked = if self.table.len() == 1 && !self.notes.are_kept() {
            0
        } else {
            self.ask(die, wear_row, unit, waiting, now)
        };
        let chosen = self.refine(asked, wear_row);
        match origin {
            Origin::Host => self.counts.host_units[chosen] += 1,
            _ => self.counts.other_units[chosen] += 1,
        }
        if origin == Origin::Host {
            self.dies[die].note_host_operation(now);
        }
        let pending = &mut self.dies[die].pending[stream];
        // One program has one step: the finest any of its units asks for, which holds for them all.
        if *pending == NO_COST || self.table.finer(chosen, usize::from(*pending)) {
            *pending = chosen as u8;
        }
    }

    /// Asks the cost regulator for the write cost (way to program a page) of a mapping unit that goes to a block in
    /// wear row `wear_row` (range of program/erase cycles); returns the index of the write cost.
    fn ask(&mut self, die: usize, wear_row: u8, unit: Unit, waiting: u32, now: SimTime) -> usize {
        let Unit { lpn, origin, old_row } = unit;
        let note = self.notes.of(lpn);
        let opened = old_row.map(|row| self.ages.opened_at[self.rows.place_of(row).0]);
        let age = opened.filter(|opened| *opened >= 0).map(|opened| Nanos::new(now.ns() - opened as u64));
        let costs = self.reckoning.candidates(wear_row);
        let view = WriteView {
            first: if self.notes.are_kept() { note & SEEN == 0 } else { age.is_none() },
            previous: old_row.map(|row| self.rows.of(row)),
            age,
            waiting,
            ..self.dies[die].view(origin, now, costs)
        };
        let mut bits = note & NOTES;
        let chosen = self.regulator.choose(&view, &mut bits);
        let costs = self.table.len();
        assert!(chosen < costs, "the cost regulator chose way {chosen} of {costs}");
        // What was to be written anew is being written now.
        let seen = if origin == Origin::Host { SEEN } else { note & SEEN };
        self.notes.set(lpn, seen | (bits & NOTES));
        chosen
    }

    /// Records that the host writes a mapping unit to a superblock in SLC mode: in the cost regulator's notes on the
    /// unit, and as a host operation of the die. No write cost (way to program a page) is chosen for such a program.
    pub(super) fn note_one_bit(&mut self, die: usize, lpn: Lpn, now: SimTime) {
        self.notes.set(lpn, (self.notes.of(lpn) & NOTES) | SEEN);
        self.dies[die].note_host_operation(now);
    }

    /// Resets the age, reads and refresh time of a superblock if the page row `row`, which is about to be programmed,
    /// is its first one; does nothing for other rows.
    pub(super) fn note_programmed(&mut self, superblock: usize, row: u32, now: SimTime) {
        if row == 0 {
            self.ages.begins_anew(superblock, now.ns() as i64);
            self.due.forget(superblock);
        }
    }

    /// Returns the index of the write cost (way to program a page) to program with: `chosen` if blocks in this wear row
    /// (range of program/erase cycles) can be programmed with it; else the next finer (more precise) feasible one, or
    /// the finest of all if none is feasible, and counts the change.
    #[inline]
    fn refine(&mut self, chosen: usize, wear_row: u8) -> usize {
        let candidates = self.reckoning.candidates(wear_row);
        if candidates[chosen].feasible {
            return chosen;
        }
        self.counts.refined += 1;
        let coarseness = &self.table.coarseness;
        let finer = |&other: &usize| coarseness[other] <= coarseness[chosen];
        let by_step = |a: &usize, b: &usize| coarseness[*a].total_cmp(&coarseness[*b]);
        let all = || (0..self.table.len()).filter(finer);
        let holds = |other: &usize| candidates[*other].feasible;
        all().filter(holds).max_by(by_step).or_else(|| all().min_by(by_step)).unwrap_or(chosen)
    }

    /// Returns, and resets, the index of the write cost (way to program a page) chosen for the units collected for the
    /// next program of a die's stream; index 0 if none was chosen.
    pub(super) fn take_cost(&mut self, die: usize, stream: usize) -> u8 {
        let pending = std::mem::replace(&mut self.dies[die].pending[stream], NO_COST);
        if pending == NO_COST { 0 } else { pending }
    }

    /// Records that a program with write cost `cost` (way to program a page) is issued to `rows` page rows of
    /// `superblock` from `row` on, and returns the number by which the transaction names the write cost.
    pub(super) fn issue(&mut self, cost: u8, superblock: usize, row: u32, rows: u32, now: SimTime) -> u8 {
        self.note_programmed(superblock, row, now);
        let first = superblock * self.rows.per_superblock as usize + row as usize;
        self.rows.costs[first..first + rows as usize].fill(cost);
        if let Some(refresh) = self.table.costs[usize::from(cost)].refresh {
            let opened = self.ages.opened_at[superblock].max(0) as u64;
            self.due.advance(superblock, SimTime::from_ns(opened.saturating_add(refresh.ns())), now);
        }
        self.table.names[usize::from(cost)]
    }
}
