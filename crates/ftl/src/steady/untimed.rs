//! Writes and collections without time.
//!
//! Data moves by the same map, space and policies as in a timed run; only the flash operations take no time,
//! and nothing is in flight. A collection paces the host as it does in a timed run: it moves as much as the host's
//! writes need and is then left in progress, so that at any moment a die is where a busy one would be. While a die is short
//! of superblocks its collection goes first; how much the host gets done beside it is a question of times, which a
//! caller may have answered by a timed run (`set_urgent_share`). Not modelled
//! here: program failures, programs larger than a unit (frontiers are completed to a whole program unit when time
//! begins again), and pacing where superblocks are reclaimed together, which is done at once.

use super::next_die::{may_lie_on, next_die};
use crate::Layout;
use crate::core::{Core, Erased, UntimedStep};
use crate::layer::{Layer, Untimed};
use crate::media::Media;
use crate::pages::PageMapped;
use crate::relocate::Customer;
use crate::steady::RunsAhead;
use crate::store::{Frontier, NONE, places};
use controller::Origin;
use units::{Lpn, Ppa};

/// Constant: number of erases, for each superblock of a die, that garbage collection without simulated time may take
/// before the host can write its next unit; beyond that the drive counts as stuck. Even a policy that picks victims at
/// random misses a single superblock with garbage that often only once in 10^13 times.
pub(super) const TURNS_MOST: u64 = 32;

impl PageMapped {
    /// Writes one unit of the host or of the map to an open host superblock without simulated time, on the dies in
    /// turn; returns false when no die has space for it.
    pub(crate) fn put_host_untimed(&mut self, lpn: Lpn, origin: Origin) -> bool {
        debug_assert!(!self.media.features.keeps_versions(), "keeping versions needs time");
        let stream = self.media.core.assembly.streams.of_host_unit(&self.media.core.store, lpn);
        let by_clock =
            match self.upkeep.eager.is_some() && !self.media.core.assembly.streams.is_shared(stream) {
                true => RunsAhead(self).next_die(stream),
                false => None,
            };
        let die = by_clock.or_else(|| next_die(self, stream, lpn));
        let Some(die) = die else { return false };
        self.put_on_die_untimed((die, stream), lpn, origin);
        true
    }

    /// Writes one host unit to die `die` without simulated time; returns false if the die has no space or may not hold
    /// it.
    pub fn write_to_die_untimed(&mut self, die: usize, lpn: Lpn) -> bool {
        let stream = self.media.core.assembly.streams.of_host_unit(&self.media.core.store, lpn);
        if !may_lie_on(self, die, lpn) || !self.make_room_untimed(die, stream) {
            return false;
        }
        self.media.features.looks_up_untimed(lpn);
        self.put_on_die_untimed((die, stream), lpn, Origin::Host);
        self.media.core.store.count_written(1);
        self.write_map_untimed()
    }

    /// Writes one unit to a write stream of a die that has space for it, without simulated time.
    pub(super) fn put_on_die_untimed(&mut self, (die, stream): (usize, usize), lpn: Lpn, origin: Origin) {
        self.media.core.store.stats.units_programmed[origin as usize] += 1;
        self.media.core.erased_in_a_row = 0;
        // In mixed mode a collection of several may fill the superblock that was just opened.
        while self.media.core.store.space.dies[die].frontiers[stream].superblock == NONE {
            let opened = self.media.core.open(die, stream);
            assert!(opened, "die {die} takes a write and has nothing to open");
            if self.media.core.rules.in_step {
                self.collect_together_untimed(die);
            }
        }
        let is_eager = self.upkeep.eager.is_some();
        let old = if is_eager { Ppa::NONE } else { self.media.core.store.map.lookup(lpn) };
        self.media.core.assembly.streams.note_written(lpn);
        if is_eager {
            RunsAhead(self).place(die, stream, lpn);
        } else {
            self.media.put_untimed(die, stream, lpn);
        }
        self.media.core.collections[die].spend();
        self.media.core.store.space.dies[die].live += 1;
        if old != Ppa::NONE {
            self.media.invalidate_host(old);
        }
        self.media.core.store.emptied.clear();
        if is_eager {
            RunsAhead(self).collect_ahead(die, stream);
        }
    }

