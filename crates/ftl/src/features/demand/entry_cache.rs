//! The entries of a map on flash that are in RAM, in a list by last use.

use crate::flash_map::FlashMapEntry;
use crate::store::NONE;
use engine::large_array;
use std::ops::Range;
use units::Lpn;

/// The entries used last.
pub(super) struct EntryCache {
    entries: Vec<FlashMapEntry>,
    capacity: usize,
    newest: u32,
    oldest: u32,
    /// The entry of each logical unit, or none.
    of_unit: Vec<u32>,
}

impl EntryCache {
    /// Makes a cache of map entries that holds no entry.
    pub fn new(capacity: usize, logical_units: u32) -> Self {
        Self {
            entries: Vec::with_capacity(capacity),
            capacity,
            newest: NONE,
            oldest: NONE,
            of_unit: large_array(logical_units as usize, NONE),
        }
    }

    /// Returns the number of entries that the cache can hold.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the number of bytes of state of the simulator.
    pub fn bytes(&self) -> usize {
        4 * self.of_unit.len() + self.entries.capacity() * size_of::<FlashMapEntry>()
    }

    fn unlink(&mut self, at: u32) {
        let FlashMapEntry { newer, older, .. } = self.entries[at as usize];
        match newer {
            NONE => self.newest = older,
            _ => self.entries[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            _ => self.entries[older as usize].newer = newer,
        }
    }

    fn link(&mut self, at: u32) {
        (self.entries[at as usize].newer, self.entries[at as usize].older) = (NONE, self.newest);
        match self.newest {
            NONE => self.oldest = at,
            newest => self.entries[newest as usize].newer = at,
        }
        self.newest = at;
    }

    /// True when the entry of `lpn` is in the cache.
    pub fn contains(&self, lpn: Lpn) -> bool {
        self.of_unit[lpn.index()] != NONE
    }

    /// Looks up the entry of `lpn` and makes it the most recently used. False when it is not in the cache.
    pub fn touch(&mut self, lpn: Lpn) -> bool {
        let at = self.of_unit[lpn.index()];
        if at == NONE {
            return false;
        }
        self.unlink(at);
        self.link(at);
        true
    }

    /// Adds `lpn`, which is not in the cache, as the most recently used. Returns the unit whose entry is evicted for
    /// it, if that entry was changed.
    pub fn insert(&mut self, lpn: Lpn) -> Option<Lpn> {
        let entry = FlashMapEntry { lpn: lpn.0, newer: NONE, older: NONE, dirty: false };
        let (at, changed) = if self.entries.len() < self.capacity {
            self.entries.push(entry);
            (self.entries.len() as u32 - 1, None)
        } else {
            let at = self.oldest;
            self.unlink(at);
            let old = std::mem::replace(&mut self.entries[at as usize], entry);
            self.of_unit[old.lpn as usize] = NONE;
            (at, old.dirty.then_some(Lpn(old.lpn)))
        };
        self.of_unit[lpn.index()] = at;
        self.link(at);
        changed
    }

    /// Notes that the place of `lpn` changed. False when its entry is not in the cache.
    pub fn change(&mut self, lpn: Lpn) -> bool {
        let at = self.of_unit[lpn.index()];
        if at != NONE {
            self.entries[at as usize].dirty = true;
        }
        at != NONE
    }

    /// Marks the entries of these units as clean: they are on the flash as they are in the cache.
    pub fn clean(&mut self, units: Range<u32>) {
        for lpn in units {
            let at = self.of_unit[lpn as usize];
            if at != NONE {
                self.entries[at as usize].dirty = false;
            }
        }
    }

    /// Returns the units whose entries changed since they were read or last written.
    pub fn changed(&self) -> impl Iterator<Item = Lpn> {
        self.entries.iter().filter(|entry| entry.dirty).map(|entry| Lpn(entry.lpn))
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.entries.clear();
        (self.newest, self.oldest) = (NONE, NONE);
        self.of_unit.fill(NONE);
    }
}
