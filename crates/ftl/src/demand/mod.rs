//! A page map of which only a part is in RAM: the cached mapping table of DFTL, the translation units on flash, and
//! the flash operations that looking up and changing the map cost.
//!
//! The layer itself keeps the true map; this part says what of it the controller would have at hand. A translation
//! unit is a logical unit behind those of the host: it is written, moved and reclaimed as they are.

mod checkpoints;

pub(crate) use checkpoints::Checkpoints;
pub use checkpoints::Recovery;

use crate::buffer::SlotState;
use crate::pages::Arriving;
use crate::programs::Source;
use crate::{Output, PageMapped, Stages};
use controller::{Origin, Probe, Reading};
use engine::{Calendar, large_array};
use std::collections::VecDeque;
use units::{Lpn, Ppa, SimTime};

const NONE: u32 = u32::MAX;
/// A unit at the end of a superblock that says what the others hold.
pub(crate) const SUMMARY: Source = Source::new(Origin::Map, NONE);
/// Bytes of a map entry on flash.
pub(crate) const ENTRY_BYTES: u64 = 4;
/// Bytes of a cached entry: logical and physical number.
const CACHED_BYTES: u64 = 8;
/// Updates of translation units that garbage collection may be behind with, for each unit the host writes.
const CREDIT_MOST: u32 = 64;

/// One cached entry, in a list by last use.
#[derive(Clone, Copy)]
struct Entry {
    lpn: u32,
    newer: u32,
    older: u32,
    dirty: bool,
}

/// Who waits for a translation unit.
#[derive(Clone, Copy, Debug)]
enum Waiter {
    Read { request: u32, first: Lpn, count: u32, since: SimTime },
    Write { slot: u32, whole: bool },
}

/// A translation unit on its way from or to the flash.
struct Task {
    page: u32,
    /// It is read to be changed and written, not for those who wait.
    update: bool,
    waiters: Vec<Waiter>,
}

/// What of the map is in RAM, and what is on its way.
pub(crate) struct Demand {
    first: u32,
    entries_per_unit: u32,
    entries: Vec<Entry>,
    capacity: usize,
    newest: u32,
    oldest: u32,
    /// The entry of each logical unit, or none.
    cached: Vec<u32>,
    tasks: Vec<Option<Task>>,
    in_flight: u32,
    most: u32,
    /// Translation units to be read for those who wait, when a place is free.
    queued: VecDeque<Task>,
    /// Translation units whose changed entries left the cache.
    evicted: VecDeque<u32>,
    /// Translation units with entries that changed while they were not cached.
    behind: VecDeque<u32>,
    is_behind: Vec<bool>,
    credit: u32,
    /// Every translation unit is on flash when time begins, be it written or not.
    pub stored: bool,
    /// Where all of the map is in RAM, and the flash has checkpoints of it.
    pub checkpoints: Option<Checkpoints>,
    /// Buffer slots for translation units, and those in use.
    pub slots: u32,
    pub used_slots: u32,
}

