//! The open superblocks of a die, one for each stream.

use crate::Layout;
use crate::streams::STREAMS_MOST;
use std::ops::{Deref, DerefMut, Index, IndexMut};

/// No superblock, no position.
pub(crate) const NONE: u32 = u32::MAX;

/// The open superblock of a stream, and the place of its next unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frontier {
    /// The open superblock within the die, or `NONE`.
    pub superblock: u32,
    /// Units of the superblock that were handed out.
    pub next_unit: u32,
    /// Units collected for the next program.
    pub filled: u32,
    /// Where the sources of the collected units are kept.
    pub slot: u32,
}

impl Frontier {
    pub const CLOSED: Self = Self { superblock: NONE, next_unit: 0, filled: 0, slot: NONE };

    /// Returns the number of units that still fit into the open superblock.
    #[inline]
    pub fn left(&self, layout: &Layout) -> u32 {
        if self.superblock == NONE { 0 } else { layout.data_units() - self.next_unit }
    }
}

/// The frontiers of a die's streams: in the die itself, for each unit that is written asks for one.
pub(crate) struct Frontiers {
    all: [Frontier; STREAMS_MOST + 1],
    count: u8,
}

impl Frontiers {
    /// Returns `count` streams, none of which has an open superblock.
    pub fn closed(count: usize) -> Self {
        assert!(
            count <= STREAMS_MOST + 1,
            "{count} streams, of {STREAMS_MOST} at most and one of one bit a cell"
        );
        Self { all: [Frontier::CLOSED; STREAMS_MOST + 1], count: count as u8 }
    }
}

impl Deref for Frontiers {
    type Target = [Frontier];

    #[inline]
    fn deref(&self) -> &[Frontier] {
        &self.all[..usize::from(self.count)]
    }
}

impl DerefMut for Frontiers {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Frontier] {
        &mut self.all[..usize::from(self.count)]
    }
}

impl Index<usize> for Frontiers {
    type Output = Frontier;

    #[inline]
    fn index(&self, stream: usize) -> &Frontier {
        debug_assert!(stream < usize::from(self.count));
        &self.all[stream]
    }
}

impl IndexMut<usize> for Frontiers {
    #[inline]
    fn index_mut(&mut self, stream: usize) -> &mut Frontier {
        debug_assert!(stream < usize::from(self.count));
        &mut self.all[stream]
    }
}
