//! What all that write and read the flash share: the store, the buffer before it, the accounts of who may take how much of a
//! die's room, and what features have to do with that. Data are moved by the functions here and in `relocate`.

mod commit;
mod finding;
mod power;
mod read;
mod room;
mod write;

pub use finding::Found;

use crate::core::Core;
use crate::features::Features;
use crate::store::NONE;

/// State of the core (flash, map, write buffer) together with the features that take part in reads and writes.
pub(crate) struct Media {
    pub core: Core,
    pub features: Features,
}

impl Media {
    /// Begins simulated time: informs the drive's features, which then read, for instance, the wear of each superblock,
    /// and makes the drive read-only if a die has failed from the start.
    pub fn begin(&mut self) {
        self.features.time_begins(&self.core);
        self.core.read_only |= self.core.store.dead.from_start != NONE;
    }

    /// Reserves up to `wanted` slots of the write buffer (each holds one mapping unit) for host data; returns how many
    /// it reserved.
    #[inline]
    pub fn reserve(&mut self, wanted: u32) -> u32 {
        if !self.has_slot() {
            return 0;
        }
        let granted =
            wanted.min(self.core.buffer.free_slots() - self.core.reserved_slots - self.features.slots_kept());
        self.core.reserved_slots += granted;
        granted
    }

    /// Returns true if the write buffer has a free slot (place for one mapping unit) that [`Self::reserve`] would
    /// grant.
    #[inline]
    pub fn has_slot(&self) -> bool {
        self.core.buffer.free_slots() > self.core.reserved_slots + self.features.slots_kept()
            && self.features.takes_data()
    }

    /// Frees a slot of the write buffer (place for one mapping unit) that does not hold the newest version of its unit.
    #[inline]
    pub fn release_slot(&mut self, slot: u32) {
        self.core.buffer.release(slot);
        self.features.released(slot, None);
    }

    /// Returns true while the write buffer holds data that are not on flash, or a feature still has work.
    pub fn is_draining(&self) -> bool {
        self.core.buffer.dirty_slots() > 0 || self.features.is_busy()
    }

    /// Returns the number of bytes of the simulator's memory that flash, buffer and features take.
    pub fn bytes(&self) -> usize {
        let agenda = self.core.agenda.as_ref().map_or(0, |agenda| agenda.bytes());
        self.core.store.bytes()
            + self.core.assembly.streams.bytes()
            + self.features.bytes()
            + self.core.buffer.bytes()
            + agenda
    }
}
