//! Translation units on their way from or to the flash, and what waits for them.

use crate::core::Waiter;
use std::collections::VecDeque;

/// A translation unit on its way from or to the flash.
pub(super) struct Task {
    pub page: u32,
    /// True if the translation unit is read in order to be changed and written; no request waits for the
    /// read.
    pub update: bool,
    pub waiters: Vec<Waiter>,
}

/// The translation units in flight, and translation units that wait for a place among them.
pub(super) struct Tasks {
    tasks: Vec<Option<Task>>,
    in_flight: u32,
    most: u32,
    queued: VecDeque<Task>,
}

impl Tasks {
    /// No tasks; at most `most` in flight at a time.
    pub fn new(most: u32) -> Self {
        Self { tasks: Vec::new(), in_flight: 0, most, queued: VecDeque::new() }
    }

    /// True when a task is in flight or queued.
    pub fn are_any(&self) -> bool {
        self.in_flight > 0 || !self.queued.is_empty()
    }

    /// True when no further task may begin.
    pub fn is_full(&self) -> bool {
        self.in_flight >= self.most
    }

    /// True when half the places are taken: tasks that no request waits for do not begin.
    pub fn is_half_full(&self) -> bool {
        2 * self.in_flight >= self.most
    }

    /// True if a translation unit is being read, or changed.
    pub fn has(&self, page: u32) -> bool {
        self.tasks.iter().flatten().any(|task| task.page == page)
    }

    /// Returns the number of translation units in flight that will be written.
    pub fn updates(&self) -> u32 {
        self.updated().count() as u32
    }

    /// Returns the translation units that are in flight to be written.
    pub fn updated(&self) -> impl Iterator<Item = u32> {
        self.tasks.iter().flatten().filter(|task| task.update).map(|task| task.page)
    }

    /// Returns the number of units of the host's reads that wait.
    pub fn units_awaited(&self) -> u64 {
        let tasks = self.tasks.iter().flatten().chain(&self.queued);
        let units = |waiter: &Waiter| match *waiter {
            Waiter::Read { count, .. } => u64::from(count),
            Waiter::Write { .. } => 0,
        };
        tasks.flat_map(|task| &task.waiters).map(units).sum()
    }

    /// Lets `waiter` wait for a translation unit.
    pub fn wait_for(&mut self, page: u32, waiter: Waiter) {
        let mut known = self.tasks.iter_mut().flatten().chain(&mut self.queued);
        match known.find(|task| task.page == page && !task.update) {
            Some(task) => task.waiters.push(waiter),
            None => self.queued.push_back(Task { page, update: false, waiters: vec![waiter] }),
        }
    }

    /// Returns the task that has waited longest for a place.
    pub fn take_queued(&mut self) -> Option<Task> {
        self.queued.pop_front()
    }

    /// Puts a task in flight from now on, at the place that is given.
    pub fn begin(&mut self, task: Task) -> u32 {
        self.in_flight += 1;
        let place = self.tasks.iter().position(Option::is_none).unwrap_or_else(|| {
            self.tasks.push(None);
            self.tasks.len() - 1
        });
        self.tasks[place] = Some(task);
        place as u32
    }

    /// Ends the task at `place`, and returns it.
    pub fn end(&mut self, place: u32) -> Task {
        self.in_flight -= 1;
        self.tasks[place as usize].take().expect("a task is in flight")
    }

    /// Ends the wait of the write in a slot. Returns whether its unit was complete, if it waited.
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
