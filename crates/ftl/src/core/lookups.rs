//! Reads and writes that wait for entries of a map of which only a part is in RAM.

use units::{Lpn, Ppa, SimTime};

/// Whether the entry of a unit in the map is in RAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MapEntry {
    /// It can be used at once.
    AtHand,
    /// It must be read first.
    Missing,
}

/// What waits for entries of the map.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Waiter {
    /// A read of some units.
    Read { request: u32, first: Lpn, count: u32, since: SimTime },
    /// A write; `complete`: nothing else of the unit must be read.
    Write { slot: u32, complete: bool },
}

/// What the layer does next about the map.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lookup {
    /// A unit that holds a part of the map is read, from its home if it has one, for an owner that is told.
    Read { unit: Lpn, home: Ppa, owner: u32 },
    /// The entries that this waited for are at hand.
    Answered(Waiter),
    /// The whole map is in RAM: what had to wait for that goes on.
    Loaded,
}
