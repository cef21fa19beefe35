//! Writes of the host's as they reach the drive, and units as they reach an open superblock.

use controller::Origin;
use units::Lpn;

/// A write of a unit, as it arrives.
#[derive(Clone, Copy)]
pub(crate) struct Arriving {
    /// Nothing else of the unit must be read.
    pub whole: bool,
    /// The slot of an older version, where the buffer has one.
    pub older: Option<u32>,
    /// That version is whole.
    pub complete: bool,
    /// It goes to the flash at once, even where the buffer keeps what it can.
    pub leaves: bool,
}

/// A unit that joins the program unit of a stream.
#[derive(Clone, Copy)]
pub(crate) struct Joining {
    pub die: usize,
    pub stream: usize,
    /// Numbered over the drive.
    pub superblock: u32,
    pub lpn: Lpn,
    pub origin: Origin,
}
