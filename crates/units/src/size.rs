//! Sizes in bytes, and rates that turn them into time.

use crate::Nanos;
use std::fmt;

/// Size in bytes, as a number type of its own (newtype struct), so that sizes are not confused with times, rates or
/// plain numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(u64);

/// Quantity type for transfer rates, stored in bytes per second. A bus of `n` MT/s on eight wires carries `n` million
/// bytes per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransferRate(u64);

impl Bytes {
    /// Makes a size of `count` bytes.
    #[inline]
    pub const fn new(count: u64) -> Self {
        Self(count)
    }

    /// Converts this size to a number of bytes.
    #[inline]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl TransferRate {
    /// Makes a transfer rate of `bytes` bytes per second.
    ///
    /// # Panics
    /// When `bytes` is zero: nothing would ever arrive.
    pub const fn from_bytes_per_s(bytes: u64) -> Self {
        assert!(bytes > 0, "a transfer rate is at least one byte per second");
        Self(bytes)
    }

    /// Converts this transfer rate to a number in bytes per second.
    #[inline]
    pub const fn bytes_per_s(self) -> u64 {
        self.0
    }

    /// Returns the time that one burst of `bytes` takes at this rate, in whole nanoseconds, rounded up for the burst as
    /// a whole.
    #[inline]
    pub const fn time_for(self, bytes: Bytes) -> Nanos {
        let ns = (bytes.0 as u128 * 1_000_000_000).div_ceil(self.0 as u128);
        Nanos::new(ns as u64)
    }
}

impl fmt::Display for Bytes {
    /// Writes the size in the shortest exact form with a binary unit: `16KiB`, `4000B`, `1GiB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, shift) in [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)] {
            if self.0 != 0 && self.0.is_multiple_of(1 << shift) {
                return write!(f, "{}{unit}", self.0 >> shift);
            }
        }
        write!(f, "{}B", self.0)
    }
}

impl fmt::Display for TransferRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, scale) in [("GB/s", 1_000_000_000), ("MB/s", 1_000_000), ("kB/s", 1_000)] {
            if self.0.is_multiple_of(scale) {
                return write!(f, "{}{unit}", self.0 / scale);
            }
        }
        write!(f, "{}B/s", self.0)
    }
}
