//! What a map on flash does at the hooks of the layer.

use super::Demand;
use super::checkpoints::Checkpoints;
use crate::buffer::SlotState;
use crate::core::{Core, Lookup, MapEntry, ToldOnFlash, Waiter};
use crate::features::Feature;
use crate::layout::ENTRY_BYTES;
use crate::store::spare::SpareAreas;
use crate::store::{Mark, NONE};
use controller::{Origin, Transaction};
use units::Lpn;

/// Constant: size in bytes of one cached map entry in the drive's RAM: 4 bytes each for the logical and the physical
/// number.
const CACHED_BYTES: u64 = 8;

impl Feature for Demand {
    fn bytes(&self) -> usize {
        let checkpoints = self.checkpoints.as_ref().map_or(0, |checkpoints| checkpoints.bytes());
        self.cache.bytes() + self.outdated.pages() as usize + checkpoints
    }

    /// Returns the bytes of RAM that the drive's map takes: the cached entries and the place of each translation unit
    /// (map page on flash), or the whole map where checkpoints save it.
    fn map_bytes(&self) -> Option<u64> {
        if self.checkpoints.is_some() {
            return Some(u64::from(self.first) * ENTRY_BYTES);
        }
        Some(self.cache.capacity() as u64 * CACHED_BYTES + u64::from(self.outdated.pages()) * ENTRY_BYTES)
    }

    fn slots_kept(&self) -> u32 {
        self.slots - self.used_slots
    }

    fn reads_first(&self, units: &mut Vec<Lpn>) {
        units.extend(self.read_first());
    }

    fn is_busy(&self) -> bool {
        self.tasks.are_any()
    }

    fn watches_writes(&self) -> bool {
        true
    }

    /// Notes that a translation unit (map page) or a unit of the log of map changes is on flash, and returns true:
    /// units of the drive's own that no other feature has claimed belong to the map.
    fn wrote_own(&mut self, _: &Core, lpn: Lpn, _: u32) -> bool {
        self.used_slots -= 1;
        self.note_written(lpn);
        true
    }

    fn has_entry(&self, lpn: Lpn) -> bool {
        self.checkpoints.is_some() || self.cache.contains(lpn)
    }

    fn reads_map(&self) -> bool {
        self.is_loading()
    }

    fn finds(&mut self, core: &mut Core, first: Lpn, count: u32) -> Option<u32> {
        let is_missing = |at: &u32| {
            let lpn = Lpn(first.0 + at);
            core.buffer.find(lpn).is_none() && !self.find_entry(core, lpn)
        };
        Some((0..count).find(is_missing).unwrap_or(count))
    }

    fn finds_written(&mut self, core: &mut Core, lpn: Lpn) -> Option<MapEntry> {
        self.outdated.earn();
        Some(if self.find_entry(core, lpn) { MapEntry::AtHand } else { MapEntry::Missing })
    }

    fn awaits(&mut self, core: &Core, waiter: Waiter) -> u32 {
        self.await_entries(core, waiter)
    }

    fn stops_waiting(&mut self, slot: u32) -> Option<bool> {
        self.tasks.take_write(slot)
    }

    fn next_lookup(&mut self, core: &mut Core) -> Option<Lookup> {
        self.look_on(core)
    }

    fn looked_up(&mut self, core: &mut Core, owner: u32) {
        self.end_task(core, owner);
    }

    /// Queues all changed translation units (map pages) to be written now, whether or not host writes have earned the
    /// credit for such writes; where checkpoints save the map, begins a checkpoint of the whole map instead. Returns
    /// their numbers, and those of units that are on their way to the flash already.
    fn flushes_map(&mut self, core: &Core) -> Option<Vec<(u32, u32)>> {
        let mut pages = self.changed();
        if let Some(checkpoints) = &mut self.checkpoints {
            pages = (0..self.outdated.pages()).collect();
            checkpoints.begin(pages.len() as u32);
        }
        pages.iter().for_each(|&page| self.clean(page));
        self.outdated.evicted = pages.iter().copied().collect();
        let in_flight = |page: &u32| {
            let slot = core.buffer.find(self.unit_of(*page));
            slot.filter(|&slot| core.buffer.slot(slot).state == SlotState::Bound).unwrap_or(NONE)
        };
        let queued = pages.iter().map(|page| (*page, in_flight(page)));
        Some(queued.chain(self.on_their_way(core).map(|page| (page, NONE))).collect())
    }

