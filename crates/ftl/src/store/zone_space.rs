//! The superblocks of each die that zones are made of, apart from those whose units are mapped one by one: neither side
//! takes the other's.

use super::Space;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// State of the superblocks of a die that zones are made of, on a drive with zones.
pub(crate) struct ZonedDie {
    /// Number, within the die, of the first superblock that belongs to zones; superblocks before it hold units that are
    /// mapped one by one.
    pub from: u32,
    /// List of the free superblocks of the die for zones, each with its rank: the lowest is taken first.
    pub free: BinaryHeap<Reverse<(u64, u32)>>,
    /// Number of superblocks of the die for zones that are not lost to bad blocks.
    pub usable: u32,
}

impl ZonedDie {
    /// Makes the state of the superblocks of a die for zones, those from number `from` on; none of them is known yet.
    pub fn from(from: u32) -> Self {
        Self { from, free: BinaryHeap::new(), usable: 0 }
    }
}

impl Space {
    /// Returns true if a superblock (numbered over the drive) belongs to zones.
    #[inline]
    pub fn is_of_zones(&self, superblock: usize) -> bool {
        let (die, within) = self.place_of(superblock as u32);
        self.zoned.get(die).is_some_and(|zoned| within >= zoned.from)
    }

    /// Adds an erased superblock for zones to those of its die that are free.
    pub fn push_free_of_zones(&mut self, die: usize, superblock: u32) {
        let (global, rank) = (self.global(die, superblock), self.free_rank(die, superblock));
        self.state[global] = super::SuperblockState::Free;
        self.zoned[die].free.push(Reverse((rank, superblock)));
    }

    /// Removes the superblock with the lowest rank from the free superblocks of a die for zones, and returns it; `None`
    /// if none is free.
    pub fn take_free_of_zones(&mut self, die: usize) -> Option<u32> {
        self.zoned[die].free.pop().map(|Reverse((_, superblock))| superblock)
    }

    /// Returns the free superblocks of a die, those for zones among them, each with its rank.
    pub fn all_free(&self, die: usize) -> Vec<(u64, u32)> {
        let zoned = self.zoned.get(die).into_iter().flat_map(|zoned| &zoned.free);
        self.dies[die].free.iter().chain(zoned).map(|Reverse(entry)| *entry).collect()
    }

    /// Sets the free superblocks of a die, those for zones among them, each with its rank, as from a saved state.
    pub fn set_free(&mut self, die: usize, free: impl Iterator<Item = (u64, u32)>) {
        let from = self.zoned.get(die).map_or(super::NONE, |zoned| zoned.from);
        let (own, of_zones): (Vec<_>, Vec<_>) = free.partition(|(_, superblock)| *superblock < from);
        self.dies[die].free = own.into_iter().map(Reverse).collect();
        if let Some(zoned) = self.zoned.get_mut(die) {
            zoned.free = of_zones.into_iter().map(Reverse).collect();
        }
    }

    /// Returns the number of good superblocks of a die, those for zones among them.
    pub fn usable_of(&self, die: usize) -> u32 {
        self.dies[die].usable + self.zoned.get(die).map_or(0, |zoned| zoned.usable)
    }
}
