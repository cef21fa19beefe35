//! The open superblocks of a die, one for each stream.

use crate::Layout;
use crate::streams::STREAMS_MOST;
use std::ops::{Deref, DerefMut, Index, IndexMut};

/// Constant: special value of a number, for no superblock, no die or no position.
pub(crate) const NONE: u32 = u32::MAX;

/// State of the write frontier of a stream on a die: the open superblock of the stream, and the position in it at which
/// the next mapping unit is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frontier {
    /// Number, within the die, of the open superblock of the stream, or `NONE`.
    pub superblock: u32,
    /// Number of mapping units of the stream's open superblock that are assigned to data already: index of the next
    /// unit to assign.
    pub next_unit: u32,
    /// Number of mapping units collected so far for the next program, which is submitted once a whole program is
    /// filled.
    pub filled: u32,
    /// Number of the slot in the table of programs in flight (`Programs`) that stores where the units collected for the
    /// next program come from.
    pub slot: u32,
}

impl Frontier {
    pub const CLOSED: Self = Self { superblock: NONE, next_unit: 0, filled: 0, slot: NONE };

    /// Returns the number of mapping units that still fit into the stream's open superblock; 0 if none is open.
    #[inline]
    pub fn left(&self, layout: &Layout) -> u32 {
        if self.superblock == NONE { 0 } else { layout.data_units() - self.next_unit }
    }
}

/// Type of the array of the write frontiers (open superblock and next position) of the write streams of a die. The
/// array lies within the die's own record in memory, because each mapping unit that is written looks up a frontier.
pub(crate) struct Frontiers {
    all: [Frontier; STREAMS_MOST + 1],
    count: u8,
}

impl Frontiers {
    /// Makes the write frontiers of `count` streams, none of which has an open superblock.
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
