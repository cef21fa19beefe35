//! What a feature asks the layer to do. A feature only answers at its hooks; the layer acts.

use super::Core;
use crate::VersionEvent;
use controller::{Class, Origin};
use std::collections::VecDeque;
use units::{Lpn, Ppa, SimTime};

/// Kind of action that a feature of the FTL requests during a hook, and that the FTL carries out when the hook has
/// returned.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ask {
    /// Case of action for the FTL: send mapping units that wait in the write buffer to dies that can program them.
    Pump,
    /// Case of action for the FTL: write all dirty data of the write buffer to flash, and pad the program units that
    /// are not full.
    SendOut,
    /// Case of action for the FTL: complete the flush of this number once all data received so far are on flash.
    Flush(u32),
    /// Case of action for the FTL: make a former (overwritten or trimmed) version of a logical unit, at this physical
    /// address, invalid because no snapshot refers to the version any more.
    Release(Lpn, Ppa),
    /// Case of action for the FTL: map a logical unit to its former version at this physical address (or to no place,
    /// if it held no data), as part of a rollback to a snapshot.
    Return(Lpn, Ppa),
    /// Case of action for the FTL: report that the rollback that began at this time has put all logical units back to
    /// their former versions.
    PutBack(SimTime),
    /// Case of action for the FTL: write all changed translation units (mapping units that hold a page of the map) of a
    /// map on flash.
    FlushMap,
    /// Case of action for the FTL: continue the work on a map on flash: send out its changed translation units (map
    /// pages), and continue the host reads and writes that wait for its entries.
    GoOn,
    /// Case of action for the FTL: program one page row with the feature's own content, such as parity, in which no
    /// mapping unit is valid. The fields are origin, die, superblock within the die and page row.
    Program { origin: Origin, die: u32, superblock: u32, row: u32 },
    /// Case of action for the FTL: read units of one page row (pages of one index on all planes) in order to restore
    /// the data of another read. The fields are origin, page row (numbered over the drive), mask of the units, priority
    /// class, and the number by which the feature knows the read.
    Reread { origin: Origin, row: u32, mask: u64, class: Class, owner: u32 },
    /// Case of action for the FTL: erase the garbage collection victims that have been read completely and in which no
    /// unit is valid any more.
    EraseEmptied,
    /// Case of action for the FTL: report an event of a snapshot, or of a version that a snapshot sees, to the observer
    /// (probe).
    Tell(VersionEvent),
}

impl Core {
    /// Queues an action that a feature of the FTL requests; the FTL carries the action out when the hook has returned.
    pub fn ask(&mut self, ask: Ask) {
        self.asks.push_back(ask);
    }

    /// Removes all queued actions that features of the FTL have requested, and returns them in order.
    #[inline]
    pub fn take_asks(&mut self) -> VecDeque<Ask> {
        std::mem::take(&mut self.asks)
    }
}
