//! What the clock brings back on a map of blocks: a block that must be written anew is sealed and emptied, by the merges
//! that make data blocks anyway.

use super::BlockMapped;
use crate::Probe;
use crate::mapping::bank::Role;
use crate::media::Media;
use crate::store::NONE;
use crate::upkeep::{KeepsUp, Upkeep};
use controller::{Context, Origin};
use engine::Calendar;
use std::collections::BTreeSet;
use std::ops::Range;
use units::{DieId, Ppa};

impl BlockMapped {
    /// Starts the work that waits for idle time, such as the background scrub (patrol), on a die that may be idle.
    /// Units that a write cost regulator has queued to be programmed again so that later reads take less time are
    /// dropped from its list, because programming each would cost a whole merge.
    #[cold]
    pub(super) fn note_idle(&mut self, die: DieId, calendar: &mut Calendar) {
        self.media.core.wake_upkeep(calendar);
        while let Some(lpn) = self.media.features.next_anew(die.index()) {
            self.media.features.drops_anew(lpn);
        }
        if self.media.core.store.controller.is_idle(die) {
            self.media.core.collections[die.index()].idle.since = calendar.now();
            self.upkeep.arm_patrol(&mut self.media, die.index(), calendar);
        }
    }

    /// Returns the groups of logical units that have a valid unit in a block (one superblock on each die of its bank).
    fn groups_in(&self, bank: usize, block: u32) -> BTreeSet<u32> {
        let layout = &self.layout();
        let first = |position| self.ppa_at(bank, block, position).0;
        let places = (0..self.rules.group_programs)
            .filter(|&position| self.is_there(bank, block, position))
            .flat_map(|position| first(position)..first(position) + u64::from(layout.program_units));
        let valid = places.map(Ppa).filter(|&ppa| self.media.core.store.map.is_valid(ppa));
        valid.map(|ppa| self.split(self.media.core.store.map.holder(ppa)).1).collect()
    }
}

impl KeepsUp for BlockMapped {
    fn keeping(&mut self) -> (&mut Media, &mut Upkeep) {
        (&mut self.media, &mut self.upkeep)
    }

    fn is_stuck(&self) -> bool {
        self.media.core.buffer.dirty_slots() > 0 && self.media.core.store.controller.in_flight() == 0
    }

    fn is_moving(&self, die: usize) -> bool {
        let bank = &self.banks[die / self.rules.span as usize];
        bank.merging.job.is_some() || !bank.merging.reclaim.is_empty()
    }

    /// Returns the dies that take part when all valid units of superblock `superblock` are programmed elsewhere
    /// (refresh or scrub), which are all dies of its bank, and the number of mapping units that each of these dies
    /// moves: a merge copies whole groups of logical units.
    fn burden_of(&self, superblock: u32) -> (Range<usize>, u32) {
        let (bank, block) = (self.bank_of(superblock), self.block_of[superblock as usize]);
        let span = self.rules.span as usize;
        let groups = if block == NONE { 0 } else { self.groups_in(bank, block).len() as u32 };
        (bank * span..(bank + 1) * span, groups * self.layout().superblock_units)
    }

    fn write_superblock_anew<P: Probe>(
        &mut self,
        superblock: u32,
        origin: Origin,
        ctx: &mut Context<P>,
    ) -> bool {
        let (bank, block) = (self.bank_of(superblock), self.block_of[superblock as usize]);
        if block == NONE || self.media.core.store.dead.from_start != NONE {
            return false;
        }
        let state = &mut self.banks[bank];
        if state.merging.is_target(block)
            || !matches!(state.blocks[block as usize].role, Role::Data | Role::Log)
        {
            return false;
        }
        state.merging.reclaim.push_back((block, origin));
        self.media.features.counts_moved(origin);
        self.seal(bank, block, ctx);
        self.touch_bank(bank);
        true
    }
}
