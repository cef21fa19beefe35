//! Writes and collections without time.
//!
//! Data moves by the same map, space and policies as in a timed run; only the flash operations take no time,
//! and nothing is in flight. A collection paces the host as it does in a timed run: it moves as much as the host's
//! writes need and is then left under way, so that at any moment a die is where a busy one would be. While a die is short
//! of superblocks its collection goes first; how much the host gets done beside it is a question of times, which a
//! caller may have answered by a timed run (`set_urgent_share`). Not modelled
//! here: program failures, programs larger than a unit (frontiers are completed to a whole program unit when time
//! begins again), and pacing with parity, whose groups are reclaimed at once.

use crate::PageMapped;
use crate::space::{Frontier, NONE};
use controller::Origin;
use units::{Lpn, Ppa};

const HOST: usize = 0;

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
        self.stats.units_written += 1;
        self.write_map_untimed();
        true
    }

    /// Writes one unit, of the host's or of the map, to the host's open superblocks in no time; false when no die has
    /// room for it.
    pub(crate) fn put_host_untimed(&mut self, lpn: Lpn, origin: Origin) -> bool {
        let dies = self.layout.dies as usize;
        debug_assert!(
            self.snapshots().is_none_or(|snapshots| snapshots.kept().len() == 0),
            "snapshots need time"
        );
        // Whole program units go to one die after the other, as they do in a timed run.
        let programs = self.stats.units_written / u64::from(self.layout.program_units);
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
        self.stats.units_written += 1;
        self.write_map_untimed();
        true
    }

    /// The host no longer needs a unit.
    pub fn trim_untimed(&mut self, lpn: Lpn) {
        let home = self.map.lookup(lpn);
        if home == Ppa::NONE {
            return;
        }
        self.note_change(lpn);
        self.map.clear(lpn);
        let superblock = self.invalidate(home);
        self.space.dies[(superblock / self.space.per_die) as usize].live -= 1;
        self.emptied.clear();
        self.stats.units_trimmed += 1;
    }

    fn put_on_die_untimed(&mut self, die: usize, lpn: Lpn, origin: Origin) {
        self.stats.units_programmed[origin as usize] += 1;
        // In mixed mode a collection of groups may fill the superblock that was just opened.
        while self.space.dies[die].frontiers[HOST].superblock == NONE {
            assert!(self.space.open(die, HOST), "die {die} takes a write and has nothing to open");
            if self.parity.is_some() {
                self.collect_groups_untimed(die);
            }
        }
        let old = self.map.lookup(lpn);
        self.put_untimed(die, HOST, lpn);
        self.collections[die].spend();
        self.space.dies[die].live += 1;
        if old != Ppa::NONE {
            let superblock = self.invalidate(old);
            self.space.dies[(superblock / self.space.per_die) as usize].live -= 1;
        }
        self.emptied.clear();
    }

    /// True when the die can take a unit of the host's, after collecting as much as that asks for.
    fn make_room_untimed(&mut self, die: usize) -> bool {
        if self.space.dies[die].live >= self.space.dies[die].quota {
            return false;
        }
        let frontier = self.space.dies[die].frontiers[HOST];
        if self.parity.is_some() {
            if frontier.superblock == NONE {
                self.collect_groups_untimed(die);
            }
        } else {
            if frontier.superblock == NONE {
                // In time a collection that paces the host comes to its end a little before the host needs it.
                while self.go_on_untimed(die) {}
            } else if self.collections[die].victim == NONE
                && frontier.next_unit.is_multiple_of(self.layout.program_units)
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
        let space = &self.space.dies[die];
        space.frontiers[HOST].superblock != NONE || self.free_superblocks(die) >= 2 + self.spare
    }

    /// True while the die is short of superblocks, so that what it collects goes before the host's programs.
    #[inline]
    fn is_urgent(&self, die: usize) -> bool {
        self.collections[die].victim != NONE
            && self.free_superblocks(die) < 2
            && self.controller.hastens_collection()
    }

    /// Units the host earns by each unit that the first die moves, while what it collects goes before the host's programs
    /// and paces them; none while it does not.
    pub fn urgent_rate(&self) -> Option<f64> {
        let collection = &self.collections[0];
        (self.is_urgent(0) && collection.is_pacing()).then_some(collection.rate)
    }

    /// The drive stands for one with more superblocks in a die, of which it has this part.
    pub fn stand_for(&mut self, part: f64) {
        self.space.dies.iter_mut().for_each(|die| die.victim.stand_for(part));
    }

    /// See [`Self::set_urgent_share`].
    pub fn urgent_share(&self) -> f64 {
        self.urgent_share
    }

    /// How much of what the host earns by a collection that goes before its programs it comes to use, from 0 to 1: as
    /// found in time.
    pub fn set_urgent_share(&mut self, share: f64) {
        self.urgent_share = share;
    }

    /// As [`Self::has_own_room`], for a single unit.
    #[inline]
    fn has_own_room_untimed(&self, die: usize) -> bool {
        let open = self.space.dies[die].frontiers[HOST].superblock != NONE;
        if open && !self.mixed { !self.collections[die].holds_host_back() } else { self.has_own_room(die) }
    }

    /// Puts a unit into the open superblock of a stream and makes it the unit's home.
    #[inline]
    fn put_untimed(&mut self, die: usize, stream: usize, lpn: Lpn) {
        let space = &mut self.space.dies[die];
        space.clock += 1;
        let frontier = &mut space.frontiers[stream];
        let superblock = frontier.superblock;
        let global = die as u32 * self.layout.superblocks_per_die + superblock;
        let ppa = Ppa(self.layout.first_ppa(global) + frontier.next_unit);
        frontier.next_unit += 1;
        let (first, full) = (frontier.next_unit == 1, frontier.next_unit == self.layout.data_units());
        self.map.assign(ppa, lpn);
        self.note_change(lpn);
        self.map.set(lpn, ppa);
        self.space.valid[global as usize] += 1;
        if full {
            self.space.dies[die].frontiers[stream] = Frontier::CLOSED;
            self.array.restore(global as usize, self.layout.rows);
            self.stats.units_programmed[Origin::Map as usize] += u64::from(self.layout.summary_units);
            self.note_closed(global as usize);
            self.space.close(die, superblock);
        }
        if (first || full) && self.parity.is_some() {
            let programs = if full { self.layout.superblock_units / self.layout.program_units } else { 1 };
            self.note_written_untimed(global, programs);
        }
    }

    fn collect_groups_untimed(&mut self, die: usize) {
        while self.trigger.foreground(&self.trigger_view(die)) {
            let Some(victim) = self.space.pick_victim(die) else { return };
            let global = self.space.global(die, victim) as u32;
            if !self.reclaim_group_untimed(global, Origin::Gc) {
                return;
            }
        }
    }

    /// Takes the next victim, if one is wanted and there is room for all it holds.
    fn take_untimed(&mut self, die: usize) -> bool {
        if !self.trigger.foreground(&self.trigger_view(die)) {
            return false;
        }
        let Some(victim) = self.space.pick_victim(die) else { return false };
        if !self.has_room_untimed(die, self.space.valid[self.space.global(die, victim)]) {
            return false;
        }
        self.space.take(die, victim);
        self.begin_victim(die, victim, Origin::Gc);
        true
    }

    /// Lets the die's collection move some units, or erase what it has emptied; false when it has nothing to do.
    fn go_on_untimed(&mut self, die: usize) -> bool {
        if self.collections[die].victim == NONE && !self.take_untimed(die) {
            return false;
        }
        let victim = self.collections[die].victim;
        let global = self.space.global(die, victim) as u32;
        while self.collections[die].next_row < self.layout.rows {
            let row = self.collections[die].next_row;
            self.collections[die].next_row += 1;
            let moved = self.move_row_untimed(die, global, row, Origin::Gc);
            let share = if self.is_urgent(die) { self.urgent_share } else { 1.0 };
            self.collections[die].earn(f64::from(moved) * share, self.layout.program_units);
            if moved > 0 && self.collections[die].next_row < self.layout.rows {
                return true;
            }
        }
        self.collections[die].victim = NONE;
        self.erase_untimed(die, victim);
        true
    }

    pub(crate) fn move_all_untimed(&mut self, die: usize, global: u32, origin: Origin) {
        for row in 0..self.layout.rows {
            self.move_row_untimed(die, global, row, origin);
        }
    }

    /// Moves what is valid in a page row of a superblock; gives how many units that were.
    fn move_row_untimed(&mut self, die: usize, global: u32, row: u32, origin: Origin) -> u32 {
        let stream = usize::from(!self.mixed);
        let start = self.layout.first_ppa(global) + row * self.layout.row_units;
        let mut mask = self.map.valid_mask(start, self.layout.row_units);
        let moved = mask.count_ones();
        while mask != 0 {
            let old = Ppa(start + mask.trailing_zeros());
            mask &= mask - 1;
            if self.space.dies[die].frontiers[stream].superblock == NONE {
                assert!(self.space.open(die, stream), "collection took a victim without room for it");
            }
            let lpn = self.map.holder(old);
            self.put_untimed(die, stream, lpn);
            self.invalidate(old);
            self.stats.units_programmed[origin as usize] += 1;
        }
        moved
    }

    fn erase_untimed(&mut self, die: usize, superblock: u32) {
        let global = self.space.global(die, superblock);
        self.space.dies[die].erases += 1;
        self.stats.blocks_erased[Origin::Gc as usize] += u64::from(self.layout.planes);
        let wear = self.controller.wear_row(|| self.array.worn(die as u32, superblock));
        let done = self.array.erase(die as u32, superblock);
        if !done && self.array.retire(die as u32, superblock) == nand::RetireOutcome::Lost {
            self.lose_superblock(die, global);
            return;
        }
        self.space.pe_cycles[global] = self.array.pe_cycles(die as u32, superblock);
        self.observe_erase(die, superblock, wear);
        self.space.push_free(die, superblock);
        if let Some(cold) = self.space.pick_relocation(die, superblock) {
            self.space.take(die, cold);
            let cold_global = self.space.global(die, cold) as u32;
            if self.has_room_untimed(die, self.space.valid[cold_global as usize]) {
                self.move_all_untimed(die, cold_global, Origin::Gc);
                self.erase_untimed(die, cold);
            } else {
                self.space.close(die, cold);
            }
        }
    }

    pub(crate) fn has_room_untimed(&self, die: usize, units: u32) -> bool {
        let space = &self.space.dies[die];
        let left = space.frontiers[usize::from(!self.mixed)].left(&self.layout);
        left + self.free_superblocks(die) * self.layout.data_units() >= units
    }

    /// Wears every block by `times` times the cycles of `worn`: whole generations of the same erases.
    pub fn wear_on(&mut self, worn: &[u32], times: u32) {
        self.array.wear_on(worn, times);
        for die in 0..self.layout.dies as usize {
            for superblock in 0..self.layout.superblocks_per_die {
                let global = self.space.global(die, superblock);
                self.space.pe_cycles[global] = self.array.pe_cycles(die as u32, superblock);
            }
        }
    }

    /// Lets time begin again: open superblocks are completed to whole program units.
    pub fn settle(&mut self) {
        self.settle_map();
        self.settle_sectors();
        for die in 0..self.layout.dies as usize {
            for stream in 0..2 {
                let frontier = &mut self.space.dies[die].frontiers[stream];
                let superblock = frontier.superblock;
                if superblock == NONE {
                    continue;
                }
                frontier.next_unit = frontier.next_unit.next_multiple_of(self.layout.program_units);
                let (next_unit, full) = (frontier.next_unit, frontier.next_unit == self.layout.data_units());
                if full {
                    *frontier = Frontier::CLOSED;
                }
                let global = self.space.global(die, superblock);
                let rows = if full { self.layout.rows } else { next_unit / self.layout.row_units };
                self.array.restore(global, rows);
                if full {
                    self.space.close(die, superblock);
                }
                self.note_written_untimed(global as u32, rows / self.layout.program_rows);
            }
            self.update_eligible(die);
        }
    }
}
