//! Which of the host's data are in the drive's DRAM: what the flash does not hold yet, and what is kept for reuse.
//!
//! A slot holds one mapping unit from the moment its data arrives until its program is done. Reads are
//! served from here; a second write to a unit that still waits takes the first one's place (write-back
//! only, since a write-through request must see its own program).
//!
//! With `keep_ratio` above 0 the buffer is a cache: written units are *held* instead of leaving at once, and
//! with `read_cache` what was read or programmed stays as *clean* units. When more is kept than may be,
//! [`eviction`] says which unit leaves.

mod carried;
mod config_read;
mod dram;
pub mod eviction;
mod index;
mod kept;
mod recent;

pub use carried::Coverage;
use carried::{Carried, CarriedSectors};
pub use config_read::BufferConfig;
pub use dram::Dram;
use engine::RandomStream;
use eviction::{EvictionPolicy, EvictionView};
pub(crate) use index::Index;
pub(crate) use recent::Recent;
use std::collections::VecDeque;
use units::{Lpn, SimTime};

/// Kind of state of a write buffer slot (for one mapping unit). Policies compiled elsewhere see it as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SlotState {
    /// Case of state of a write buffer slot that is not in use.
    Free,
    /// Case of state of a write buffer slot that waits until the rest of its mapping unit, which the host wrote in
    /// part, was read from flash.
    Merging,
    /// Case of state of a write buffer slot that is cached and dirty: its data are not on flash yet, and need not be
    /// programmed soon.
    Held,
    /// Case of state of a write buffer slot that is cached and clean: the flash holds the same data.
    Clean,
    /// Case of state of a write buffer slot that waits for a die to program its data.
    Queued,
    /// Case of state of a write buffer slot whose data are part of a program in flight.
    Bound,
    /// Case of state of a write buffer slot whose unit was trimmed or replaced while the slot waited: the slot becomes
    /// free without a program.
    Cancelled,
}

/// Record of one slot of the write buffer, which holds one mapping unit.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// Number of the logical unit whose data the write buffer slot holds.
    pub lpn: Lpn,
    /// Number of the host request that waits for the program of the slot's unit; `u32::MAX` if none waits.
    pub request: u32,
    /// Number of the flush epoch (period between two flushes or snapshots) in which the slot's data arrived in the
    /// write buffer: a flush waits for the slots of its own and of all earlier epochs.
    pub epoch: u32,
    /// Field: state of the write buffer slot.
    pub state: SlotState,
    /// Index of the slot in the write buffer's list of held (dirty) slots; without meaning while the slot is not held.
    place: u32,
    /// True for a write buffer slot that is queued for programming once its data are complete, and not cached.
    leaves: bool,
    /// Field: part of the slot's mapping unit that host writes have transferred: none, some sectors, or all.
    carried: Carried,
}

impl Slot {
    /// Returns true if the buffer caches the slot's unit, dirty (held) or clean, not queued for programming.
    #[inline]
    pub const fn stays(&self) -> bool {
        matches!(self.state, SlotState::Held | SlotState::Clean)
    }

    /// Makes a record of a buffer slot in state `state` for logical unit `lpn`, to be inserted or for tests of
    /// policies.
    pub const fn of(lpn: Lpn, state: SlotState) -> Self {
        Self {
            lpn,
            request: u32::MAX,
            epoch: 0,
            state,
            place: u32::MAX,
            leaves: false,
            carried: Carried::Nothing,
        }
    }
}

/// Record of the statistics of the number of mapping units in the write buffer that a power cut would have lost
/// (acknowledged and not on flash), over time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Risk {
    since: SimTime,
    /// Greatest number of mapping units, over time, that a power cut at one moment would have lost.
    pub most: u32,
}

impl Risk {
    /// Updates the statistics with `units`, the number of mapping units that a power cut would have lost since the last
    /// call, and returns `units` times the nanoseconds since that call.
    #[inline]
    pub fn until(&mut self, now: SimTime, units: u32) -> u128 {
        let span = now.since(self.since).ns();
        self.since = now;
        self.most = self.most.max(units);
        u128::from(units) * u128::from(span)
    }
}