    /// Makes space for a host unit in a write stream of a die without simulated time, by as much garbage collection as
    /// is needed; returns false when that does not succeed.
    pub(super) fn make_room_untimed(&mut self, die: usize, stream: usize) -> bool {
        if self.media.core.store.space.dies[die].live >= self.media.core.store.space.dies[die].quota {
            return false;
        }
        let frontier = self.media.core.store.space.dies[die].frontiers[stream];
        if self.media.core.rules.in_step {
            if frontier.superblock == NONE {
                self.collect_together_untimed(die);
            }
        } else {
            if frontier.superblock == NONE && self.upkeep.eager.is_none() {
                // In time a collection that paces the host comes to its end a little before the host needs it.
                while !self.media.core.turns_in_vain() && self.go_on_untimed(die) {}
            } else if !self.media.core.collections[die].mover.has_victim()
                && frontier.next_unit.is_multiple_of(self.media.core.store.layout.program_units)
            {
                self.take_untimed(die);
            }
            while !self.has_own_room_untimed(die, stream)
                && !self.media.core.turns_in_vain()
                && self.go_on_untimed(die)
            {}
            if self.has_own_room_untimed(die, stream) {
                return true;
            }
        }
        if self.media.core.turns_in_vain() {
            return false;
        }
        // Units come one by one here, so that less than a program unit may be left; and nothing is in hand.
        let core = &self.media.core;
        if core.assembly.streams.spare() > 0 && core.assembly.streams.is_shared(stream) {
            return core.has_room_untimed(die, core.store.layout.data_units() + 1);
        }
        core.store.space.dies[die].frontiers[stream].superblock != NONE
            || core.free_superblocks(die) >= 2 + core.rules.spare
    }

    /// Returns true while a die is reclaiming a superblock and is so short of free superblocks that programs of its
    /// garbage collection have priority over host programs.
    #[inline]
    fn is_urgent(&self, die: usize) -> bool {
        self.media.core.collections[die].mover.has_victim()
            && self.media.core.free_superblocks(die) < 2
            && self.media.core.store.controller.hastens_collection()
    }

    /// Returns the number of mapping units that the host may write for each unit that garbage collection moves on the
    /// first die, while collection has priority over host programs and throttles the host; `None` (no throttling)
    /// otherwise.
    pub fn urgent_rate(&self) -> Option<f64> {
        let collection = &self.media.core.collections[0];
        (self.is_urgent(0) && collection.is_pacing()).then_some(collection.pace.rate)
    }

    /// Tells the victim policies of all dies that the simulated drive has only the fraction `part` of the superblocks
    /// per die of the real drive that it represents (scaled-down drive).
    pub fn stand_for(&mut self, part: f64) {
        self.media.core.store.space.dies.iter_mut().for_each(|die| die.victim.stand_for(part));
    }

    /// Returns the setting by which preconditioning without simulated time imitates how garbage collection throttles
    /// the host in timed runs: factor, 0 to 1, on the number of units that the host may write for each unit moved,
    /// while collection has priority over host programs.
    pub fn urgent_share(&self) -> f64 {
        self.upkeep.urgent_share
    }

    /// Sets the factor, 0 to 1, on the number of units that the host may write for each unit that garbage collection
    /// moves, for preconditioning without simulated time while collection has priority over host programs. The factor
    /// is measured in a timed run.
    pub fn set_urgent_share(&mut self, share: f64) {
        self.upkeep.urgent_share = share;
    }

    /// Returns true when a write stream of a die can take a single host unit, during preconditioning without simulated
    /// time, before any further garbage collection. [`Self::has_own_room`] answers this for whole programs.
    #[inline]
    pub(super) fn has_own_room_untimed(&self, die: usize, stream: usize) -> bool {
        let core = &self.media.core;
        let open = core.store.space.dies[die].frontiers[stream].superblock != NONE;
        if open && !core.assembly.streams.is_shared(stream) {
            return !core.collections[die].holds_host_back();
        }
        core.has_room_to_open_untimed(die, stream)
    }

