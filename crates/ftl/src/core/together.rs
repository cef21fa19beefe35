//! Superblocks that are reclaimed together, because each of them is needed until none holds anything any more.

use super::Core;
use crate::Probe;
use crate::store::{PENDING_MAX, SuperblockState};
use controller::{Context, Origin};

/// What an erase leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Erased {
    /// A superblock that can be written again.
    Whole,
    /// One with a block that failed and that nothing replaces.
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
    /// Each die has room for what moves.
    pub fits: bool,
}

/// What a die's collection wishes for.
pub(crate) struct Wish<'a> {
    /// It needs a superblock, with or without host requests.
    pub foreground: bool,
    /// It would take one.
    pub wanted: bool,
    /// So many units gained, of so many, are worth it in idle time.
    pub worthwhile: &'a dyn Fn(u32, u32) -> bool,
}

/// How data that could not be read are found again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// All that it takes is in RAM.
    InRam,
    /// By reads of other places.
    Reads,
}

impl Core {
    /// Room on a die for what its member of a group holds, and a turn in its queue.
    pub fn has_room_for_member(&self, die: usize, superblock: u32) -> bool {
        self.collections[die].under_way() < PENDING_MAX
            && self.has_room_for(die, self.units_of_member(superblock))
    }

    /// Room that a die must have before its member of a group is taken.
    pub fn units_of_member(&self, superblock: u32) -> u32 {
        match self.store.space.state[superblock as usize] {
            // What is open is closed first: what it holds has to move, and the rest of its room is given up. What is free
            // leaves the free ones for a while.
            SuperblockState::Open | SuperblockState::Free => self.store.layout.data_units(),
            _ => self.store.space.valid[superblock as usize],
        }
    }

    /// Begins to erase a superblock with all its bits, if it is read completely; gives on whose behalf.
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

    /// Notes how often a superblock has been erased by now; gives that.
    pub fn count_cycles(&mut self, die: usize, superblock: u32) -> u32 {
        let cycles = self.store.array.pe_cycles(die as u32, superblock);
        let global = self.store.space.global(die, superblock);
        self.store.space.pe_cycles[global] = cycles;
        cycles
    }
}
