//! What the buffer holds that the flash lacks, and who may put more into it.

use super::Core;
use crate::buffer::SlotState;
use controller::Origin;
use units::Lpn;

impl Core {
    /// Returns true while data of a host write are still crossing the host link; such data may share a program with
    /// units that wait in the write buffer.
    #[inline]
    pub fn expects_data(&self) -> bool {
        self.reserved_slots > 0
    }

    /// Evicts units from the write buffer, as the eviction policy chooses, until the cache limit is kept and the policy
    /// demands no further eviction: clean units are dropped, dirty units are queued for programming.
    #[inline]
    pub fn relieve_buffer(&mut self) {
        self.buffer.relieve(&mut self.store.stats);
    }

    /// Returns the index of the write buffer slot that holds the newest version of a logical unit, if that version is
    /// not on flash yet.
    pub fn find_unwritten(&self, lpn: Lpn) -> Option<u32> {
        self.buffer.find(lpn).filter(|&slot| self.buffer.slot(slot).state != SlotState::Clean)
    }

    /// Returns the origin that a mapping unit has when it is programmed from the write buffer: host data, or a unit of
    /// the map for units of the drive's own.
    #[inline]
    pub fn buffered_origin(&self, lpn: Lpn) -> Origin {
        if self.store.layout.is_host_unit(lpn) { Origin::Host } else { Origin::Map }
    }

    /// Puts a mapping unit of the drive's own, such as a translation unit (map page) or trim record, into the write
    /// buffer, behind all units that wait there.
    pub fn put_own(&mut self, unit: Lpn) {
        let slot = self.buffer.insert(unit, u32::MAX, SlotState::Queued);
        self.stamp(slot);
        self.buffer.enqueue(slot);
    }

    /// Gives the data in a write buffer slot the next write number (sequence number for recovery), on a drive that
    /// writes such numbers to spare areas.
    #[inline]
    pub fn stamp(&mut self, slot: u32) {
        if let Some(numbers) = &mut self.store.spare {
            numbers.on_buffered(slot);
        }
    }
}
