//! Translation units on their way from or to the flash, and what waits for them.

use crate::core::Waiter;
use std::collections::VecDeque;

/// Record of a read of a translation unit (map page) from flash, which is made for requests that wait for map entries
/// in the unit, or in order to change the unit and write it back.
pub(super) struct Task {
    pub page: u32,
    /// True if the translation unit (map page) is read in order to be changed and written back; no request waits for
    /// such a read.
    pub update: bool,
    pub waiters: Vec<Waiter>,
}

/// Type of the table of the reads of translation units (map pages) in flight, with the queue of reads that wait because
/// too many are in flight.
pub(super) struct Tasks {
    tasks: Vec<Option<Task>>,
    in_flight: u32,
    most: u32,
    queued: VecDeque<Task>,
}

impl Tasks {
    /// Makes a table without reads of translation units (map pages), of which at most `most` may be in flight at a
    /// time.
    pub fn new(most: u32) -> Self {
        Self { tasks: Vec::new(), in_flight: 0, most, queued: VecDeque::new() }
    }

    /// Returns true if a read of a translation unit (map page) is in flight or queued.
    pub fn are_any(&self) -> bool {
        self.in_flight > 0 || !self.queued.is_empty()
    }

    /// Returns true if the greatest allowed number of reads of translation units (map pages) is in flight.
    pub fn is_full(&self) -> bool {
        self.in_flight >= self.most
    }

    /// Returns true if the reads of translation units (map pages) in flight are at least half of the greatest allowed
    /// number.
    pub fn is_half_full(&self) -> bool {
        2 * self.in_flight >= self.most
    }

    /// Returns true if a read of translation unit `page` is in flight.
    pub fn has(&self, page: u32) -> bool {
        self.tasks.iter().flatten().any(|task| task.page == page)
    }

    /// Returns the number of translation units (map pages) that are being read in order to be changed and written back.
    pub fn updates(&self) -> u32 {
        self.updated().count() as u32
    }

    /// Returns the numbers of the translation units (map pages) that are being read in order to be changed and written
    /// back.
    pub fn updated(&self) -> impl Iterator<Item = u32> {
        self.tasks.iter().flatten().filter(|task| task.update).map(|task| task.page)
    }

    /// Returns the number of mapping units of host reads that wait for map entries to be read from flash.
    pub fn units_awaited(&self) -> u64 {
        let tasks = self.tasks.iter().flatten().chain(&self.queued);
        let units = |waiter: &Waiter| match *waiter {
            Waiter::Read { count, .. } => u64::from(count),
            Waiter::Write { .. } => 0,
        };
        tasks.flat_map(|task| &task.waiters).map(units).sum()
    }

    /// Adds `waiter` to the requests that wait for translation unit `page` (a page of the map); queues a read of the
    /// unit if no read for waiting requests is in flight or queued.
    pub fn wait_for(&mut self, page: u32, waiter: Waiter) {
        let mut known = self.tasks.iter_mut().flatten().chain(&mut self.queued);
        match known.find(|task| task.page == page && !task.update) {
            Some(task) => task.waiters.push(waiter),
            None => self.queued.push_back(Task { page, update: false, waiters: vec![waiter] }),
        }
    }

    /// Removes and returns the queued read of a translation unit (map page) that has waited longest.
    pub fn take_queued(&mut self) -> Option<Task> {
        self.queued.pop_front()
    }

    /// Records that the read of a translation unit (map page) is in flight, and returns the number by which the read is
    /// known.
    pub fn begin(&mut self, task: Task) -> u32 {
        self.in_flight += 1;
        let place = self.tasks.iter().position(Option::is_none).unwrap_or_else(|| {
            self.tasks.push(None);
            self.tasks.len() - 1
        });
        self.tasks[place] = Some(task);
        place as u32
    }

    /// Removes the read with number `place` (as returned by `begin`, not the number of the translation unit) from the
    /// table of reads of translation units in flight. Returns the record of the read, with the requests that wait for
    /// the read.
    pub fn end(&mut self, place: u32) -> Task {
        self.in_flight -= 1;
        self.tasks[place as usize].take().expect("a task is in flight")
    }

    /// Removes the host write in write buffer slot `slot` from the requests that wait for map entries. Returns true if
    /// the write needs no read of other parts of its mapping unit, false if it does; `None` if the write was not
    /// waiting.
    pub fn take_write(&mut self, slot: u32) -> Option<bool> {
        let is_its = |waiter: &Waiter| matches!(waiter, Waiter::Write { slot: other, .. } if *other == slot);
        let tasks = self.tasks.iter_mut().flatten().chain(&mut self.queued);
        let found = tasks.filter_map(|task| Some((task.waiters.iter().position(is_its)?, task))).next();
        match found.map(|(at, task)| task.waiters.remove(at)) {
            Some(Waiter::Write { complete, .. }) => Some(complete),
            _ => None,
        }
    }
}
