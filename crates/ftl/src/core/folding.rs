//! What a die folds: superblocks with one bit a cell, emptied for another reason than garbage collection.

use super::Core;
use crate::store::{Mover, Pace};

/// State of the folding of one die: the move of data from superblocks in SLC mode to superblocks that use all bits per
/// cell.
pub(crate) struct Folding {
    pub mover: Mover,
    /// Field: state of the write throttling of the host while the die folds (moves data out of SLC mode): each mapping
    /// unit that is folded allows the host to write one unit.
    pub pace: Pace,
    /// True while the die folds (moves data out of SLC mode) in the background because it was idle for long enough.
    pub background: bool,
}

impl Folding {
    /// Makes the state of folding (the move out of SLC mode) of a die on which no superblock is being folded.
    pub fn new() -> Self {
        Self { mover: Mover::new(), pace: Pace { credit: 0.0, rate: 1.0 }, background: false }
    }
}

impl Core {
    /// Ends the background folding (move of data out of SLC mode) of a die that was idle, because the host uses the die
    /// again.
    #[inline]
    pub fn end_idle_folding(&mut self, die: usize) {
        if let Some(folding) = self.folding.get_mut(die) {
            folding.background = false;
        }
    }
}