    fn collect_together_untimed(&mut self, die: usize) {
        while self.upkeep.trigger.foreground(&self.upkeep.trigger_view(&self.media, die)) {
            let Some(victim) = self.media.core.store.space.pick_victim(die) else { return };
            let global = self.media.core.store.space.global(die, victim) as u32;
            let is_over = self.media.core.turns_in_vain();
            if is_over || !self.media.reclaim_together_untimed(global, Origin::Gc) {
                return;
            }
        }
    }

    /// Picks the next garbage collection victim of a die and starts to collect it, if the trigger asks for foreground
    /// collection and there is space for its valid units; returns false if not.
    fn take_untimed(&mut self, die: usize) -> bool {
        if !self.upkeep.trigger.foreground(&self.upkeep.trigger_view(&self.media, die)) {
            return false;
        }
        // As in time, a choice for which there is no room yet is kept.
        let space = &mut self.media.core.store.space;
        let kept = match self.upkeep.eager {
            Some(_) => std::mem::replace(&mut self.media.core.collections[die].declined, NONE),
            None => NONE,
        };
        let is_kept = kept != NONE && space.is_candidate(space.global(die, kept));
        let victim = if is_kept { Some(kept) } else { space.pick_victim(die) };
        let Some(victim) = victim else { return false };
        let begins = self.begin_untimed(die, victim);
        if !begins && self.upkeep.eager.is_some() {
            self.media.core.collections[die].declined = victim;
        }
        begins
    }

    /// Picks the next garbage collection victim of an idle die and starts to collect it, as long as the trigger counts
    /// it as worthwhile; returns false if not.
    pub(super) fn take_idle_untimed(&mut self, die: usize) -> bool {
        let trigger = &self.upkeep.trigger;
        if trigger.idle_after().is_none() || !trigger.background(&self.upkeep.trigger_view(&self.media, die))
        {
            return false;
        }
        let Some(victim) = self.media.core.store.space.pick_victim(die) else { return false };
        let space = &self.media.core.store.space;
        let gain = self.media.core.gain_of(space.valid[space.global(die, victim)]);
        trigger.worthwhile(gain, self.media.core.store.layout.data_units()) && self.begin_untimed(die, victim)
    }

    fn begin_untimed(&mut self, die: usize, victim: u32) -> bool {
        let core = &mut self.media.core;
        let by_clock = self.upkeep.eager.is_some();
        let has_room = |core: &Core, victim: u32| {
            let valid = core.store.space.valid[core.store.space.global(die, victim)];
            if by_clock { core.has_room_for(die, valid) } else { core.has_room_untimed(die, valid) }
        };
        let victim = match has_room(core, victim) {
            true => victim,
            false if core.assembly.streams.spare() == 0 => return false,
            false => match core.store.space.emptiest(die).filter(|&emptiest| has_room(core, emptiest)) {
                Some(emptiest) => emptiest,
                None => return false,
            },
        };
        self.media.core.store.space.take(die, victim);
        self.media.core.begin_victim(die, victim, Origin::Gc);
        self.media.core.store.prefetch_first_rows(self.media.core.store.space.global(die, victim) as u32);
        true
    }

    /// Advances garbage collection of a die, without simulated time, by moving the valid units of one page row (pages
    /// of one number on all planes) or by erasing the emptied victim; returns false when there is nothing to collect.
    pub(super) fn go_on_untimed(&mut self, die: usize) -> bool {
        if !self.media.core.collections[die].mover.has_victim() && !self.take_untimed(die) {
            return false;
        }
        let first = self.media.core.collections[die].mover.next_row;
        let row = self.media.core.next_row(die, Customer::Collection);
        self.media.core.pass_rows(die, Customer::Collection, u32::from(row.is_some()));
        RunsAhead(self).note_rows(die, first);
        if let Some((row, mask)) = row {
            self.media.features.carried_forward(UntimedStep::Reads(row));
            self.media.core.store.prefetch_row_after(row);
            self.media.move_row_untimed(die, row, mask, Origin::Gc);
            if let Some(eager) = &mut self.upkeep.eager {
                eager.note_moved(die, mask.count_ones(), self.media.core.store.layout.program_units);
            }
            let share = if self.is_urgent(die) && self.upkeep.eager.is_none() {
                self.upkeep.urgent_share
            } else {
                1.0
            };
            let earned = f64::from(mask.count_ones()) * share;
            let core = &mut self.media.core;
            let (collection, program_units) = (&mut core.collections[die], core.store.layout.program_units);
            collection.pace.earn(earned, core.turns.credit_most(program_units, collection.pace.rate));
            if collection.mover.next_row < self.media.core.store.layout.rows {
                return true;
            }
        }
        let victim = std::mem::replace(&mut self.media.core.collections[die].mover.victim, NONE);
        self.media.erase_untimed(die, victim);
        RunsAhead(self).note_erased(die);
        true
    }

