//! The shares of a die's room that the host, collection and features may take, so that collections can always go on.

use super::reclaim_groups::crowded_groups;
use super::{Collection, Core};
use crate::Mark;
use crate::gc::trigger::KEPT_BESIDE_FREE;
use crate::store::{Mover, NONE, SuperblockState};

/// Constant: number of streams, each with an open superblock, that the constant [`KEPT_BESIDE_FREE`] already allows
/// for; only further streams are counted in addition.
const STREAMS_COUNTED: u32 = 2;

impl Core {
    /// Returns the number of superblocks of a die that host data can never fill: free ones that garbage collection
    /// needs, one open superblock for each stream (write frontier), and one in which garbage collection can gain space.
    pub fn reserved_superblocks(&self) -> u32 {
        let more_streams = self.assembly.streams.count().saturating_sub(STREAMS_COUNTED);
        self.rules.foreground_limit + KEPT_BESIDE_FREE + more_streams + self.rules.spare
    }

    /// Returns the number of superblocks of a die that are free or open, not closed, while the drive is written in
    /// steady state.
    pub fn superblocks_kept(&self) -> u32 {
        let held = self.store.space.dies.iter().map(|die| die.held).max().unwrap_or(0);
        self.rules.foreground_limit + held + self.assembly.streams.count()
    }

    /// Returns the number of mapping units of a superblock that count as capacity: the rest may be lost to padding in
    /// each stream (write frontier) that takes moved data.
    pub fn useful_units(&self) -> u32 {
        let layout = &self.store.layout;
        layout.data_units().saturating_sub(self.assembly.streams.moved_count() * (layout.program_units - 1))
    }

    /// Returns the greatest number of live (valid) mapping units that a die may hold if `taken` of its superblocks
    /// serve other purposes than data.
    pub fn quota_beside(&self, die: usize, taken: u32) -> u32 {
        let usable = self.store.space.dies[die].usable.saturating_sub(self.reserved_superblocks() + taken);
        usable * self.useful_units()
    }

    /// Returns the number of free superblocks of a die that no feature (such as the SLC cache) claims.
    #[inline]
    pub fn free_superblocks(&self, die: usize) -> u32 {
        let space = &self.store.space.dies[die];
        (space.free.len() as u32).saturating_sub(space.claimed)
    }

    /// Opens a superblock for a stream of a die, with all bits per cell, if there is a free superblock that no feature
    /// claims, or another stream's open superblock to take over; false if there is neither.
    #[inline]
    pub fn open_own(&mut self, die: usize, stream: usize) -> bool {
        (self.free_superblocks(die) > 0
            || self
                .assembly
                .streams
                .can_take_over(&self.store, die, stream, &self.collections[die].mover)
                .is_some())
            && self.open(die, stream)
    }

    /// Returns true if superblock `within` of a die is one of the last superblocks of the die, which are reserved for
    /// the SLC cache and do not count as capacity for data.
    #[inline]
    pub fn stands_apart(&self, within: u32) -> bool {
        within >= self.rules.apart_from
    }

    /// Returns true if garbage collection does not run on the die any more: the die has failed, its superblocks may be
    /// needed to restore data of a failed die from parity, or some die of the drive had failed before simulated time
    /// began.
    #[inline]
    pub fn rests(&self, die: usize) -> bool {
        let dead = &self.store.dead;
        dead.from_start != NONE || (dead.are_any() && (dead.has(die) || self.rules.in_step))
    }

    /// Returns true if another program of the host's stream may be queued at the die.
    #[inline]
    pub fn has_program_place(&self, die: usize) -> bool {
        self.assembly.bound[die] < self.assembly.program_queue
    }

    /// Returns true if the die may take the data of another program unit without exceeding its quota (greatest number
    /// of live mapping units).
    #[inline]
    pub fn is_within_quota(&self, die: usize) -> bool {
        let space = &self.store.space.dies[die];
        space.live + self.store.layout.program_units <= space.quota
    }

    /// Returns the number of mapping units of free space gained by reclaiming a superblock with `valid` valid units,
    /// which are programmed elsewhere in whole program units.
    pub fn gain_of(&self, valid: u32) -> u32 {
        self.store.layout.data_units().saturating_sub(valid.next_multiple_of(self.store.layout.program_units))
    }

