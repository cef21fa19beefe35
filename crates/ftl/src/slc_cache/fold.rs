//! Folding: what lies in superblocks with one bit a cell moves to such with all their bits, in idle time and when the
//! cache has no room left.
//!
//! Folded units go the way of the host's, into its open superblock, under the same conditions as the host's own: so
//! that garbage collection, which paces the host, paces folding.

use super::WhenFull;
use crate::events;
use crate::pages::{HOST, PageMapped, SLC};
use crate::programs::Source;
use crate::space::{NONE, SuperblockState};
use controller::{Class, Kind, Origin, Probe, Transaction};
use engine::{Calendar, Event};
use units::{DieId, Ppa};

/// Superblocks that are read completely, or are being erased, when no further one is taken: one whose data are being
/// written and one that is being erased keep the die busy.
const RETURNING_MAX: u32 = 2;

/// How rows get out of a superblock with one bit a cell.
enum Way {
    Bus,
    InDie,
    Wait,
}

impl PageMapped {
    /// Lets the die's folding go on.
    #[cold]
    pub(crate) fn fold<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) {
        loop {
            if !self.place_folded(die, calendar, probe) {
                return;
            }
            let Some(cache) = &self.slc_cache else { return };
            if cache.dies[die].victim == NONE && !self.take_folded(die) {
                break;
            }
            if !self.read_folded(die, calendar, probe) {
                return;
            }
        }
        self.pad_folded(die, calendar, probe);
    }

    /// True when the die should fold: it is idle, a program failed, or the host has no room without it.
    fn wants_folding(&self, die: usize) -> bool {
        let Some(cache) = &self.slc_cache else { return false };
        let of = &cache.dies[die];
        of.background
            || of.failed > 0
            || self.is_crowded(die)
            || (cache.when_full == WhenFull::FoldFirst && !self.may_open_slc(die))
    }

    /// True when data need the superblocks that the cache has beyond its own, those that are on their way back apart.
    fn is_crowded(&self, die: usize) -> bool {
        let Some(cache) = &self.slc_cache else { return false };
        let kept = cache.dies[die].superblocks - cache.dies[die].returning();
        kept > cache.reserved
            && self.space.dies[die].live + self.layout.program_units > self.quota_beside(die, kept)
    }

    /// True when data wait that the host may write here, having earned it: else folding, which is told first that a
    /// program is done, would take every place until its superblock is folded.
    fn is_hosts_turn(&self, die: usize) -> bool {
        let Some(cache) = &self.slc_cache else { return false };
        let of = &cache.dies[die];
        !of.background
            && of.failed == 0
            && self.buffer.first_queued().is_some()
            && self.is_within_quota(die)
            && self.has_slc_room(die)
    }

    /// Gives places to the units that were read; false when some have to wait.
    fn place_folded<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) -> bool {
        loop {
            let Some(&ppa) = self.slc_cache.as_ref().and_then(|cache| cache.dies[die].read.front()) else {
                return true;
            };
            if self.map.is_valid(ppa) && !self.place_unit(die, ppa, calendar, probe) {
                return false;
            }
            if let Some(cache) = &mut self.slc_cache {
                cache.dies[die].read.pop_front();
            }
        }
    }

    /// Puts a unit into the host's open superblock, if the host could write there.
    fn place_unit<P: Probe>(&mut self, die: usize, ppa: Ppa, calendar: &mut Calendar, probe: &mut P) -> bool {
        let begun = self.space.dies[die].frontiers[HOST].filled > 0;
        if !begun && !self.may_begin_program(die) {
            return false;
        }
        self.open_for_folding(die, calendar, probe);
        self.collections[die].spend();
        let lpn = self.map.holder(ppa);
        self.append(die, HOST, lpn, Source::new(Origin::Fold, ppa.0), calendar, probe);
        true
    }

    fn may_begin_program(&self, die: usize) -> bool {
        self.has_program_place(die) && self.has_own_room(die) && !self.is_hosts_turn(die)
    }

    /// Opens the superblock that takes what is folded, where none is open.
    fn open_for_folding<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) {
        if self.space.dies[die].frontiers[HOST].superblock == NONE {
            assert!(self.open_own(die, HOST), "die {die} has room for the host and nothing to open");
            // With one superblock fewer, garbage collection may have to begin.
            self.collect_garbage(die, calendar, probe);
        }
    }

    /// How the next row of the victim goes: without the bus, if the chip can do that and so many rows as fill a program
    /// unit are valid, and once what came over the bus has filled program units of its own.
    fn way_of(&self, die: usize) -> Way {
        let Some(cache) = &self.slc_cache else { return Way::Bus };
        let of = &cache.dies[die];
        let units = self.layout.program_units;
        let global = self.space.global(die, of.victim) as u32;
        let first = self.layout.first_ppa(global) + of.next_row * self.layout.row_units;
        let whole = cache.in_die
            && of.next_row + self.layout.program_rows <= self.layout.slc_rows
            && (first..first + units).all(|ppa| self.map.is_valid(Ppa(ppa)));
        let begun = self.space.dies[die].frontiers[HOST].filled + of.read.len() as u32 + of.reading_units;
        match (whole, begun) {
            (true, 0) => Way::InDie,
            (true, _) if begun.is_multiple_of(units) => Way::Wait,
            _ => Way::Bus,
        }
    }

    /// Moves the next rows of the victim to a whole program unit without the bus, if the superblock that takes them
    /// lies in the same planes. Like any copyback, the data do not pass the ECC; after a failed program they count as
    /// read.
    fn fold_in_die<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) -> bool {
        let Some(cache) = &self.slc_cache else { return false };
        let (victim, row) = (cache.dies[die].victim, cache.dies[die].next_row);
        let (rows, units) = (self.layout.program_rows, self.layout.program_units);
        let first =
            self.layout.first_ppa(self.space.global(die, victim) as u32) + row * self.layout.row_units;
        self.open_for_folding(die, calendar, probe);
        let target = self.space.dies[die].frontiers[HOST].superblock;
        if self.array.plane_of(die as u32, victim) != self.array.plane_of(die as u32, target) {
            return false;
        }
        let frontier = &mut self.space.dies[die].frontiers[HOST];
        frontier.slot = self.programs.take_slot();
        let (slot, from) = (frontier.slot, frontier.next_unit);
        frontier.next_unit += units;
        self.space.dies[die].clock += u64::from(units);
        let to = self.layout.first_ppa(self.space.global(die, target) as u32) + from;
        for unit in 0..units {
            self.collections[die].spend();
            self.programs.set(slot, unit, Source::new(Origin::Fold, first + unit));
            let lpn = self.map.holder(Ppa(first + unit));
            self.map.assign(Ppa(to + unit), lpn);
        }
        self.issue_program(die, HOST, Kind::Copyback, calendar, probe);
        let Some(cache) = &mut self.slc_cache else { return true };
        cache.dies[die].next_row += rows;
        cache.dies[die].reading_rows += 1;
        cache.earn(die, rows, &self.layout);
        true
    }

    /// Rows were folded without the bus, for good or ill.
    pub(crate) fn on_folded_in_die(&mut self, die: usize) {
        if let Some(cache) = &mut self.slc_cache {
            cache.dies[die].reading_rows -= 1;
        }
    }

    /// Takes the next superblock to be folded, if that is wanted.
    fn take_folded(&mut self, die: usize) -> bool {
        if !self.wants_folding(die) {
            return false;
        }
        self.close_open_slc(die);
        let Some(cache) = &mut self.slc_cache else { return false };
        let of = &mut cache.dies[die];
        if of.returning() >= RETURNING_MAX {
            return false;
        }
        let Some(superblock) = of.waiting.pop_front() else { return false };
        (of.victim, of.next_row, of.credit) = (superblock, 0, 0);
        let global = self.space.global(die, superblock);
        of.failed -= u32::from(self.space.failing[global]);
        self.space.state[global] = SuperblockState::Victim;
        self.stats.slc_superblocks_folded += 1;
        self.stats.slc_units_folded += u64::from(self.space.valid[global]);
        true
    }

    /// Where the cache must give superblocks back and only the open one is left, that one ends early.
    fn close_open_slc(&mut self, die: usize) {
        let Some(cache) = &self.slc_cache else { return };
        let frontier = &self.space.dies[die].frontiers[SLC];
        let superblock = frontier.superblock;
        let last = cache.dies[die].waiting.is_empty() && superblock != NONE && frontier.filled == 0;
        if !last || !self.is_crowded(die) {
            return;
        }
        let global = self.space.global(die, superblock);
        self.space.dies[die].frontiers[SLC].superblock = NONE;
        self.space.state[global] = SuperblockState::Closed;
        if self.space.in_flight[global] == 0 {
            self.close_slc(die, superblock);
        }
    }

    /// Keeps page rows of the victim under way; true when all of it is read.
    fn read_folded<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) -> bool {
        let rows = self.layout.slc_rows;
        loop {
            let wanted = self.wants_folding(die) && self.has_program_place(die) && self.has_own_room(die);
            let Some(cache) = &mut self.slc_cache else { return false };
            let of = &mut cache.dies[die];
            let (victim, row) = (of.victim, of.next_row);
            if row == rows {
                (of.victim, of.next_row) = (NONE, 0);
                of.pending.push(victim);
                break;
            }
            let global = die as u32 * self.layout.superblocks_per_die + victim;
            let first = self.layout.first_ppa(global) + row * self.layout.row_units;
            let mask = self.map.valid_mask(first, self.layout.row_units);
            if mask != 0 && (!wanted || of.reading_rows >= self.read_ahead) {
                return false;
            }
            match self.way_of(die) {
                Way::Wait => return false,
                Way::InDie if !self.may_begin_program(die) => return false,
                Way::InDie if self.fold_in_die(die, calendar, probe) => continue,
                _ => {}
            }
            let Some(cache) = &mut self.slc_cache else { return false };
            let of = &mut cache.dies[die];
            of.next_row += 1;
            of.reading_rows += u32::from(mask != 0);
            of.reading_units += mask.count_ones();
            cache.earn(die, 1, &self.layout);
            if mask != 0 {
                let row = first / self.layout.row_units;
                self.submit_read(row, mask, Origin::Fold, Class::InternalRead, NONE, calendar, probe);
            }
        }
        let cache = self.slc_cache.as_ref().expect("a cache is folded");
        let read = cache.dies[die].pending.last().map(|&superblock| self.space.global(die, superblock));
        if let Some(global) = read.filter(|&global| self.space.valid[global] == 0) {
            self.emptied.push(global as u32);
            self.erase_emptied(calendar, probe);
        }
        true
    }

    /// A page row of the cache was read.
    pub(crate) fn on_fold_read<P: Probe>(
        &mut self,
        transaction: &Transaction,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let die = transaction.die.index();
        let global = self.space.global(die, transaction.superblock) as u32;
        let start = self.layout.first_ppa(global) + transaction.row * self.layout.row_units;
        let Some(cache) = &mut self.slc_cache else { return };
        let of = &mut cache.dies[die];
        of.reading_rows -= 1;
        of.reading_units -= transaction.mask.count_ones();
        let mut mask = transaction.mask;
        while mask != 0 {
            of.read.push_back(Ppa(start + mask.trailing_zeros()));
            mask &= mask - 1;
        }
        self.collect(die, calendar, probe);
    }

    /// A folded unit could not be programmed: it is still where it was, and waits for another place.
    pub(crate) fn fold_again(&mut self, die: usize, old: Ppa) {
        if let Some(cache) = &mut self.slc_cache {
            cache.dies[die].read.push_back(old);
        }
    }

    /// The superblock is read completely and empty: it may be erased.
    pub(crate) fn take_emptied_slc(&mut self, die: usize, superblock: u32) -> bool {
        let Some(cache) = &mut self.slc_cache else { return false };
        let pending = &mut cache.dies[die].pending;
        match pending.iter().position(|&waiting| waiting == superblock) {
            Some(at) => {
                pending.swap_remove(at);
                cache.dies[die].erasing += 1;
                true
            }
            None => false,
        }
    }

    /// Pads a program unit that superblocks wait for when nothing else will fill it.
    fn pad_folded<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) {
        let Some(cache) = &self.slc_cache else { return };
        let of = &cache.dies[die];
        let waiting =
            of.victim == NONE && of.reading_rows == 0 && of.read.is_empty() && !of.pending.is_empty();
        if waiting && self.space.dies[die].frontiers[HOST].filled > 0 && !self.is_host_filling(die) {
            self.pad(die, HOST, calendar, probe);
        }
    }

    // ---- idle time ----------------------------------------------------------------------------------

    /// The host uses the die: folding in idle time is over.
    #[inline]
    pub(crate) fn end_idle_folding(&mut self, die: usize) {
        if let Some(cache) = &mut self.slc_cache {
            cache.dies[die].background = false;
        }
    }

    /// A die has nothing to do: when that lasts, it folds.
    #[inline]
    pub(crate) fn arm_fold_timer(&mut self, die: usize, calendar: &mut Calendar) {
        let dies = self.layout.dies;
        let Some(cache) = &mut self.slc_cache else { return };
        let Some(wait) = cache.idle_after else { return };
        let of = &mut cache.dies[die];
        of.idle_since = calendar.now();
        if of.has_work() && !of.idle_timer {
            of.idle_timer = true;
            calendar.schedule_timer(
                calendar.now() + wait,
                Event { kind: events::IDLE, index: dies + die as u32 },
            );
        }
    }

    pub(crate) fn on_fold_timer<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) {
        let dies = self.layout.dies;
        let idle = self.controller.is_idle(DieId(die as u32));
        let Some(cache) = &mut self.slc_cache else { return };
        let Some(wait) = cache.idle_after else { return };
        let of = &mut cache.dies[die];
        of.idle_timer = false;
        if !idle {
            return;
        }
        let due = of.idle_since + wait;
        if due > calendar.now() {
            of.idle_timer = true;
            calendar.schedule_timer(due, Event { kind: events::IDLE, index: dies + die as u32 });
            return;
        }
        of.background = true;
        self.collect(die, calendar, probe);
        self.pump(calendar, probe);
    }
}