    fn changes(&mut self, lpn: Lpn) {
        if lpn.0 < self.first && self.checkpoints.is_none() && !self.cache.change(lpn) {
            self.outdated.fall_behind(self.page_of(lpn));
        }
    }

    /// Records a closed superblock (it takes no more data), and begins a checkpoint of the map if enough superblocks
    /// have been closed since the last one began.
    fn closed(&mut self, superblock: usize) {
        let Some(checkpoints) = &mut self.checkpoints else { return };
        checkpoints.note_closed(superblock);
        if checkpoints.left == 0 && checkpoints.closed >= checkpoints.began + checkpoints.every {
            checkpoints.begin(self.outdated.pages());
            self.outdated.queue_all();
        }
    }

    fn erases(&mut self, superblock: usize) {
        if let Some(log) = self.log() {
            log.note_erased(superblock);
        }
    }

    /// Adds the changes that a program makes to the map to the log of map changes: one change for each programmed unit
    /// that is not padding.
    fn program_ends(&mut self, core: &Core, program: &Transaction) {
        if let Some(log) = self.log() {
            let superblock = core.store.space.global(program.die.index(), program.superblock);
            let units = program.rows * core.store.layout.row_units;
            let origin = |unit: u32| core.store.programs.get(program.owner, unit).origin();
            let changes = (0..units).filter(|&unit| origin(unit) != Origin::Padding).count();
            log.note(superblock, program.row + program.rows, changes as u32);
        }
    }

    fn looks_up_untimed(&mut self, lpn: Lpn) {
        match &mut self.checkpoints {
            Some(checkpoints) => checkpoints.outdated = true,
            None => self.install(lpn),
        }
        self.outdated.earn();
    }

    /// Removes and returns the next translation unit (map page) that must be written to flash without simulated time:
    /// one whose dirty entry was evicted from the cache or, as far as the credit from host writes allows, one whose
    /// uncached entries changed.
    fn due_untimed(&mut self) -> Option<Lpn> {
        let page = self.outdated.next()?;
        self.clean(page);
        let unit = self.unit_of(page);
        self.note_written(unit);
        Some(unit)
    }

    /// Empties the cache of map entries as after a power-up, and adds to `units` the translation units (map pages) that
    /// must be written so that the map on flash is complete.
    fn settles(&mut self, units: &mut Vec<Lpn>) {
        let pages = self.forget();
        units.extend(pages.into_iter().map(|page| self.unit_of(page)));
    }

    fn settled(&mut self, core: &Core) {
        self.forget();
        if let Some(checkpoints) = &mut self.checkpoints {
            *checkpoints = Checkpoints::new(checkpoints.every, checkpoints.on_demand, &core.store.layout);
        }
    }

    /// Marks every translation unit (map page) as outdated, because a drive constructed in a used state has places for
    /// all units without having looked up their map entries.
    fn constructed(&mut self) {
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.outdated = true;
        }
        self.outdated.all_fall_behind();
    }

    /// Begins the log of map changes with the data that a fresh drive has on flash or, after a power cut, adds the data
    /// on flash that the log does not have.
    fn time_begins(&mut self, core: &Core) {
        let Some(log) = self.log() else { return };
        for superblock in 0..core.store.layout.superblocks() {
            let (rows, told) = (core.store.array.next_row(superblock), log.rows_told(superblock));
            if !log.has_begun {
                log.begin_with(superblock, rows); // The map on flash is whole.
            } else if rows > told {
                log.note(superblock, rows, (rows - told) * core.store.layout.row_units);
            }
        }
        log.has_begun = true;
    }

    fn cut(&mut self, core: &mut Core) {
        self.end(core);
    }

    fn put_there(&mut self, superblock: usize) {
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.note_closed(superblock); // No checkpoint is known to cover it.
        }
    }

    fn lost_own(&mut self) {
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.lost = Some(checkpoints.done);
        }
    }

    fn find_versions(&mut self, core: &mut Core, _: &SpareAreas, _: &[Mark]) -> u64 {
        self.compare(core);
        u64::MIN
    }

    fn told_of(&self, superblock: usize) -> Option<ToldOnFlash> {
        let known = self.checkpoints.as_ref()?;
        Some(ToldOnFlash { all: known.covers(superblock), rows: known.rows_told(superblock) })
    }

    fn recovers(&self) -> bool {
        self.checkpoints.is_some()
    }

    fn powers_up(&mut self, units: &mut Vec<Lpn>) {
        units.extend(self.read_first());
        self.begin_loading();
    }
}
