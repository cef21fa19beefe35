//! What the flash says of units that were trimmed, so that a power cut brings none of them back.
//!
//! Each record is a logical unit behind those of the host and of the map. It holds the number of the last trim of each of so
//! many host units, in the order of the numbers that writes have: a copy with a lower number than the trim is void. A flush
//! writes the records that changed, which are moved and reclaimed as data are. Only a drive with `ftl.trim = deterministic` has any.

use super::{Feature, Made, Making, Said};
use crate::Layout;
use crate::buffer::SlotState;
use crate::core::{Ask, Core};
use crate::lapse::Lapse;
use config::{ConfigError, Section};
use ecc::Ladder;
use std::collections::{BTreeMap, BTreeSet};
use units::{Lpn, Ppa};

/// Constant: greatest number of trim records (mapping units that list the trims of host units) that may wait in the
/// write buffer or be in flight to flash, in addition to the units of two programs.
const IN_FLIGHT: u32 = 8;

/// Constant: number of bytes of the trim number (write number of the last trim) that a trim record holds for each host
/// unit.
const NUMBER_BYTES: u64 = 8;

/// State of the trim records on flash, which make trims survive a power cut, with the flushes that wait for them.
pub(crate) struct Trims {
    /// Number of the first of the logical units that hold trim records.
    first: u32,
    /// Number of host mapping units that one trim record covers.
    per_record: u32,
    /// For each host unit, the number of its last trim that the trim record on flash contains; 0: none. Empty on a
    /// drive whose power is never cut.
    on_flash: Vec<u64>,
    /// For each trim record (mapping unit that lists trims), the trims that its copy on flash lacks: number of the
    /// trim, and its logical unit.
    since: BTreeMap<u32, Vec<(u64, u32)>>,
    /// Set of the trim records (mapping units that list trims) whose copy on flash lacks a trim.
    changed: BTreeSet<u32>,
    /// Set of the trim records (mapping units that list trims) that must now be put into the write buffer.
    due: BTreeSet<u32>,
    /// Numbers of the flushes of the host that wait until no trim record has to be put into the write buffer.
    waiting: Vec<u32>,
    /// Number of write buffer slots reserved for trim records, whether in use or free.
    slots: u32,
    /// Number of write buffer slots, among the slots reserved for trim records, that are in use.
    used_slots: u32,
    /// For each host unit, the trim number that the records on flash contain, after a power cut until recovery has
    /// found the newest copy of each record.
    before: Vec<u64>,
}

/// Returns the number of host mapping units whose trims one trim record covers: the mapping unit's size over the 8
/// bytes of a trim number.
fn trims_per_record(layout: &Layout) -> u32 {
    (layout.unit.get() / NUMBER_BYTES) as u32
}

/// Returns the number of trim records that cover all host units; each record takes one mapping unit.
fn records_of(layout: &Layout) -> u32 {
    layout.logical_units.div_ceil(trims_per_record(layout))
}

impl Trims {
    /// Removes the next trim record that must be written from the list, to be put into the write buffer, and returns
    /// its logical unit; `None` if no reserved slot is free or no record must be written.
    fn next_due(&mut self) -> Option<Lpn> {
        if self.used_slots == self.slots {
            return None;
        }
        self.due.pop_first().map(|record| Lpn(self.first + record))
    }

    fn put(&mut self, record: Lpn, core: &mut Core) {
        let waits = |slot: &u32| core.buffer.slot(*slot).state == SlotState::Queued;
        if let Some(slot) = core.buffer.find(record).filter(waits) {
            return core.stamp(slot); // It takes the new ones along.
        }
        self.used_slots += 1;
        core.put_own(record);
    }

    /// Returns the logical units that hold trim records; none on a drive whose power is never cut.
    pub fn units(&self) -> impl Iterator<Item = Lpn> + use<> {
        let records = (self.on_flash.len() as u32).div_ceil(self.per_record);
        (self.first..self.first + records).map(Lpn)
    }

    /// Restores the content of a trim record whose copy with write number `stamp` recovery found; returns the trimmed
    /// host units with the numbers of their trims.
    fn go_on_with(&mut self, record: Lpn, stamp: u64) -> Vec<(Lpn, u64)> {
        let first = (record.0 - self.first) * self.per_record;
        let end = (first + self.per_record).min(self.on_flash.len() as u32);
        let trimmed = |&(_, number): &(Lpn, u64)| number > 0 && number < stamp;
        let said: Vec<(Lpn, u64)> =
            (first..end).map(|unit| (Lpn(unit), self.before[unit as usize])).filter(trimmed).collect();
        for &(lpn, number) in &said {
            self.on_flash[lpn.index()] = number;
        }
        said
    }
}

impl Feature for Trims {
    fn bytes(&self) -> usize {
        8 * self.on_flash.len()
    }

    fn slots_kept(&self) -> u32 {
        self.slots - self.used_slots
    }

