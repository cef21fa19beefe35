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

/// A translation layer that the host works with.
pub(crate) trait Serves: Arrives {
    /// Lets what waits go to the flash as far as that is possible now.
    fn pump<P: Probe>(&mut self, ctx: &mut Context<P>);

    /// Vacates `home`, whose unit was trimmed.
    fn vacate<P: Probe>(&mut self, home: Ppa, ctx: &mut Context<P>);

    /// Reports that a unit was trimmed, in the buffer or on flash.
    fn note_trimmed(&mut self, _lpn: Lpn) {}

    /// True without time: all that is written goes to the flash at once, and whole.
    #[inline]
    fn is_untimed(&self) -> bool {
        false
    }

    /// New data arrive for a unit that has a slot in the buffer which is not in flight: true when they replace its
    /// data.
    #[inline]
    fn take_over(&mut self, slot: u32, request: u32, now: SimTime) -> bool {
        let (media, _) = self.parts();
        let taken = media.core.buffer.take_over(slot, request, &mut media.core.store.stats);
        if taken {
            self.relieve(now);
        }
        taken
    }

    /// Admits a slot whose data are complete: they stay in the buffer, or wait for the flash.
    #[inline]
    fn admit(&mut self, slot: u32, now: SimTime) {
        self.parts().0.core.buffer.enqueue(slot);
        self.relieve(now);
    }

    /// Sends all data in the buffer to the flash: the run is over, or a flush asks for it.
    fn send_out<P: Probe>(&mut self, ctx: &mut Context<P>) {
        self.parts().0.core.buffer.send_out_held();
        self.pump(ctx);
    }

    /// Returns, for a unit that the host writes, whether the layer has its entry in the map at hand.
    #[inline]
    fn find_entry<P: Probe>(&mut self, _lpn: Lpn, _ctx: &mut Context<P>) -> MapEntry {
        MapEntry::AtHand
    }

    /// Reads the rest of `lpn` now, if the version in the buffer is a part of the unit and is needed although
    /// it is being replaced or trimmed.
    fn read_rest_now<P: Probe>(&mut self, _lpn: Lpn, _ctx: &mut Context<P>) {}

    /// Reads units once their map entries are at hand. Gives the number of flash reads that will report to `request`.
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

    /// Reads `count` units from `first`. Gives the number of flash reads that will report to `request`.
    #[inline]
    fn read<P: Probe>(&mut self, request: u32, first: Lpn, count: u32, ctx: &mut Context<P>) -> u32 {
        let reads = self.look_up_and_read(request, first, count, ctx);
        if self.parts().1.reads.ahead.is_some() {
            self.fetch_ahead(first, count, ctx);
        }
        reads
    }

    /// Takes the data of one unit of a write that arrived; its slot was reserved. `request` waits for the
    /// program unless it is `u32::MAX`.
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
            media.core.assembly.streams.note_arrived(slot, coverage.bytes(unit_bytes));
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

    /// Tells observers which slot holds the newest version of a unit, where they need it.
    #[inline]
    fn note_buffered<P: Probe>(&mut self, lpn: Lpn, probe: &mut P) {
        let (media, _) = self.parts();
        media.features.buffered(&media.core, lpn, probe);
    }

    /// Trims, for the host, `count` units from `first`.
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

    /// Puts all acknowledged data on flash, for a flush of the host; [`Output::Flushed`] tells when.
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

    /// Puts data of the drive's own features that are not in flight into the buffer, because they must be
    /// durable, too.
    fn write_out_own<P: Probe>(&mut self, ctx: &mut Context<P>) {
        let (media, _) = self.parts();
        media.features.write_out(&mut media.core, None);
        self.carry_out(ctx);
    }

    /// Does what features asked for.
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

    /// Continues work that waits for a map on flash.
    fn go_on_with_map<P: Probe>(&mut self, _ctx: &mut Context<P>) {}

    /// Returns a unit to a former version, which lies at `place`.
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

    /// Does what is asked of the logical drive as a whole; gives the number of what is kept, or was.
    fn act<P: Probe>(&mut self, act: Act, ctx: &mut Context<P>) -> Option<u32> {
        let media = self.parts().0;
        let number = media.features.act(&mut media.core, act, ctx.calendar.now(), &mut ctx.probe);
        self.carry_out(ctx);
        number
    }

    /// Returns, when the array has ended a program, whether it holds the data, and notes its spare area where
    /// power may fail.
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

    /// Ends the program of the slot with the newest version of `lpn`: the slot stays as a clean unit, or is
    /// freed.
    #[inline]
    fn end_newest(&mut self, slot: u32, lpn: Lpn, now: SimTime) {
        let is_untimed = self.is_untimed();
        let (media, _) = self.parts();
        media.features.released(slot);
        if media.core.buffer.keeps_clean(lpn) && !is_untimed {
            media.core.buffer.keep_clean(slot);
            self.relieve(now);
        } else {
            media.core.buffer.release_newest(slot);
        }
    }
}
