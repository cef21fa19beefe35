//! What a feature asks the layer to do. A feature only answers at its hooks; the layer acts.

use super::Core;
use crate::VersionEvent;
use controller::{Class, Origin};
use std::collections::VecDeque;
use units::{Lpn, Ppa, SimTime};

/// An action that a feature asks for, carried out when the hook that asked is over.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ask {
    /// Send units that wait in the buffer to dies that can take them.
    Pump,
    /// All that the buffer holds goes to the flash, programs that are not complete too.
    SendOut,
    /// Answer this flush when all data received so far are on flash.
    Flush(u32),
    /// Drop a former version of a unit, at this place on flash, for which there is no use any more.
    Release(Lpn, Ppa),
    /// Give a unit its former version back, which lies at this place (or nowhere).
    Return(Lpn, Ppa),
    /// All units of a rollback that began at this time have their former versions back.
    PutBack(SimTime),
    /// All of a map on flash that changed is to be written.
    FlushMap,
    /// Continue the work that waits for a map on flash.
    GoOn,
    /// Program a page row of the feature's own, in which nothing is valid: origin, die, superblock within the die, page
    /// row.
    Program { origin: Origin, die: u32, superblock: u32, row: u32 },
    /// Read pages to restore the data of another read: origin, page row (numbered over the drive), units, class, and
    /// the number by which the feature knows the read.
    Reread { origin: Origin, row: u32, mask: u64, class: Class, owner: u32 },
    /// Superblocks that hold nothing any more are erased.
    EraseEmptied,
    /// Report an event to the observer.
    Tell(VersionEvent),
}

impl Core {
    /// Queues an action that a feature asks for.
    pub fn ask(&mut self, ask: Ask) {
        self.asks.push_back(ask);
    }

    /// Takes all actions that features have asked for so far.
    #[inline]
    pub fn take_asks(&mut self) -> VecDeque<Ask> {
        std::mem::take(&mut self.asks)
    }
}