    /// Returns a record of the FTL's present counters, with the numbers of mapping units that wait in the write buffer
    /// and that garbage collection has yet to move.
    pub fn mark(&self) -> Mark {
        let in_hand = |(die, collection): (usize, &Collection)| -> u64 {
            let valid =
                |superblock: u32| u64::from(self.store.space.valid[self.store.space.global(die, superblock)]);
            collection.in_hand().map(valid).sum()
        };
        Mark {
            stats: self.store.stats,
            units_waiting: u64::from(self.buffer.dirty_slots()),
            units_to_move: self.collections.iter().enumerate().map(in_hand).sum(),
        }
    }

    pub fn update_quota(&mut self, die: usize) {
        let quota = self.quota_beside(die, self.store.space.dies[die].lent);
        // Where nothing counts the quota is nothing, and the drive is refused.
        let useful = self.useful_units().max(1);
        let need = (self.rules.mapped_units / u64::from(self.store.layout.dies)).div_ceil(u64::from(useful));
        // Groups that protect each other are reclaimed as a whole: they need all the room there is.
        let beyond = if self.rules.in_step { 0 } else { (quota / useful).saturating_sub(need as u32) };
        let space = &mut self.store.space.dies[die];
        space.quota = quota;
        space.held = (f64::from(beyond) * space.wear.held_back()) as u32;
    }

    /// Returns the number of mapping units that all dies together can hold while garbage collection can always
    /// continue.
    pub fn sustainable_units(&self) -> u64 {
        let reserved = self.rules.apart;
        let quotas: u64 =
            (0..self.store.space.dies.len()).map(|die| u64::from(self.quota_beside(die, reserved))).sum();
        quotas.saturating_sub(u64::from(self.store.layout.dies) * u64::from(self.store.layout.program_units))
    }

    /// Returns the number of spare mapping units: capacity that neither host data, the map nor garbage collection
    /// needs.
    pub fn spare_units(&self) -> u64 {
        self.sustainable_units().saturating_sub(self.rules.mapped_units)
    }

    /// Returns true if `left` mapping units in the open superblock and `free` free superblocks are enough for garbage
    /// collection after the host's next program: to move all units that it has taken, and to find a free superblock for
    /// the next victim.
    pub fn keeps_room(&self, die: usize, left: u32, free: u32) -> bool {
        let (units, program) = (self.store.layout.data_units(), self.store.layout.program_units);
        let reserved = self.reserved_units(die) + self.assembly.streams.unusable_units();
        let expected = self.collections[die].expected_superblocks();
        // What several streams make unusable `spare` counts by superblocks.
        let kept = (1 + self.rules.spare - self.assembly.streams.spare()) * units;
        // Padding may take the rest of a program unit that was begun: only whole ones count for what is in hand.
        left - left % program + free * units >= reserved.next_multiple_of(program)
            && left + (free + expected) * units >= reserved + kept
    }

    /// Returns true if host data or folded data (moved out of SLC mode) may take a program unit of a stream's
    /// superblock that uses all bits per cell without space that garbage collection needs; false while it makes the
    /// host wait.
    #[inline]
    pub fn has_own_room(&self, die: usize, stream: usize) -> bool {
        if self.collections[die].holds_host_back() || self.turns.is_burst() {
            return false;
        }
        let space = &self.store.space.dies[die];
        let (units, program) = (self.store.layout.data_units(), self.store.layout.program_units);
        let free = self.free_superblocks(die);
        let left = space.frontiers[stream].left(&self.store.layout);
        let suffices = |left: u32, free: u32| self.keeps_room(die, left, free);
        match (left >= program, self.assembly.streams.is_shared(stream)) {
            (true, false) => true,
            (true, true) => suffices(self.assembly.streams.moving_left(&self.store, die) - program, free),
            (false, true) => {
                free >= 1
                    && suffices(
                        self.assembly.streams.moving_left(&self.store, die) - left + units - program,
                        free - 1,
                    )
            }
            (false, false) => match self.assembly.streams.can_take_over(
                &self.store,
                die,
                stream,
                &self.collections[die].mover,
            ) {
                Some(other) => {
                    let taken = space.frontiers[other].left(&self.store.layout);
                    suffices(self.assembly.streams.moving_left(&self.store, die) - taken, free)
                }
                None => free >= 2 && suffices(self.assembly.streams.moving_left(&self.store, die), free - 1),
            },
        }
    }