/// State of the write buffer: all slots, the queue of slots that wait for a die, the slots cached for reuse (dirty or
/// clean), and an index by logical unit.
pub struct Buffer {
    slots: Vec<Slot>,
    free: Vec<u32>,
    queue: VecDeque<u32>,
    index: Index,
    epoch: u32,
    /// For each flush epoch (period between two flushes or snapshots) from `first_epoch` on that is not complete:
    /// number of write buffer slots with data that arrived in the epoch and are not on flash yet.
    pending: VecDeque<u32>,
    first_epoch: u32,
    /// Number of write buffer slots that are cached for reuse, dirty or clean.
    kept: u32,
    /// List of the write buffer slots that are cached and dirty (held).
    held: Vec<u32>,
    /// Greatest number of write buffer slots that may be cached, dirty or clean.
    keep: u32,
    /// Setting: true if units stay in the write buffer as clean units after they were programmed or read from flash.
    keeps_clean: bool,
    policy: Option<Box<dyn EvictionPolicy>>,
    /// Number of logical units acknowledged on arrival whose newest version is only in the write buffer.
    at_risk: u32,
    /// Number of the host's logical units; units from this number on hold the drive's own data, such as map pages.
    host_units: u32,
    carried: CarriedSectors,
}

impl Buffer {
    /// Makes a write buffer of `slots` mapping units without an eviction policy: it caches nothing and queues each
    /// written unit for programming at once.
    pub fn new(slots: u32) -> Self {
        Self {
            slots: vec![Slot::of(Lpn::NONE, SlotState::Free); slots as usize],
            free: (0..slots).rev().collect(),
            queue: VecDeque::with_capacity(slots as usize + 1),
            index: Index::new(slots),
            epoch: 0,
            pending: VecDeque::from([0]),
            first_epoch: 0,
            kept: 0,
            held: Vec::new(),
            keep: 0,
            keeps_clean: false,
            policy: None,
            at_risk: 0,
            host_units: u32::MAX,
            carried: CarriedSectors::default(),
        }
    }

    /// Makes the buffer of a drive, with `more` slots for the drive's own units, which are numbered from `host_units`
    /// on; `block_units` is the number of units of a block of the map.
    pub fn of(config: &BufferConfig, more: u32, host_units: u32, block_units: u32, seed: u64) -> Self {
        let mut buffer = Self::new(config.slots + more);
        buffer.host_units = host_units;
        if config.keep > 0 {
            let mut policy = (config.eviction)();
            policy.take_random(RandomStream::new(seed, "ftl.buffer.eviction"));
            policy.attach(config.slots + more, block_units);
            buffer.policy = Some(policy);
            buffer.keep = config.keep;
            buffer.keeps_clean = config.read_cache;
        }
        buffer
    }

    /// Returns the number of slots (mapping units) of the write buffer.
    pub fn slots(&self) -> u32 {
        self.slots.len() as u32
    }

    /// Returns the number of write buffer slots not in use.
    #[inline]
    pub fn free_slots(&self) -> u32 {
        self.free.len() as u32
    }

    /// Returns the number of write buffer slots in use.
    #[inline]
    pub fn used_slots(&self) -> u32 {
        (self.slots.len() - self.free.len()) as u32
    }

    /// Returns the number of write buffer slots in use whose data the flash does not hold.
    #[inline]
    pub fn dirty_slots(&self) -> u32 {
        self.used_slots() - (self.kept - self.held.len() as u32)
    }

    /// Returns true when the buffer works as a cache (`keep_ratio` above 0): it holds dirty units until the eviction
    /// policy chooses them. Write-back, and holding clean units (`keeps_clean`), are other settings.
    #[inline]
    pub fn is_cache(&self) -> bool {
        self.keep > 0
    }

    /// Returns true when unit `lpn` stays in the buffer as a clean unit after it was programmed or read from flash.
    #[inline]
    pub fn keeps_clean(&self, lpn: Lpn) -> bool {
        self.keeps_clean && lpn.0 < self.host_units
    }

    /// Returns true when the eviction policy wants an evicted logical block to be programmed as a whole.
    pub fn pads(&self) -> bool {
        self.policy.as_ref().is_some_and(|policy| policy.pads())
    }

    /// Returns the number of logical units whose newest version was acknowledged on arrival and would be lost at a
    /// power cut if nothing protected the write buffer.
    #[inline]
    pub fn at_risk(&self) -> u32 {
        self.at_risk
    }

    /// Returns the write buffer slot with number `slot`.
    #[inline]
    pub fn slot(&self, slot: u32) -> &Slot {
        &self.slots[slot as usize]
    }

    /// Returns the number of the buffer slot with the newest version of `lpn`; `None` if the buffer does not hold the
    /// unit.
    #[inline]
    pub fn find(&self, lpn: Lpn) -> Option<u32> {
        self.index.find(lpn)
    }

