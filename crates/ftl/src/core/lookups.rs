//! Reads and writes that wait for entries of a map of which only a part is in RAM.

use units::{Lpn, Ppa, SimTime};

/// Whether the entry of a unit in the map is in RAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MapEntry {
    /// The entry is in RAM and can be used at once.
    AtHand,
    /// The entry must be read from flash first.
    Missing,
}

/// A request that waits for entries of the map.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Waiter {
    /// A read of some units that waits for map entries.
    Read { request: u32, first: Lpn, count: u32, since: SimTime },
    /// A write; `complete`: nothing else of the unit must be read.
    Write { slot: u32, complete: bool },
}

/// The next action of the layer for its map.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lookup {
    /// Read a unit that holds a part of the map, from its home if it has one; `owner` is told when it is there.
    Read { unit: Lpn, home: Ppa, owner: u32 },
    /// The map entries for which this read waited are at hand.
    Answered(Waiter),
    /// The whole map is in RAM: work that waited for that continues.
    Loaded,
}
