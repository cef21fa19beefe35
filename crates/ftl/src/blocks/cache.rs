//! The buffer as a cache before a map of blocks: what stays, what leaves it, and how a block is written whole.

use super::BlockMapped;
use crate::Probe;
use crate::buffer::SlotState;
use crate::mapping::bank::Purpose;
use controller::{Context, Origin};
use units::{Lpn, SimTime};

impl BlockMapped {
    /// Evicts units from the write buffer of a block-mapped drive while it caches more than its limit or the eviction
    /// policy demands it, and queues dirty evicted units in their banks (sets of dies) for programming.
    pub(super) fn relieve_buffer(&mut self, now: SimTime) {
        if !self.media.core.buffer.is_cache() {
            return;
        }
        self.media.core.buffer.relieve(&mut self.media.core.store.stats);
        if self.media.core.buffer.pads() {
            self.pad_leaving();
        }
        self.let_leave(now);
        if !self.media.has_slot() {
            // The room that partial program units take is what the next write waits for.
            self.press_waiting();
        }
    }

    /// Queues, for each write buffer slot that is being evicted, the slot's whole group of logical units (as many units
    /// as a data block holds) to be programmed together with the group's units that are on flash and not in the buffer
    /// (page padding).
    fn pad_leaving(&mut self) {
        for slot in self.media.core.buffer.queued() {
            let (bank, group, _) = self.split(self.media.core.buffer.slot(slot).lpn);
            let padding = &mut self.banks[bank].waiting.padding;
            if padding.back() != Some(&group) && !padding.contains(&group) {
                padding.push_back(group);
            }
        }
    }

    /// Moves the slots in the write buffer's own queue of units to be programmed to the queues of their banks (sets of
    /// dies over which blocks extend), from which the banks program the units.
    pub(super) fn let_leave(&mut self, now: SimTime) {
        while let Some(slot) = self.media.core.buffer.take_queued() {
            self.let_wait(slot, now);
        }
    }

    fn press_waiting(&mut self) {
        for bank in 0..self.banks.len() {
            if self.banks[bank].waiting.units > 0 && !self.banks[bank].waiting.pressed {
                self.banks[bank].waiting.pressed = true;
                self.touch_bank(bank);
            }
        }
    }

    /// Marks a bank (set of dies over which blocks extend) as having work to do; the bank is processed before simulated
    /// time advances.
    pub(super) fn touch_bank(&mut self, bank: usize) {
        if !self.touched.contains(&(bank as u32)) {
            self.touched.push(bank as u32);
        }
    }

    /// Returns the buffer slot of unit `lpn` if the slot is queued for programming; `None` if the buffer holds the unit
    /// without having queued it, or does not hold it.
    pub(super) fn waiting_slot(&self, lpn: Lpn) -> Option<u32> {
        self.media
            .core
            .buffer
            .find(lpn)
            .filter(|&slot| self.media.core.buffer.slot(slot).state == SlotState::Queued)
    }

    /// Starts a merge (copy of valid units into a new block) that programs a whole group of logical units: the group's
    /// units on flash and the units that wait in the write buffer. Returns false while the merge cannot start yet, and
    /// true, without a merge, if no unit of the group waits.
    pub(super) fn write_padded<P: Probe>(&mut self, bank: usize, group: u32, ctx: &mut Context<P>) -> bool {
        let waits = (0..self.rules.group_programs)
            .flat_map(|position| (0..self.layout().program_units).map(move |unit| (position, unit)))
            .filter_map(|(position, unit)| self.lpn_at(bank, group, position, unit))
            .any(|lpn| self.waiting_slot(lpn).is_some());
        // What waited may have been trimmed, or gone with another merge.
        let done = !waits || self.merge_group(bank, group, Purpose::Pad, Origin::Gc, ctx);
        if done {
            self.banks[bank].waiting.padding.pop_front();
        }
        done
    }
}
