//! A page map of which only a part is in RAM: the cached mapping table of DFTL, the translation units on flash, and
//! the flash operations that looking up and changing the map cost.
//!
//! The layer itself keeps the true map; this part says what of it the controller would have at hand. A translation
//! unit is a logical unit behind those of the host: it is written, moved and reclaimed as they are.

mod checkpoints;

pub(crate) use checkpoints::Checkpoints;
pub use checkpoints::Recovery;

use crate::Layout;
use crate::layout::ENTRY_BYTES;
use crate::mapping::{Entry, InRam, MapOnFlash};
use crate::store::NONE;
use engine::large_array;
use std::collections::VecDeque;
use units::{Lpn, SimTime};

/// Bytes of a cached entry: logical and physical number.
const CACHED_BYTES: u64 = 8;
/// Updates of translation units that garbage collection may be behind with, for each unit the host writes.
pub(crate) const CREDIT_MOST: u32 = 64;

/// Who waits for a translation unit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Waiter {
    Read { request: u32, first: Lpn, count: u32, since: SimTime },
    Write { slot: u32, whole: bool },
}

/// A translation unit on its way from or to the flash.
pub(crate) struct Task {
    pub page: u32,
    /// It is read to be changed and written, not for those who wait.
    pub update: bool,
    pub waiters: Vec<Waiter>,
}

/// What of the map is in RAM, and what is on its way.
pub(crate) struct Demand {
    first: u32,
    pub entries_per_unit: u32,
    entries: Vec<Entry>,
    capacity: usize,
    newest: u32,
    oldest: u32,
    /// The entry of each logical unit, or none.
    cached: Vec<u32>,
    pub tasks: Vec<Option<Task>>,
    pub in_flight: u32,
    pub most: u32,
    /// Translation units to be read for those who wait, when a place is free.
    pub queued: VecDeque<Task>,
    /// Translation units whose changed entries left the cache.
    pub evicted: VecDeque<u32>,
    /// Translation units with entries that changed while they were not cached.
    pub behind: VecDeque<u32>,
    pub is_behind: Vec<bool>,
    pub credit: u32,
    /// Every translation unit is on flash when time begins, be it written or not.
    pub stored: bool,
    /// Where all of the map is in RAM, and the flash has checkpoints of it.
    pub checkpoints: Option<Checkpoints>,
    /// Buffer slots for translation units, and those in use.
    pub slots: u32,
    pub used_slots: u32,
}

impl Demand {
    /// Nothing looked up yet.
    pub fn new(layout: &Layout, plan: &MapOnFlash) -> Self {
        let logical = layout.logical_units;
        let &MapOnFlash { entries_per_unit, in_flight, slots, in_ram } = plan;
        let (cached_entries, stored, checkpoints) = match in_ram {
            InRam::Cached { entries, stored } => (entries, stored, None),
            InRam::Whole { checkpoint_every } => {
                (1, false, Some(Checkpoints::new(checkpoint_every, layout.superblocks())))
            }
        };
        let capacity = cached_entries.min(u64::from(logical)).max(1) as usize;
        Self {
            first: logical,
            entries_per_unit,
            entries: Vec::with_capacity(capacity),
            capacity,
            newest: NONE,
            oldest: NONE,
            cached: large_array(logical as usize, NONE),
            tasks: Vec::new(),
            in_flight: 0,
            most: in_flight,
            queued: VecDeque::new(),
            evicted: VecDeque::new(),
            behind: VecDeque::new(),
            is_behind: vec![false; logical.div_ceil(entries_per_unit) as usize],
            credit: 0,
            stored,
            checkpoints,
            slots,
            used_slots: 0,
        }
    }

    /// Bytes of RAM: cached entries, and the place of each translation unit.
    pub fn map_bytes(&self) -> u64 {
        if self.checkpoints.is_some() {
            return u64::from(self.first) * ENTRY_BYTES;
        }
        self.capacity as u64 * CACHED_BYTES + self.is_behind.len() as u64 * ENTRY_BYTES
    }

    /// Bytes of state of the simulator.
    pub fn bytes(&self) -> usize {
        let checkpoints = self.checkpoints.as_ref().map_or(0, |checkpoints| checkpoints.bytes());
        4 * self.cached.len()
            + self.entries.capacity() * size_of::<Entry>()
            + self.is_behind.len()
            + checkpoints
    }

    /// True when `lpn` is a translation unit.
    #[inline]
    pub fn is_translation(&self, lpn: Lpn) -> bool {
        lpn.0 >= self.first
    }

    /// Something is on its way.
    pub fn is_busy(&self) -> bool {
        self.in_flight > 0 || !self.queued.is_empty()
    }

    pub fn page_of(&self, lpn: Lpn) -> u32 {
        lpn.0 / self.entries_per_unit
    }

    pub fn unit_of(&self, page: u32) -> Lpn {
        Lpn(self.first + page)
    }

