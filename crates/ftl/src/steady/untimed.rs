//! Writes and collections without time.
//!
//! Data moves by the same map, space and policies as in a timed run; only the flash operations take no time,
//! and nothing is in flight. A collection paces the host as it does in a timed run: it moves as much as the host's
//! writes need and is then left under way, so that at any moment a die is where a busy one would be. While a die is short
//! of superblocks its collection goes first; how much the host gets done beside it is a question of times, which a
//! caller may have answered by a timed run (`set_urgent_share`). Not modelled
//! here: program failures, programs larger than a unit (frontiers are completed to a whole program unit when time
//! begins again), and pacing with parity, whose groups are reclaimed at once.

use crate::host_side::Sectored;
use crate::pages::PageMapped;
use crate::store::{Frontier, HOST, NONE};
use controller::Origin;
use units::{Lpn, Ppa};

impl PageMapped {
    /// Writes one unit in no time.
    ///
    /// # Panics
    /// When no die has room, which [`PageMapped::new`] has ruled out for logical units while no block fails.
    pub fn write_untimed(&mut self, lpn: Lpn) {
        assert!(self.try_write_untimed(lpn), "no die has room for another unit: {}", self.explain_stall());
    }

    /// Writes one unit in no time; false when no die has room for it, as blocks that failed can bring about.
    pub fn try_write_untimed(&mut self, lpn: Lpn) -> bool {
        self.look_up_untimed(lpn);
        if !self.put_host_untimed(lpn, Origin::Host) {
            return false;
        }
        self.media.store.stats.units_written += 1;
        self.write_map_untimed();
        true
    }

    /// Writes one unit, of the host's or of the map, to the host's open superblocks in no time; false when no die has
    /// room for it.
    pub(crate) fn put_host_untimed(&mut self, lpn: Lpn, origin: Origin) -> bool {
        let dies = self.media.store.layout.dies as usize;
        debug_assert!(
            self.snapshots().is_none_or(|snapshots| snapshots.kept().len() == 0),
            "snapshots need time"
        );
        // Whole program units go to one die after the other, as they do in a timed run.
        let programs =
            self.media.store.stats.units_written / u64::from(self.media.store.layout.program_units);
        let start = (programs % dies as u64) as usize;
        let die = (0..dies)
            .map(|step| if start + step >= dies { start + step - dies } else { start + step })
            .find(|&die| self.make_room_untimed(die));
        let Some(die) = die else { return false };
        self.put_on_die_untimed(die, lpn, origin);
        true
    }

    /// Writes one unit of the host's to a die of the caller's choice in no time; false when it has no room for it.
    pub fn write_to_die_untimed(&mut self, die: usize, lpn: Lpn) -> bool {
        if !self.make_room_untimed(die) {
            return false;
        }
        self.look_up_untimed(lpn);
        self.put_on_die_untimed(die, lpn, Origin::Host);
        self.media.store.stats.units_written += 1;
        self.write_map_untimed();
        true
    }

    /// The host no longer needs a unit.
    pub fn trim_untimed(&mut self, lpn: Lpn) {
        let home = self.media.store.map.lookup(lpn);
        if home == Ppa::NONE {
            return;
        }
        self.media.note_change(lpn);
        self.media.store.map.clear(lpn);
        let superblock = self.media.invalidate(home);
        self.media.store.space.dies[(superblock / self.media.store.space.per_die) as usize].live -= 1;
        self.media.store.emptied.clear();
        self.media.store.stats.units_trimmed += 1;
    }

    fn put_on_die_untimed(&mut self, die: usize, lpn: Lpn, origin: Origin) {
        self.media.store.stats.units_programmed[origin as usize] += 1;
        // In mixed mode a collection of groups may fill the superblock that was just opened.
        while self.media.store.space.dies[die].frontiers[HOST].superblock == NONE {
            assert!(
                self.media.store.space.open(die, HOST),
                "die {die} takes a write and has nothing to open"
            );
            if self.media.guards.parity.is_some() {
                self.collect_groups_untimed(die);
            }
        }
        let old = self.media.store.map.lookup(lpn);
        self.put_untimed(die, HOST, lpn);
        self.media.movers[die].spend();
        self.media.store.space.dies[die].live += 1;
        if old != Ppa::NONE {
            let superblock = self.media.invalidate(old);
            self.media.store.space.dies[(superblock / self.media.store.space.per_die) as usize].live -= 1;
        }
        self.media.store.emptied.clear();
    }