    /// Completes all garbage collection without simulated time, as on a drive that is not written to: collections in
    /// progress, collections still wanted, and background collection of idle dies.
    pub fn rest_untimed(&mut self) {
        let most = u64::from(self.media.core.store.layout.superblocks_per_die);
        for die in 0..self.media.core.store.layout.dies as usize {
            // Each die rests by itself: what the others erased was not in vain.
            self.media.core.erased_in_a_row = 0;
            if self.media.core.rules.in_step {
                self.collect_together_untimed(die);
                continue;
            }
            // Where nothing is gained by it, it ends all the same.
            let end = self.media.core.store.space.dies[die].erases + most;
            let ended = |ftl: &Self| ftl.media.core.store.space.dies[die].erases >= end;
            while !ended(self) && (self.go_on_untimed(die) || self.take_idle_untimed(die)) {}
        }
        self.media.core.erased_in_a_row = 0;
        self.media.core.store.emptied.clear();
    }
}

impl Media {
    /// Writes a unit to the open superblock of a write stream without simulated time, and maps the unit to its place
    /// there.
    #[inline]
    fn put_untimed(&mut self, die: usize, stream: usize, lpn: Lpn) {
        let space = &mut self.core.store.space.dies[die];
        space.clock += 1;
        let frontier = &mut space.frontiers[stream];
        let superblock = frontier.superblock;
        let global = die as u32 * self.core.store.layout.superblocks_per_die + superblock;
        let ppa = Ppa(self.core.store.layout.first_ppa(global) + u64::from(frontier.next_unit));
        frontier.next_unit += 1;
        let (first, full) =
            (frontier.next_unit == 1, frontier.next_unit == self.core.store.layout.data_units());
        self.core.store.map.assign(ppa, lpn);
        self.features.changes(lpn);
        self.core.store.map.set(lpn, ppa);
        self.core.store.space.valid[global as usize] += 1;
        if first {
            self.features.carried_forward(UntimedStep::Opens(global as usize));
        }
        if full {
            self.core.store.space.dies[die].frontiers[stream] = Frontier::CLOSED;
            self.core.store.array.restore(global as usize, self.core.store.layout.rows);
            self.core.store.stats.units_programmed[Origin::Map as usize] +=
                u64::from(self.core.store.layout.summary_units);
            self.features.closed(global as usize);
            self.core.store.space.close(die, superblock);
        }
        if (first || full) && self.core.rules.in_step {
            let programs = if full {
                self.core.store.layout.superblock_units / self.core.store.layout.program_units
            } else {
                1
            };
            self.features.wrote_untimed(&mut self.core, global, programs);
        }
    }

    /// Pads the open superblock of a write stream to whole program units, before simulated time begins.
    pub(super) fn settle_stream(&mut self, die: usize, stream: usize) {
        let (layout, space) = (&self.core.store.layout, &mut self.core.store.space);
        let frontier = &mut space.dies[die].frontiers[stream];
        let superblock = frontier.superblock;
        if superblock == NONE {
            return;
        }
        let global = die as u32 * space.per_die + superblock;
        frontier.next_unit = frontier.next_unit.next_multiple_of(layout.program_units);
        let mut rows = frontier.next_unit / layout.row_units;
        if frontier.next_unit == layout.data_units() {
            rows = layout.rows;
            *frontier = Frontier::CLOSED;
            space.close(die, superblock);
        }
        self.core.store.array.restore(global as usize, rows);
        let programs = rows / self.core.store.layout.program_rows;
        self.features.wrote_untimed(&mut self.core, global, programs);
    }

    pub fn move_all_untimed(&mut self, die: usize, global: u32, origin: Origin) {
        let Layout { rows, row_units, .. } = self.core.store.layout;
        for row in global * rows..(global + 1) * rows {
            let mask = self.core.store.map.valid_mask(self.core.store.layout.first_of_row(row), row_units);
            self.move_row_untimed(die, row, mask, origin);
        }
    }

