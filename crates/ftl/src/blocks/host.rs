//! What the host asks: reads, writes into the buffer, trims, flushes.

use super::BlockMapped;
use crate::Probe;
use crate::buffer::{Slot, SlotState};
use crate::host_side::{Host, Reads, Serves};
use crate::media::Media;
use controller::{Class, Context, Origin};
use units::{Lpn, Ppa, SimTime};

impl BlockMapped {
    /// Submits a flash read of the mapping units that bit mask `mask` selects in page row `row` (pages of one number on
    /// all planes, numbered over the drive).
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
            Some(queue) => queue.push_back(self.media.core.read_of(row, mask, origin, class, owner)),
            None => {
                self.media.submit_read(row, mask, origin, class, owner, ctx);
            }
        }
    }

    /// Puts a buffer slot whose program failed back at the front of the queue of its bank (set of dies over which
    /// blocks extend), so that the slot's unit is programmed next.
    pub(super) fn let_wait_first(&mut self, slot: u32, now: SimTime) {
        self.let_wait(slot, now);
        let (bank, _, _) = self.split(self.media.core.buffer.slot(slot).lpn);
        self.banks[bank].waiting.queue.rotate_right(1);
    }

    /// Puts a buffer slot at the end of the queue of its bank (set of dies over which blocks extend), so that the
    /// slot's unit is programmed after the units before it.
    pub(super) fn let_wait(&mut self, slot: u32, now: SimTime) {
        let (bank, _, _) = self.split(self.media.core.buffer.slot(slot).lpn);
        self.media.core.buffer.set_state(slot, SlotState::Queued);
        let wait = &mut self.waits[slot as usize];
        wait.serial = wait.serial.wrapping_add(1);
        wait.since = now;
        let entry = (slot, wait.serial);
        let bank_state = &mut self.banks[bank];
        wait.merged_ns = bank_state.merging.ns_until(now);
        bank_state.waiting.units += 1;
        // A request that waits for its program must not wait for other requests, nor a flush.
        let Slot { request, epoch, .. } = *self.media.core.buffer.slot(slot);
        bank_state.waiting.pressed |= self.host.flushes.back().is_some_and(|&(last, _)| epoch <= last);
        bank_state.waiting.awaited |= request != u32::MAX;
        bank_state.waiting.queue.push_back(entry);
        self.touch_bank(bank);
    }

    /// Makes all banks (sets of dies) program the buffered units that wait now, without waiting for more data that
    /// would fill the program units: the rest is padded.
    pub(super) fn press<P: Probe>(&mut self, ctx: &mut Context<P>) {
        for bank in 0..self.banks.len() {
            self.banks[bank].waiting.pressed |= self.banks[bank].waiting.units > 0;
            self.work(bank, ctx);
        }
    }
}

impl Reads for BlockMapped {
    fn parts(&mut self) -> (&mut Media, &mut Host) {
        (&mut self.media, &mut self.host)
    }

    fn relieve(&mut self, now: SimTime) {
        self.relieve_buffer(now);
    }

    /// Returns the die on which unit `lpn` has its fixed position in the data block of its group, on a block-mapped
    /// drive.
    fn home_die(&self, lpn: Lpn) -> u32 {
        let (bank, _, unit) = self.split(lpn);
        self.banks[bank].first_die + unit / self.layout().program_units % self.rules.span
    }
}

impl Serves for BlockMapped {
    /// Advances the host's writes and the merges in the banks (sets of dies over which blocks extend) that are marked
    /// as having work to do.
    fn pump<P: Probe>(&mut self, ctx: &mut Context<P>) {
        if !self.expecting.is_empty() && !self.media.core.expects_data() {
            for bank in std::mem::take(&mut self.expecting) {
                self.touch_bank(bank);
            }
        }
        while let Some(bank) = self.touched.pop() {
            self.work(bank as usize, ctx);
        }
    }

    fn vacate<P: Probe>(&mut self, home: Ppa, ctx: &mut Context<P>) {
        self.invalidate(home, ctx);
    }

    fn note_trimmed(&mut self, lpn: Lpn) {
        self.touch_bank(self.split(lpn).0);
    }

    fn is_untimed(&self) -> bool {
        self.instant.is_some()
    }

    fn take_over(&mut self, slot: u32, request: u32, now: SimTime) -> bool {
        if !self.media.core.buffer.take_over(slot, request, &mut self.media.core.store.stats) {
            return false;
        }
        if request != u32::MAX {
            let bank = self.split(self.media.core.buffer.slot(slot).lpn).0;
            self.banks[bank].waiting.awaited = true;
            self.touch_bank(bank);
        }
        self.let_leave(now);
        self.relieve_buffer(now);
        true
    }

    /// Queues a buffer slot with complete data for programming, or holds the unit in the buffer where it works as a
    /// cache. During preconditioning without simulated time no unit is held, so that a preconditioned drive is the same
    /// with any cache.
    fn admit(&mut self, slot: u32, now: SimTime) {
        if self.instant.is_some() {
            return self.let_wait(slot, now);
        }
        self.media.core.buffer.enqueue(slot);
        self.let_leave(now);
        self.relieve_buffer(now);
    }

    fn send_out<P: Probe>(&mut self, ctx: &mut Context<P>) {
        self.media.core.buffer.send_out_held();
        self.let_leave(ctx.calendar.now());
        self.press(ctx);
    }
}
