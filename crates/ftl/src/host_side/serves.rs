//! What the host writes, trims and flushes, and the whole of what it reads: once for both kinds of map, which say only
//! where they differ.

use crate::buffer::{Coverage, SlotState};
use crate::core::{Act, Arriving, Ask, MapEntry, Overtaken, Waiter};
use crate::host_side::Arrives;
use crate::lapse::Lapse;
use crate::{Output, Probe, VersionEvent};
use controller::{Context, Transaction};
use nand::ProgramStatus;
use units::{Lpn, Ppa, SimTime};

/// Interface by which a translation layer serves the host's requests: reads, writes, trims and flushes.
pub(crate) trait Serves: Arrives {
    /// Submits the programs of data that wait in the write buffer, as far as dies can take them now, and continues
    /// other work of the layer that waited for the same resources.
    fn pump<P: Probe>(&mut self, ctx: &mut Context<P>);

    /// Marks the data at physical address `home` as invalid because the host trimmed their unit, unless a feature such
    /// as a snapshot still needs the data.
    fn vacate<P: Probe>(&mut self, home: Ppa, ctx: &mut Context<P>);

    /// Informs the layer that the host trimmed a unit, in the write buffer or on flash, so that the layer can start
    /// work for which the trim freed space.
    fn note_trimmed(&mut self, _lpn: Lpn) {}

    /// Returns true in work without simulated time, such as preconditioning: all data written go to flash at once, in
    /// whole units.
    #[inline]
    fn is_untimed(&self) -> bool {
        false
    }

    /// Overwrites the data in write buffer slot `slot` with newer data of the same unit, if its program is not in
    /// flight and no request waits for it; returns true if it did so, false if the new data need a slot of their own.
    #[inline]
    fn take_over(&mut self, slot: u32, request: u32, now: SimTime) -> bool {
        let (media, _) = self.parts();
        let taken = media.core.buffer.take_over(slot, request, &mut media.core.store.stats);
        if taken {
            self.relieve(now);
        }
        taken
    }

    /// Marks the data in a write buffer slot as complete (no read-modify-write pending): they stay in the buffer as
    /// dirty data, or are queued for programming.
    #[inline]
    fn admit(&mut self, slot: u32, now: SimTime) {
        self.parts().0.core.buffer.enqueue(slot);
        self.relieve(now);
    }

    /// Queues all dirty units in the write buffer for programming, at the end of a run or for a flush, and starts as
    /// many programs as possible now. This default does not pad a partly filled program unit.
    fn send_out<P: Probe>(&mut self, ctx: &mut Context<P>) {
        self.parts().0.core.buffer.send_out_held();
        self.pump(ctx);
    }

    /// Looks up whether the map entry of a unit that the host writes is in RAM, and returns the answer; a missing entry
    /// has to be fetched from flash.
    #[inline]
    fn find_entry<P: Probe>(&mut self, _lpn: Lpn, _ctx: &mut Context<P>) -> MapEntry {
        MapEntry::AtHand
    }

    /// Reads the sectors that a partial write of unit `lpn` in the write buffer lacks from flash now, if that version,
    /// although just replaced or trimmed, is still needed (by a snapshot). Does nothing by default.
    fn read_rest_now<P: Probe>(&mut self, _lpn: Lpn, _ctx: &mut Context<P>) {}

    /// Reads `count` units from `first` once their map entries are in RAM. Returns the number of flash reads that
    /// `request` has to wait for.
    #[inline]
    fn look_up_and_read<P: Probe>(
        &mut self,
        request: u32,
        first: Lpn,
        count: u32,
        ctx: &mut Context<P>,
    ) -> u32 {
        self.read_found(request, first, count, ctx)
    }

    /// Reads `count` units from `first` for the host, with read-ahead where the drive has it. Returns the number of
    /// flash reads that `request` has to wait for.
    #[inline(always)]
    fn read<P: Probe>(&mut self, request: u32, first: Lpn, count: u32, ctx: &mut Context<P>) -> u32 {
        let reads = self.look_up_and_read(request, first, count, ctx);
        if self.parts().1.reads.ahead.is_some() {
            self.fetch_ahead(first, count, ctx);
        }
        reads
    }

