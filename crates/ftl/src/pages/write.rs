//! How what the host writes finds its die, and what else differs from a map of blocks.

use crate::Probe;
use crate::buffer::SlotState;
use crate::host_side::{Arriving, Reads, Serves};
use crate::pages::PageMapped;
use crate::store::{NONE, Source};
use controller::Context;
use units::{Lpn, Nanos, Ppa};

impl Serves for PageMapped {
    fn vacate<P: Probe>(&mut self, home: Ppa, _ctx: &mut Context<P>) {
        self.media.leave(home);
    }

    fn note_forgotten(&mut self, lpn: Lpn) {
        if self.media.guards.trims.is_some() {
            self.note_trim_to_record(lpn);
        }
    }

    fn awaits_records<P: Probe>(&mut self, flush: u32, ctx: &mut Context<P>) -> bool {
        self.record_trims(Some(flush), ctx)
    }

    fn waits_for_entry<P: Probe>(&mut self, lpn: Lpn, write: Arriving, ctx: &mut Context<P>) -> bool {
        self.media.guards.demand.is_some() && self.write_by_demand(lpn, write, ctx)
    }

    fn read_rest_now<P: Probe>(&mut self, lpn: Lpn, ctx: &mut Context<P>) {
        self.complete_overtaken(lpn, ctx);
    }

    fn look_up_and_read<P: Probe>(
        &mut self,
        request: u32,
        first: Lpn,
        count: u32,
        ctx: &mut Context<P>,
    ) -> u32 {
        match self.media.guards.demand {
            Some(_) => self.read_by_demand(request, first, count, ctx),
            None => self.read_found(request, first, count, ctx),
        }
    }

    /// Binds waiting units to dies as long as some die can take them.
    fn pump<P: Probe>(&mut self, ctx: &mut Context<P>) {
        while let Some(slot) = self.media.buffer.first_queued() {
            if self.media.buffer.slot(slot).state == SlotState::Cancelled {
                self.media.buffer.bind_first();
                self.release_void(slot);
                continue;
            }
            let lpn = self.media.buffer.slot(slot).lpn;
            if !self.media.is_assembling() && !self.media.choose_die(lpn) {
                return;
            }
            let (die, stream) = (self.media.assembly.current as usize, self.media.assembly.host_stream);
            let opened = self.media.store.space.dies[die].frontiers[stream].superblock == NONE;
            if opened {
                assert!(self.media.open_for_host(die, stream), "die {die} was eligible without room");
            }
            self.media.buffer.bind_first();
            self.media.assembly.is_awaited |= self.media.buffer.slot(slot).request != u32::MAX;
            self.media.store.space.dies[die].live += 1;
            self.media.note_host_unit(die, stream);
            self.media.store.map.prefetch_validity(self.media.store.map.lookup(lpn));
            let source = Source::of_slot(self.media.buffered_origin(lpn), slot);
            self.media.append(die, stream, lpn, source, ctx);
            if opened {
                self.upkeep.collect(&mut self.media, die, ctx);
            }
        }
        if !self.media.is_assembling() {
            return;
        }
        let patience = self.media.assembly.flush_after;
        // A request that waits for its program waits for no other, but for data that already cross the link.
        let is_pressed = self.media.assembly.is_awaited && !self.media.expects_data();
        if !self.host.flushes.is_empty() || is_pressed || patience == Nanos::ZERO {
            self.media.pad_current(ctx);
        } else {
            self.media.arm_flush(patience, &mut ctx.calendar);
        }
    }
}