    /// True when the die can take a unit of the host's, after collecting as much as that asks for.
    fn make_room_untimed(&mut self, die: usize) -> bool {
        if self.media.store.space.dies[die].live >= self.media.store.space.dies[die].quota {
            return false;
        }
        let frontier = self.media.store.space.dies[die].frontiers[HOST];
        if self.media.guards.parity.is_some() {
            if frontier.superblock == NONE {
                self.collect_groups_untimed(die);
            }
        } else {
            if frontier.superblock == NONE {
                // In time a collection that paces the host comes to its end a little before the host needs it.
                while self.go_on_untimed(die) {}
            } else if self.media.movers[die].victim == NONE
                && frontier.next_unit.is_multiple_of(self.media.store.layout.program_units)
            {
                self.take_untimed(die);
            }
            while !self.has_own_room_untimed(die) {
                if !self.go_on_untimed(die) {
                    break;
                }
            }
            if self.has_own_room_untimed(die) {
                return true;
            }
        }
        // Units come one by one here, so that less than a program unit may be left; and nothing is in hand.
        let space = &self.media.store.space.dies[die];
        space.frontiers[HOST].superblock != NONE
            || self.media.free_superblocks(die) >= 2 + self.media.rules.spare
    }

    /// True while the die is short of superblocks, so that what it collects goes before the host's programs.
    #[inline]
    fn is_urgent(&self, die: usize) -> bool {
        self.media.movers[die].victim != NONE
            && self.media.free_superblocks(die) < 2
            && self.media.store.controller.hastens_collection()
    }

    /// Units the host earns by each unit that the first die moves, while what it collects goes before the host's programs
    /// and paces them; none while it does not.
    pub fn urgent_rate(&self) -> Option<f64> {
        let collection = &self.media.movers[0];
        (self.is_urgent(0) && collection.is_pacing()).then_some(collection.rate)
    }

    /// The drive stands for one with more superblocks in a die, of which it has this part.
    pub fn stand_for(&mut self, part: f64) {
        self.media.store.space.dies.iter_mut().for_each(|die| die.victim.stand_for(part));
    }

    /// See [`Self::set_urgent_share`].
    pub fn urgent_share(&self) -> f64 {
        self.upkeep.urgent_share
    }

    /// How much of what the host earns by a collection that goes before its programs it comes to use, from 0 to 1: as
    /// found in time.
    pub fn set_urgent_share(&mut self, share: f64) {
        self.upkeep.urgent_share = share;
    }

    /// As [`Self::has_own_room`], for a single unit.
    #[inline]
    fn has_own_room_untimed(&self, die: usize) -> bool {
        let open = self.media.store.space.dies[die].frontiers[HOST].superblock != NONE;
        if open && !self.media.rules.mixed {
            !self.media.movers[die].holds_host_back()
        } else {
            self.media.has_own_room(die)
        }
    }

    /// Puts a unit into the open superblock of a stream and makes it the unit's home.
    #[inline]
    fn put_untimed(&mut self, die: usize, stream: usize, lpn: Lpn) {
        let space = &mut self.media.store.space.dies[die];
        space.clock += 1;
        let frontier = &mut space.frontiers[stream];
        let superblock = frontier.superblock;
        let global = die as u32 * self.media.store.layout.superblocks_per_die + superblock;
        let ppa = Ppa(self.media.store.layout.first_ppa(global) + frontier.next_unit);
        frontier.next_unit += 1;
        let (first, full) =
            (frontier.next_unit == 1, frontier.next_unit == self.media.store.layout.data_units());
        self.media.store.map.assign(ppa, lpn);
        self.media.note_change(lpn);
        self.media.store.map.set(lpn, ppa);
        self.media.store.space.valid[global as usize] += 1;
        if full {
            self.media.store.space.dies[die].frontiers[stream] = Frontier::CLOSED;
            self.media.store.array.restore(global as usize, self.media.store.layout.rows);
            self.media.store.stats.units_programmed[Origin::Map as usize] +=
                u64::from(self.media.store.layout.summary_units);
            self.media.note_closed(global as usize);
            self.media.store.space.close(die, superblock);
        }
        if (first || full) && self.media.guards.parity.is_some() {
            let programs = if full {
                self.media.store.layout.superblock_units / self.media.store.layout.program_units
            } else {
                1
            };
            self.note_written_untimed(global, programs);
        }
    }

    fn collect_groups_untimed(&mut self, die: usize) {
        while self.upkeep.trigger.foreground(&self.upkeep.trigger_view(&self.media, die)) {
            let Some(victim) = self.media.store.space.pick_victim(die) else { return };
            let global = self.media.store.space.global(die, victim) as u32;
            if !self.reclaim_group_untimed(global, Origin::Gc) {
                return;
            }
        }
    }

    /// Takes the next victim, if one is wanted and there is room for all it holds.
    fn take_untimed(&mut self, die: usize) -> bool {
        if !self.upkeep.trigger.foreground(&self.upkeep.trigger_view(&self.media, die)) {
            return false;
        }
        let Some(victim) = self.media.store.space.pick_victim(die) else { return false };
        if !self
            .has_room_untimed(die, self.media.store.space.valid[self.media.store.space.global(die, victim)])
        {
            return false;
        }
        self.media.store.space.take(die, victim);
        self.media.begin_victim(die, victim, Origin::Gc);
        true
    }

