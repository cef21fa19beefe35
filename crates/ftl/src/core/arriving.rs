//! Writes of the host's as they reach the drive, and units as they reach an open superblock.

use controller::Origin;
use units::Lpn;

/// A write of one unit at its arrival.
#[derive(Clone, Copy)]
pub(crate) struct Arriving {
    /// True if the write needs no read of another part of the unit.
    pub whole: bool,
    /// The buffer slot of an older version of the unit, if the buffer holds an older version.
    pub older: Option<u32>,
    /// True if the older version of the unit in the buffer is complete.
    pub complete: bool,
    /// True if the written unit goes to the flash at once, even where the buffer keeps other written units.
    pub leaves: bool,
}

/// A unit that joins the program unit of a stream.
#[derive(Clone, Copy)]
pub(crate) struct Joining {
    pub die: usize,
    pub stream: usize,
    /// Superblock that the unit joins, numbered over the drive.
    pub superblock: u32,
    pub lpn: Lpn,
    pub origin: Origin,
}