    /// Returns true when the loss of the slot's data at a power cut would lose host data that were acknowledged.
    #[inline]
    fn is_risky(&self, slot: u32) -> bool {
        let Slot { lpn, request, state, .. } = self.slots[slot as usize];
        request == u32::MAX && state != SlotState::Clean && lpn.0 < self.host_units
    }

    fn unlink(&mut self, slot: u32) {
        self.index.unlink(self.slots[slot as usize].lpn);
        self.at_risk -= u32::from(self.is_risky(slot));
    }

    /// Allocates a free slot for the newest version of `lpn`, and returns its number. `request` waits for the program
    /// unless it is `u32::MAX`.
    ///
    /// # Panics
    /// When no slot is free: the caller checks first.
    #[inline]
    pub fn insert(&mut self, lpn: Lpn, request: u32, state: SlotState) -> u32 {
        let slot = self.free.pop().expect("the caller checked for a free slot");
        let older = self.index.find(lpn);
        self.at_risk -= u32::from(older.is_some_and(|older| self.is_risky(older)));
        self.slots[slot as usize] = Slot { request, epoch: self.epoch, ..Slot::of(lpn, state) };
        self.at_risk += u32::from(self.is_risky(slot));
        *self.pending.back_mut().expect("the current epoch exists") += 1;
        self.index.link(lpn, slot);
        slot
    }

    /// Handles a slot whose data are complete: queues it for programming or, in a cache, holds it as a dirty slot
    /// unless a request or flush waits for it, it is marked to leave at once, or its data are the drive's own.
    #[inline]
    pub fn enqueue(&mut self, slot: u32) {
        let Slot { lpn, request, epoch, leaves, .. } = self.slots[slot as usize];
        // What came before a flush and was not complete then goes out without being held.
        let may_stay = request == u32::MAX && epoch == self.epoch && lpn.0 < self.host_units && !leaves;
        if self.keep > 0 && may_stay {
            self.slots[slot as usize].place = self.held.len() as u32;
            self.held.push(slot);
            self.begin_keeping(slot, SlotState::Held);
            return;
        }
        self.slots[slot as usize].state = SlotState::Queued;
        self.queue.push_back(slot);
    }

    /// Marks a buffer slot so that it is queued for programming as soon as its data are complete, and not held as a
    /// dirty slot.
    pub fn leave_at_once(&mut self, slot: u32) {
        self.slots[slot as usize].leaves = true;
    }

    /// Sets the state of a write buffer slot that waits in a queue of the translation layer (such as a bank's or a
    /// zone's) in place of the buffer's own queue.
    #[inline]
    pub fn set_state(&mut self, slot: u32, state: SlotState) {
        self.slots[slot as usize].state = state;
    }

    /// Puts a buffer slot whose program failed back at the front of the queue of slots that wait for a die.
    pub fn enqueue_first(&mut self, slot: u32) {
        self.slots[slot as usize].state = SlotState::Queued;
        self.queue.push_front(slot);
    }

    /// Returns the number of the buffer slot that has waited longest for a die; `None` if none waits.
    #[inline]
    pub fn first_queued(&self) -> Option<u32> {
        self.queue.front().copied()
    }

    /// Removes the buffer slot that has waited longest from the queue, marks it as part of a program (unless it was
    /// cancelled), and returns it.
    #[inline]
    pub fn bind_first(&mut self) -> u32 {
        let slot = self.queue.pop_front().expect("the caller saw a queued slot");
        if self.slots[slot as usize].state == SlotState::Queued {
            self.slots[slot as usize].state = SlotState::Bound;
        }
        slot
    }

    /// Returns the slots in the write buffer's queue for programming, in the order in which they were queued.
    pub fn queued(&self) -> impl Iterator<Item = u32> {
        self.queue.iter().copied()
    }

    /// Removes the slot that has waited longest from the write buffer's queue and returns it; `None` if none waits.
    #[inline]
    pub fn take_queued(&mut self) -> Option<u32> {
        self.queue.pop_front()
    }

    /// Returns true when buffer slot `slot` holds the newest version of its logical unit.
    #[inline]
    pub fn is_newest(&self, slot: u32) -> bool {
        self.find(self.slots[slot as usize].lpn) == Some(slot)
    }

