//! Looking up and changing a map of which only a part is in RAM: what is at hand, what waits, what is next.

use super::tasks::Task;
use super::{Demand, Journal};
use crate::buffer::SlotState;
use crate::core::{Core, Lookup, Waiter};
use units::{Lpn, Ppa};

impl Demand {
    /// Returns true if the map entry of `lpn` can be used without a flash read; puts the entry into the cache if it
    /// can. Counts a hit or a miss of the map cache.
    pub(super) fn find_entry(&mut self, core: &mut Core, lpn: Lpn) -> bool {
        if self.checkpoints.is_some() {
            return !self.is_loading() || self.is_loaded(core, lpn);
        }
        if self.cache.touch(lpn) {
            core.store.stats.map_hits += 1;
            return true;
        }
        core.store.stats.map_misses += 1;
        let unit = self.unit_of(self.page_of(lpn));
        // A translation unit that does not exist yet, or is in the buffer, costs no flash read.
        let missing = core.store.map.lookup(unit) == Ppa::NONE && !self.stored;
        let at_hand = missing || core.buffer.find(unit).is_some();
        if at_hand {
            self.install(lpn);
        }
        at_hand
    }

    /// Returns true if the map entry of `lpn` can be used without a flash read, while the map is still being loaded
    /// after power-up; counts a hit or a miss.
    #[cold]
    fn is_loaded(&mut self, core: &mut Core, lpn: Lpn) -> bool {
        let page = self.page_of(lpn);
        let is_at_hand = self.is_at_hand(core, page);
        let Some(loading) = self.loading() else { return true };
        if !loading.is_missing(page) {
            core.store.stats.map_hits += 1;
            return true;
        }
        core.store.stats.map_misses += 1;
        if is_at_hand {
            loading.note_loaded(page);
        }
        is_at_hand
    }

    /// Returns true if a translation unit (map page) can be accessed without a flash read, because it was never written
    /// or is in the write buffer.
    fn is_at_hand(&self, core: &Core, page: u32) -> bool {
        let unit = self.unit_of(page);
        core.store.map.lookup(unit) == Ppa::NONE || core.buffer.find(unit).is_some()
    }

    /// Queues a host write that waits for its map entry, or a host read that waits for the entries in its first
    /// translation unit (map page); returns the number of entries waited for.
    pub(super) fn await_entries(&mut self, core: &Core, waiter: Waiter) -> u32 {
        let (lpn, waiter, count) = match waiter {
            Waiter::Read { request, first, count, since } => {
                let rest = self.entries_per_unit - first.0 % self.entries_per_unit;
                let count = rest.min(count);
                (first, Waiter::Read { request, first, count, since }, count)
            }
            Waiter::Write { slot, .. } => (core.buffer.slot(slot).lpn, waiter, 1),
        };
        self.tasks.wait_for(self.page_of(lpn), waiter);
        count
    }

    /// Returns the next translation unit (map page) to read in the background after power-up, if fewer than half of the
    /// translation unit reads that may be in flight at a time are; `None` otherwise.
    fn next_to_load(&mut self, core: &Core) -> Option<u32> {
        while !self.tasks.is_half_full() {
            let page = self.loading()?.next()?;
            if self.is_at_hand(core, page) {
                self.loading()?.note_loaded(page);
            } else if !self.tasks.has(page) {
                return Some(page);
            }
        }
        None
    }

    /// Ends the loading of the map after power-up if all translation units (map pages) are in RAM; returns the action
    /// with which the FTL then continues, or `None` while units are still to be read or no map is being loaded.
    fn end_if_loaded(&mut self) -> Option<Lookup> {
        let is_done = self.loading().is_some_and(|loading| loading.is_done());
        if is_done {
            self.end_loading();
        }
        is_done.then_some(Lookup::Loaded)
    }

    /// Returns true if a write buffer slot reserved for translation units (map pages) is free for another one.
    fn has_slot(&self) -> bool {
        self.used_slots + self.tasks.updates() < self.slots
    }

    /// Puts the full units of the log of map changes into the write buffer, as far as reserved slots are free.
    fn send_log(&mut self, core: &mut Core) {
        while self.has_slot()
            && let Some(unit) = self.log().and_then(Journal::take_full)
        {
            self.used_slots += 1;
            core.put_own(unit);
        }
    }

    /// Advances the lookups of the map: puts full log units into the write buffer and starts updates (read, change,
    /// write back) and reads of translation units (map pages), updates first, as far as buffer slots and the limit of
    /// reads allow. Returns the next action for the FTL; `None` if nothing can begin.
    pub(super) fn look_on(&mut self, core: &mut Core) -> Option<Lookup> {
        loop {
            if let Some(waiter) = self.answered.pop_front() {
                self.install_for(core, waiter);
                return Some(Lookup::Answered(waiter));
            }
            self.send_log(core);
            if self.tasks.is_full() {
                return None;
            }
            let room = self.has_slot();
            // The map must not run ahead of what can be written, but nothing makes room until all of it is there, nor on a
            // drive that only reads.
            let gets_room = !self.is_loading() && !core.read_only;
            if !room && !self.outdated.evicted.is_empty() && gets_room {
                return None;
            }
            let update = if room { self.outdated.next() } else { None };
            let task = match update {
                Some(page) => {
                    self.clean(page);
                    Task { page, update: true, waiters: Vec::new() }
                }
                None => match self.tasks.take_queued() {
                    Some(task) => task,
                    None => match self.next_to_load(core) {
                        Some(page) => Task { page, update: false, waiters: Vec::new() },
                        None => return self.end_if_loaded(),
                    },
                },
            };
            if let Some(read) = self.start(core, task) {
                return Some(read);
            }
        }
    }

    /// Begins to read a translation unit (map page), and returns the flash read; `None` if the unit needs no flash
    /// read, in which case the lookup ends at once.
    fn start(&mut self, core: &mut Core, task: Task) -> Option<Lookup> {
        let unit = self.unit_of(task.page);
        let is_missing = self.loading().is_some_and(|loading| loading.is_missing(task.page));
        let in_ram = self.checkpoints.is_some() && !is_missing;
        let owner = self.tasks.begin(task);
        let home = core.store.map.lookup(unit);
        if (home == Ppa::NONE && !self.stored) || core.buffer.find(unit).is_some() || in_ram {
            self.end_task(core, owner);
            return None;
        }
        Some(Lookup::Read { unit, home, owner })
    }

    /// Ends the read of a translation unit (map page): the requests that waited for it can continue, and a unit that
    /// was read to be changed goes into the write buffer.
    pub(super) fn end_task(&mut self, core: &mut Core, owner: u32) {
        let task = self.tasks.end(owner);
        if let Some(loading) = self.loading() {
            loading.note_loaded(task.page);
        }
        if task.update {
            let unit = self.unit_of(task.page);
            let is_queued = |slot| core.buffer.slot(slot).state == SlotState::Queued;
            if !core.buffer.find(unit).is_some_and(is_queued) {
                self.used_slots += 1;
                core.put_own(unit);
            }
        }
        self.answered.extend(task.waiters);
    }

    fn install_for(&mut self, core: &Core, waiter: Waiter) {
        match waiter {
            Waiter::Read { first, count, .. } => {
                (first.0..first.0 + count).for_each(|lpn| self.install(Lpn(lpn)));
            }
            Waiter::Write { slot, .. } => self.install(core.buffer.slot(slot).lpn),
        }
    }
}
