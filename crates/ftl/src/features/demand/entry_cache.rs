//! The entries of a map on flash that are in RAM, in a list by last use.

use crate::flash_map::FlashMapEntry;
use crate::store::NONE;
use engine::large_array;
use units::Lpn;

/// Constant: value of an entry's `next_dirty` that stands for a clean entry.
const CLEAN: u32 = NONE - 1;

/// State of the cache of map entries in RAM (as in DFTL), with replacement of the entry used least recently.
pub(super) struct EntryCache {
    entries: Vec<FlashMapEntry>,
    capacity: usize,
    newest: u32,
    oldest: u32,
    /// For each logical unit, the index of its entry in `entries`, or `NONE` if the entry is not in the cache.
    of_unit: Vec<u32>,
    /// For each translation unit (map page), the index in `entries` of the first of its dirty entries, or `NONE`.
    first_dirty: Vec<u32>,
    entries_per_unit: u32,
}

impl EntryCache {
    /// Makes an empty cache for `capacity` entries of a map of `logical_units` logical units, with `entries_per_unit`
    /// entries in each translation unit (map page).
    pub fn new(capacity: usize, logical_units: u32, entries_per_unit: u32) -> Self {
        Self {
            entries: Vec::with_capacity(capacity),
            capacity,
            newest: NONE,
            oldest: NONE,
            of_unit: large_array(logical_units as usize, NONE),
            first_dirty: vec![NONE; logical_units.div_ceil(entries_per_unit) as usize],
            entries_per_unit,
        }
    }

    /// Returns the greatest number of map entries that the cache can hold.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the number of bytes of memory that the simulator's cache of map entries takes.
    pub fn bytes(&self) -> usize {
        4 * (self.of_unit.len() + self.first_dirty.len())
            + self.entries.capacity() * size_of::<FlashMapEntry>()
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

    /// Returns true if the map entry of `lpn` is in the cache.
    pub fn contains(&self, lpn: Lpn) -> bool {
        self.of_unit[lpn.index()] != NONE
    }

    /// Makes the map entry of `lpn` the most recently used one; false if the entry is not in the cache.
    pub fn touch(&mut self, lpn: Lpn) -> bool {
        let at = self.of_unit[lpn.index()];
        if at == NONE {
            return false;
        }
        self.unlink(at);
        self.link(at);
        true
    }

    /// Adds the map entry of `lpn`, which is not in the cache, as the most recently used one. Returns the unit whose
    /// entry is evicted for it, if that entry is dirty; all entries of its translation unit are clean then.
    pub fn insert(&mut self, lpn: Lpn) -> Option<Lpn> {
        let entry = FlashMapEntry { lpn: lpn.0, newer: NONE, older: NONE, next_dirty: CLEAN };
        let (at, changed) = if self.entries.len() < self.capacity {
            self.entries.push(entry);
            (self.entries.len() as u32 - 1, None)
        } else {
            let at = self.oldest;
            self.unlink(at);
            let old = self.entries[at as usize];
            let changed = (old.next_dirty != CLEAN).then_some(Lpn(old.lpn));
            if changed.is_some() {
                self.clean(old.lpn / self.entries_per_unit);
            }
            self.entries[at as usize] = entry;
            self.of_unit[old.lpn as usize] = NONE;
            (at, changed)
        };
        self.of_unit[lpn.index()] = at;
        self.link(at);
        changed
    }

    /// Marks the map entry of `lpn` as dirty, because the physical place of the unit changed; false if the entry is not
    /// in the cache.
    pub fn change(&mut self, lpn: Lpn) -> bool {
        let at = self.of_unit[lpn.index()];
        if at != NONE && self.entries[at as usize].next_dirty == CLEAN {
            let first = &mut self.first_dirty[(lpn.0 / self.entries_per_unit) as usize];
            self.entries[at as usize].next_dirty = std::mem::replace(first, at);
        }
        at != NONE
    }

    /// Marks the cached map entries of the translation unit (map page) `page` as clean, because flash has them as they
    /// are in the cache.
    pub fn clean(&mut self, page: u32) {
        let mut at = std::mem::replace(&mut self.first_dirty[page as usize], NONE);
        while at != NONE {
            at = std::mem::replace(&mut self.entries[at as usize].next_dirty, CLEAN);
        }
    }

    /// Returns the logical units whose cached map entries are dirty: changed in RAM and not written to flash since.
    pub fn changed(&self) -> impl Iterator<Item = Lpn> {
        self.entries.iter().filter(|entry| entry.next_dirty != CLEAN).map(|entry| Lpn(entry.lpn))
    }

    /// Removes all map entries from the cache.
    pub fn clear(&mut self) {
        self.entries.clear();
        (self.newest, self.oldest) = (NONE, NONE);
        self.of_unit.fill(NONE);
        self.first_dirty.fill(NONE);
    }
}
