//! What a drive answers of its buffer.

use super::Ftl;
use crate::buffer::{Buffer, Dram};
use crate::core::Core;
use crate::host_side::Host;
use crate::media::Media;
use units::Lpn;

/// Type of the read-only view of a drive's write buffer.
#[derive(Clone, Copy)]
pub struct BufferView<'a> {
    media: &'a Media,
    host: &'a Host,
}

impl Ftl {
    /// Returns a read-only view of the write buffer.
    #[inline]
    pub fn buffer(&self) -> BufferView<'_> {
        let base = self.base();
        BufferView { media: base.media, host: base.host }
    }
}

impl BufferView<'_> {
    fn core(&self) -> &Core {
        &self.media.core
    }

    fn buffer(&self) -> &Buffer {
        &self.core().buffer
    }

    /// Returns true when a write is acknowledged as soon as the write buffer holds its data (write-back).
    #[inline]
    pub fn is_write_back(&self) -> bool {
        self.core().rules.write_back
    }

    /// Returns true when the buffer's data survive a power cut.
    #[inline]
    pub fn is_protected(&self) -> bool {
        self.core().rules.power_loss_protection
    }

    /// Returns the capacity of the write buffer in mapping units.
    #[inline]
    pub fn units(&self) -> u32 {
        self.buffer().slots()
    }

    /// Returns the number of write buffer slots, one for each mapping unit, that are free now.
    #[inline]
    pub fn units_free(&self) -> u32 {
        self.buffer().free_slots()
    }

    /// Returns two numbers: the mapping units that the write buffer holds, and the units among them that are not on
    /// flash (dirty).
    #[inline]
    pub fn units_held(&self) -> [u32; 2] {
        [self.buffer().used_slots(), self.buffer().dirty_slots()]
    }

    /// Returns the number of bytes that the host wrote and that are only in the write buffer, not on flash; a sector
    /// that was overwritten in its slot counts once.
    #[inline]
    pub fn held_bytes(&self) -> u64 {
        self.buffer().held_bytes(self.core().store.layout.unit.get())
    }

    /// Returns true while the drive has work left for the flash: the write buffer holds dirty data (not on flash yet),
    /// or a feature is busy with a checkpoint, a rollback or reads of the map.
    #[inline]
    pub fn is_draining(&self) -> bool {
        self.media.is_draining()
    }

    /// Returns the number of logical units that were acknowledged and are not on flash now: without power loss
    /// protection, a power cut would lose their newest data.
    #[inline]
    pub fn units_at_risk(&self) -> u32 {
        self.buffer().at_risk()
    }

    /// Returns the greatest number of logical units, at one time since the run began, that were acknowledged and not on
    /// flash; 0 with power loss protection.
    #[inline]
    pub fn units_at_risk_most(&self) -> u32 {
        self.host.risk.most
    }

    /// Returns the number of the write buffer slot that holds the newest version of logical unit `lpn`; `None` if the
    /// buffer does not hold the unit.
    #[inline]
    pub fn slot_of(&self, lpn: Lpn) -> Option<u32> {
        self.buffer().find(lpn)
    }

    /// Returns true when the write buffer works as a cache: written units are held in the buffer, to be overwritten or
    /// read there, until the eviction policy chooses them to be programmed.
    #[inline]
    pub fn is_cache(&self) -> bool {
        self.buffer().is_cache()
    }

    /// Returns true when a write buffer that works as a cache also holds clean units: units that the host read from
    /// flash, and written units after their program.
    #[inline]
    pub fn keeps_clean(&self) -> bool {
        self.buffer().keeps_clean(Lpn(0))
    }

    /// Returns the access times of the buffer's DRAM; `None` where an access takes no time.
    #[inline]
    pub fn dram(&self) -> Option<Dram> {
        self.host.dram
    }
}