    /// Accepts the data of one unit of a host write into a slot of the write buffer that was reserved before. `request`
    /// waits for the program of the unit, unless it is `u32::MAX`.
    fn write<P: Probe>(&mut self, request: u32, lpn: Lpn, coverage: Coverage, ctx: &mut Context<P>) {
        let whole = coverage == Coverage::Whole;
        self.account_risk(ctx.calendar.now());
        let (media, host) = self.parts();
        media.core.reserved_slots -= 1;
        let unit_bytes = media.core.store.layout.unit.get();
        media.core.store.stats.units_written += 1;
        media.core.store.stats.bytes_written += coverage.bytes(unit_bytes);
        if whole {
            media.core.lost.forget(lpn);
        }
        ctx.probe.on_host_write(lpn);
        host.reads.forget(lpn, &mut media.core.store.stats);
        let overtaken = media.overtake(lpn, ctx);
        debug_assert_ne!(overtaken, Overtaken::Refused, "the caller asks first");
        if overtaken == Overtaken::InBuffer {
            self.read_rest_now(lpn, ctx);
        }
        let (media, _) = self.parts();
        let older = if media.core.buffer.used_slots() > 0 { media.core.buffer.find(lpn) } else { None };
        let older = older.filter(|&slot| !self.drops_part(slot, lpn));
        let (media, _) = self.parts();
        // An older version that still waits for its own rest gives it to this one when it is there.
        let complete = older.is_some_and(|slot| media.core.buffer.slot(slot).state != SlotState::Merging);
        media.erase_emptied(ctx);
        let leaves = self.leaves_at_once(lpn, ctx.calendar.now());
        if overtaken == Overtaken::Free
            && let Some(slot) = older
            && self.take_over(slot, request, ctx.calendar.now())
        {
            let (media, _) = self.parts();
            media.core.stamp(slot);
            media.core.buffer.note_carried(slot, coverage, unit_bytes);
            media.core.assembly.streams.note_arrived(slot, lpn, coverage.bytes(unit_bytes));
            ctx.probe.on_buffered(lpn, slot, older);
            media.features.joined(slot, lpn);
            return self.note_buffered(lpn, &mut ctx.probe);
        }
        let write = Arriving { whole: whole || complete, older, complete, leaves };
        let entry = self.find_entry(lpn, ctx);
        let slot = self.parts().0.core.take_in(lpn, request, coverage);
        ctx.probe.on_buffered(lpn, slot, older);
        if !self.is_untimed() {
            self.note_arrived(slot, lpn, write);
        }
        self.note_buffered(lpn, &mut ctx.probe);
        if entry == MapEntry::Missing {
            let (media, _) = self.parts();
            let complete = write.whole && !media.features.knows_parts();
            media.features.awaits(&media.core, Waiter::Write { slot, complete });
            return self.go_on_with_map(ctx);
        }
        if let Some(older) = older.filter(|_| !write.whole) {
            return self.parts().1.following.push((older, slot));
        }
        let all_there = self.is_untimed() || (write.whole && !self.parts().0.features.knows_parts());
        if all_there || !self.read_rest(slot, ctx) {
            self.admit(slot, ctx.calendar.now());
        }
    }

    /// Informs the probe (observer of the run) which slot of the write buffer holds the newest version of a unit, where
    /// a feature of the drive needs that.
    #[inline]
    fn note_buffered<P: Probe>(&mut self, lpn: Lpn, probe: &mut P) {
        let (media, _) = self.parts();
        media.features.buffered(&media.core, lpn, probe);
    }

    /// Trims `count` logical units from `first` for the host.
    fn trim<P: Probe>(&mut self, first: Lpn, count: u32, ctx: &mut Context<P>) {
        self.account_risk(ctx.calendar.now());
        if self.parts().0.core.rules.lapses.has(Lapse::IgnoresTrim) {
            return;
        }
        for lpn in (first.0..first.0 + count).map(Lpn) {
            let (media, _) = self.parts();
            let buffered = match media.overtake(lpn, ctx) {
                Overtaken::Free => media.core.buffer.used_slots() > 0 && media.core.buffer.cancel(lpn),
                Overtaken::InBuffer => {
                    self.read_rest_now(lpn, ctx);
                    self.parts().0.core.buffer.forget(lpn)
                }
                Overtaken::Refused | Overtaken::Again => {
                    media.features.trim_refused();
                    continue;
                }
            };
            let (media, host) = self.parts();
            if let Some(numbers) = &mut media.core.store.spare {
                numbers.note_trimmed(lpn, media.core.buffer.used_slots());
            }
            host.reads.forget(lpn, &mut media.core.store.stats);
            let home = media.core.store.map.lookup(lpn);
            media.core.store.stats.units_trimmed += u64::from(buffered || home != Ppa::NONE);
            ctx.probe.on_trim(lpn, home);
            if home != Ppa::NONE {
                media.features.changes(lpn);
                media.core.lost.forget(lpn);
                media.core.store.map.clear(lpn);
                self.vacate(home, ctx);
            }
            self.note_trimmed(lpn);
            if buffered || home != Ppa::NONE {
                let (media, _) = self.parts();
                media.features.trimmed(&mut media.core, lpn);
            }
        }
        self.parts().0.erase_emptied(ctx);
        self.pump(ctx);
    }

    /// Begins to put all acknowledged data on flash for a flush request of the host; [`Output::Flushed`] reports its
    /// completion, which is immediate with power loss protection.
    fn flush<P: Probe>(&mut self, request: u32, ctx: &mut Context<P>) {
        let (media, host) = self.parts();
        if media.core.rules.power_loss_protection || media.core.rules.lapses.has(Lapse::ForgetsFlush) {
            host.outputs.push(Output::Flushed { request });
            return;
        }
        if media.features.write_out(&mut media.core, Some(request)) {
            return self.carry_out(ctx);
        }
        self.send_out(ctx);
        let (media, host) = self.parts();
        media.pad_current(ctx);
        host.await_flushed(request, &mut media.core.buffer);
    }

