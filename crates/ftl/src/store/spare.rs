//! What the spare areas say for the time when the power comes back: of each unit, which of the host's writes it holds.
//!
//! A moved copy keeps the number of what it was made from, so that it never passes for newer than what the host wrote
//! since. Only a drive whose power is cut has any of this.

use super::labels::Labels;
use super::zones_kept::ZonesKept;
use std::collections::HashMap;
use units::Lpn;

/// Constant: special value of a write number (count of host writes, stored in spare areas), for a unit whose number
/// cannot be read: the unit was never written, its program was interrupted by a power cut, or it holds no data.
pub(crate) const NOTHING: u64 = 0;
/// Constant: special value of a write number (count of host writes, stored in spare areas), for data that were on the
/// drive before the run began.
pub(crate) const BEFORE: u64 = 1;

/// Record of the contents of the spare areas as recovery reads them after a power cut: for each physical unit its
/// logical unit and write number and, on a block-mapped drive, the labels of blocks.
pub(crate) struct SpareAreas {
    pub holders: Vec<u32>,
    pub stamps: Vec<u64>,
    pub labels: Option<Labels>,
    /// Field: record of what outlasts a power cut of a zoned drive's zones; `None` on other drives.
    pub zones: Option<Box<ZonesKept>>,
    /// List of the ranges of write numbers (numbers of host writes) that a rollback to a snapshot undid, as recovery
    /// after a power cut reads it; the first number of a range is excluded and the last included.
    pub undone: Vec<(u64, u64)>,
}

impl SpareAreas {
    /// Returns true if, by the list that recovery after a power cut reads, a rollback to a snapshot undid the host
    /// write with number `stamp`.
    pub fn is_undone(&self, stamp: u64) -> bool {
        self.undone.iter().any(|&(before, last)| stamp > before && stamp <= last)
    }
}

/// State of the numbers of the host's writes, which the drive stores in spare areas so that recovery after a power cut
/// finds the newest copy of each unit.
pub(crate) struct Spare {
    /// For each physical unit, the number of the host write whose data the unit holds (write number, as stored in its
    /// spare area).
    pub stamps: Vec<u64>,
    /// Field: labels of blocks in the spare areas of a block-mapped drive; `None` on other drives.
    pub labels: Option<Labels>,
    /// Field: record of a zoned drive's zones, as spare areas and capacitors keep it over a power cut; `None` on other
    /// drives.
    pub zones: Option<Box<ZonesKept>>,
    /// For each slot of the drive's write buffer, the number of the host write (write number, stored in spare areas for
    /// recovery) whose data the slot holds.
    slots: Vec<u64>,
    /// For logical units that were trimmed while the write buffer was not empty: number of the last host write before
    /// the unit's newest trim, so that older buffered data of the unit are recognised as void.
    trimmed: HashMap<u32, u64>,
    /// Write number (count of host writes, stored in spare areas) of the newest host write.
    last: u64,
    /// True until the drive gives the first write number (number of a host write, stored in spare areas) after
    /// simulated time began; false from the start on a drive rebuilt after a power cut.
    is_fresh: bool,
    /// List of the ranges of write numbers that a rollback to a snapshot undid; the first number of a range is excluded
    /// and the last included.
    pub undone: Vec<(u64, u64)>,
}

impl Spare {
    /// Makes the state of write numbers of a drive on which nothing is written, for `units` physical units and `slots`
    /// slots of the write buffer.
    pub fn new(units: usize, slots: u32) -> Self {
        let stamps = engine::large_array(units, NOTHING);
        Self {
            stamps,
            labels: None,
            zones: None,
            slots: vec![NOTHING; slots as usize],
            trimmed: HashMap::new(),
            last: BEFORE,
            is_fresh: true,
            undone: Vec::new(),
        }
    }

    /// Returns true until the drive gives the first write number (number of a host write, stored in spare areas) after
    /// simulated time began; false from the start on a drive rebuilt after a power cut.
    pub fn is_fresh(&self) -> bool {
        self.is_fresh
    }