    /// Lets the die's collection move some units, or erase what it has emptied; false when it has nothing to do.
    fn go_on_untimed(&mut self, die: usize) -> bool {
        if self.media.movers[die].victim == NONE && !self.take_untimed(die) {
            return false;
        }
        let victim = self.media.movers[die].victim;
        let global = self.media.store.space.global(die, victim) as u32;
        while self.media.movers[die].next_row < self.media.store.layout.rows {
            let row = self.media.movers[die].next_row;
            self.media.movers[die].next_row += 1;
            let moved = self.move_row_untimed(die, global, row, Origin::Gc);
            let share = if self.is_urgent(die) { self.upkeep.urgent_share } else { 1.0 };
            self.media.movers[die].earn(f64::from(moved) * share, self.media.store.layout.program_units);
            if moved > 0 && self.media.movers[die].next_row < self.media.store.layout.rows {
                return true;
            }
        }
        self.media.movers[die].victim = NONE;
        self.erase_untimed(die, victim);
        true
    }

    pub(crate) fn move_all_untimed(&mut self, die: usize, global: u32, origin: Origin) {
        for row in 0..self.media.store.layout.rows {
            self.move_row_untimed(die, global, row, origin);
        }
    }

    /// Moves what is valid in a page row of a superblock; gives how many units that were.
    fn move_row_untimed(&mut self, die: usize, global: u32, row: u32, origin: Origin) -> u32 {
        let stream = usize::from(!self.media.rules.mixed);
        let start = self.media.store.layout.first_ppa(global) + row * self.media.store.layout.row_units;
        let mut mask = self.media.store.map.valid_mask(start, self.media.store.layout.row_units);
        let moved = mask.count_ones();
        while mask != 0 {
            let old = Ppa(start + mask.trailing_zeros());
            mask &= mask - 1;
            if self.media.store.space.dies[die].frontiers[stream].superblock == NONE {
                assert!(
                    self.media.store.space.open(die, stream),
                    "collection took a victim without room for it"
                );
            }
            let lpn = self.media.store.map.holder(old);
            self.put_untimed(die, stream, lpn);
            self.media.invalidate(old);
            self.media.store.stats.units_programmed[origin as usize] += 1;
        }
        moved
    }

    fn erase_untimed(&mut self, die: usize, superblock: u32) {
        let global = self.media.store.space.global(die, superblock);
        self.media.store.space.dies[die].erases += 1;
        self.media.store.stats.blocks_erased[Origin::Gc as usize] +=
            u64::from(self.media.store.layout.planes);
        let wear =
            self.media.store.controller.wear_row(|| self.media.store.array.worn(die as u32, superblock));
        let done = self.media.store.array.erase(die as u32, superblock);
        if !done && self.media.store.array.retire(die as u32, superblock) == nand::RetireOutcome::Lost {
            self.media.lose_superblock(die, global);
            return;
        }
        self.media.store.space.pe_cycles[global] = self.media.store.array.pe_cycles(die as u32, superblock);
        self.media.observe_erase(die, superblock, wear);
        self.media.store.space.push_free(die, superblock);
        if let Some(cold) = self.media.store.space.pick_relocation(die, superblock) {
            self.media.store.space.take(die, cold);
            let cold_global = self.media.store.space.global(die, cold) as u32;
            if self.has_room_untimed(die, self.media.store.space.valid[cold_global as usize]) {
                self.move_all_untimed(die, cold_global, Origin::Gc);
                self.erase_untimed(die, cold);
            } else {
                self.media.store.space.close(die, cold);
            }
        }
    }

    pub(crate) fn has_room_untimed(&self, die: usize, units: u32) -> bool {
        let space = &self.media.store.space.dies[die];
        let left = space.frontiers[usize::from(!self.media.rules.mixed)].left(&self.media.store.layout);
        left + self.media.free_superblocks(die) * self.media.store.layout.data_units() >= units
    }

    /// Lets time begin again: open superblocks are completed to whole program units.
    pub fn settle(&mut self) {
        self.settle_map();
        self.settle_sectors();
        for die in 0..self.media.store.layout.dies as usize {
            for stream in 0..2 {
                let frontier = &mut self.media.store.space.dies[die].frontiers[stream];
                let superblock = frontier.superblock;
                if superblock == NONE {
                    continue;
                }
                frontier.next_unit =
                    frontier.next_unit.next_multiple_of(self.media.store.layout.program_units);
                let (next_unit, full) =
                    (frontier.next_unit, frontier.next_unit == self.media.store.layout.data_units());
                if full {
                    *frontier = Frontier::CLOSED;
                }
                let global = self.media.store.space.global(die, superblock);
                let rows = if full {
                    self.media.store.layout.rows
                } else {
                    next_unit / self.media.store.layout.row_units
                };
                self.media.store.array.restore(global, rows);
                if full {
                    self.media.store.space.close(die, superblock);
                }
                self.note_written_untimed(global as u32, rows / self.media.store.layout.program_rows);
            }
            self.media.update_eligible(die);
        }
    }
}