    fn reads_first(&self, units: &mut Vec<Lpn>) {
        units.extend(self.units());
    }

    fn trimmed(&mut self, core: &mut Core, lpn: Lpn) {
        let record = lpn.0 / self.per_record;
        self.changed.insert(record);
        if let Some(numbers) = &mut core.store.spare {
            self.since.entry(record).or_default().push((numbers.next(), lpn.0));
        }
    }

    fn write_out(&mut self, core: &mut Core, flush: Option<u32>) -> bool {
        self.due.append(&mut self.changed);
        if self.due.is_empty() {
            return false;
        }
        self.waiting.extend(flush);
        self.go_on(core);
        true
    }

    /// Puts trim records that must be written into the write buffer as far as reserved slots are free; after the last
    /// one, requests the flushes that wait for the records.
    fn go_on(&mut self, core: &mut Core) {
        if self.due.is_empty() {
            return;
        }
        while let Some(record) = self.next_due() {
            self.put(record, core);
        }
        if !self.due.is_empty() {
            return core.ask(Ask::Pump);
        }
        core.ask(Ask::SendOut);
        self.waiting.drain(..).for_each(|flush| core.ask(Ask::Flush(flush)));
    }

    fn wrote_own(&mut self, _: &Core, lpn: Lpn, _: u32) -> bool {
        let is_own = lpn.0 >= self.first;
        self.used_slots -= u32::from(is_own);
        is_own
    }

    /// Records, after the program of trim record `lpn` with write number `number`, that flash now has all trims with
    /// lower numbers of the host units that the record covers; does nothing for units that are not trim records.
    fn numbered(&mut self, lpn: Lpn, number: u64) {
        let Some(record) = lpn.0.checked_sub(self.first) else { return };
        let Some(since) = self.since.get_mut(&record) else { return };
        for (number, unit) in since.extract_if(.., |(trim, _)| *trim < number) {
            self.on_flash[unit as usize] = number;
        }
    }

    fn stalled(&mut self) {
        self.waiting.clear();
    }

    /// Voids, during recovery, in `newest` the copy found for each unit whose copy is older than the unit's trim in the
    /// trim records found.
    fn found(&mut self, core: &mut Core, newest: &mut [Ppa], numbers: &[u64]) {
        if core.rules.lapses.has(Lapse::ForgetsTrim) {
            return;
        }
        for record in self.units() {
            let home = newest[record.index()];
            if home == Ppa::NONE {
                continue;
            }
            for (lpn, number) in self.go_on_with(record, numbers[home.index()]) {
                let copy = &mut newest[lpn.index()];
                if *copy != Ppa::NONE && numbers[copy.index()] < number {
                    *copy = Ppa::NONE;
                }
            }
        }
        self.before = Vec::new();
    }
}

impl Said for Trims {
    /// Type of the setting: true if trims are deterministic, so that a unit that was trimmed before a flush never has
    /// its data again after a power cut.
    type Settings = bool;
}

impl Made for Trims {
    fn read(ftl: &mut Section, _: &mut Layout) -> Result<bool, ConfigError> {
        let help = "what a trimmed unit holds after a power cut: nothing once a flush followed (deterministic, as ATA's DRAT and \
                    RZAT and NVMe's deallocated blocks that read zero), or nothing or any version that it held (not)";
        Ok(ftl.choice("trim", &["deterministic", "not"], "not", help)? == "deterministic")
    }

    fn units_of_its_own(is_on: &bool, layout: &Layout) -> u32 {
        if *is_on { records_of(layout) } else { 0 }
    }

    fn slots(is_on: &bool, layout: &Layout) -> u32 {
        if *is_on { 2 * layout.program_units + IN_FLIGHT } else { 0 }
    }

    fn bytes_most(is_on: &bool, layout: &Layout, _: Option<&Ladder>) -> u64 {
        if *is_on { NUMBER_BYTES * u64::from(layout.logical_units) } else { 0 }
    }

    /// Makes the state of the trim records of a fresh drive, in which nothing was trimmed; trim numbers are stored only
    /// on a drive whose power is cut.
    fn new(is_on: &bool, making: &mut Making<'_>) -> Result<Option<Box<Self>>, String> {
        let layout = making.layout;
        let numbers = if making.has_power_cuts { layout.logical_units } else { 0 };
        Ok(is_on.then(|| {
            Box::new(Self {
                first: layout.logical_units + layout.translation_units - records_of(layout),
                per_record: trims_per_record(layout),
                on_flash: vec![0; numbers as usize],
                since: BTreeMap::new(),
                changed: BTreeSet::new(),
                due: BTreeSet::new(),
                waiting: Vec::new(),
                slots: Self::slots(is_on, layout),
                used_slots: 0,
                before: Vec::new(),
            })
        }))
    }

    fn take_back(&mut self, before: Self) {
        self.before = before.on_flash;
    }
}
