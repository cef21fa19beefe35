//! The buffer as a cache: what the translation layer does with it beside writing it out.

use crate::pages::PageMapped;
use controller::{Context, Probe};

impl PageMapped {
    /// New data for a unit of which the buffer has a version that is not under way to the flash: true when they
    /// took its place.
    pub(crate) fn overwrite_buffered(&mut self, slot: u32, request: u32) -> bool {
        let taken = self.media.buffer.take_over(slot, request, &mut self.media.store.stats);
        if taken {
            self.relieve_buffer();
        }
        taken
    }

    /// Lets units leave when the buffer keeps more than it may.
    #[inline]
    pub(crate) fn relieve_buffer(&mut self) {
        self.media.buffer.relieve(&mut self.media.store.stats);
    }

    /// Sends all that the buffer holds to the flash: the run is over, or a flush asks for it.
    pub fn send_out<P: Probe>(&mut self, ctx: &mut Context<P>) {
        self.media.buffer.send_out_held();
        self.pump(ctx);
    }
}
