//! Writes of the host's as they reach the drive, and units as they reach an open superblock.

use controller::Origin;
use units::Lpn;

/// Record of a host write of one mapping unit, as it arrives in the write buffer.
#[derive(Clone, Copy)]
pub(crate) struct Arriving {
    /// True if the host write needs no read of the rest of its mapping unit from flash (no read-modify-write).
    pub whole: bool,
    /// Index of the write buffer slot that holds an older version of the mapping unit; `None` if no slot does.
    pub older: Option<u32>,
    /// True if the older version of the mapping unit in the write buffer holds all sectors of the unit.
    pub complete: bool,
    /// True if the mapping unit counts as on its way to flash at once: on a drive with `keep_rewritten`, if the host
    /// did not write it recently, so that it is queued for programming and not cached; on other drives always.
    pub leaves: bool,
}

/// Record of a mapping unit that is added to the program unit (units programmed together) that a stream of a die is
/// filling.
#[derive(Clone, Copy)]
pub(crate) struct Joining {
    pub die: usize,
    pub stream: usize,
    /// Number, over the drive, of the open superblock in which the mapping unit will be programmed.
    pub superblock: u32,
    pub lpn: Lpn,
    pub origin: Origin,
}
