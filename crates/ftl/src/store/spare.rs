//! What the spare areas say for the time when the power comes back: of each unit, which of the host's writes it holds.
//!
//! A moved copy keeps the number of what it was made from, so that it never passes for newer than what the host wrote
//! since. Only a drive whose power is cut has any of this.

use super::labels::Labels;
use std::collections::HashMap;
use units::Lpn;

/// No readable number: the unit was never written, is torn, or holds no data.
pub(crate) const NOTHING: u64 = 0;
/// The number of data from before the run.
pub(crate) const BEFORE: u64 = 1;

/// Of each physical unit: the logical unit, and the number of the write; on a map of blocks what is said of those.
pub(crate) struct SpareAreas {
    pub holders: Vec<u32>,
    pub stamps: Vec<u64>,
    pub labels: Option<Labels>,
    /// Ranges of numbers of writes that the return to a snapshot undid, the first number excluded and the last
    /// included.
    pub undone: Vec<(u64, u64)>,
}

impl SpareAreas {
    /// True if going back to a snapshot undid a write.
    pub fn is_undone(&self, stamp: u64) -> bool {
        self.undone.iter().any(|&(before, last)| stamp > before && stamp <= last)
    }
}

/// The numbers of the host's writes.
pub(crate) struct Spare {
    /// The stamp of each physical unit.
    pub stamps: Vec<u64>,
    /// The labels of blocks, on a block-mapped drive.
    pub labels: Option<Labels>,
    /// The stamp of the data in each slot of the buffer.
    slots: Vec<u64>,
    /// For units trimmed while the buffer was not empty: the number of the last write before the unit's newest trim.
    trimmed: HashMap<u32, u64>,
    /// Number of the last write of the host.
    last: u64,
    /// True as long as the host has written nothing since simulated time began.
    is_fresh: bool,
    /// Ranges of numbers of writes that the return to a snapshot undid, the first number excluded and the last
    /// included.
    pub undone: Vec<(u64, u64)>,
}

impl Spare {
    /// Returns the spare areas in which nothing is written.
    pub fn new(units: usize, slots: u32) -> Self {
        let stamps = engine::large_array(units, NOTHING);
        Self {
            stamps,
            labels: None,
            slots: vec![NOTHING; slots as usize],
            trimmed: HashMap::new(),
            last: BEFORE,
            is_fresh: true,
            undone: Vec::new(),
        }
    }

    /// True until the host writes data after time began.
    pub fn is_fresh(&self) -> bool {
        self.is_fresh
    }

    /// Sets the number of the last write before time begins.
    pub fn begin_at(&mut self, last: u64) {
        self.last = last;
    }

    /// Sets the stamp of a unit that exists when time begins.
    pub fn begin_with(&mut self, unit: usize, stamp: u64) {
        self.stamps[unit] = stamp;
    }

    /// Goes on with the numbers that were found, and above `last`.
    pub fn go_on(&mut self, spare: SpareAreas, last: u64) {
        let SpareAreas { stamps, labels, undone, .. } = spare;
        let last = undone.iter().fold(last, |last, (_, end)| last.max(*end));
        self.last = stamps.iter().copied().max().unwrap_or(NOTHING).max(BEFORE).max(last);
        (self.stamps, self.labels, self.undone, self.is_fresh) = (stamps, labels, undone, false);
        if let Some(labels) = &mut self.labels {
            labels.go_on();
        }
    }

    /// Makes these units unreadable.
    pub fn spoil(&mut self, first: usize, count: usize) {
        self.stamps[first..][..count].fill(NOTHING);
        if let Some(labels) = &mut self.labels {
            labels.spoil(first, count);
        }
    }

    /// Returns the number of the last write of the host.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Undoes the writes after the write `number`, because the drive returns to its state after that write.
    pub fn undo(&mut self, number: u64) {
        if number < self.last {
            self.undone.push((number, self.last));
        }
    }

    /// Notes that a slot holds a new version.
    pub fn on_buffered(&mut self, slot: u32) {
        self.slots[slot as usize] = self.next();
    }

    /// Returns the next number, which is higher than all earlier ones.
    pub fn next(&mut self) -> u64 {
        self.is_fresh = false;
        self.last += 1;
        self.last
    }

    /// Returns the stamp of the data that a buffer slot holds.
    pub fn of_slot(&self, slot: u32) -> u64 {
        self.slots[slot as usize]
    }

    /// Notes that the host no longer needs a unit, while so many slots are in use: what they have of it may
    /// lack what lay on flash.
    pub fn note_trimmed(&mut self, lpn: Lpn, used_slots: u32) {
        if used_slots == 0 {
            self.trimmed.clear();
        } else {
            self.trimmed.insert(lpn.0, self.last);
        }
    }

    /// True when the write `stamp` of a unit came before the unit's newest trim.
    pub fn is_trimmed(&self, lpn: Lpn, stamp: u64) -> bool {
        self.trimmed.get(&lpn.0).is_some_and(|trimmed| stamp <= *trimmed)
    }

    /// Returns the number of bytes of state of the simulator.
    pub fn bytes(&self) -> usize {
        8 * (self.stamps.len() + self.slots.len()) + self.labels.as_ref().map_or(0, Labels::bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_before_a_trim_is_known_until_the_buffer_is_empty() {
        let mut spare = Spare::new(8, 2);
        spare.on_buffered(0);
        spare.note_trimmed(Lpn(3), 1);
        spare.on_buffered(1);
        let is_trimmed =
            |spare: &Spare, lpn| [0, 1].map(|slot| spare.is_trimmed(Lpn(lpn), spare.of_slot(slot)));
        assert_eq!((is_trimmed(&spare, 3), is_trimmed(&spare, 4)), ([true, false], [false; 2]));
        spare.note_trimmed(Lpn(4), 0);
        assert_eq!((is_trimmed(&spare, 3), is_trimmed(&spare, 4)), ([false; 2], [false; 2]));
    }
}
