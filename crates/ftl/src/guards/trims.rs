//! What the flash says of units that were trimmed, so that a power cut brings none of them back.
//!
//! Each record is a logical unit behind those of the host and of the map. It holds the number of the last trim of each of so
//! many host units, in the order of the numbers that writes have: a copy with a lower number than the trim is void. A flush
//! writes the records that changed, which are moved and reclaimed as data are. Only a drive with `ftl.trim = deterministic` has any.

use crate::Layout;
use std::collections::{BTreeMap, BTreeSet};
use units::Lpn;

/// Bytes of the number of a trim.
const NUMBER_BYTES: u64 = 8;
/// Records on their way at a time, beyond what two programs take.
const IN_FLIGHT: u32 = 8;

/// Records of trims, and those who wait for them.
pub(crate) struct Trims {
    /// The first of the logical units that hold records.
    first: u32,
    /// Host units of a record.
    per_record: u32,
    /// The last trim of each host unit that its record on flash holds; 0: none. Absent where the power is never cut.
    on_flash: Vec<u64>,
    /// Trims of each record that the one on flash lacks: number and unit.
    since: BTreeMap<u32, Vec<(u64, u32)>>,
    /// Records that lack a trim, and those of them that are to be put into the buffer.
    changed: BTreeSet<u32>,
    due: BTreeSet<u32>,
    /// Flushes that wait until none is due.
    pub waiting: Vec<u32>,
    /// Buffer slots for records, and those in use.
    pub slots: u32,
    pub used_slots: u32,
}

/// Host units of a record.
fn per_record(layout: &Layout) -> u32 {
    (layout.unit.get() / NUMBER_BYTES) as u32
}

/// Records of all host units.
pub(crate) fn records(layout: &Layout) -> u32 {
    layout.logical_units.div_ceil(per_record(layout))
}

/// Bytes of state of the simulator.
pub(crate) fn trim_bytes(layout: &Layout) -> u64 {
    NUMBER_BYTES * u64::from(layout.logical_units)
}

impl Trims {
    /// Nothing was trimmed. So many host units have `numbers`: all of them on a drive whose power is cut, or else none.
    pub fn new(layout: &Layout, numbers: u32) -> Self {
        Self {
            first: layout.logical_units + layout.translation_units - records(layout),
            per_record: per_record(layout),
            on_flash: vec![0; numbers as usize],
            since: BTreeMap::new(),
            changed: BTreeSet::new(),
            due: BTreeSet::new(),
            waiting: Vec::new(),
            slots: Self::slots(layout),
            used_slots: 0,
        }
    }

    /// Buffer slots for records.
    pub fn slots(layout: &Layout) -> u32 {
        2 * layout.program_units + IN_FLIGHT
    }

    /// A host unit was trimmed, which has this number if numbers are kept.
    pub fn note(&mut self, lpn: Lpn, number: Option<u64>) {
        let record = lpn.0 / self.per_record;
        self.changed.insert(record);
        if let Some(number) = number {
            self.since.entry(record).or_default().push((number, lpn.0));
        }
    }

    /// True for a unit that holds a record.
    #[inline]
    pub fn holds(&self, lpn: Lpn) -> bool {
        lpn.0 >= self.first
    }

    /// All that changed is to be written now; false where there is nothing to write, and nothing on its way to the buffer.
    pub fn call_up(&mut self) -> bool {
        self.due.append(&mut self.changed);
        !self.due.is_empty()
    }

    /// The next record to be put into the buffer, if a slot is free for it.
    pub fn next_due(&mut self) -> Option<Lpn> {
        if self.used_slots == self.slots {
            return None;
        }
        self.due.pop_first().map(|record| Lpn(self.first + record))
    }

    /// True while records are to be put into the buffer.
    pub fn are_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// A record with this number is on flash: it holds all trims before it.
    pub fn note_programmed(&mut self, lpn: Lpn, stamp: u64) {
        let Some(since) = self.since.get_mut(&(lpn.0 - self.first)) else { return };
        for (number, unit) in since.extract_if(.., |(number, _)| *number < stamp) {
            self.on_flash[unit as usize] = number;
        }
    }

    /// The units that hold records.
    pub fn units(&self) -> impl Iterator<Item = Lpn> + use<> {
        let records = (self.on_flash.len() as u32).div_ceil(self.per_record);
        (self.first..self.first + records).map(Lpn)
    }

    /// A record of `before` was found, which has this number: gives what it says, unit by unit, and remembers it.
    pub fn go_on_with(&mut self, before: &Self, record: Lpn, stamp: u64) -> Vec<(Lpn, u64)> {
        let first = (record.0 - self.first) * self.per_record;
        let end = (first + self.per_record).min(self.on_flash.len() as u32);
        let trimmed = |&(_, number): &(Lpn, u64)| number > 0 && number < stamp;
        let said: Vec<(Lpn, u64)> =
            (first..end).map(|unit| (Lpn(unit), before.on_flash[unit as usize])).filter(trimmed).collect();
        for &(lpn, number) in &said {
            self.on_flash[lpn.index()] = number;
        }
        said
    }

    /// Bytes of state of the simulator.
    pub fn bytes(&self) -> usize {
        8 * self.on_flash.len()
    }
}
