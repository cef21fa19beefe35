//! What a drive answers of its buffer.

use super::Ftl;
use crate::buffer::{Buffer, Dram};
use crate::core::Core;
use crate::host_side::Host;
use crate::media::Media;
use units::Lpn;

/// The buffer of a drive, to be looked at.
#[derive(Clone, Copy)]
pub struct BufferView<'a> {
    media: &'a Media,
    host: &'a Host,
}

impl Ftl {
    /// Returns the view of the write buffer.
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

    /// True when writes are acknowledged as soon as the buffer holds them.
    #[inline]
    pub fn is_write_back(&self) -> bool {
        self.core().rules.write_back
    }

    /// True when the buffer survives a power cut.
    #[inline]
    pub fn is_protected(&self) -> bool {
        self.core().rules.power_loss_protection
    }

    /// Returns the number of mapping units that the buffer holds at most.
    #[inline]
    pub fn units(&self) -> u32 {
        self.buffer().slots()
    }

    /// Returns the number of units that the write buffer has room for now.
    #[inline]
    pub fn units_free(&self) -> u32 {
        self.buffer().free_slots()
    }

    /// Returns the units that the buffer holds: all, and the ones not on flash.
    #[inline]
    pub fn units_held(&self) -> [u32; 2] {
        [self.buffer().used_slots(), self.buffer().dirty_slots()]
    }

    /// Returns the number of bytes that the host wrote and the buffer alone holds, each once.
    #[inline]
    pub fn held_bytes(&self) -> u64 {
        self.buffer().held_bytes(self.core().store.layout.unit.get())
    }

    /// True while the buffer holds data that is not on flash.
    #[inline]
    pub fn is_draining(&self) -> bool {
        self.media.is_draining()
    }

    /// Returns the number of units that were acknowledged and are not on flash now: a power cut would lose
    /// them.
    #[inline]
    pub fn units_at_risk(&self) -> u32 {
        self.buffer().at_risk()
    }

    /// Returns the most units that were acknowledged and not on flash at once since the run began.
    #[inline]
    pub fn units_at_risk_most(&self) -> u32 {
        self.host.risk.most
    }

    /// True when units may stay in the buffer to be used again.
    #[inline]
    pub fn is_cache(&self) -> bool {
        self.buffer().is_cache()
    }

    /// True when units that were only read may stay in the buffer, too.
    #[inline]
    pub fn keeps_clean(&self) -> bool {
        self.buffer().keeps_clean(Lpn(0))
    }

    /// Returns the access times of the buffer's DRAM; none where an access takes no time.
    #[inline]
    pub fn dram(&self) -> Option<Dram> {
        self.host.dram
    }
}
