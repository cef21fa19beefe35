//! What the host writes, trims and flushes, and how it finds its die.

use crate::buffer::SlotState;
use crate::guards::snapshots::Overtaken;
use crate::host_side::{Arriving, Coverage, Reads, Sectored};
use crate::pages::PageMapped;
use crate::store::{NONE, Source};
use crate::{Output, events};
use controller::{Context, Probe, SnapshotEvent};
use engine::Event;
use units::{Lpn, Nanos, Ppa};

/// How long a partial program unit waits for company when a request waits for it behind a write cache.
const AWAITED_PATIENCE: Nanos = Nanos::new(10_000);

impl PageMapped {
    /// The data of one unit of a write arrived; its slot was reserved. `request` waits for the program
    /// unless it is `u32::MAX`.
    pub fn write<P: Probe>(&mut self, request: u32, lpn: Lpn, coverage: Coverage, ctx: &mut Context<P>) {
        self.media.reserved_slots -= 1;
        self.media.store.stats.units_written += 1;
        let whole = coverage == Coverage::Whole;
        if whole && self.media.guards.rebuilds.has_lost() {
            self.media.guards.rebuilds.forget(lpn);
        }
        ctx.probe.on_host_write(lpn);
        self.host.reads.forget(lpn, &mut self.media.store.stats);
        self.account_risk(ctx.calendar.now());
        let overtaken = self.media.overtake(lpn, &mut ctx.probe);
        debug_assert_ne!(overtaken, Overtaken::Refused, "the caller asks first");
        if overtaken == Overtaken::InBuffer {
            self.read_rest_now(lpn, ctx);
        }
        let older = if self.media.buffer.used_slots() > 0 { self.media.buffer.find(lpn) } else { None };
        // An older version that still waits for its own rest gives it to this one when it is there.
        let complete = older.is_some_and(|slot| self.media.buffer.slot(slot).state != SlotState::Merging);
        self.media.erase_emptied(ctx);
        let leaves = self.leaves_at_once(lpn, ctx.calendar.now());
        if overtaken == Overtaken::Free
            && let Some(slot) = older
            && self.overwrite_buffered(slot, request)
        {
            ctx.probe.on_buffered(lpn, slot, older);
            if self.media.guards.sectors.is_some() {
                self.hold_more_sectors(slot, lpn);
            }
            return self.note_buffered(lpn, &mut ctx.probe);
        }
        let write = Arriving { request, whole: whole || complete, older, complete, leaves };
        if self.media.guards.demand.is_some() && self.write_by_demand(lpn, write, ctx) {
            return;
        }
        let slot = self.media.buffer.insert(lpn, request, SlotState::Merging);
        ctx.probe.on_buffered(lpn, slot, older);
        self.note_arrived(slot, lpn, write);
        self.note_buffered(lpn, &mut ctx.probe);
        if let Some(older) = older.filter(|_| !write.whole) {
            return self.host.following.push((older, slot));
        }
        let all_there = write.whole && self.media.guards.sectors.is_none();
        if !all_there && self.read_rest(slot, ctx) {
            return;
        }
        self.media.buffer.enqueue(slot);
        self.relieve_buffer();
    }

    /// Tells observers which slot holds the newest version of a unit, where snapshots make it matter.
    #[inline]
    pub(super) fn note_buffered<P: Probe>(&self, lpn: Lpn, probe: &mut P) {
        if self.media.guards.snapshots.is_some()
            && let Some(slot) = self.media.buffer.find(lpn)
        {
            probe.on_snapshot(SnapshotEvent::Buffered { lpn, slot });
        }
    }

    /// The host no longer needs `count` units from `first`.
    pub fn trim<P: Probe>(&mut self, first: Lpn, count: u32, ctx: &mut Context<P>) {
        self.account_risk(ctx.calendar.now());
        for lpn in (first.0..first.0 + count).map(Lpn) {
            let buffered = match self.media.overtake(lpn, &mut ctx.probe) {
                Overtaken::Free => self.media.buffer.used_slots() > 0 && self.media.buffer.cancel(lpn),
                Overtaken::InBuffer => {
                    self.read_rest_now(lpn, ctx);
                    self.media.buffer.forget(lpn)
                }
                Overtaken::Refused => {
                    self.ignore_trim();
                    continue;
                }
            };
            self.host.reads.forget(lpn, &mut self.media.store.stats);
            let home = self.media.store.map.lookup(lpn);
            self.media.store.stats.units_trimmed += u64::from(buffered || home != Ppa::NONE);
            ctx.probe.on_trim(lpn, home);
            if home != Ppa::NONE {
                self.media.note_change(lpn);
                self.media.guards.rebuilds.forget(lpn);
                self.media.store.map.clear(lpn);
                self.media.leave(home);
            }
        }
        self.media.erase_emptied(ctx);
        self.pump(ctx);
    }

    /// The host wants all that was acknowledged on flash; [`Output::Flushed`] tells when.
    pub fn flush<P: Probe>(&mut self, request: u32, ctx: &mut Context<P>) {
        if self.media.rules.power_loss_protection {
            self.host.outputs.push(Output::Flushed { request });
            return;
        }
        self.send_out(ctx);
        self.media.pad_current(ctx);
        self.host.await_flushed(request, &mut self.media.buffer);
    }

    pub(super) fn answer_flushes(&mut self) {
        self.host.answer_flushes(&mut self.media.buffer);
    }

    /// Binds waiting units to dies as long as some die can take them.
    pub fn pump<P: Probe>(&mut self, ctx: &mut Context<P>) {
        let mut awaited = false;
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
            awaited |= self.media.rules.write_back && self.media.buffer.slot(slot).request != u32::MAX;
            self.media.store.space.dies[die].live += 1;
            self.media.note_host_unit(die, stream);
            self.media.store.map.prefetch_validity(self.media.store.map.lookup(lpn));
            let source = Source::new(self.media.buffered_origin(lpn), slot);
            self.media.append(die, stream, lpn, source, ctx);
            if opened {
                self.upkeep.collect(&mut self.media, die, ctx);
            }
        }
        if !self.media.is_assembling() {
            return;
        }
        if !self.host.flushes.is_empty() {
            self.media.pad_current(ctx);
        } else if awaited {
            // Behind a write cache patience is long; a write that must be on flash (FUA) has less.
            let at = ctx.calendar.now() + self.media.assembly.flush_after.min(AWAITED_PATIENCE);
            ctx.calendar
                .schedule_timer(at, Event { kind: events::FLUSH, index: self.media.assembly.flush_serial });
        } else if !self.media.assembly.flush_armed {
            self.media.arm_flush(ctx);
        }
    }
}