    /// Queues the feature data that must become durable without a flush (records of trims that are not on flash yet) in
    /// the write buffer for programming, when capacitors supply a drive whose power failed.
    fn write_out_own<P: Probe>(&mut self, ctx: &mut Context<P>) {
        let (media, _) = self.parts();
        media.features.write_out(&mut media.core, None);
        self.carry_out(ctx);
    }

    /// Carries out the actions that the drive's features have queued, such as submitting programs or completing a
    /// flush.
    #[inline]
    fn carry_out<P: Probe>(&mut self, ctx: &mut Context<P>) {
        if !self.parts().0.core.asks.is_empty() {
            self.do_asked(ctx);
        }
    }

    #[cold]
    fn do_asked<P: Probe>(&mut self, ctx: &mut Context<P>) {
        for ask in self.parts().0.core.take_asks() {
            match ask {
                Ask::Pump => self.pump(ctx),
                Ask::SendOut => {
                    self.send_out(ctx);
                    self.parts().0.pad_current(ctx);
                }
                Ask::Flush(request) => {
                    let (media, host) = self.parts();
                    host.await_flushed(request, &mut media.core.buffer);
                }
                Ask::Return(lpn, place) => self.return_to(lpn, place, &mut ctx.probe),
                Ask::GoOn => self.go_on_with_map(ctx),
                other => self.parts().0.do_one(other, ctx),
            }
            self.carry_out(ctx);
        }
    }

    /// Continues host reads and writes that waited until map entries were read from flash, on a drive whose map lies on
    /// flash.
    fn go_on_with_map<P: Probe>(&mut self, _ctx: &mut Context<P>) {}

    /// Replaces the content of a unit by a former version, which a snapshot sees and which lies at physical address
    /// `place` (`Ppa::NONE`: the unit was unmapped).
    fn return_to<P: Probe>(&mut self, lpn: Lpn, place: Ppa, probe: &mut P) {
        let (media, host) = self.parts();
        let live = media.core.store.map.lookup(lpn);
        media.features.changes(lpn);
        media.core.buffer.cancel(lpn);
        host.reads.forget(lpn, &mut media.core.store.stats);
        if live != Ppa::NONE {
            media.core.store.map.clear(lpn);
            media.invalidate_host(live);
        }
        if place != Ppa::NONE {
            media.core.store.map.set(lpn, place);
        }
        probe.on_version(VersionEvent::Returned { lpn, old: live, new: place });
    }

    /// Carries out a snapshot command on the logical drive as a whole: takes, deletes or rolls back to a snapshot.
    /// Returns the serial number of the snapshot that was taken or deleted; `None` after a rollback, or if there is no
    /// such snapshot.
    fn act<P: Probe>(&mut self, act: Act, ctx: &mut Context<P>) -> Option<u32> {
        let media = self.parts().0;
        let number = media.features.act(&mut media.core, act, ctx.calendar.now(), &mut ctx.probe);
        self.carry_out(ctx);
        number
    }

    /// Handles the end of a program in the flash array: returns whether the flash holds the data, and records the spare
    /// area on drives whose power may fail.
    #[inline(always)]
    fn end_program(&mut self, transaction: &Transaction, now: SimTime) -> ProgramStatus {
        self.account_risk(now);
        let is_labelled = !self.is_untimed();
        let (media, _) = self.parts();
        let global = media.core.store.space.global(transaction.die.index(), transaction.superblock);
        let mut status = media.core.store.array.program(global, transaction.row, transaction.rows);
        if media.core.store.dead.has(transaction.die.index()) {
            status = ProgramStatus::Failed;
        }
        media.core.store.stats.pages_programmed[transaction.origin as usize] += u64::from(transaction.pages);
        if media.core.store.spare.is_some() && is_labelled {
            media.stamp_programmed(transaction, status);
        }
        status
    }

    #[inline]
    fn answer_flushes(&mut self) {
        let (media, host) = self.parts();
        if !host.flushes.is_empty() {
            host.answer_flushes(&mut media.core.buffer);
        }
    }

    /// Drops a clean unit of which the write buffer has only sectors that the host read, before the host overwrites the
    /// unit: the sectors that the new write lacks are read from flash. Returns false, without a change, for any other slot.
    #[inline]
    fn drops_part(&mut self, slot: u32, lpn: Lpn) -> bool {
        let (media, _) = self.parts();
        media.core.buffer.slot(slot).state == SlotState::Clean
            && media.features.lacks(slot).is_some_and(|missing| missing != 0)
            && media.core.buffer.cancel(lpn)
    }

    /// Handles the end of the program of the slot with the newest version of `lpn`: the slot stays in the buffer as a
    /// clean unit, or is freed.
    #[inline]
    fn end_newest(&mut self, slot: u32, lpn: Lpn, now: SimTime) {
        let is_untimed = self.is_untimed();
        let (media, _) = self.parts();
        let stays = media.core.buffer.keeps_clean(lpn) && !is_untimed;
        media.features.released(slot, stays.then_some((lpn, u32::MAX)));
        if stays {
            media.core.buffer.keep_clean(slot);
            self.relieve(now);
        } else {
            media.core.buffer.release_newest(slot);
        }
    }
}
