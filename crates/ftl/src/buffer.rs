//! The DRAM write buffer: what the host wrote and the flash does not hold yet.
//!
//! A slot holds one mapping unit from the moment its data arrives until its program is done. Reads are
//! served from here; a second write to a unit that still waits takes the first one's place (write-back
//! only, since a write-through request must see its own program).

use std::collections::VecDeque;
use units::Lpn;

const EMPTY: u64 = u64::MAX;

/// Where a slot is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotState {
    /// Not in use.
    Free,
    /// The rest of the unit is being read from flash.
    Merging,
    /// Waits for a die.
    Queued,
    /// Part of a program under way.
    Bound,
    /// Trimmed while it waited: leaves without being programmed.
    Cancelled,
}

/// One mapping unit in the buffer.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// Which unit.
    pub lpn: Lpn,
    /// The request that waits for its program, if one does.
    pub request: u32,
    /// Which flush it belongs before.
    pub epoch: u32,
    /// How far it is.
    pub state: SlotState,
}

/// Slots, the queue of those that wait for a die, and an index by logical unit.
pub struct Buffer {
    slots: Vec<Slot>,
    free: Vec<u32>,
    queue: VecDeque<u32>,
    /// Open addressing: logical unit in the high half, newest slot in the low half.
    index: Vec<u64>,
    shift: u32,
    epoch: u32,
    /// Slots still in use of each epoch not over yet, oldest first, and the first of those epochs.
    pending: VecDeque<u32>,
    first_epoch: u32,
}

impl Buffer {
    /// A buffer of `slots` mapping units.
    pub fn new(slots: u32) -> Self {
        let table = (slots as usize * 4).next_power_of_two().max(8);
        let free = Slot { lpn: Lpn::NONE, request: u32::MAX, epoch: 0, state: SlotState::Free };
        Self {
            slots: vec![free; slots as usize],
            free: (0..slots).rev().collect(),
            queue: VecDeque::with_capacity(slots as usize + 1),
            index: vec![EMPTY; table],
            shift: 32 - table.trailing_zeros(),
            epoch: 0,
            pending: VecDeque::from([0]),
            first_epoch: 0,
        }
    }

    /// Slots not in use.
    #[inline]
    pub fn free_slots(&self) -> u32 {
        self.free.len() as u32
    }

    /// Slots in use.
    #[inline]
    pub fn used_slots(&self) -> u32 {
        (self.slots.len() - self.free.len()) as u32
    }

    /// A slot.
    #[inline]
    pub fn slot(&self, slot: u32) -> &Slot {
        &self.slots[slot as usize]
    }

    #[inline]
    fn home(&self, lpn: u32) -> usize {
        (lpn.wrapping_mul(0x9E37_79B1) >> self.shift) as usize
    }

    /// The newest slot of `lpn`.
    #[inline]
    pub fn find(&self, lpn: Lpn) -> Option<u32> {
        let mut at = self.home(lpn.0);
        loop {
            let entry = self.index[at];
            if entry == EMPTY {
                return None;
            }
            if (entry >> 32) as u32 == lpn.0 {
                return Some(entry as u32);
            }
            at = (at + 1) & (self.index.len() - 1);
        }
    }

    fn link(&mut self, lpn: Lpn, slot: u32) {
        let mut at = self.home(lpn.0);
        while self.index[at] != EMPTY && (self.index[at] >> 32) as u32 != lpn.0 {
            at = (at + 1) & (self.index.len() - 1);
        }
        self.index[at] = u64::from(lpn.0) << 32 | u64::from(slot);
    }

    /// Removes the index entry of `lpn`, moving later entries of its cluster back into the gap.
    fn unlink(&mut self, lpn: Lpn) {
        let mask = self.index.len() - 1;
        let mut gap = self.home(lpn.0);
        while (self.index[gap] >> 32) as u32 != lpn.0 {
            gap = (gap + 1) & mask;
        }
        let mut at = gap;
        loop {
            self.index[gap] = EMPTY;
            loop {
                at = (at + 1) & mask;
                if self.index[at] == EMPTY {
                    return;
                }
                let home = self.home((self.index[at] >> 32) as u32);
                let distance = |from: usize| at.wrapping_sub(from) & mask;
                if distance(home) >= distance(gap) {
                    break;
                }
            }
            self.index[gap] = self.index[at];
            gap = at;
        }
    }

    /// Takes a slot for `lpn`, as its newest version. `request` waits for the program unless it is
    /// `u32::MAX`.
    ///
    /// # Panics
    /// When no slot is free: the caller asks first.
    #[inline]
    pub fn insert(&mut self, lpn: Lpn, request: u32, state: SlotState) -> u32 {
        let slot = self.free.pop().expect("the caller checked for a free slot");
        self.slots[slot as usize] = Slot { lpn, request, epoch: self.epoch, state };
        *self.pending.back_mut().expect("the current epoch exists") += 1;
        self.link(lpn, slot);
        slot
    }