    pub fn unlink(&mut self, at: u32) {
        let Entry { newer, older, .. } = self.entries[at as usize];
        match newer {
            NONE => self.newest = older,
            _ => self.entries[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            _ => self.entries[older as usize].newer = newer,
        }
    }

    pub fn link(&mut self, at: u32) {
        (self.entries[at as usize].newer, self.entries[at as usize].older) = (NONE, self.newest);
        match self.newest {
            NONE => self.oldest = at,
            newest => self.entries[newest as usize].newer = at,
        }
        self.newest = at;
    }

    /// True when the map entry of `lpn` is in RAM.
    pub fn knows(&self, lpn: Lpn) -> bool {
        self.checkpoints.is_some() || self.cached[lpn.index()] != NONE
    }

    /// Looks `lpn` up in the cache, and makes it the last used.
    pub fn touch(&mut self, lpn: Lpn) -> bool {
        let at = self.cached[lpn.index()];
        if at == NONE {
            return false;
        }
        self.unlink(at);
        self.link(at);
        true
    }

    /// The write in a slot waits no longer. Gives whether it was whole, if it waited.
    pub fn take_write(&mut self, slot: u32) -> Option<bool> {
        let is_its = |waiter: &Waiter| matches!(waiter, Waiter::Write { slot: other, .. } if *other == slot);
        let tasks = self.tasks.iter_mut().flatten().chain(&mut self.queued);
        let found = tasks.filter_map(|task| Some((task.waiters.iter().position(is_its)?, task))).next();
        match found.map(|(at, task)| task.waiters.remove(at)) {
            Some(Waiter::Write { whole, .. }) => Some(whole),
            _ => None,
        }
    }

    /// Puts `lpn` into the cache; what falls out and was changed is to be written.
    pub fn install(&mut self, lpn: Lpn) {
        if self.touch(lpn) {
            return;
        }
        let at = if self.entries.len() < self.capacity {
            self.entries.push(Entry { lpn: lpn.0, newer: NONE, older: NONE, dirty: false });
            self.entries.len() as u32 - 1
        } else {
            let at = self.oldest;
            self.unlink(at);
            let Entry { lpn: old, dirty, .. } = self.entries[at as usize];
            self.cached[old as usize] = NONE;
            if dirty {
                self.evict(Lpn(old));
            }
            at
        };
        self.entries[at as usize] = Entry { lpn: lpn.0, newer: NONE, older: NONE, dirty: false };
        self.cached[lpn.index()] = at;
        self.link(at);
    }

    /// A changed entry leaves the cache: all changed entries of its translation unit are written with it.
    pub fn evict(&mut self, lpn: Lpn) {
        let page = self.page_of(lpn);
        self.clean(page);
        self.evicted.push_back(page);
    }

    /// What the cache knows of a translation unit is in the version that is about to be written.
    pub fn clean(&mut self, page: u32) {
        self.is_behind[page as usize] = false;
        if self.checkpoints.is_some() {
            return;
        }
        let first = page * self.entries_per_unit;
        let end = (first + self.entries_per_unit).min(self.first);
        for lpn in first..end {
            let at = self.cached[lpn as usize];
            if at != NONE {
                self.entries[at as usize].dirty = false;
            }
        }
    }

    /// The place of `lpn` changed.
    pub fn change(&mut self, lpn: Lpn) {
        if self.checkpoints.is_some() {
            return;
        }
        let at = self.cached[lpn.index()];
        if at != NONE {
            self.entries[at as usize].dirty = true;
            return;
        }
        let page = self.page_of(lpn);
        if !std::mem::replace(&mut self.is_behind[page as usize], true) {
            self.behind.push_back(page);
        }
    }

    /// The next translation unit that must be written: evicted ones first, then those garbage collection changed.
    pub fn next_update(&mut self) -> Option<u32> {
        if let Some(page) = self.evicted.pop_front() {
            return Some(page);
        }
        while self.credit > 0 {
            let page = self.behind.pop_front()?;
            if self.is_behind[page as usize] {
                self.credit -= 1;
                return Some(page);
            }
        }
        None
    }

    /// All entries changed without having been looked up: a state was constructed.
    pub fn fall_behind(&mut self) {
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.outdated = true;
        }
        self.is_behind.fill(true);
    }

    /// Translation units of which the flash lacks the newest version, in order.
    fn changed(&self) -> Vec<u32> {
        let dirty =
            self.entries.iter().filter(|entry| entry.dirty).map(|entry| entry.lpn / self.entries_per_unit);
        let behind = (0..self.is_behind.len() as u32).filter(|&page| self.is_behind[page as usize]);
        let mut pages: Vec<u32> = dirty.chain(behind).chain(self.evicted.iter().copied()).collect();
        pages.sort_unstable();
        pages.dedup();
        if self.checkpoints.as_ref().is_some_and(|checkpoints| checkpoints.outdated) {
            pages = (0..self.is_behind.len() as u32).collect();
        }
        pages
    }

    /// All that changed is to be written now, be it paid for by the host or not: gives the translation units.
    pub fn flush(&mut self) -> Vec<u32> {
        let mut pages = self.changed();
        if let Some(checkpoints) = &mut self.checkpoints {
            pages = (0..self.is_behind.len() as u32).collect();
            (checkpoints.began, checkpoints.left) = (checkpoints.closed, pages.len() as u32);
        }
        pages.iter().for_each(|&page| self.clean(page));
        self.evicted = pages.iter().copied().collect();
        pages
    }

    /// Forgets the cache; gives the translation units with changed entries.
    pub fn forget(&mut self) -> Vec<u32> {
        let pages = self.changed();
        self.entries.clear();
        (self.newest, self.oldest) = (NONE, NONE);
        self.cached.fill(NONE);
        self.is_behind.fill(false);
        self.behind.clear();
        self.evicted.clear();
        pages
    }
}
