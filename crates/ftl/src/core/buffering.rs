//! What the buffer holds that the flash lacks, and who may put more into it.

use super::Core;
use crate::buffer::SlotState;
use controller::Origin;
use units::Lpn;

impl Core {
    /// True while data of a write cross the link: they may share a program with units that wait.
    #[inline]
    pub fn expects_data(&self) -> bool {
        self.reserved_slots > 0
    }

    /// Lets units leave the buffer when it keeps more than it may.
    #[inline]
    pub fn relieve_buffer(&mut self) {
        self.buffer.relieve(&mut self.store.stats);
    }

    /// Returns the buffer slot of the newest version, if the flash does not hold it.
    pub fn find_unwritten(&self, lpn: Lpn) -> Option<u32> {
        self.buffer.find(lpn).filter(|&slot| self.buffer.slot(slot).state != SlotState::Clean)
    }

    /// Returns the origin of a unit that leaves the buffer.
    #[inline]
    pub fn buffered_origin(&self, lpn: Lpn) -> Origin {
        if self.store.layout.is_host_unit(lpn) { Origin::Host } else { Origin::Map }
    }

    /// Puts a unit of the drive's own into the buffer, behind all units that wait there.
    pub fn put_own(&mut self, unit: Lpn) {
        let slot = self.buffer.insert(unit, u32::MAX, SlotState::Queued);
        self.stamp(slot);
        self.buffer.enqueue(slot);
    }

    /// Stamps a slot that holds a version of the host's that is newer than all before.
    #[inline]
    pub fn stamp(&mut self, slot: u32) {
        if let Some(numbers) = &mut self.store.spare {
            numbers.on_buffered(slot);
        }
    }
}
