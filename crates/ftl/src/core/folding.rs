//! What a die folds: superblocks with one bit a cell, emptied for another reason than garbage collection.

use super::Core;
use crate::store::{Mover, Pace};

/// A die's folding.
pub(crate) struct Folding {
    pub mover: Mover,
    /// Pace of the die's folding: each unit folded allows the host to write one unit.
    pub pace: Pace,
    /// True while the die folds in the background, after it was idle for long enough.
    pub background: bool,
}

impl Folding {
    /// Makes a state in which nothing is being folded.
    pub fn new() -> Self {
        Self { mover: Mover::new(), pace: Pace { credit: 0.0, rate: 1.0 }, background: false }
    }
}

impl Core {
    /// Ends folding in idle time, because the host uses the die.
    #[inline]
    pub fn end_idle_folding(&mut self, die: usize) {
        if let Some(folding) = self.folding.get_mut(die) {
            folding.background = false;
        }
    }
}
