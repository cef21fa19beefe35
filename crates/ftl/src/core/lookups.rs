//! Reads and writes that wait for entries of a map of which only a part is in RAM.

use units::{Lpn, Ppa, SimTime};

/// Kind of place, RAM or flash, in which the map entry of a logical unit is on a drive with a demand-paged map (stored
/// on flash, cached in RAM).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MapEntry {
    /// Case of place of a map entry: the entry is in RAM and can be used at once.
    AtHand,
    /// Case of place of a map entry: the entry is only on flash and must first be read.
    Missing,
}

/// Kind of host access, read or write, that waits for map entries to be read from flash.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Waiter {
    /// Case of access that waits for map entries: a host read of `count` logical units from `first` on, waiting since
    /// `since`.
    Read { request: u32, first: Lpn, count: u32, since: SimTime },
    /// Case of access that waits for a map entry: a host write whose data are in write buffer slot `slot`; `complete`
    /// is true if no other part of the mapping unit must be read from flash.
    Write { slot: u32, complete: bool },
}

/// Kind of next action of the FTL for a demand-paged map, of which only a part is in RAM.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lookup {
    /// Case of action for the FTL: read translation unit `unit` (a page of the map) from its physical address `home`
    /// (if it has one); the end of the read is reported under the number `owner`.
    Read { unit: Lpn, home: Ppa, owner: u32 },
    /// Case of action for the FTL: continue this host read or write, because the map entries for which it waited are in
    /// RAM.
    Answered(Waiter),
    /// Case of action for the FTL: continue all work that waited for the whole map, because the whole map is in RAM
    /// now.
    Loaded,
}