impl Demand {
    pub fn new(logical: u32, entries_per_unit: u32, cached_entries: u64, in_flight: u32, slots: u32) -> Self {
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
            stored: false,
            checkpoints: None,
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

    /// Bytes of state of the simulator for a layer that caches so many entries of `logical` units.
    pub fn bytes_for(logical: u32, cached_entries: u64) -> u64 {
        4 * u64::from(logical) + cached_entries.min(u64::from(logical)) * size_of::<Entry>() as u64
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

    fn page_of(&self, lpn: Lpn) -> u32 {
        lpn.0 / self.entries_per_unit
    }

    fn unit_of(&self, page: u32) -> Lpn {
        Lpn(self.first + page)
    }

    fn unlink(&mut self, at: u32) {
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

    fn link(&mut self, at: u32) {
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
    fn touch(&mut self, lpn: Lpn) -> bool {
        let at = self.cached[lpn.index()];
        if at == NONE {
            return false;
        }
        self.unlink(at);
        self.link(at);
        true
    }

    /// Puts `lpn` into the cache; what falls out and was changed is to be written.
    fn install(&mut self, lpn: Lpn) {
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
    fn evict(&mut self, lpn: Lpn) {
        let page = self.page_of(lpn);
        self.clean(page);
        self.evicted.push_back(page);
    }

    /// What the cache knows of a translation unit is in the version that is about to be written.
    fn clean(&mut self, page: u32) {
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
    fn change(&mut self, lpn: Lpn) {
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
    fn next_update(&mut self) -> Option<u32> {
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

    /// Forgets the cache; gives the translation units with changed entries.
    fn forget(&mut self) -> Vec<u32> {
        let dirty =
            self.entries.iter().filter(|entry| entry.dirty).map(|entry| entry.lpn / self.entries_per_unit);
        let behind = (0..self.is_behind.len() as u32).filter(|&page| self.is_behind[page as usize]);
        let mut pages: Vec<u32> = dirty.chain(behind).chain(self.evicted.iter().copied()).collect();
        pages.sort_unstable();
        pages.dedup();
        if self.checkpoints.as_ref().is_some_and(|checkpoints| checkpoints.outdated) {
            pages = (0..self.is_behind.len() as u32).collect();
        }
        self.entries.clear();
        (self.newest, self.oldest) = (NONE, NONE);
        self.cached.fill(NONE);
        self.is_behind.fill(false);
        self.behind.clear();
        self.evicted.clear();
        pages
    }
}

impl PageMapped {
    /// Buffer slots that the host may not take.
    #[inline]
    pub(crate) fn slots_kept(&self) -> u32 {
        let map = self.demand.as_ref().map_or(0, |demand| demand.slots - demand.used_slots);
        map + self.snapshots.as_ref().map_or(0, |snapshots| snapshots.slots_kept())
    }

    /// True when the map entry of `lpn` can be used at once; counts hits and misses.
    fn find_entry(&mut self, lpn: Lpn) -> bool {
        let Some(demand) = &mut self.demand else { return true };
        if demand.checkpoints.is_some() {
            return true;
        }
        if demand.touch(lpn) {
            self.stats.map_hits += 1;
            return true;
        }
        self.stats.map_misses += 1;
        let unit = demand.unit_of(demand.page_of(lpn));
        // A translation unit that does not exist yet, or is in the buffer, costs no flash read.
        let missing = self.map.lookup(unit) == Ppa::NONE && !demand.stored;
        let at_hand = missing || self.buffer.find(unit).is_some();
        if at_hand {
            demand.install(lpn);
        }
        at_hand
    }

    /// Units from `first` on whose entries must be read before the units can be: at most `count`. They report to
    /// `request` as one read, or more.
    pub(crate) fn read_by_demand<P: Probe>(
        &mut self,
        request: u32,
        first: Lpn,
        count: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> u32 {
        let mut parts = 0;
        let mut found = first.0;
        let mut at = first.0;
        while at < first.0 + count {
            let lpn = Lpn(at);
            at += 1;
            if self.buffer.find(lpn).is_some() || self.find_entry(lpn) {
                continue;
            }
            // What lies before is read now; this unit and those after it in the same translation unit wait.
            parts += self.read_found(request, Lpn(found), at - 1 - found, calendar, probe);
            let demand = self.demand.as_ref().expect("only a drive with a cached map misses");
            let end = ((lpn.0 / demand.entries_per_unit + 1) * demand.entries_per_unit).min(first.0 + count);
            parts += 1;
            let waiter = Waiter::Read { request, first: lpn, count: end - lpn.0, since: calendar.now() };
            self.await_entry(lpn, waiter, calendar, probe);
            (at, found) = (end, end);
        }
        parts + self.read_found(request, Lpn(found), at - found, calendar, probe)
    }

    /// True when a write must wait for the map entry of its unit; its slot is then taken care of.
    pub(crate) fn write_by_demand<P: Probe>(
        &mut self,
        lpn: Lpn,
        write: Arriving,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> bool {
        if let Some(demand) = &mut self.demand {
            demand.credit = (demand.credit + 1).min(CREDIT_MOST);
        }
        if self.find_entry(lpn) {
            self.start_tasks(calendar, probe);
            return false;
        }
        let slot = self.buffer.insert(lpn, write.request, SlotState::Merging);
        probe.on_buffered(lpn, slot);
        self.note_arrived(slot, lpn, write);
        self.await_entry(lpn, Waiter::Write { slot, whole: write.whole }, calendar, probe);
        true
    }

    fn await_entry<P: Probe>(&mut self, lpn: Lpn, waiter: Waiter, calendar: &mut Calendar, probe: &mut P) {
        let demand = self.demand.as_mut().expect("only a drive with a cached map waits for entries");
        let page = demand.page_of(lpn);
        let known = demand.tasks.iter_mut().flatten().chain(&mut demand.queued);
        match known.into_iter().find(|task| task.page == page && !task.update) {
            Some(task) => task.waiters.push(waiter),
            None => demand.queued.push_back(Task { page, update: false, waiters: vec![waiter] }),
        }
        self.start_tasks(calendar, probe);
    }

    /// Starts what is queued while there is a place for it: what must be written goes first.
    pub(crate) fn start_tasks<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        loop {
            let Some(demand) = &mut self.demand else { return };
            if demand.in_flight >= demand.most {
                return;
            }
            let updates = demand.tasks.iter().flatten().filter(|task| task.update).count() as u32;
            let room = demand.used_slots + updates < demand.slots;
            if !room && !demand.evicted.is_empty() {
                return; // The map must not run ahead of what can be written.
            }
            let update = if room { demand.next_update() } else { None };
            let task = match update {
                Some(page) => {
                    demand.clean(page);
                    Task { page, update: true, waiters: Vec::new() }
                }
                None => match demand.queued.pop_front() {
                    Some(task) => task,
                    None => return,
                },
            };
            self.start_task(task, calendar, probe);
        }
    }

    fn start_task<P: Probe>(&mut self, task: Task, calendar: &mut Calendar, probe: &mut P) {
        let demand = self.demand.as_mut().expect("only a drive with a cached map has tasks");
        let unit = demand.unit_of(task.page);
        let (whole, stored) = (demand.checkpoints.is_some(), demand.stored);
        demand.in_flight += 1;
        let place = demand.tasks.iter().position(Option::is_none).unwrap_or_else(|| {
            demand.tasks.push(None);
            demand.tasks.len() - 1
        });
        demand.tasks[place] = Some(task);
        let home = self.map.lookup(unit);
        if (home == Ppa::NONE && !stored) || self.buffer.find(unit).is_some() || whole {
            self.end_task(place as u32, calendar, probe);
            return;
        }
        self.read_lookup(unit, home, place as u32, calendar, probe);
    }

    /// A translation unit was read.
    pub(crate) fn end_task<P: Probe>(&mut self, place: u32, calendar: &mut Calendar, probe: &mut P) {
        let demand = self.demand.as_mut().expect("only a drive with a cached map has tasks");
        let task = demand.tasks[place as usize].take().expect("a task is under way");
        demand.in_flight -= 1;
        if task.update {
            self.write_translation(task.page);
        }
        for waiter in task.waiters {
            self.resume(waiter, calendar, probe);
        }
        self.start_tasks(calendar, probe);
    }

    /// Puts a changed translation unit into the buffer.
    fn write_translation(&mut self, page: u32) {
        let demand = self.demand.as_mut().expect("only a drive with a cached map has tasks");
        let unit = demand.unit_of(page);
        let waits =
            self.buffer.find(unit).is_some_and(|slot| self.buffer.slot(slot).state == SlotState::Queued);
        if !waits {
            demand.used_slots += 1;
            let slot = self.buffer.insert(unit, u32::MAX, SlotState::Queued);
            self.buffer.enqueue(slot);
        }
    }

    fn resume<P: Probe>(&mut self, waiter: Waiter, calendar: &mut Calendar, probe: &mut P) {
        let demand = self.demand.as_mut().expect("only a drive with a cached map has tasks");
        match waiter {
            Waiter::Read { request, first, count, since } => {
                (first.0..first.0 + count).for_each(|lpn| demand.install(Lpn(lpn)));
                let reads = self.read_found(request, first, count, calendar, probe);
                let waited_ns = calendar.now().since(since).ns();
                if reads == 0 {
                    let reading = Reading { decodes: 0, ..Reading::HARD };
                    self.outputs.push(Output::Read { request, units: 0, reading, stages: Stages::default() });
                }
                self.outputs.push(Output::Mapped { request, more: reads.saturating_sub(1), waited_ns });
            }
            Waiter::Write { slot, whole } => {
                let lpn = self.buffer.slot(slot).lpn;
                demand.install(lpn);
                let merging = self.buffer.slot(slot).state == SlotState::Merging;
                if !(merging && self.read_rest(slot, whole, calendar, probe)) {
                    self.on_merged(slot);
                }
            }
        }
    }

    /// The place of `lpn` changed, or it has none any more.
    #[inline]
    pub(crate) fn note_change(&mut self, lpn: Lpn) {
        if let Some(demand) = &mut self.demand
            && !demand.is_translation(lpn)
        {
            demand.change(lpn);
        }
    }

    /// The origin of a unit that leaves the buffer.
    #[inline]
    pub(crate) fn buffered_origin(&self, lpn: Lpn) -> Origin {
        if self.layout.is_host_unit(lpn) { Origin::Host } else { Origin::Map }
    }

    /// Looks an entry up without time, and writes what falls out of the cache.
    pub(crate) fn look_up_untimed(&mut self, lpn: Lpn) {
        let Some(demand) = &mut self.demand else { return };
        match &mut demand.checkpoints {
            Some(checkpoints) => checkpoints.outdated = true,
            None => demand.install(lpn),
        }
        demand.credit = (demand.credit + 1).min(CREDIT_MOST);
    }

    /// Writes translation units without time, as many as are due.
    pub(crate) fn write_map_untimed(&mut self) {
        while let Some(page) = self.demand.as_mut().and_then(|demand| demand.next_update()) {
            let demand = self.demand.as_mut().expect("seen above");
            demand.clean(page);
            let unit = demand.unit_of(page);
            demand.note_written();
            let stored = self.put_host_untimed(unit, Origin::Map);
            assert!(stored, "no die has room for a page of the map");
        }
    }

    /// Time begins again: the map on flash is complete, the cache empty, as after a power-up.
    pub(crate) fn settle_map(&mut self) {
        let superblocks = self.layout.superblocks();
        let Some(demand) = &mut self.demand else { return };
        for page in demand.forget() {
            let unit = self.demand.as_ref().expect("seen above").unit_of(page);
            let stored = self.put_host_untimed(unit, Origin::Map);
            assert!(stored, "no die has room for a page of the map");
        }
        if let Some(demand) = &mut self.demand {
            demand.forget();
            demand.credit = 0;
            if let Some(checkpoints) = &mut demand.checkpoints {
                *checkpoints = Checkpoints { every: checkpoints.every, ..Checkpoints::new(1, superblocks) };
            }
        }
    }
}