    /// Returns true if the die has free space to relocate `units` mapping units, beside the space reserved for garbage
    /// collection victims already taken.
    pub fn has_room_for(&self, die: usize, units: u32) -> bool {
        let program_units = self.store.layout.program_units;
        let left = self.assembly.streams.moving_left_whole(&self.store, die);
        let mut reserved = self.reserved_units(die) + self.assembly.streams.unusable_units();
        if self.assembly.streams.of_moved().any(|stream| self.assembly.streams.is_shared(stream)) {
            reserved = reserved.next_multiple_of(program_units);
        }
        let room = left + self.free_superblocks(die) * self.store.layout.data_units();
        room >= reserved + units.next_multiple_of(program_units)
    }

    /// Returns an upper bound of the number of mapping units of free space that the die's garbage collection still
    /// needs to relocate the superblocks that it has taken.
    #[inline]
    pub fn reserved_units(&self, die: usize) -> u32 {
        let collection = &self.collections[die];
        // Members of groups come when their group is taken, not one after the other: each may need padding. So does each
        // stream of several.
        let several = self.assembly.streams.moved_count() > 1;
        let pads = if self.rules.in_step || several {
            collection.under_way() as u32
                * self.assembly.streams.moved_count()
                * self.store.layout.program_units
        } else {
            0
        };
        collection.reserved_units(&self.store.space, die) + pads
    }

    /// Returns true if the valid units of superblocks that garbage collection has taken fit into the free space of the
    /// die. Checked only where the host and moved data share an open superblock, without parity groups, SLC cache,
    /// copyback, failed programs and a failed die; true in all other cases.
    pub fn fits_in_hand(&self, die: usize) -> bool {
        let others = self.rules.in_step || !self.store.space.one_bit.is_empty() || self.rules.copyback;
        let mixed = self.assembly.streams.by_origin().is_some_and(|answer| answer.host == answer.moved);
        if !mixed || others || self.store.stats.program_failures > 0 || self.store.dead.has(die) {
            return true;
        }
        let collection = &self.collections[die];
        let mut units = collection.mover.units_in_hand();
        let Mover { victim, next_row, .. } = collection.mover;
        if victim != NONE {
            let first = self.store.layout.first_ppa(self.store.space.global(die, victim) as u32);
            let rows = next_row..self.store.layout.rows;
            let starts = rows.map(|row| first + u64::from(row * self.store.layout.row_units));
            units += starts
                .map(|at| self.store.map.valid_mask(at, self.store.layout.row_units).count_ones())
                .sum::<u32>();
        }
        self.assembly.streams.moving_left(&self.store, die)
            + self.free_superblocks(die) * self.store.layout.data_units()
            >= units
    }

    pub fn lose_superblock(&mut self, die: usize, global: usize) {
        self.store.space.state[global] = SuperblockState::Lost;
        self.store.space.pe_cycles[global] = 0; // Its wear counts no more.
        // The cache's own superblocks are none that data can count on.
        let within = global as u32 % self.store.space.per_die;
        let counted = u32::from(!self.stands_apart(within));
        // None of a die that failed counts any more.
        self.store.space.dies[die].usable = self.store.space.dies[die].usable.saturating_sub(counted);
        self.store.stats.superblocks_lost += 1;
        self.update_quota(die);
        self.note_lost_room();
    }

    /// Makes the drive read-only if its good superblocks, or the good superblocks of some reclaim groups, can no longer
    /// hold all logical units that may be written to them.
    pub fn note_lost_room(&mut self) {
        self.read_only |=
            self.sustainable_units() < self.rules.mapped_units || crowded_groups(self).is_some();
        if let Some(handles) = self.assembly.streams.handles.as_mut().filter(|_| self.read_only) {
            handles.open_all_groups();
        }
    }
}
