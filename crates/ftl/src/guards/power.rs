//! What the spare areas say for the time when the power comes back: of each unit, which of the host's writes it holds.
//!
//! A moved copy keeps the number of what it was made from, so that it never passes for newer than what the host wrote
//! since. Only a drive whose power is cut has any of this.

use super::labels::Labels;
use crate::pages::SpareAreas;
use crate::recovery::RecoveryMethod;

/// Nothing that could be read: never written, torn, or no data.
pub(crate) const NOTHING: u64 = 0;
/// What was there before the run.
const BEFORE: u64 = 1;

/// The numbers of the host's writes, and how they are found again.
pub(crate) struct Power {
    pub method: Box<dyn RecoveryMethod>,
    /// Bytes of the spare areas of a page row.
    pub spare_bytes: u32,
    /// Of each physical unit.
    pub stamps: Vec<u64>,
    /// What is said beside of blocks, where the map is one of blocks.
    pub labels: Option<Labels>,
    /// Of what each slot of the buffer holds.
    slots: Vec<u64>,
    /// The number of the last write.
    last: u64,
    /// Reads of a recovery that are under way.
    pub reading: u32,
}

impl Power {
    /// Nothing is written.
    pub fn new(method: Box<dyn RecoveryMethod>, spare_bytes: u32, units: usize, slots: u32) -> Self {
        let stamps = engine::large_array(units, NOTHING);
        let slots = vec![NOTHING; slots as usize];
        Self { method, spare_bytes, stamps, labels: None, slots, last: BEFORE, reading: 0 }
    }

    /// True until the host writes something.
    pub fn is_fresh(&self) -> bool {
        self.last == BEFORE
    }

    /// The stamp of a unit that is there when time begins.
    pub fn begin_with(&mut self, unit: usize) {
        self.stamps[unit] = BEFORE;
    }

    /// Goes on with the numbers that were found.
    pub fn go_on(&mut self, spare: SpareAreas) {
        self.last = spare.stamps.iter().copied().max().unwrap_or(NOTHING).max(BEFORE);
        (self.stamps, self.labels) = (spare.stamps, spare.labels);
        if let Some(labels) = &mut self.labels {
            labels.go_on();
        }
    }

    /// Nobody can read these units any more.
    pub fn spoil(&mut self, first: usize, count: usize) {
        self.stamps[first..][..count].fill(NOTHING);
        if let Some(labels) = &mut self.labels {
            labels.spoil(first, count);
        }
    }

    /// A slot holds a new version.
    pub fn on_buffered(&mut self, slot: u32) {
        self.slots[slot as usize] = self.next();
    }

    /// The next number, which is higher than all before.
    pub fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// The stamp of what a slot holds.
    pub fn of_slot(&self, slot: u32) -> u64 {
        self.slots[slot as usize]
    }

    /// Bytes of state of the simulator.
    pub fn bytes(&self) -> usize {
        8 * (self.stamps.len() + self.slots.len()) + self.labels.as_ref().map_or(0, Labels::bytes)
    }
}