    /// Lets a slot wait for a die.
    #[inline]
    pub fn enqueue(&mut self, slot: u32) {
        self.slots[slot as usize].state = SlotState::Queued;
        self.queue.push_back(slot);
    }

    /// Says how far a slot is that waits in another queue than this one.
    #[inline]
    pub fn set_state(&mut self, slot: u32, state: SlotState) {
        self.slots[slot as usize].state = state;
    }

    /// Puts a slot whose program failed back, before all others.
    pub fn enqueue_first(&mut self, slot: u32) {
        self.slots[slot as usize].state = SlotState::Queued;
        self.queue.push_front(slot);
    }

    /// The slot that has waited longest.
    #[inline]
    pub fn first_queued(&self) -> Option<u32> {
        self.queue.front().copied()
    }

    /// Takes the slot that has waited longest, and binds it to a program.
    #[inline]
    pub fn bind_first(&mut self) -> u32 {
        let slot = self.queue.pop_front().expect("the caller saw a queued slot");
        if self.slots[slot as usize].state == SlotState::Queued {
            self.slots[slot as usize].state = SlotState::Bound;
        }
        slot
    }

    /// True when the slot holds the newest version of its unit.
    #[inline]
    pub fn is_newest(&self, slot: u32) -> bool {
        self.find(self.slots[slot as usize].lpn) == Some(slot)
    }

    /// Frees a slot; if it held the newest version, the index forgets it.
    #[inline]
    pub fn release(&mut self, slot: u32, newest: bool) {
        let Slot { lpn, epoch, .. } = self.slots[slot as usize];
        if newest {
            self.unlink(lpn);
        }
        self.slots[slot as usize].state = SlotState::Free;
        self.free.push(slot);
        self.pending[(epoch - self.first_epoch) as usize] -= 1;
    }

    /// The host trimmed `lpn`: the newest version is void. True when there was one.
    pub fn cancel(&mut self, lpn: Lpn) -> bool {
        let Some(slot) = self.find(lpn) else { return false };
        self.unlink(lpn);
        let slot = &mut self.slots[slot as usize];
        if matches!(slot.state, SlotState::Queued | SlotState::Merging) && slot.request == u32::MAX {
            slot.state = SlotState::Cancelled;
        }
        true
    }

    /// No request waits for a program any more.
    pub fn forget_requests(&mut self) {
        for slot in &mut self.slots {
            slot.request = u32::MAX;
        }
    }

    /// Ends an epoch: [`Self::oldest_epoch`] passes the number returned once all slots of now are gone.
    pub fn end_epoch(&mut self) -> u32 {
        let ended = self.epoch;
        self.epoch += 1;
        self.pending.push_back(0);
        ended
    }

    /// The oldest epoch that still has slots in use (or the current one).
    pub fn oldest_epoch(&mut self) -> u32 {
        while self.pending.len() > 1 && self.pending[0] == 0 {
            self.pending.pop_front();
            self.first_epoch += 1;
        }
        self.first_epoch
    }

    /// Bytes of state.
    pub fn bytes(&self) -> usize {
        self.slots.len() * (size_of::<Slot>() + 8) + self.index.len() * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::RandomStream;
    use std::collections::BTreeMap;

    #[test]
    fn the_index_agrees_with_a_map_under_random_histories() {
        let mut buffer = Buffer::new(40);
        let mut random = RandomStream::new(11, "buffer");
        let mut newest = BTreeMap::new();
        let mut used = Vec::new();
        for _ in 0..200_000 {
            let lpn = Lpn(random.below(60) as u32 * 4096);
            if buffer.free_slots() > 0 && random.chance(0.5) {
                let slot = buffer.insert(lpn, u32::MAX, SlotState::Queued);
                newest.insert(lpn, slot);
                used.push(slot);
            } else if !used.is_empty() {
                let slot = used.swap_remove(random.below(used.len() as u64) as usize);
                let lpn = buffer.slot(slot).lpn;
                let is_newest = buffer.is_newest(slot);
                assert_eq!(is_newest, newest.get(&lpn) == Some(&slot));
                if is_newest {
                    newest.remove(&lpn);
                }
                buffer.release(slot, is_newest);
            }
            assert_eq!(buffer.find(lpn), newest.get(&lpn).copied());
            assert_eq!(buffer.used_slots() as usize, used.len());
        }
    }

    #[test]
    fn an_epoch_is_over_when_its_slots_are_gone() {
        let mut buffer = Buffer::new(4);
        let slot = buffer.insert(Lpn(1), u32::MAX, SlotState::Queued);
        let epoch = buffer.end_epoch();
        let later = buffer.insert(Lpn(2), u32::MAX, SlotState::Queued);
        assert!(buffer.oldest_epoch() <= epoch);
        buffer.release(slot, true);
        assert!(buffer.oldest_epoch() > epoch);
        buffer.release(later, true);
    }
}
