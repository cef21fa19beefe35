//! How what the host writes finds its die, and what else differs from a map of blocks.

use crate::Probe;
use crate::buffer::SlotState;
use crate::core::Arriving;
use crate::host_side::{Reads, Serves};
use crate::pages::PageMapped;
use crate::store::{NONE, Source};
use controller::Context;
use units::{Lpn, Nanos, Ppa, SimTime};

impl Serves for PageMapped {
    fn vacate<P: Probe>(&mut self, home: Ppa, _ctx: &mut Context<P>) {
        self.media.leave(home);
    }

    fn flush_map(&mut self, now: SimTime) {
        let Some(demand) = &mut self.media.guards.demand else { return };
        let pages = demand.flush();
        self.media.features.map_flushed(&mut self.media.core, &pages, now);
    }

    fn go_on_with_map<P: Probe>(&mut self, ctx: &mut Context<P>) {
        self.start_tasks(ctx);
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
        while let Some(slot) = self.media.core.buffer.first_queued() {
            if self.media.core.buffer.slot(slot).state == SlotState::Cancelled {
                self.media.core.buffer.bind_first();
                self.release_void(slot);
                continue;
            }
            let lpn = self.media.core.buffer.slot(slot).lpn;
            if !self.media.core.is_assembling() && !self.media.choose_die(lpn) {
                return;
            }
            let (die, stream) =
                (self.media.core.assembly.current as usize, self.media.core.assembly.host_stream);
            let opened = self.media.core.store.space.dies[die].frontiers[stream].superblock == NONE;
            if opened {
                assert!(self.media.open_for_host(die, stream), "die {die} was eligible without room");
            }
            self.media.core.buffer.bind_first();
            self.media.core.assembly.is_awaited |= self.media.core.buffer.slot(slot).request != u32::MAX;
            self.media.core.store.space.dies[die].live += 1;
            self.media.note_host_unit(die, stream);
            self.media.core.store.map.prefetch_validity(self.media.core.store.map.lookup(lpn));
            let source = Source::of_slot(self.media.core.buffered_origin(lpn), slot);
            self.media.append(die, stream, lpn, source, ctx);
            if opened {
                self.upkeep.collect(&mut self.media, die, ctx);
            }
        }
        if !self.media.core.is_assembling() {
            return;
        }
        let patience = self.media.core.assembly.flush_after;
        // A request that waits for its program waits for no other, but for data that already cross the link.
        let is_pressed = self.media.core.assembly.is_awaited && !self.media.core.expects_data();
        if !self.host.flushes.is_empty() || is_pressed || patience == Nanos::ZERO {
            self.media.pad_current(ctx);
        } else {
            self.media.core.arm_flush(patience, &mut ctx.calendar);
        }
    }
}
