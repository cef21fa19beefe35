//! The buffer's DRAM at work: accesses wait for each other.

use ftl::buffer::Dram;
use units::SimTime;

/// State of the DRAM of the write buffer, whose accesses wait for each other: its access times, and the time until
/// which it is busy.
pub(crate) struct Memory {
    dram: Dram,
    free_at: SimTime,
}

impl Memory {
    pub fn new(dram: Dram) -> Self {
        Self { dram, free_at: SimTime::ZERO }
    }

    /// Occupies the DRAM for an access to `bytes` bytes requested now, and returns the time at which the access is
    /// complete.
    pub fn access(&mut self, bytes: u64, now: SimTime) -> SimTime {
        self.free_at = self.free_at.max(now) + self.dram.access(bytes);
        self.free_at
    }
}
