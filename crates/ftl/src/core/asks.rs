//! What a feature asks the layer to do. A feature only answers at its hooks; the layer acts.

use super::Core;
use crate::VersionEvent;
use controller::{Class, Origin};
use std::collections::VecDeque;
use units::{Lpn, Ppa, SimTime};

/// Something that is to be done when the hook that asks for it is over.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ask {
    /// What waits in the buffer goes to the dies that can take it.
    Pump,
    /// All that the buffer holds goes to the flash, programs that are not complete too.
    SendOut,
    /// This flush is answered when all that was received so far is on flash.
    Flush(u32),
    /// A former version of a unit, at this place, has no use any more.
    Release(Lpn, Ppa),
    /// A unit has again what it once had, and lies there (or nowhere).
    Return(Lpn, Ppa),
    /// All such units are back, on a way that began then.
    PutBack(SimTime),
    /// All of a map on flash that changed is to be written.
    FlushMap,
    /// What waits for a map on flash goes on.
    GoOn,
    /// A program of a feature's own, of which nothing is valid: on whose behalf, die, superblock in it and page row.
    Program { origin: Origin, die: u32, superblock: u32, row: u32 },
    /// A read that makes another good: on whose behalf, page row, numbered over the drive, units, class, and what the feature knows it by.
    Reread { origin: Origin, row: u32, mask: u64, class: Class, owner: u32 },
    /// Superblocks that hold nothing any more are erased.
    EraseEmptied,
    /// An observer is told.
    Tell(VersionEvent),
}

impl Core {
    /// Asks for something to be done.
    pub fn ask(&mut self, ask: Ask) {
        self.asks.push_back(ask);
    }

    /// All that was asked for so far.
    #[inline]
    pub fn take_asks(&mut self) -> VecDeque<Ask> {
        std::mem::take(&mut self.asks)
    }
}
