//! What the host asks: reads, writes into the buffer, trims, flushes.

use super::BlockMapped;
use crate::Output;
use crate::buffer::{Slot, SlotState};
use crate::host_side::{Arriving, Coverage, Host, Reads, Sectored};
use crate::media::Media;
use controller::{Class, Context, Origin, Probe};
use engine::Calendar;
use units::{Lpn, Ppa};

impl BlockMapped {
    /// Time begins.
    pub fn begin<P: Probe>(&mut self, ctx: &mut Context<P>) {
        self.media.begin();
        self.upkeep.begin(&mut self.media, &mut ctx.calendar);
    }

    /// Reads `count` units from `first`. Gives the number of flash reads that will report to `request`.
    pub fn read<P: Probe>(&mut self, request: u32, first: Lpn, count: u32, ctx: &mut Context<P>) -> u32 {
        let reads = self.read_found(request, first, count, ctx);
        if self.host.reads.ahead.is_some() {
            self.fetch_ahead(first, count, ctx);
        }
        reads
    }

    /// Submits the read of some units of one page row (numbered over the drive).
    #[allow(clippy::too_many_arguments)]
    pub(super) fn submit_read<P: Probe>(
        &mut self,
        row: u32,
        mask: u64,
        origin: Origin,
        class: Class,
        owner: u32,
        ctx: &mut Context<P>,
    ) {
        match &mut self.instant {
            Some(queue) => queue.push_back(self.media.read_of(row, mask, origin, class, owner)),
            None => {
                self.media.submit_read(row, mask, origin, class, owner, ctx);
            }
        }
    }

    /// The data of one unit of a write arrived; its slot was reserved. `request` waits for the program
    /// unless it is `u32::MAX`.
    pub fn write<P: Probe>(&mut self, request: u32, lpn: Lpn, coverage: Coverage, ctx: &mut Context<P>) {
        self.account_risk(ctx.calendar.now());
        self.media.reserved_slots -= 1;
        self.media.store.stats.units_written += 1;
        let whole = coverage == Coverage::Whole;
        if whole {
            self.media.guards.rebuilds.forget(lpn);
        }
        ctx.probe.on_host_write(lpn);
        self.host.reads.forget(lpn, &mut self.media.store.stats);
        let older = self.media.buffer.find(lpn);
        let complete = older.is_some_and(|slot| self.media.buffer.slot(slot).state != SlotState::Merging);
        let leaves = self.leaves_at_once(lpn, ctx.calendar.now());
        if let Some(slot) = older
            && self.overwrite_buffered(slot, request, &ctx.calendar)
        {
            ctx.probe.on_buffered(lpn, slot, older);
            return self.hold_more_sectors(slot, lpn);
        }
        let write = Arriving { request, whole: whole || complete, older, complete, leaves };
        let slot = self.media.buffer.insert(lpn, request, SlotState::Merging);
        ctx.probe.on_buffered(lpn, slot, older);
        if self.instant.is_none() {
            self.note_arrived(slot, lpn, write);
        }
        // An older version that still waits for its own rest gives it to this one when it is there.
        if let Some(older) = older.filter(|_| !write.whole) {
            return self.host.following.push((older, slot));
        }
        let all_there = self.instant.is_some() || (write.whole && self.media.guards.sectors.is_none());
        if all_there || !self.read_rest(slot, ctx) {
            self.admit(slot, &ctx.calendar);
        }
    }

    /// Lets a slot whose program failed wait in its bank before all others.
    pub(super) fn let_wait_first(&mut self, slot: u32, calendar: &Calendar) {
        self.let_wait(slot, calendar);
        let (bank, _, _) = self.split(self.media.buffer.slot(slot).lpn);
        self.banks[bank].waiting.queue.rotate_right(1);
    }

    /// Lets a slot wait in its bank, behind all others.
    pub(super) fn let_wait(&mut self, slot: u32, calendar: &Calendar) {
        let (bank, _, _) = self.split(self.media.buffer.slot(slot).lpn);
        self.media.buffer.set_state(slot, SlotState::Queued);
        let now = calendar.now();
        let wait = &mut self.waits[slot as usize];
        wait.serial = wait.serial.wrapping_add(1);
        wait.since = now;
        let entry = (slot, wait.serial);
        let bank_state = &mut self.banks[bank];
        wait.merged_ns = bank_state.merging.ns_until(now);
        bank_state.waiting.units += 1;
        // Behind a write cache a request that waits for its program (FUA) must not wait for company, nor a flush.
        let Slot { request, epoch, .. } = *self.media.buffer.slot(slot);
        let flushed = self.host.flushes.back().is_some_and(|&(last, _)| epoch <= last);
        bank_state.waiting.pressed |= flushed || (self.media.rules.write_back && request != u32::MAX);
        bank_state.waiting.queue.push_back(entry);
        self.touch_bank(bank);
    }

    /// The host no longer needs `count` units from `first`.
    pub fn trim<P: Probe>(&mut self, first: Lpn, count: u32, ctx: &mut Context<P>) {
        self.account_risk(ctx.calendar.now());
        for lpn in (first.0..first.0 + count).map(Lpn) {
            let buffered = self.media.buffer.used_slots() > 0 && self.media.buffer.cancel(lpn);
            self.host.reads.forget(lpn, &mut self.media.store.stats);
            let home = self.media.store.map.lookup(lpn);
            self.media.store.stats.units_trimmed += u64::from(buffered || home != Ppa::NONE);
            ctx.probe.on_trim(lpn, home);
            if home != Ppa::NONE {
                self.media.guards.rebuilds.forget(lpn);
                self.media.store.map.clear(lpn);
                self.invalidate(home, ctx);
            }
            self.touch_bank(self.split(lpn).0);
        }
        self.pump(ctx);
    }

    /// The host wants all that was acknowledged on flash; [`Output::Flushed`] tells when.
    pub fn flush<P: Probe>(&mut self, request: u32, ctx: &mut Context<P>) {
        if self.media.rules.power_loss_protection {
            self.host.outputs.push(Output::Flushed { request });
            return;
        }
        self.send_out(ctx);
        self.host.await_flushed(request, &mut self.media.buffer);
    }

    /// Lets no bank wait for complete program units until what waits now is written.
    pub(super) fn press<P: Probe>(&mut self, ctx: &mut Context<P>) {
        for bank in 0..self.banks.len() {
            self.banks[bank].waiting.pressed |= self.banks[bank].waiting.units > 0;
            self.work(bank, ctx);
        }
    }

    pub(super) fn answer_flushes(&mut self) {
        self.host.answer_flushes(&mut self.media.buffer);
    }

    /// Lets the banks work that have something new to do.
    pub fn pump<P: Probe>(&mut self, ctx: &mut Context<P>) {
        while let Some(bank) = self.touched.pop() {
            self.work(bank as usize, ctx);
        }
    }
}

impl Reads for BlockMapped {
    fn parts(&mut self) -> (&mut Media, &mut Host) {
        (&mut self.media, &mut self.host)
    }

    fn relieve(&mut self, calendar: &Calendar) {
        self.relieve_buffer(calendar);
    }
}

impl Sectored for BlockMapped {
    /// The die of its place in a data block.
    fn home_die(&self, lpn: Lpn) -> u32 {
        let (bank, _, unit) = self.split(lpn);
        self.banks[bank].first_die + unit / self.media.store.layout.program_units % self.rules.span
    }
}
