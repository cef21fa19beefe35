//! Superblocks that are reclaimed together, because each of them is needed until none holds anything any more.

use super::Core;
use crate::Probe;
use crate::store::{PENDING_MAX, SuperblockState};
use controller::{Context, Origin};

/// Kind of result of an erase of a superblock: the superblock can be used again, or is lost (out of use for good).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Erased {
    /// Case of result of an erase: the erase succeeded, and the superblock can be written again.
    Whole,
    /// Case of result of an erase: the superblock is out of use for good, because a block of it failed in the erase and
    /// no spare block can replace that block.
    Lost,
}

/// Kind of choice of the superblocks of a parity group that are reclaimed together with a given one: those with data
/// alone, or all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Members {
    /// Case of choice for the reclaim of a parity group: only the superblocks of the group that hold data.
    WithData,
    /// Case of choice for the reclaim of a parity group: the superblocks of the group that hold data, and also the
    /// superblocks that hold its parity.
    All,
}

/// Set of superblocks (numbered over the drive) that are to be reclaimed (relocated and erased) together, each with its
/// die, and the reason.
pub(crate) struct Together {
    pub members: Vec<(usize, u32)>,
    pub origin: Origin,
    /// Flag of a set of superblocks to be reclaimed together: true if each of their dies has free space for the valid
    /// units that must be moved out of the set's superblocks on that die.
    pub fits: bool,
}

/// Record of the needs of a die's garbage collection at present: whether the die needs or would take a victim, and
/// which gain of free space is worth a collection in idle time.
pub(crate) struct Wish<'a> {
    /// Flag of a die's garbage collection: true if the die needs a superblock reclaimed in the foreground, with or
    /// without host requests.
    pub foreground: bool,
    /// Flag of a die's garbage collection: true if it would take a victim superblock now.
    pub wanted: bool,
    /// Reference to a function that is true if gaining the first number of free mapping units, by reclaiming
    /// superblocks of the second number of mapping units in all, is worth a collection in idle time.
    pub worthwhile: &'a dyn Fn(u32, u32) -> bool,
}

/// Kind of recovery from parity for an uncorrectable read: from data in RAM alone, or by further flash reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// Case of recovery from parity: parity and the other data are all in RAM, so that no other flash read is needed.
    InRam,
    /// Case of recovery from parity: by flash reads of the other pages that the parity protects.
    Reads,
}

impl Core {
    /// Returns true if the die has free space for the valid units of its member (superblock) of a parity group, and
    /// another superblock fits into the queue of the die's garbage collection.
    pub fn has_room_for_member(&self, die: usize, superblock: u32) -> bool {
        self.collections[die].under_way() < PENDING_MAX
            && self.has_room_for(die, self.units_of_member(superblock))
    }

    /// Returns the number of mapping units of free space that a die must have before garbage collection takes its
    /// member (superblock) of a parity group.
    pub fn units_of_member(&self, superblock: u32) -> u32 {
        match self.store.space.state[superblock as usize] {
            // What is open is closed first: what it holds has to move, and the rest of its room is given up. What is free
            // leaves the free ones for a while.
            SuperblockState::Open | SuperblockState::Free => self.store.layout.data_units(),
            _ => self.store.space.valid[superblock as usize],
        }
    }

    /// Begins to erase a superblock that garbage collection has taken, and that uses all bits per cell, if all of its
    /// units have been read; returns the origin (reason) of the erase, or `None` if some units are still unread.
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

    /// Copies the program/erase cycles of a superblock from the flash array into the space bookkeeping, and returns
    /// them.
    pub fn count_cycles(&mut self, die: usize, superblock: u32) -> u32 {
        let cycles = self.store.array.pe_cycles(die as u32, superblock);
        let global = self.store.space.global(die, superblock);
        self.store.space.pe_cycles[global] = cycles;
        cycles
    }
}
