//! Superblocks with one bit a cell, and where the host's next program unit goes.
//!
//! A die with a cache is, to garbage collection, a die with fewer superblocks: those of the cache are none of its
//! own, and of the free ones it sees only those to which the cache has no claim. Folding is to it what the host's
//! writes are on a drive without a cache. So what holds there (no collection waits for itself, some victim always
//! gives back more than it takes) holds here.
//!
//! A superblock with one bit a cell has a page row for each wordline; they are numbered from 0 without gaps.

mod folding;
mod hooked;
mod make;
mod saved;

use crate::slc_cache::{CacheShape, SlcCachePolicy, WhenFull};
use crate::store::{NONE, Space};
use std::collections::VecDeque;
use units::Nanos;

/// State of the SLC cache on one die.
#[derive(Default)]
struct CacheDie {
    /// Number of the die's superblocks in SLC mode, each counted from its opening to the end of its erase.
    superblocks: u32,
    /// Queue of the die's full superblocks in SLC mode that wait to be folded (moved into cells with all bits), oldest
    /// first; superblocks on which a program failed come before all others.
    waiting: VecDeque<u32>,
    /// Number of the die's full superblocks in SLC mode on which a program failed and that wait to be folded.
    failed: u32,
}

/// State of the SLC cache of a drive: superblocks in SLC mode take host data first, and are folded later into
/// superblocks that use all bits per cell.
pub(crate) struct SlcCache {
    policy: Box<dyn SlcCachePolicy>,
    shape: CacheShape,
    when_full: WhenFull,
    idle_after: Option<Nanos>,
    /// Setting: true if the chip folds SLC-mode pages into cells with all bits inside the die (internal copy), without
    /// a transfer over the channel.
    in_die: bool,
    /// Number of superblocks of each die that are always reserved for the SLC cache.
    reserved: u32,
    /// For each die, its free superblocks among those reserved for the SLC cache, on a drive that reclaims superblocks
    /// of several dies together (parity); `None` on other drives, where any free superblock can be used in SLC mode.
    own: Option<Vec<Vec<u32>>>,
    dies: Vec<CacheDie>,
    /// Number of superblocks of the SLC cache on all dies, which are in SLC mode: open, full, or being folded or
    /// erased.
    in_use: u32,
}

impl SlcCache {
    /// Returns the number, within a die, of the first of the last superblocks that are reserved for the SLC cache;
    /// `NONE` if any superblock can be used in SLC mode.
    pub(super) fn first_of_own(&self) -> u32 {
        if self.own.is_some() { self.shape.superblocks.saturating_sub(self.reserved) } else { NONE }
    }

    /// Updates the die's space counts for the superblocks that the SLC cache takes from other data: free superblocks
    /// that the cache claims (`claimed`), and superblocks that do not count as capacity (`lent`).
    fn tell(&self, die: usize, space: &mut Space) {
        let count = self.dies[die].superblocks;
        let of = &mut space.dies[die];
        (of.claimed, of.lent) = match self.own {
            Some(_) => (0, 0),
            None => (self.reserved.saturating_sub(count), count.max(self.reserved)),
        };
    }

    /// Puts a superblock (numbered over the drive) into SLC mode, and updates the counts of the SLC cache.
    fn add(&mut self, die: usize, global: usize, space: &mut Space) {
        space.one_bit[global] = true;
        self.dies[die].superblocks += 1;
        self.in_use += 1;
        self.tell(die, space);
    }
}
