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

/// The part of the SLC cache that lies on one die.
#[derive(Default)]
struct CacheDie {
    /// Superblocks with one bit a cell, from their opening to the end of their erase.
    superblocks: u32,
    /// The full superblocks, oldest first; a superblock whose program failed comes before all others.
    waiting: VecDeque<u32>,
    /// Number of waiting superblocks whose program failed.
    failed: u32,
}

/// The cache of a drive.
pub(crate) struct SlcCache {
    policy: Box<dyn SlcCachePolicy>,
    shape: CacheShape,
    when_full: WhenFull,
    idle_after: Option<Nanos>,
    /// True if the chip folds SLC-mode pages inside the die, without a transfer over the bus.
    in_die: bool,
    /// Superblocks of each die that are the cache's at all times.
    reserved: u32,
    /// By die: superblocks of its own that are free. Where superblocks of several dies are reclaimed together, those of the
    /// cache stand apart from all others; elsewhere any free superblock will do, and there is none of these.
    own: Option<Vec<Vec<u32>>>,
    dies: Vec<CacheDie>,
    /// Superblocks with one bit a cell, over all dies.
    in_use: u32,
}

impl SlcCache {
    /// Returns the first of the cache's own superblocks of a die, which stand last.
    pub(super) fn first_of_own(&self) -> u32 {
        if self.own.is_some() { self.shape.superblocks.saturating_sub(self.reserved) } else { NONE }
    }

    /// Says how many superblocks of a die nothing else can count on.
    fn tell(&self, die: usize, space: &mut Space) {
        let count = self.dies[die].superblocks;
        let of = &mut space.dies[die];
        (of.claimed, of.lent) = match self.own {
            Some(_) => (0, 0),
            None => (self.reserved.saturating_sub(count), count.max(self.reserved)),
        };
    }

    /// Uses another superblock (numbered over the drive) in SLC mode.
    fn add(&mut self, die: usize, global: usize, space: &mut Space) {
        space.one_bit[global] = true;
        self.dies[die].superblocks += 1;
        self.in_use += 1;
        self.tell(die, space);
    }
}
