//! A page map of which only a part is in RAM: the cached mapping table of DFTL, the translation units on flash, and
//! the flash operations that looking up and changing the map cost.
//!
//! The layer itself keeps the true map; this part says which entries of it the controller would have at hand. A translation
//! unit is a logical unit behind those of the host: it is written, moved and reclaimed as they are.

mod after_cut;
mod checkpoints;
mod entry_cache;
mod hooked;
mod journal;
mod loading;
mod lookups;
mod make;
mod outdated;
mod tasks;

use crate::core::{Core, Waiter};
use after_cut::Translations;
use checkpoints::Checkpoints;
use entry_cache::EntryCache;
use journal::Journal;
use loading::Loading;
use outdated::Outdated;
use std::collections::VecDeque;
use tasks::Tasks;
use units::Lpn;

/// State of a map that lies on flash: the entries in RAM, the translation units (map pages) being read or written, and
/// the checkpoints where the map is wholly in RAM.
pub(crate) struct Demand {
    /// Number of the first of the logical units, numbered after those of the host, that hold the map on flash.
    first: u32,
    entries_per_unit: u32,
    cache: EntryCache,
    tasks: Tasks,
    /// Queue of the host reads and writes whose map entries have been read from flash, and that can continue.
    answered: VecDeque<Waiter>,
    outdated: Outdated,
    /// Setting: true if each translation unit (map page) counts as stored on flash when simulated time begins, even if
    /// its entries were never written.
    stored: bool,
    /// Field: state of the checkpoints on flash, for a map that is wholly in RAM; `None` for a map of which only a part
    /// is cached.
    checkpoints: Option<Checkpoints>,
    /// Number of write buffer slots reserved for translation units (map pages), whether in use or free.
    slots: u32,
    /// Number of write buffer slots, among the slots reserved for translation units (map pages), that are in use.
    used_slots: u32,
    /// Field: state of the map on flash at the last power cut, stored until recovery has found the newest data.
    left: Option<Translations>,
}

impl Demand {
    fn page_of(&self, lpn: Lpn) -> u32 {
        lpn.0 / self.entries_per_unit
    }

    /// Returns the number of the translation unit (map page) that holds the map entry of `lpn`; for a translation unit,
    /// its own number. `None` for other units of the drive's own.
    fn page_holding(&self, lpn: Lpn) -> Option<u32> {
        let page = if lpn.0 >= self.first { lpn.0 - self.first } else { self.page_of(lpn) };
        (page < self.outdated.pages()).then_some(page)
    }

    fn unit_of(&self, page: u32) -> Lpn {
        Lpn(self.first + page)
    }

    /// Returns the logical units of the map on flash that must be read at power-up before the drive is ready: directory
    /// and log of the checkpoint, or the whole map.
    fn read_first(&self) -> impl Iterator<Item = Lpn> {
        let on_demand = self.checkpoints.as_ref().filter(|known| known.on_demand.is_some());
        let begin = on_demand.map_or(0, |known| self.outdated.pages() - known.directory_units());
        let log = on_demand.and_then(|known| known.log.as_ref()).into_iter().flat_map(Journal::needed);
        (begin..self.outdated.pages()).map(|page| self.unit_of(page)).chain(log)
    }

    /// Begins to read the whole map from flash in the background after power-up, on a drive that is ready before its
    /// map is in RAM.
    fn begin_loading(&mut self) {
        let Some(checkpoints) = &mut self.checkpoints else { return };
        if checkpoints.on_demand.is_some() {
            let pages = self.outdated.pages() - checkpoints.directory_units();
            checkpoints.loading = Some(Loading::of(pages));
        }
    }

    /// Returns the record of the translation units (map pages) that are not in RAM yet, while the drive reads its map
    /// after power-up; `None` otherwise.
    fn loading(&mut self) -> Option<&mut Loading> {
        self.checkpoints.as_mut()?.loading.as_mut()
    }

    /// Ends the loading of the map after power-up, because all translation units (map pages) are in RAM.
    fn end_loading(&mut self) {
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.loading = None;
        }
    }

    /// Returns the log (journal) of map changes; `None` on a drive without such a log.
    fn log(&mut self) -> Option<&mut Journal> {
        self.checkpoints.as_mut()?.log.as_mut()
    }

    /// Returns true while translation units (map pages) of a map that must be wholly in RAM are still to be read from
    /// flash after power-up.
    fn is_loading(&self) -> bool {
        self.checkpoints.as_ref().is_some_and(|checkpoints| checkpoints.loading.is_some())
    }

    /// Puts the map entry of `lpn` into the cache, on a drive of whose map RAM has only a part. If a dirty entry is
    /// evicted for it, the translation unit (map page) of that entry is queued to be written, with all its other dirty
    /// entries.
    fn install(&mut self, lpn: Lpn) {
        if self.checkpoints.is_some() || self.cache.touch(lpn) {
            return;
        }
        if let Some(changed) = self.cache.insert(lpn) {
            let page = self.page_of(changed);
            self.clean(page);
            self.outdated.evicted.push_back(page);
        }
    }

    /// Marks the cached map entries of a translation unit (map page) as clean, because the version of the unit that is
    /// about to be written contains them.
    fn clean(&mut self, page: u32) {
        self.outdated.clean(page);
        if self.checkpoints.is_none() {
            self.cache.clean(page);
        }
    }

    /// Returns the numbers of the translation units (map pages) whose newest version is not on flash, in ascending
    /// order.
    fn changed(&self) -> Vec<u32> {
        if self.checkpoints.as_ref().is_some_and(|checkpoints| checkpoints.outdated) {
            return (0..self.outdated.pages()).collect();
        }
        let cached = self.cache.changed().map(|lpn| self.page_of(lpn));
        let mut pages: Vec<u32> = cached.chain(self.outdated.iter()).collect();
        pages.sort_unstable();
        pages.dedup();
        pages
    }

    /// Returns the numbers of the translation units (map pages) that are being read in order to be changed, and of the
    /// units in the write buffer, whose programs may be in flight.
    fn on_their_way(&self, core: &Core) -> impl Iterator<Item = u32> {
        let is_buffered = |page: &u32| core.buffer.find(self.unit_of(*page)).is_some();
        self.tasks.updated().chain((0..self.outdated.pages()).filter(is_buffered))
    }

    /// Empties the cache of map entries and the list of outdated translation units (map pages), and returns the numbers
    /// of the translation units whose newest version was not on flash.
    fn forget(&mut self) -> Vec<u32> {
        let pages = self.changed();
        self.cache.clear();
        self.outdated.clear();
        pages
    }
}