    /// Frees a write buffer slot that holds the newest version of its unit, which is on flash or no longer needed, and
    /// removes the unit from the buffer's index (hash table by logical unit).
    #[inline]
    pub fn release_newest(&mut self, slot: u32) {
        self.unlink(slot);
        self.release(slot);
    }

    /// Frees a buffer slot whose program is done or not needed and that does not hold the newest version of its unit.
    #[inline]
    pub fn release(&mut self, slot: u32) {
        self.lower_pending(slot);
        self.slots[slot as usize].state = SlotState::Free;
        self.free.push(slot);
    }

    #[inline]
    fn lower_pending(&mut self, slot: u32) {
        self.pending[(self.slots[slot as usize].epoch - self.first_epoch) as usize] -= 1;
    }

    /// Removes the newest version of `lpn`, which the host trimmed, from the write buffer, and cancels its program
    /// where possible. Returns true when the buffer held a version.
    pub fn cancel(&mut self, lpn: Lpn) -> bool {
        let Some(slot) = self.find(lpn) else { return false };
        match self.slots[slot as usize].state {
            SlotState::Clean => {
                self.drop_clean(slot);
                return true;
            }
            SlotState::Held => {
                self.end_keeping(slot);
                self.release_newest(slot);
                return true;
            }
            _ => self.unlink(slot),
        }
        let slot = &mut self.slots[slot as usize];
        if matches!(slot.state, SlotState::Queued | SlotState::Merging) && slot.request == u32::MAX {
            slot.state = SlotState::Cancelled;
        }
        true
    }

    /// Removes the newest version of `lpn` from the buffer's index (hash table by logical unit), so that it is no
    /// longer found, while its slot is still being programmed. Returns true when there was one.
    pub fn forget(&mut self, lpn: Lpn) -> bool {
        let found = self.find(lpn);
        found.into_iter().for_each(|slot| self.unlink(slot));
        found.is_some()
    }

    /// Queues a held write buffer slot (cached and not on flash yet) for programming, because a newer version of its
    /// unit arrives while the old one must still reach the flash; does nothing to a slot in another state.
    pub fn overtake(&mut self, slot: u32) {
        if self.slots[slot as usize].state == SlotState::Held {
            self.send_out(slot);
        }
    }

    /// Returns true if a request waits until the data of slot `slot` are on flash, or a flush may wait until then.
    pub fn is_awaited(&self, slot: u32) -> bool {
        let Slot { request, epoch, .. } = self.slots[slot as usize];
        request != u32::MAX || epoch < self.epoch
    }

    /// Cancels the program of a buffer slot that waits and whose version was replaced by a newer one, unless a request
    /// or a flush may wait for that program.
    pub fn void(&mut self, slot: u32) {
        let awaited = self.is_awaited(slot);
        let slot = &mut self.slots[slot as usize];
        if matches!(slot.state, SlotState::Queued | SlotState::Merging) && !awaited {
            slot.state = SlotState::Cancelled;
        }
    }

    /// Ends, on a stuck drive, all waiting of host requests for programs of slots, without completing the requests.
    pub fn forget_requests(&mut self) {
        for slot in 0..self.slots.len() as u32 {
            let risky = self.is_risky(slot);
            self.slots[slot as usize].request = u32::MAX;
            let newly = !risky && self.slots[slot as usize].state != SlotState::Free && self.is_newest(slot);
            self.at_risk += u32::from(newly && self.is_risky(slot));
        }
    }

    /// Begins a new flush epoch (period between two flushes or snapshots) and returns the number of the ended one: once
    /// [`Self::oldest_epoch`] is greater, all data of that epoch are on flash.
    pub fn end_epoch(&mut self) -> u32 {
        let ended = self.epoch;
        self.epoch += 1;
        self.pending.push_back(0);
        ended
    }

    /// Returns the number of the oldest flush epoch (period between two flushes or snapshots) of which a write buffer
    /// slot still holds data that the flash lacks; the current epoch if there is no such slot.
    pub fn oldest_epoch(&mut self) -> u32 {
        while self.pending.len() > 1 && self.pending[0] == 0 {
            self.pending.pop_front();
            self.first_epoch += 1;
        }
        self.first_epoch
    }

    /// Returns the size of the write buffer's state in the simulator's memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.slots.len() * (size_of::<Slot>() + 8) + self.index.bytes() + self.carried.bytes()
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
                    buffer.release_newest(slot);
                } else {
                    buffer.release(slot);
                }
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
        buffer.release_newest(slot);
        assert!(buffer.oldest_epoch() > epoch);
        buffer.release_newest(later);
    }
}
