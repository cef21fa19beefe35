//! Writes of the host's as they reach the drive, and units as they reach an open superblock.

use controller::Origin;
use units::Lpn;

/// A write of one unit at its arrival.
#[derive(Clone, Copy)]
pub(crate) struct Arriving {
    /// No other part of the unit must be read.
    pub whole: bool,
    /// The slot of an older version, where the buffer has one.
    pub older: Option<u32>,
    /// The older version in the buffer is complete.
    pub complete: bool,
    /// The unit goes to the flash at once, even where the buffer keeps what it can.
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
