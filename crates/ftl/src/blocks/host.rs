//! What the host asks: reads, writes into the buffer, trims, flushes.

use super::BlockMapped;
use crate::Output;
use crate::buffer::{Slot, SlotState};
use crate::read_path::{ReadParts, Reads, class_of};
use crate::store::NONE;
use controller::{Class, Kind, Origin, Probe, Transaction, TransactionId};
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
            let buffered = if self.host.buffer.used_slots() > 0 { self.host.buffer.find(lpn) } else { None };
            if let Some(slot) = buffered {
                self.store.stats.units_read_buffer += 1;
                self.host.buffer.note_read(slot);
                continue;
            }
            if self.host.reads.ahead.is_some() && self.read_fetched(request, lpn, &mut reads, calendar, probe)
            {
                continue;
            }
            let ppa = self.store.map.lookup(lpn);
            if ppa == Ppa::NONE {
                self.store.stats.units_read_unmapped += 1;
                continue;
            }
            self.store.stats.units_read_flash += 1;
            probe.on_host_read(lpn, ppa);
            let (this_row, unit) = (ppa.0 / self.store.layout.row_units, ppa.0 % self.store.layout.row_units);
            if mask != 0 && (this_row != row || mask >> unit & 1 == 1) {
                reads += self.submit_host_read(request, row, mask, calendar, probe);
                mask = 0;
            }
            row = this_row;
            mask |= 1 << unit;
        }
        if mask != 0 {
            reads += self.submit_host_read(request, row, mask, calendar, probe);
        }
        if self.host.reads.ahead.is_some() {
            reads += self.ride_on_fetched(request, calendar, probe);
            self.fetch_ahead(first, count, calendar, probe);
        }
        reads
    }

    fn submit_host_read<P: Probe>(
        &mut self,
        request: u32,
        row: u32,
        mask: u64,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> u32 {
        if self.host.reads.merge.is_some() {
            self.submit_shared(row, mask, Origin::Host, request, calendar, probe);
        } else {
            self.submit_read(row, mask, Origin::Host, Class::HostRead, request, calendar, probe);
        }
        1
    }

    /// The read of some units of one page row (numbered over the drive), to be submitted.
    fn read_of(&self, row: u32, mask: u64, origin: Origin, class: Class, owner: u32) -> Transaction {
        let (die, superblock) = self.place_of(row / self.store.layout.rows);
        let mut transaction =
            Transaction::new(Kind::Read, origin, class, DieId(die), superblock, row % self.store.layout.rows);
        transaction.mask = mask;
        transaction.pages = self.store.layout.pages_touched(mask);
        transaction.owner = owner;
        transaction
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
        self.submit(self.read_of(row, mask, origin, class, owner), calendar, probe);
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
        self.host.reserved_slots -= 1;
        self.store.stats.units_written += 1;
        probe.on_host_write(lpn);
        self.host.reads.forget(lpn, &mut self.store.stats);
        let older = self.host.buffer.find(lpn);
        if let Some(slot) = older
            && self.overwrite_buffered(slot, request, calendar)
        {
            return probe.on_buffered(lpn, slot, older);
        }
        // An older version that still waits for its own rest gives it to this one when it is there.
        let merging = older.filter(|&slot| !whole && self.host.buffer.slot(slot).state == SlotState::Merging);
        if let Some(older) = merging {
            let slot = self.host.buffer.insert(lpn, request, SlotState::Merging);
            probe.on_buffered(lpn, slot, Some(older));
            return self.host.following.push((older, slot));
        }
        let home = if whole || older.is_some() { Ppa::NONE } else { self.store.map.lookup(lpn) };
        if home == Ppa::NONE {
            let slot = self.host.buffer.insert(lpn, request, SlotState::Queued);
            probe.on_buffered(lpn, slot, older);
            self.admit(slot, calendar);
            return;
        }
        let slot = self.host.buffer.insert(lpn, request, SlotState::Merging);
        probe.on_buffered(lpn, slot, older);
        let (row, unit) = (home.0 / self.store.layout.row_units, home.0 % self.store.layout.row_units);
        let origin = Origin::ReadModifyWrite;
        self.submit_read(row, 1 << unit, origin, Class::InternalRead, slot, calendar, probe);
    }

    /// Lets a slot wait in its bank: behind all others, or before them where its program failed.
    pub(super) fn let_wait(&mut self, slot: u32, calendar: &Calendar, first: bool) {
        let (bank, _, _) = self.split(self.host.buffer.slot(slot).lpn);
        self.host.buffer.set_state(slot, SlotState::Queued);
        let now = calendar.now();
        let wait = &mut self.host.waits[slot as usize];
        wait.serial = wait.serial.wrapping_add(1);
        wait.since = now;
        let entry = (slot, wait.serial);
        let bank_state = &mut self.banks[bank];
        wait.merged_ns = bank_state.merged_until(now);
        bank_state.waiting_units += 1;
        // Behind a write cache a request that waits for its program (FUA) must not wait for company, nor a flush.
        let Slot { request, epoch, .. } = *self.host.buffer.slot(slot);
        let flushed = self.host.flushes.back().is_some_and(|&(last, _)| epoch <= last);
        bank_state.pressed |= flushed || (self.rules.write_back && request != u32::MAX);
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
            let buffered = self.host.buffer.used_slots() > 0 && self.host.buffer.cancel(lpn);
            self.host.reads.forget(lpn, &mut self.store.stats);
            let home = self.store.map.lookup(lpn);
            self.store.stats.units_trimmed += u64::from(buffered || home != Ppa::NONE);
            probe.on_trim(lpn, home);
            if home != Ppa::NONE {
                self.store.map.clear(lpn);
                self.invalidate(home, calendar, probe);
            }
            self.touch_bank(self.split(lpn).0);
        }
        self.pump(calendar, probe);
    }

    /// The host wants all that was acknowledged on flash; [`Output::Flushed`] tells when.
    pub fn flush<P: Probe>(&mut self, request: u32, calendar: &mut Calendar, probe: &mut P) {
        if self.rules.power_loss_protection {
            self.host.outputs.push(Output::Flushed { request });
            return;
        }
        self.send_out(calendar, probe);
        let epoch = self.host.buffer.end_epoch();
        self.host.flushes.push_back((epoch, request));
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
        while let Some(&(epoch, request)) = self.host.flushes.front() {
            if self.host.buffer.oldest_epoch() <= epoch {
                return;
            }
            self.host.flushes.pop_front();
            self.host.outputs.push(Output::Flushed { request });
        }
    }

    /// Lets the banks work that have something new to do.
    pub fn pump<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        while let Some(bank) = self.touched.pop() {
            self.work(bank as usize, calendar, probe);
        }
    }
}

impl Reads for BlockMapped {
    fn read_parts(&mut self) -> ReadParts<'_> {
        ReadParts {
            path: &mut self.host.reads,
            controller: &mut self.store.controller,
            layout: &self.store.layout,
            stats: &mut self.store.stats,
        }
    }

    fn home_ahead(&self, lpn: Lpn) -> Option<Ppa> {
        let ppa = self.store.map.lookup(lpn);
        (ppa != Ppa::NONE && self.host.buffer.find(lpn).is_none()).then_some(ppa)
    }

    fn is_lost(&self, _lpn: Lpn) -> bool {
        false
    }

    fn submit_alone<P: Probe>(
        &mut self,
        row: u32,
        mask: u64,
        origin: Origin,
        owner: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> TransactionId {
        let read = self.read_of(row, mask, origin, class_of(origin), owner);
        self.store.controller.submit(read, calendar, probe)
    }

    fn note_ride(&mut self, _rider: &Transaction, _calendar: &Calendar) {}
}
