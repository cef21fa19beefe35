//! Reads and writes that wait for entries of a map of which only a part is in RAM.

use units::{Lpn, Ppa, SimTime};

/// Whether the map entry of a logical unit is in RAM, on a drive that holds only a part of the map in RAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MapEntry {
    /// The map entry is in RAM and can be used at once.
    AtHand,
    /// The map entry must first be read from flash.
    Missing,
}

/// A host read or write that waits for map entries to be read from flash.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Waiter {
    /// A read of `count` logical units from `first` on, waiting since `since` for map entries.
    Read { request: u32, first: Lpn, count: u32, since: SimTime },
    /// A write whose data are in buffer slot `slot`; `complete` is true if no other part of the mapping unit must be
    /// read from flash.
    Write { slot: u32, complete: bool },
}

/// The next action of the FTL for a map of which only a part is in RAM.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lookup {
    /// Read translation unit `unit` of the map from its physical address `home`, if it has one; `owner` is the number
    /// under which the end of the read is reported.
    Read { unit: Lpn, home: Ppa, owner: u32 },
    /// The map entries for which this read or write waited are in RAM, so that it can continue.
    Answered(Waiter),
    /// The whole map is in RAM, so that work that waited for the whole map can continue.
    Loaded,
}