    /// Sets the number of the newest host write to `last`, the number of the last write before simulated time begins.
    pub fn begin_at(&mut self, last: u64) {
        self.last = last;
    }

    /// Sets the write number of the data that physical unit `unit` holds when simulated time begins.
    pub fn begin_with(&mut self, unit: usize, stamp: u64) {
        self.stamps[unit] = stamp;
    }

    /// Restores, after a power cut, the numbers of host writes that recovery found in the spare areas; later host
    /// writes get numbers above these and above `last`.
    pub fn go_on(&mut self, spare: SpareAreas, last: u64) {
        let SpareAreas { stamps, labels, zones, undone, .. } = spare;
        let last = undone.iter().fold(last, |last, (_, end)| last.max(*end));
        self.last = stamps.iter().copied().max().unwrap_or(NOTHING).max(BEFORE).max(last);
        (self.stamps, self.labels, self.undone, self.is_fresh) = (stamps, labels, undone, false);
        self.zones = zones;
        if let Some(labels) = &mut self.labels {
            labels.go_on();
        }
    }

    /// Makes the contents of the spare areas of `count` physical units from `first` on unreadable, as an erase or a
    /// program interrupted by a power cut does.
    pub fn spoil(&mut self, first: usize, count: usize) {
        self.stamps[first..][..count].fill(NOTHING);
        if let Some(labels) = &mut self.labels {
            labels.spoil(first, count);
        }
    }

    /// Returns the write number (count of host writes, stored in spare areas) of the newest host write.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Records, in the drive's list of undone writes for recovery, that the host writes with numbers above `number` are
    /// undone, because the drive rolls back to a snapshot of that time.
    pub fn undo(&mut self, number: u64) {
        if number < self.last {
            self.undone.push((number, self.last));
        }
    }

    /// Gives the data that the host newly wrote to write buffer slot `slot` the drive's next write number (number of a
    /// host write, for recovery after a power cut).
    pub fn on_buffered(&mut self, slot: u32) {
        self.slots[slot as usize] = self.next();
    }

    /// Sets the write number (number of the host's write) of the data in write buffer slot `slot` to `stamp`, for data
    /// that the host wrote before a saved state was loaded or before a power cut.
    pub fn put_in_slot(&mut self, slot: u32, stamp: u64) {
        self.slots[slot as usize] = stamp;
    }

    /// Takes the next number of the drive's count of host writes (write number, stored in spare areas for recovery),
    /// and returns it; it is higher than all earlier write numbers.
    pub fn next(&mut self) -> u64 {
        self.is_fresh = false;
        self.last += 1;
        self.last
    }

    /// Returns the write number (stamp) of the data in write buffer slot `slot`.
    pub fn of_slot(&self, slot: u32) -> u64 {
        self.slots[slot as usize]
    }

    /// Records in the drive's state of write numbers that the host trimmed logical unit `lpn`, so that older data of
    /// the unit in the write buffer count as void when they are programmed. With no used slot (`used_slots` 0) all
    /// records are dropped, since no older data are buffered.
    pub fn note_trimmed(&mut self, lpn: Lpn, used_slots: u32) {
        if used_slots == 0 {
            self.trimmed.clear();
        } else {
            self.trimmed.insert(lpn.0, self.last);
        }
    }

    /// Returns true when the host write with number `stamp` of logical unit `lpn` came before the newest trim of the
    /// unit that the drive's state of write numbers records.
    pub fn is_trimmed(&self, lpn: Lpn, stamp: u64) -> bool {
        self.trimmed.get(&lpn.0).is_some_and(|trimmed| stamp <= *trimmed)
    }

    /// Returns the size in bytes of write numbers and labels in the simulator's memory.
    pub fn bytes(&self) -> usize {
        8 * (self.stamps.len() + self.slots.len())
            + self.labels.as_ref().map_or(0, Labels::bytes)
            + self.zones.as_ref().map_or(0, |zones| zones.bytes())
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
