//! What a feature asks the layer to do. A feature only answers at its hooks; the layer acts.

use super::Core;
use crate::VersionEvent;
use controller::{Class, Origin};
use std::collections::VecDeque;
use units::{Lpn, Ppa, SimTime};

/// An action that a feature of the FTL requests during a hook, and that the FTL carries out when the hook has returned.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ask {
    /// Send mapping units that wait in the write buffer to dies that can take them.
    Pump,
    /// Write everything that the write buffer holds to flash, and pad the program units that are not full.
    SendOut,
    /// Complete the flush of this number when all data received so far are on flash.
    Flush(u32),
    /// Make a former version of a logical unit, at this physical address, invalid because no snapshot refers to the
    /// version any more.
    Release(Lpn, Ppa),
    /// Map a logical unit to its former version at this physical address (or to no place), as part of a rollback to a
    /// snapshot.
    Return(Lpn, Ppa),
    /// Report that the rollback that began at this time is complete: all logical units have their former versions
    /// again.
    PutBack(SimTime),
    /// Write all changed translation units of a map on flash to flash.
    FlushMap,
    /// Continue the work that waits for translation units of a map on flash.
    GoOn,
    /// Program one page row with the feature's own content, such as parity, in which no mapping unit is valid: origin,
    /// die, superblock within the die, page row.
    Program { origin: Origin, die: u32, superblock: u32, row: u32 },
    /// Read units of one page row in order to restore the data of another read: origin, page row (numbered over the
    /// drive), mask of the units, priority class, and the number by which the feature knows the read.
    Reread { origin: Origin, row: u32, mask: u64, class: Class, owner: u32 },
    /// Erase the superblocks in which no unit is valid any more.
    EraseEmptied,
    /// Report an event of a snapshot or of a version that a snapshot sees to the observer (probe).
    Tell(VersionEvent),
}

impl Core {
    /// Queues an action that a feature requests; the FTL carries the action out when the hook has returned.
    pub fn ask(&mut self, ask: Ask) {
        self.asks.push_back(ask);
    }

    /// Removes all queued actions that features have requested, and returns them in order.
    #[inline]
    pub fn take_asks(&mut self) -> VecDeque<Ask> {
        std::mem::take(&mut self.asks)
    }
}
