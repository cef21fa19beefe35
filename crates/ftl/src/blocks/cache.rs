//! The buffer as a cache before a map of blocks: what stays, what leaves it, and how a block is written whole.

use super::BlockMapped;
use crate::buffer::SlotState;
use crate::mapping::bank::Purpose;
use controller::{Origin, Probe, Transaction};
use engine::Calendar;
use units::{Lpn, Ppa, SimTime};

impl BlockMapped {
    /// New data for a unit that the buffer holds: true when they took the place of what it holds.
    pub(super) fn overwrite_buffered(&mut self, slot: u32, request: u32, calendar: &Calendar) -> bool {
        if !self.host.buffer.take_over(slot, request, &mut self.store.stats) {
            return false;
        }
        if request != u32::MAX && self.rules.write_back {
            let bank = self.split(self.host.buffer.slot(slot).lpn).0;
            self.banks[bank].pressed = true;
            self.touch_bank(bank);
        }
        self.let_leave(false, calendar);
        self.relieve_buffer(calendar);
        true
    }

    /// The data of a slot is complete: it stays, or waits in its bank. Without time nothing stays, so that a drive
    /// looks used in the same way whatever its cache.
    pub(super) fn admit(&mut self, slot: u32, calendar: &Calendar) {
        if self.instant.is_some() {
            return self.let_wait(slot, calendar, false);
        }
        self.host.buffer.enqueue(slot);
        self.let_leave(false, calendar);
        self.relieve_buffer(calendar);
    }

    /// Lets units leave when the buffer keeps more than it may.
    pub(super) fn relieve_buffer(&mut self, calendar: &Calendar) {
        if !self.host.buffer.is_cache() {
            return;
        }
        self.host.buffer.relieve(&mut self.store.stats);
        self.let_leave(self.host.buffer.pads(), calendar);
        if !self.has_room() {
            // The room that partial program units take is what the next write waits for.
            self.press_waiting();
        }
    }

    /// What left the buffer's own queue waits in its bank; `padded`: the whole group is to be written.
    pub(super) fn let_leave(&mut self, padded: bool, calendar: &Calendar) {
        while let Some(slot) = self.host.buffer.take_queued() {
            let (bank, group, _) = self.split(self.host.buffer.slot(slot).lpn);
            let padding = &mut self.banks[bank].padding;
            if padded && padding.back() != Some(&group) && !padding.contains(&group) {
                padding.push_back(group);
            }
            self.let_wait(slot, calendar, false);
        }
    }

    fn press_waiting(&mut self) {
        for bank in 0..self.banks.len() {
            if self.banks[bank].waiting_units > 0 && !self.banks[bank].pressed {
                self.banks[bank].pressed = true;
                self.touch_bank(bank);
            }
        }
    }

    /// Something is new in a bank: it is looked at before time goes on.
    pub(super) fn touch_bank(&mut self, bank: usize) {
        if !self.touched.contains(&(bank as u32)) {
            self.touched.push(bank as u32);
        }
    }

    /// The slot of a unit that waits to be written, not that of one that stays.
    pub(super) fn waiting_slot(&self, lpn: Lpn) -> Option<u32> {
        self.host.buffer.find(lpn).filter(|&slot| self.host.buffer.slot(slot).state == SlotState::Queued)
    }

    /// Writes a group whole, with what waits of it. False while that must wait.
    pub(super) fn write_padded<P: Probe>(
        &mut self,
        bank: usize,
        group: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> bool {
        let waits = (0..self.rules.group_programs)
            .flat_map(|position| (0..self.store.layout.program_units).map(move |unit| (position, unit)))
            .filter_map(|(position, unit)| self.lpn_at(bank, group, position, unit))
            .any(|lpn| self.waiting_slot(lpn).is_some());
        // What waited may have been trimmed, or gone with another merge.
        let done = !waits || self.merge_group(bank, group, Purpose::Pad, Origin::Gc, calendar, probe);
        if done {
            self.banks[bank].padding.pop_front();
        }
        done
    }

    /// Keeps what the host read from flash, where it is still the newest and there is room for it.
    pub(super) fn keep_read<P: Probe>(
        &mut self,
        transaction: &Transaction,
        calendar: &Calendar,
        probe: &mut P,
    ) {
        if !self.host.buffer.is_cache() {
            return;
        }
        let superblock = transaction.die.0 * self.store.layout.superblocks_per_die + transaction.superblock;
        let start = self.store.layout.first_ppa(superblock) + transaction.row * self.store.layout.row_units;
        let mut mask = transaction.mask;
        while mask != 0 {
            let ppa = Ppa(start + mask.trailing_zeros());
            mask &= mask - 1;
            let lpn = self.store.map.holder(ppa);
            let current =
                lpn != Lpn::NONE && self.store.map.lookup(lpn) == ppa && self.host.buffer.find(lpn).is_none();
            if current && self.host.buffer.keeps_clean(lpn) && self.has_room() {
                let slot = self.host.buffer.insert_clean(lpn);
                probe.on_kept(lpn, slot, ppa);
                self.relieve_buffer(calendar);
            }
        }
    }

    /// Mapping units that the buffer holds at most.
    pub fn buffer_units(&self) -> u32 {
        self.host.buffer.slots()
    }

    /// The most units that were at risk at once since the run began.
    pub fn risk_most(&self) -> u32 {
        self.host.risk.most
    }

    /// Counts what would have been lost if the power had failed, for the time until now. Called before it changes.
    pub fn account_risk(&mut self, now: SimTime) {
        if self.is_protected() {
            return; // Capacitors: nothing is at risk.
        }
        self.store.stats.risk_unit_ns += self.host.risk.until(now, self.host.buffer.at_risk());
    }

    /// Sends all that the buffer holds to the flash.
    pub fn send_out<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        self.host.buffer.send_out_held();
        self.let_leave(false, calendar);
        self.press(calendar, probe);
    }
}