    /// Moves the units that `mask` selects in a page row (pages of one number on all planes; numbered over the drive)
    /// to new places on the same die, without simulated time.
    #[inline]
    fn move_row_untimed(&mut self, die: usize, row: u32, mask: u64, origin: Origin) {
        let first = self.core.store.layout.first_of_row(row);
        self.core.store.stats.units_programmed[origin as usize] += u64::from(mask.count_ones());
        // Where the units live is all over the map: it is asked for at once, not unit by unit.
        for place in places(first, mask) {
            self.core.store.map.prefetch_lookup(self.core.store.map.holder(place));
        }
        let by_origin = self.core.assembly.streams.by_origin();
        for old in places(first, mask) {
            let lpn = self.core.store.map.holder(old);
            let stream = match by_origin {
                Some(answer) => answer.moved,
                None => self.core.assembly.streams.of_moved_unit(&self.core.store, lpn, old),
            };
            if self.core.store.space.dies[die].frontiers[stream].superblock == NONE {
                assert!(self.core.open(die, stream), "collection took a victim without room for it");
            }
            self.put_untimed(die, stream, lpn);
            self.core.invalidate(old);
        }
    }

    /// Erases a superblock without simulated time, and then each superblock that wear levelling relocates because of an
    /// erase.
    fn erase_untimed(&mut self, die: usize, superblock: u32) {
        let mut next = Some(superblock);
        while let Some(erased) = next.take() {
            self.core.erased_in_a_row += 1;
            let wear = self.core.store.controller.wear_row(|| self.core.store.array.worn(die as u32, erased));
            if self.erase(die, erased, Origin::Gc) == Erased::Lost {
                return self.core.lose_superblock(die, self.core.store.space.global(die, erased));
            }
            let Some(cold) = self.free_erased(die, erased, wear) else { return };
            let global = self.core.store.space.global(die, cold);
            self.core.store.space.take(die, cold);
            if !self.core.turns_in_vain()
                && self.core.has_room_untimed(die, self.core.store.space.valid[global])
            {
                self.move_all_untimed(die, global as u32, Origin::Wear);
                next = Some(cold);
            } else {
                self.core.store.space.close(die, cold);
            }
        }
    }
}

impl Untimed for PageMapped {
    fn write_untimed(&mut self, lpn: Lpn) {
        assert!(self.try_write_untimed(lpn), "no die has room for another unit: {}", self.explain_stall());
    }

    fn try_write_untimed(&mut self, lpn: Lpn) -> bool {
        self.media.features.looks_up_untimed(lpn);
        if !self.put_host_untimed(lpn, Origin::Host) {
            return false;
        }
        self.media.core.store.count_written(1);
        self.write_map_untimed()
    }

    fn trim_untimed(&mut self, lpn: Lpn) {
        if let Some(eager) = &mut self.upkeep.eager {
            eager.newest.remove(&lpn.0);
        }
        let home = self.media.core.store.map.lookup(lpn);
        if home == Ppa::NONE {
            return;
        }
        self.media.features.changes(lpn);
        self.media.core.store.map.clear(lpn);
        self.media.invalidate_host(home);
        self.media.core.store.emptied.clear();
        self.media.core.store.stats.units_trimmed += 1;
    }

    fn write_in_order(&mut self, first: Lpn, count: u32) -> u32 {
        self.lay_in_order(first, count)
    }

    /// Returns the number of superblocks that garbage collection without simulated time has erased since the host last
    /// wrote a unit, once the number exceeds what any useful collection needs (the chosen victims free no space);
    /// `None` below that limit.
    fn erased_in_vain(&self) -> Option<u64> {
        self.media.core.turns_in_vain().then_some(self.media.core.erased_in_a_row)
    }

    fn settle(&mut self) {
        self.settle_map();
        self.media.features.settled(&self.media.core);
        for die in 0..self.media.core.store.layout.dies as usize {
            let streams = self.media.core.store.space.one_bit_stream;
            (0..streams).for_each(|stream| self.media.settle_stream(die, stream));
            self.media.settle_slc(die);
            self.media.update_eligible(die);
        }
    }
}
