//! How what the host writes finds its die, and what else differs from a map of blocks.

use crate::Probe;
use crate::buffer::SlotState;
use crate::core::{Lane, MapEntry};
use crate::host_side::{Arrives, Reads, Serves};
use crate::pages::PageMapped;
use crate::pages::streamed::lane_asked_for;
use crate::store::{NONE, Source};
use controller::Context;
use units::{Lpn, Nanos, Ppa};

impl Serves for PageMapped {
    fn vacate<P: Probe>(&mut self, home: Ppa, _ctx: &mut Context<P>) {
        self.media.leave(home);
    }

    fn go_on_with_map<P: Probe>(&mut self, ctx: &mut Context<P>) {
        self.look_on(ctx);
    }

    #[inline]
    fn find_entry<P: Probe>(&mut self, lpn: Lpn, ctx: &mut Context<P>) -> MapEntry {
        let entry = self.media.features.finds_written(&mut self.media.core, lpn);
        if entry == Some(MapEntry::AtHand) {
            self.look_on(ctx);
        }
        entry.unwrap_or(MapEntry::AtHand)
    }

    /// Reads the sectors of unit `lpn` that a partial write of the host did not contain from flash now, if that write
    /// still waits for the unit's map entry: the entry is about to change, and would no longer give the unit's old
    /// physical address.
    #[cold]
    fn read_rest_now<P: Probe>(&mut self, lpn: Lpn, ctx: &mut Context<P>) {
        let Some(slot) = self.media.core.find_unwritten(lpn) else { return };
        let waits = self.media.features.stops_waiting(slot);
        if waits.is_some_and(|complete| complete || !self.read_rest(slot, ctx)) {
            self.on_merged(slot, &mut ctx.probe);
        }
    }

    #[inline(always)]
    fn look_up_and_read<P: Probe>(
        &mut self,
        request: u32,
        first: Lpn,
        count: u32,
        ctx: &mut Context<P>,
    ) -> u32 {
        match self.media.features.finds(&mut self.media.core, first, count) {
            Some(found) => self.read_by_entries(request, first, (count, found), ctx),
            None => self.read_found(request, first, count, ctx),
        }
    }

    /// Assigns units that wait in the write buffer to dies and programs them, as long as some die can take them.
    fn pump<P: Probe>(&mut self, ctx: &mut Context<P>) {
        while let Some(slot) = self.media.core.buffer.first_queued() {
            if self.media.core.buffer.slot(slot).state == SlotState::Cancelled {
                self.media.core.buffer.bind_first();
                self.release_void(slot);
                continue;
            }
            let lpn = self.media.core.buffer.slot(slot).lpn;
            let lane = match self.media.core.assembly.streams.by_origin() {
                Some(answer) => self.media.core.assembly.lane_of(answer.host),
                None => lane_asked_for(self, slot, lpn, ctx),
            };
            if self.media.core.assembly.lanes[lane].current == NONE && !self.media.choose_die(lane, lpn) {
                if self.media.core.turns.rests() {
                    end_rest(self, ctx);
                }
                break;
            }
            let Lane { current, stream, .. } = self.media.core.assembly.lanes[lane];
            let die = current as usize;
            let opened = self.media.core.store.space.dies[die].frontiers[stream].superblock == NONE;
            if opened {
                assert!(self.media.open_for_host(die, stream), "die {die} was eligible without room");
            }
            self.media.core.buffer.bind_first();
            self.media.core.assembly.lanes[lane].is_awaited |=
                self.media.core.buffer.slot(slot).request != u32::MAX;
            self.media.core.assembly.streams.note_written(lpn);
            self.media.core.store.space.dies[die].live += 1;
            let is_burst = self.media.note_host_unit(die, stream);
            self.media.core.store.map.prefetch_home(lpn);
            let source = Source::of_slot(self.media.core.buffered_origin(lpn), slot);
            self.media.append(die, stream, lpn, source, ctx);
            if opened || is_burst {
                self.upkeep.collect(&mut self.media, die, ctx);
            }
        }
        if !self.media.core.is_assembling() {
            return;
        }
        let flush_after = self.media.core.assembly.flush_after;
        for lane in 0..self.media.core.assembly.lanes.len() {
            let Lane { current, is_awaited, .. } = self.media.core.assembly.lanes[lane];
            // A request that waits for its program waits for no other, but for data that already cross the link.
            let is_pressed = is_awaited && !self.media.core.expects_data();
            if !self.host.flushes.is_empty() || is_pressed || flush_after == Nanos::ZERO {
                self.media.pad_lane(lane, ctx);
            } else if current != NONE {
                self.media.core.arm_flush(lane, flush_after, &mut ctx.calendar);
            }
        }
    }
}

/// Lets collections that rest between bursts go on where the host, which waits, cannot go on without them.
#[cold]
fn end_rest<P: Probe>(pages: &mut PageMapped, ctx: &mut Context<P>) {
    let core = &mut pages.media.core;
    core.turns.begin_for_waiting(&core.collections, &core.assembly.bound);
    pages.upkeep.wake_dies(&mut pages.media, ctx);
}
