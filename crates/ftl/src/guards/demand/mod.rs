//! A page map of which only a part is in RAM: the cached mapping table of DFTL, the translation units on flash, and
//! the flash operations that looking up and changing the map cost.
//!
//! The layer itself keeps the true map; this part says what of it the controller would have at hand. A translation
//! unit is a logical unit behind those of the host: it is written, moved and reclaimed as they are.

mod checkpoints;
mod entry_cache;
mod journal;
mod loading;
mod outdated;
mod tasks;

pub(crate) use checkpoints::Checkpoints;
pub use checkpoints::Recovery;
pub(crate) use journal::Journal;
pub(crate) use loading::Loading;
pub(crate) use tasks::{Task, Waiter};

use crate::Layout;
use crate::layout::ENTRY_BYTES;
use crate::map_on_flash::{InRam, MapOnFlash};
use entry_cache::EntryCache;
use outdated::Outdated;
use tasks::Tasks;
use units::Lpn;

/// Bytes of a cached entry: logical and physical number.
const CACHED_BYTES: u64 = 8;

/// What of the map is in RAM, and what is on its way.
pub(crate) struct Demand {
    /// The first of the logical units that hold the map.
    first: u32,
    pub entries_per_unit: u32,
    cache: EntryCache,
    pub tasks: Tasks,
    pub outdated: Outdated,
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
            InRam::Whole { checkpoint_every, on_demand } => {
                let every = u64::from(checkpoint_every);
                (1, false, Some(Checkpoints::new(every, on_demand, layout)))
            }
        };
        let directory_units = checkpoints.as_ref().map_or(0, Checkpoints::directory_units);
        Self {
            first: logical,
            entries_per_unit,
            cache: EntryCache::new(cached_entries.min(u64::from(logical)).max(1) as usize, logical),
            tasks: Tasks::new(in_flight),
            outdated: Outdated::new(logical.div_ceil(entries_per_unit) + directory_units),
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
        self.cache.capacity() as u64 * CACHED_BYTES + u64::from(self.outdated.pages()) * ENTRY_BYTES
    }

    /// Bytes of state of the simulator.
    pub fn bytes(&self) -> usize {
        let checkpoints = self.checkpoints.as_ref().map_or(0, |checkpoints| checkpoints.bytes());
        self.cache.bytes() + self.outdated.pages() as usize + checkpoints
    }

    /// True when `lpn` is a translation unit.
    #[inline]
    pub fn is_translation(&self, lpn: Lpn) -> bool {
        lpn.0 >= self.first
    }

    pub fn page_of(&self, lpn: Lpn) -> u32 {
        lpn.0 / self.entries_per_unit
    }

    /// The translation unit that says where `lpn` is; where a translation unit is only RAM says: then itself. None for what
    /// the drive keeps beside its map.
    pub fn page_holding(&self, lpn: Lpn) -> Option<u32> {
        let page = if self.is_translation(lpn) { lpn.0 - self.first } else { self.page_of(lpn) };
        (page < self.outdated.pages()).then_some(page)
    }

    pub fn unit_of(&self, page: u32) -> Lpn {
        Lpn(self.first + page)
    }

    /// True when the map entry of `lpn` is in RAM.
    pub fn knows(&self, lpn: Lpn) -> bool {
        self.checkpoints.is_some() || self.cache.contains(lpn)
    }

    /// Looks `lpn` up in the cache, and makes it the last used.
    pub fn touch(&mut self, lpn: Lpn) -> bool {
        self.cache.touch(lpn)
    }

    /// The units to read at power-up before the drive is ready.
    pub fn read_first(&self) -> impl Iterator<Item = Lpn> {
        let on_demand = self.checkpoints.as_ref().filter(|known| known.on_demand.is_some());
        let begin = on_demand.map_or(0, |known| self.outdated.pages() - known.directory_units());
        let log = on_demand.and_then(|known| known.log.as_ref()).into_iter().flat_map(Journal::needed);
        (begin..self.outdated.pages()).map(|page| self.unit_of(page)).chain(log)
    }

    /// A map that is all in RAM is read from flash now, translation unit by translation unit, if not at power-up.
    pub fn begin_loading(&mut self) {
        let Some(checkpoints) = &mut self.checkpoints else { return };
        if checkpoints.on_demand.is_some() {
            let pages = self.outdated.pages() - checkpoints.directory_units();
            checkpoints.loading = Some(Loading::of(pages));
        }
    }

    /// What of the map is not in RAM yet, where it is being read.
    pub fn loading(&mut self) -> Option<&mut Loading> {
        self.checkpoints.as_mut()?.loading.as_mut()
    }

    /// All of it is there.
    pub fn end_loading(&mut self) {
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.loading = None;
        }
    }

    /// A superblock (numbered over the drive) is erased.
    pub fn note_erased(&mut self, superblock: usize) {
        if let Some(log) = self.checkpoints.as_mut().and_then(|checkpoints| checkpoints.log.as_mut()) {
            log.note_erased(superblock);
        }
    }

    /// A full unit of the log of changes that can be sent.
    pub fn take_full_log_unit(&mut self) -> Option<Lpn> {
        self.checkpoints.as_mut()?.log.as_mut()?.take_full()
    }

    /// Not all of a map that belongs into RAM is there yet.
    pub fn is_loading(&self) -> bool {
        self.checkpoints.as_ref().is_some_and(|checkpoints| checkpoints.loading.is_some())
    }

    /// Puts `lpn` into the cache. Where a changed entry leaves it, all changed entries of its translation unit are written.
    pub fn install(&mut self, lpn: Lpn) {
        if self.checkpoints.is_some() || self.cache.touch(lpn) {
            return;
        }
        if let Some(changed) = self.cache.insert(lpn) {
            let page = self.page_of(changed);
            self.clean(page);
            self.outdated.evicted.push_back(page);
        }
    }

    /// What the cache knows of a translation unit is in the version that is about to be written.
    pub fn clean(&mut self, page: u32) {
        self.outdated.clean(page);
        if self.checkpoints.is_none() {
            let first = page * self.entries_per_unit;
            self.cache.clean(first..(first + self.entries_per_unit).min(self.first));
        }
    }

    /// The place of `lpn` changed.
    pub fn change(&mut self, lpn: Lpn) {
        if self.checkpoints.is_none() && !self.cache.change(lpn) {
            self.outdated.fall_behind(self.page_of(lpn));
        }
    }

    /// All entries changed without having been looked up: a state was constructed.
    pub fn fall_behind(&mut self) {
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.outdated = true;
        }
        self.outdated.all_fall_behind();
    }

    /// Translation units of which the flash lacks the newest version, in order.
    pub fn changed(&self) -> Vec<u32> {
        if self.checkpoints.as_ref().is_some_and(|checkpoints| checkpoints.outdated) {
            return (0..self.outdated.pages()).collect();
        }
        let cached = self.cache.changed().map(|lpn| self.page_of(lpn));
        let mut pages: Vec<u32> = cached.chain(self.outdated.iter()).collect();
        pages.sort_unstable();
        pages.dedup();
        pages
    }

    /// All that changed is to be written now, be it paid for by the host or not: gives the translation units.
    pub fn flush(&mut self) -> Vec<u32> {
        let mut pages = self.changed();
        if let Some(checkpoints) = &mut self.checkpoints {
            pages = (0..self.outdated.pages()).collect();
            checkpoints.begin(pages.len() as u32);
        }
        pages.iter().for_each(|&page| self.clean(page));
        self.outdated.evicted = pages.iter().copied().collect();
        pages
    }

    /// Forgets the cache; gives the translation units with changed entries.
    pub fn forget(&mut self) -> Vec<u32> {
        let pages = self.changed();
        self.cache.clear();
        self.outdated.clear();
        pages
    }
}
