//! Units that stay in the buffer: units that may wait for the flash, and units that the flash holds, too.

use super::eviction::Access;
use super::{Buffer, Carried, EvictionView, Slot, SlotState};
use crate::FtlStats;
use units::Lpn;

impl Buffer {
    pub(super) fn begin_keeping(&mut self, slot: u32, state: SlotState) {
        self.slots[slot as usize].state = state;
        self.kept += 1;
        let lpn = self.slots[slot as usize].lpn;
        let policy = self.policy.as_mut().expect("only a cache keeps units");
        policy.on_keep(slot, lpn, state);
    }

    /// Removes a buffer slot from the cached slots (dirty or clean), and tells the eviction policy; the caller sets the
    /// slot's new state.
    pub(super) fn end_keeping(&mut self, slot: u32) {
        let Slot { lpn, state, place, .. } = self.slots[slot as usize];
        if state == SlotState::Held {
            self.held.swap_remove(place as usize);
            if let Some(&moved) = self.held.get(place as usize) {
                self.slots[moved as usize].place = place;
            }
        }
        self.kept -= 1;
        self.policy.as_mut().expect("only a cache keeps units").on_leave(slot, lpn);
    }

    /// Tells the eviction policy that the host read the unit in buffer slot `slot`, if the slot is cached (dirty or
    /// clean).
    #[inline]
    pub fn note_read(&mut self, slot: u32) {
        self.note_use(slot, Access::Read);
    }

    #[inline]
    pub(super) fn note_use(&mut self, slot: u32, access: Access) {
        let Slot { lpn, state, .. } = self.slots[slot as usize];
        if matches!(state, SlotState::Held | SlotState::Clean) {
            self.policy.as_mut().expect("only a cache keeps units").on_use(slot, lpn, access);
        }
    }

    /// Overwrites the unit in write buffer slot `slot`, the newest slot of the unit, with new host data in place.
    /// Returns false, without a change, where the old data are part of a program in flight or a request waits for their
    /// program. `request` then waits for the slot's program unless it is `u32::MAX`.
    pub fn take_over(&mut self, slot: u32, request: u32, stats: &mut FtlStats) -> bool {
        let held = &self.slots[slot as usize];
        match held.state {
            SlotState::Clean => stats.units_overwritten_clean += 1,
            SlotState::Queued | SlotState::Merging | SlotState::Held if held.request == u32::MAX => {
                stats.units_coalesced += 1;
            }
            _ => return false,
        }
        self.overwrite(slot, request);
        true
    }

    pub(super) fn overwrite(&mut self, slot: u32, request: u32) {
        match self.slots[slot as usize].state {
            SlotState::Held if request == u32::MAX => self.note_use(slot, Access::Write),
            SlotState::Held => {
                self.end_keeping(slot);
                self.wait_for(slot, request);
                self.enqueue(slot);
            }
            SlotState::Clean => {
                self.end_keeping(slot);
                self.slots[slot as usize].epoch = self.epoch;
                *self.pending.back_mut().expect("the current epoch exists") += 1;
                self.slots[slot as usize].request = request;
                self.slots[slot as usize].state = SlotState::Queued;
                self.at_risk += u32::from(self.is_risky(slot));
                self.enqueue(slot);
            }
            _ if request != u32::MAX => self.wait_for(slot, request),
            _ => {}
        }
    }

    /// Makes `request` wait for the program of a write buffer slot that held data acknowledged before. From here on the
    /// slot's unit is not counted among the units that a power cut would lose, because the new write is acknowledged
    /// only after the program.
    pub(super) fn wait_for(&mut self, slot: u32, request: u32) {
        self.at_risk -= u32::from(self.is_risky(slot));
        self.slots[slot as usize].request = request;
    }

    /// Turns the write buffer slot of a unit that was just programmed into a clean cached slot: from here on no request
    /// and no flush waits for the slot.
    pub fn keep_clean(&mut self, slot: u32) {
        self.at_risk -= u32::from(self.is_risky(slot));
        self.lower_pending(slot);
        self.slots[slot as usize].request = u32::MAX;
        self.slots[slot as usize].carried = Carried::Nothing;
        self.begin_keeping(slot, SlotState::Clean);
    }

    /// Puts a unit that was read from flash into a free buffer slot as a clean unit, and returns the slot.
    ///
    /// # Panics
    /// When no slot is free.
    pub fn insert_clean(&mut self, lpn: Lpn) -> u32 {
        let slot = self.free.pop().expect("the caller checked for a free slot");
        self.slots[slot as usize] = Slot::of(lpn, SlotState::Clean);
        self.index.link(lpn, slot);
        self.begin_keeping(slot, SlotState::Clean);
        slot
    }

    pub(super) fn drop_clean(&mut self, slot: u32) {
        self.end_keeping(slot);
        self.index.unlink(self.slots[slot as usize].lpn);
        self.slots[slot as usize].state = SlotState::Free;
        self.free.push(slot);
    }

    pub(super) fn send_out(&mut self, slot: u32) {
        self.end_keeping(slot);
        self.slots[slot as usize].state = SlotState::Queued;
        self.queue.push_back(slot);
    }

    /// Evicts cached units from the write buffer, as the eviction policy chooses, until the cache limit is kept and the
    /// policy demands no further eviction: clean units are dropped, dirty units are queued for programming.
    ///
    /// # Panics
    /// When the policy chooses a slot that is not cached, or none.
    pub fn relieve(&mut self, stats: &mut FtlStats) {
        loop {
            let Some(policy) = self.policy.as_mut() else { return };
            if self.kept <= self.keep && !policy.is_overdue() {
                return;
            }
            let view = EvictionView { slots: &self.slots, kept: self.kept, keep: self.keep };
            let slot = policy.choose(&view).expect("the eviction policy chose none of the kept units");
            assert!(view.is_kept(slot), "the eviction policy chose slot {slot}, which is not kept");
            if self.slots[slot as usize].state == SlotState::Clean {
                self.drop_clean(slot);
                stats.units_evicted_clean += 1;
            } else {
                self.send_out(slot);
                stats.units_evicted_dirty += 1;
            }
        }
    }

    /// Sets the greatest number of units, dirty and clean, that the write buffer caches; the next [`Self::relieve`]
    /// evicts the excess.
    pub fn keep_at_most(&mut self, keep: u32) {
        self.keep = keep;
    }

    /// Queues all held units of the write buffer (cached and not on flash yet) for programming, in ascending order of
    /// logical units; clean units stay cached.
    pub fn send_out_held(&mut self) {
        let mut held = self.held.clone();
        held.sort_unstable_by_key(|&slot| self.slots[slot as usize].lpn);
        for slot in held {
            self.send_out(slot);
        }
    }
}
