//! Superblocks that are reclaimed together, because each of them is needed until none holds anything any more.

use super::Core;
use crate::Probe;
use crate::store::{PENDING_MAX, SuperblockState};
use controller::{Context, Origin};

/// The result of an erase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Erased {
    /// The superblock can be written again.
    Whole,
    /// A block of the superblock failed, and no spare block replaces it.
    Lost,
}

/// Superblocks that are reclaimed with one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Members {
    /// Superblocks that data share.
    WithData,
    /// Superblocks that data share, and the superblocks of the data's protection.
    All,
}

/// Superblocks (numbered over the drive) that were asked to be reclaimed together, each with its die.
pub(crate) struct Together {
    pub members: Vec<(usize, u32)>,
    pub origin: Origin,
    /// True if each of the dies has room for the valid units of its superblocks, which must be moved.
    pub fits: bool,
}

/// What a die's collection needs now.
pub(crate) struct Wish<'a> {
    /// True if the die needs a superblock freed, with or without host requests.
    pub foreground: bool,
    /// True if the die's collection would take a superblock now.
    pub wanted: bool,
    /// True when gaining the first number of units, out of the second, is worth the work in idle time.
    pub worthwhile: &'a dyn Fn(u32, u32) -> bool,
}

/// How data that could not be read can be restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// Restore the data from data in RAM alone.
    InRam,
    /// Restore the data by reads of other places.
    Reads,
}

impl Core {
    /// Room on a die for what its member of a group holds, and a turn in its queue.
    pub fn has_room_for_member(&self, die: usize, superblock: u32) -> bool {
        self.collections[die].under_way() < PENDING_MAX
            && self.has_room_for(die, self.units_of_member(superblock))
    }

    /// Returns the room that a die must have before its member of a group is taken.
    pub fn units_of_member(&self, superblock: u32) -> u32 {
        match self.store.space.state[superblock as usize] {
            // What is open is closed first: what it holds has to move, and the rest of its room is given up. What is free
            // leaves the free ones for a while.
            SuperblockState::Open | SuperblockState::Free => self.store.layout.data_units(),
            _ => self.store.space.valid[superblock as usize],
        }
    }

    /// Begins to erase a superblock that uses all bits per cell, if all its units were read; returns the origin of the
    /// erase.
    pub fn erase_collected<P: Probe>(
        &mut self,
        die: usize,
        global: u32,
        ctx: &mut Context<P>,
    ) -> Option<Origin> {
        let superblock = global % self.store.space.per_die;
        let origin = self.collections[die].mover.begin_erase(superblock)?;
        self.store.space.state[global as usize] = SuperblockState::Erasing;
        self.submit_erase(die, global, origin, ctx);
        Some(origin)
    }

    /// Updates the program/erase cycles of a superblock, and returns them.
    pub fn count_cycles(&mut self, die: usize, superblock: u32) -> u32 {
        let cycles = self.store.array.pe_cycles(die as u32, superblock);
        let global = self.store.space.global(die, superblock);
        self.store.space.pe_cycles[global] = cycles;
        cycles
    }
}
