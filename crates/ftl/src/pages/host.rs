//! What the host asks for: reads, writes, trims, flushes.

use super::PageMapped;
use crate::Output;
use crate::buffer::SlotState;
use crate::read_path::{ReadParts, Reads, class_of};
use crate::snapshots::Overtaken;
use crate::space::NONE;
use controller::{Class, Kind, Origin, Probe, SnapshotEvent, Transaction, TransactionId};
use engine::Calendar;
use units::{DieId, Lpn, Ppa, SimTime};

/// A write of a unit, as it arrives.
#[derive(Clone, Copy)]
pub(crate) struct Arriving {
    /// Who waits for its program, if someone does.
    pub request: u32,
    /// Nothing else of the unit must be read.
    pub whole: bool,
    /// The buffer has an older version.
    pub older: bool,
    /// It goes to the flash at once, even where the buffer keeps what it can.
    pub leaves: bool,
}

impl PageMapped {
    /// Reads `count` units from `first`. Gives the number of flash reads that will report to `request`.
    pub fn read<P: Probe>(
        &mut self,
        request: u32,
        first: Lpn,
        count: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> u32 {
        let reads = match self.demand {
            Some(_) => self.read_by_demand(request, first, count, calendar, probe),
            None => self.read_found(request, first, count, calendar, probe),
        };
        if self.reads.ahead.is_some() {
            self.fetch_ahead(first, count, calendar, probe);
        }
        reads
    }

    /// Reads units whose map entries are at hand.
    #[inline]
    pub(crate) fn read_found<P: Probe>(
        &mut self,
        request: u32,
        first: Lpn,
        count: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> u32 {
        if self.sectors.is_some() {
            return self.read_sectors(request, first, count, calendar, probe);
        }
        let mut reads = 0;
        let (mut row, mut mask) = (NONE, 0u64);
        for lpn in (first.0..first.0 + count).map(Lpn) {
            let buffered = if self.buffer.used_slots() > 0 { self.buffer.find(lpn) } else { None };
            if let Some(slot) = buffered {
                self.stats.units_read_buffer += 1;
                self.buffer.note_read(slot);
                continue;
            }
            if self.reads.ahead.is_some() && self.read_fetched(request, lpn, &mut reads, calendar, probe) {
                self.note_regulated_read(lpn, self.map.lookup(lpn));
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
            self.note_regulated_read(lpn, ppa);
            if this_row != row || mask >> unit & 1 == 1 {
                reads += self.submit_host_read(request, row, mask, calendar, probe);
                (row, mask) = (this_row, 0);
            }
            mask |= 1 << unit;
        }
        if self.reads.ahead.is_some() {
            reads += self.ride_on_fetched(request, calendar, probe);
        }
        reads + self.submit_host_read(request, row, mask, calendar, probe)
    }

    /// Tells the regulator, if there is one, that the host reads a unit that lives at `ppa`.
    #[inline]
    fn note_regulated_read(&mut self, lpn: Lpn, ppa: Ppa) {
        if self.regulation.is_some() {
            self.tell_regulator_of_read(lpn, ppa);
        }
    }

    #[cold]
    fn tell_regulator_of_read(&mut self, lpn: Lpn, ppa: Ppa) {
        let Some(regulation) = &mut self.regulation else { return };
        let row = ppa.0 / self.layout.row_units;
        let die = row / self.layout.rows / self.layout.superblocks_per_die;
        regulation.on_host_read(lpn, row, die as usize);
    }

    #[inline]
    pub(crate) fn submit_host_read<P: Probe>(
        &mut self,
        request: u32,
        row: u32,
        mask: u64,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> u32 {
        if mask == 0 {
            return 0;
        }
        if self.reads.merge.is_some() {
            self.submit_shared(row, mask, Origin::Host, request, calendar, probe);
        } else {
            self.submit_alone(row, mask, Origin::Host, request, calendar, probe);
        }
        1
    }

    /// Submits the read of some units of one page row (numbered over the drive).
    #[allow(clippy::too_many_arguments)]
    #[inline]
    pub(crate) fn submit_read<P: Probe>(
        &mut self,
        row: u32,
        mask: u64,
        origin: Origin,
        class: Class,
        owner: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> TransactionId {
        let global = row / self.layout.rows;
        let die = global / self.layout.superblocks_per_die;
        let superblock = global % self.layout.superblocks_per_die;
        let mut transaction =
            Transaction::new(Kind::Read, origin, class, DieId(die), superblock, row % self.layout.rows);
        transaction.mask = mask;
        if self.holds_one_bit(global as usize) {
            transaction.slc = true;
            let units = if origin == Origin::Host { mask.count_ones() } else { 0 };
            self.stats.slc_units_read += u64::from(units);
        }
        transaction.pages = self.layout.pages_touched(mask);
        transaction.owner = owner;
        transaction.bytes = std::mem::take(&mut self.read_bytes);
        if let Some(regulation) = &mut self.regulation {
            if origin == Origin::Host {
                regulation.note_host_operation(die as usize, calendar.now());
            }
            transaction.reading = regulation.plan_read(row, origin, calendar.now());
            if let Some(superblock) = regulation.take_worn_by_reads() {
                self.ask_upkeep(superblock, calendar.now(), Origin::Refresh, calendar);
            }
        }
        transaction.reading.uncorrectable |= die == self.failed_die;
        if transaction.reading.uncorrectable && origin != Origin::ReadAhead {
            self.pin_group(global);
        }
        self.controller.submit(transaction, calendar, probe)
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
        self.reserved_slots -= 1;
        self.stats.units_written += 1;
        if whole && self.rebuilds.has_lost() {
            self.rebuilds.forget(lpn);
        }
        probe.on_host_write(lpn);
        self.reads.forget(lpn, &mut self.stats);
        let older = if self.buffer.used_slots() > 0 { self.buffer.find(lpn) } else { None };
        self.account_risk(calendar.now());
        let overtaken = self.overtake(lpn, probe);
        debug_assert_ne!(overtaken, Overtaken::Refused, "the caller asks first");
        self.erase_emptied(calendar, probe);
        let leaves = self.recent.is_none() || self.was_not_written_lately(lpn, calendar.now());
        if overtaken == Overtaken::Free
            && let Some(slot) = older
            && self.overwrite_buffered(slot, request)
        {
            probe.on_buffered(lpn, slot);
            if self.sectors.is_some() {
                self.hold_more_sectors(slot, lpn);
            }
            return self.note_buffered(lpn, probe);
        }
        let write = Arriving { request, whole: whole || older.is_some(), older: older.is_some(), leaves };
        if self.demand.is_some() && self.write_by_demand(lpn, write, calendar, probe) {
            return;
        }
        let slot = self.buffer.insert(lpn, request, SlotState::Merging);
        probe.on_buffered(lpn, slot);
        self.note_arrived(slot, lpn, write);
        self.note_buffered(lpn, probe);
        let all_there = write.whole && self.sectors.is_none();
        if !all_there && self.read_rest(slot, write.whole, calendar, probe) {
            return;
        }
        self.buffer.enqueue(slot);
        self.relieve_buffer();
    }

    #[cold]
    fn was_not_written_lately(&mut self, lpn: Lpn, now: SimTime) -> bool {
        self.recent.as_mut().is_none_or(|recent| recent.is_new(lpn, now))
    }

    /// The data of a write are in `slot`.
    #[inline]
    pub(crate) fn note_arrived(&mut self, slot: u32, lpn: Lpn, write: Arriving) {
        if self.sectors.is_some() {
            self.hold_sectors(slot, lpn, write.older, write.leaves);
        }
        if self.recent.is_some() && write.leaves {
            self.buffer.leave_at_once(slot);
        }
    }

    /// Tells observers which slot holds the newest version of a unit, where snapshots make it matter.
    #[inline]
    fn note_buffered<P: Probe>(&self, lpn: Lpn, probe: &mut P) {
        if self.snapshots.is_some()
            && let Some(slot) = self.buffer.find(lpn)
        {
            probe.on_snapshot(SnapshotEvent::Buffered { lpn, slot });
        }
    }

    /// The host no longer needs `count` units from `first`.
    pub fn trim<P: Probe>(&mut self, first: Lpn, count: u32, calendar: &mut Calendar, probe: &mut P) {
        self.account_risk(calendar.now());
        for lpn in (first.0..first.0 + count).map(Lpn) {
            let buffered = match self.overtake(lpn, probe) {
                Overtaken::Free => self.buffer.used_slots() > 0 && self.buffer.cancel(lpn),
                Overtaken::InBuffer => self.buffer.forget(lpn),
                Overtaken::Refused => {
                    self.ignore_trim();
                    continue;
                }
            };
            self.reads.forget(lpn, &mut self.stats);
            let home = self.map.lookup(lpn);
            self.stats.units_trimmed += u64::from(buffered || home != Ppa::NONE);
            probe.on_trim(lpn, home);
            if home != Ppa::NONE {
                self.note_change(lpn);
                self.rebuilds.forget(lpn);
                self.map.clear(lpn);
                self.leave(home);
            }
        }
        self.erase_emptied(calendar, probe);
        self.pump(calendar, probe);
    }

    /// The host wants all that was acknowledged on flash; [`Output::Flushed`] tells when.
    pub fn flush<P: Probe>(&mut self, request: u32, calendar: &mut Calendar, probe: &mut P) {
        if self.power_loss_protection {
            self.outputs.push(Output::Flushed { request });
            return;
        }
        self.send_out(calendar, probe);
        self.pad_current(calendar, probe);
        let epoch = self.buffer.end_epoch();
        self.flushes.push_back((epoch, request));
        self.answer_flushes();
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
}

impl Reads for PageMapped {
    fn read_parts(&mut self) -> ReadParts<'_> {
        ReadParts {
            path: &mut self.reads,
            controller: &mut self.controller,
            layout: &self.layout,
            stats: &mut self.stats,
        }
    }

    fn home_ahead(&self, lpn: Lpn) -> Option<Ppa> {
        let at_hand = self.demand.as_ref().is_none_or(|demand| demand.knows(lpn));
        let ppa = self.map.lookup(lpn);
        (at_hand && ppa != Ppa::NONE && self.buffer.find(lpn).is_none() && !self.is_lost(lpn)).then_some(ppa)
    }

    fn is_lost(&self, lpn: Lpn) -> bool {
        self.rebuilds.is_lost(lpn)
    }

    #[inline]
    fn submit_alone<P: Probe>(
        &mut self,
        row: u32,
        mask: u64,
        origin: Origin,
        owner: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> TransactionId {
        let id = self.submit_read(row, mask, origin, class_of(origin), owner, calendar, probe);
        let die = (row / self.layout.rows / self.layout.superblocks_per_die) as usize;
        self.collections[die].background = false;
        self.end_idle_folding(die);
        id
    }

    fn note_ride(&mut self, rider: &Transaction, calendar: &Calendar) {
        let die = rider.die.index();
        if rider.slc {
            self.stats.slc_units_read += u64::from(rider.mask.count_ones());
        }
        if let Some(regulation) = &mut self.regulation {
            regulation.note_host_operation(die, calendar.now());
        }
    }
}
