//! What a power cut leaves of the snapshots.
//!
//! The drive keeps a list of its snapshots where it keeps that of its bad blocks: of each its number, and the number of the
//! last write of the host's before it. A snapshot enters the list when the map is on flash that was written for it, and all
//! data that it sees; one that is dropped leaves it at once. Going back enters the numbers of the writes that it undid. The
//! tables of differences follow from that and from the spare areas: a snapshot sees the newest copy of a unit with a number
//! not above its own, undone ones left out.

use super::{Snapshot, Snapshots};
use units::{Lpn, Ppa};

impl Snapshots {
    /// Returns, for each snapshot in order of age from the oldest, the write number of the last host write before the
    /// snapshot was taken.
    pub(super) fn numbers(&self) -> Vec<u64> {
        self.kept.iter().map(|snapshot| snapshot.number).collect()
    }

    /// Removes, at a power cut, the snapshots that are not recorded on flash, and empties the difference tables
    /// (overwritten versions) of the others, which were in RAM.
    pub(super) fn forget_unrecorded(&mut self) {
        self.kept.retain(|snapshot| snapshot.recorded);
        self.kept.iter_mut().for_each(|snapshot| snapshot.old.clear());
    }

    /// Enters `place` for `lpn` in the difference table (overwritten versions) of the snapshot at `position`, during
    /// recovery; true if `place` is a physical unit, not `Ppa::NONE`, and no table named that unit before.
    pub(super) fn see(&mut self, position: usize, lpn: Lpn, place: Ppa) -> bool {
        self.kept[position].old.insert(lpn.0, place.0);
        if place == Ppa::NONE || self.has_named(place) {
            return false;
        }
        self.set_named(place);
        self.units += 1;
        self.counts.units_kept_max = self.counts.units_kept_max.max(self.units);
        true
    }

    /// Gives each snapshot that exists when simulated time begins a write number, from `before` on, as if they had been
    /// taken one after the other, and marks it as recorded on flash; returns `before` plus the number of snapshots,
    /// which is the number of the last write by then.
    pub(super) fn number_first(&mut self, before: u64) -> u64 {
        for (number, snapshot) in (before..).zip(&mut self.kept) {
            (snapshot.number, snapshot.recorded) = (number, true);
        }
        before + self.kept.len() as u64
    }

    /// Returns the write number that the version of `lpn` at `place` gets when simulated time begins, so that exactly
    /// the snapshots that refer to the version see it.
    pub(super) fn number_at(&self, lpn: Lpn, place: Ppa, before: u64) -> u64 {
        let of_it = |snapshot: &Snapshot| snapshot.old.get(&lpn.0).copied();
        let until = self.kept.iter().position(|snapshot| of_it(snapshot) == Some(place.0));
        let earlier = self.kept.iter().take(until.unwrap_or(self.kept.len()));
        let last = earlier.zip(1..).filter(|(snapshot, _)| of_it(snapshot).is_some()).last();
        before + last.map_or(0, |(_, behind)| behind)
    }

    /// Marks the next snapshot as recorded whose map is on flash and of which the write buffer holds no data, and
    /// returns its serial number; `oldest` is the oldest flush epoch of data in the write buffer. `None` if no snapshot
    /// can be marked.
    pub(super) fn record_next(&mut self, oldest: u32) -> Option<u32> {
        let mapped = self.checkpoint.mapped;
        let is_whole = |snapshot: &&mut Snapshot| {
            !snapshot.recorded && snapshot.serial < mapped && snapshot.epoch < oldest
        };
        let snapshot = self.kept.iter_mut().find(is_whole)?;
        snapshot.recorded = true;
        Some(snapshot.serial)
    }
}
