//! What the host asks: reads, writes into the buffer, trims, flushes.

use super::BlockMapped;
use crate::Output;
use crate::buffer::{Slot, SlotState};
use crate::space::NONE;
use controller::{Class, Kind, Origin, Probe, Transaction};
use engine::Calendar;
use units::{DieId, Lpn, Ppa};

impl BlockMapped {
    /// Time begins: nothing is needed before writes can come.
    pub fn begin<P: Probe>(&mut self, _: &mut Calendar, _: &mut P) {}

    /// Reads `count` units from `first`. Gives the number of flash reads that will report to `request`.
    pub fn read<P: Probe>(
        &mut self,
        request: u32,
        first: Lpn,
        count: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> u32 {
        let mut reads = 0;
        let (mut row, mut mask) = (NONE, 0u64);
        for lpn in (first.0..first.0 + count).map(Lpn) {
            let buffered = if self.buffer.used_slots() > 0 { self.buffer.find(lpn) } else { None };
            if let Some(slot) = buffered {
                self.stats.units_read_buffer += 1;
                self.buffer.note_read(slot);
                continue;
            }
            let ppa = self.map.lookup(lpn);
            if ppa == Ppa::NONE {
                self.stats.units_read_unmapped += 1;
                continue;
            }
            self.stats.units_read_flash += 1;
            probe.on_host_read(lpn, ppa);
            let (this_row, unit) = (ppa.0 / self.layout.row_units, ppa.0 % self.layout.row_units);
            if mask != 0 && (this_row != row || mask >> unit & 1 == 1) {
                self.submit_read(row, mask, Origin::Host, Class::HostRead, request, calendar, probe);
                reads += 1;
                mask = 0;
            }
            row = this_row;
            mask |= 1 << unit;
        }
        if mask != 0 {
            self.submit_read(row, mask, Origin::Host, Class::HostRead, request, calendar, probe);
            reads += 1;
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
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let (die, superblock) = self.place_of(row / self.layout.rows);
        let mut transaction =
            Transaction::new(Kind::Read, origin, class, DieId(die), superblock, row % self.layout.rows);
        transaction.mask = mask;
        transaction.pages = self.layout.pages_touched(mask);
        transaction.owner = owner;
        self.submit(transaction, calendar, probe);
    }

    /// The data of one unit of a write arrived; its slot was reserved. `request` waits for the program
    /// unless it is `u32::MAX`; `whole`: the write covers the whole unit.
    pub fn write<P: Probe>(
        &mut self,
        request: u32,
        lpn: Lpn,
        whole: bool,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        self.account_risk(calendar.now());
        self.reserved_slots -= 1;
        self.stats.units_written += 1;
        probe.on_host_write(lpn);
        let older = self.buffer.find(lpn);
        if older.is_some_and(|slot| self.overwrite_buffered(slot, request, calendar)) {
            return;
        }
        let home = if whole || older.is_some() { Ppa::NONE } else { self.map.lookup(lpn) };
        if home == Ppa::NONE {
            let slot = self.buffer.insert(lpn, request, SlotState::Queued);
            self.admit(slot, calendar);
            return;
        }
        let slot = self.buffer.insert(lpn, request, SlotState::Merging);
        let (row, unit) = (home.0 / self.layout.row_units, home.0 % self.layout.row_units);
        let origin = Origin::ReadModifyWrite;
        self.submit_read(row, 1 << unit, origin, Class::InternalRead, slot, calendar, probe);
    }

    /// Lets a slot wait in its bank: behind all others, or before them where its program failed.
    pub(super) fn let_wait(&mut self, slot: u32, calendar: &Calendar, first: bool) {
        let (bank, _, _) = self.split(self.buffer.slot(slot).lpn);
        self.buffer.set_state(slot, SlotState::Queued);
        let now = calendar.now();
        let wait = &mut self.waits[slot as usize];
        wait.serial = wait.serial.wrapping_add(1);
        wait.since = now;
        let entry = (slot, wait.serial);
        let bank_state = &mut self.banks[bank];
        wait.merged_ns = bank_state.merged_until(now);
        bank_state.waiting_units += 1;
        // Behind a write cache a request that waits for its program (FUA) must not wait for company, nor a flush.
        let Slot { request, epoch, .. } = *self.buffer.slot(slot);
        let flushed = self.flushes.back().is_some_and(|&(last, _)| epoch <= last);
        bank_state.pressed |= flushed || (self.write_back && request != u32::MAX);
        if first {
            bank_state.waiting.push_front(entry);
        } else {
            bank_state.waiting.push_back(entry);
        }
        self.touch_bank(bank);
    }

    /// The host no longer needs `count` units from `first`.
    pub fn trim<P: Probe>(&mut self, first: Lpn, count: u32, calendar: &mut Calendar, probe: &mut P) {
        self.account_risk(calendar.now());
        for lpn in (first.0..first.0 + count).map(Lpn) {
            let buffered = self.buffer.used_slots() > 0 && self.buffer.cancel(lpn);
            let home = self.map.lookup(lpn);
            self.stats.units_trimmed += u64::from(buffered || home != Ppa::NONE);
            probe.on_trim(lpn, home);
            if home != Ppa::NONE {
                self.map.clear(lpn);
                self.invalidate(home, calendar, probe);
            }
            self.touch_bank(self.split(lpn).0);
        }
        self.pump(calendar, probe);
    }

    /// The host wants all that was acknowledged on flash; [`Output::Flushed`] tells when.
    pub fn flush<P: Probe>(&mut self, request: u32, calendar: &mut Calendar, probe: &mut P) {
        if self.power_loss_protection {
            self.outputs.push(Output::Flushed { request });
            return;
        }
        self.send_out(calendar, probe);
        let epoch = self.buffer.end_epoch();
        self.flushes.push_back((epoch, request));
        self.answer_flushes();
    }

    /// Lets no bank wait for complete program units until what waits now is written.
    pub(super) fn press<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        for bank in 0..self.banks.len() {
            self.banks[bank].pressed |= self.banks[bank].waiting_units > 0;
            self.work(bank, calendar, probe);
        }
    }

    pub(super) fn answer_flushes(&mut self) {
        while let Some(&(epoch, request)) = self.flushes.front() {
            if self.buffer.oldest_epoch() <= epoch {
                return;
            }
            self.flushes.pop_front();
            self.outputs.push(Output::Flushed { request });
        }
    }

    /// Lets the banks work that have something new to do.
    pub fn pump<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        while let Some(bank) = self.touched.pop() {
            self.work(bank as usize, calendar, probe);
        }
    }
}
