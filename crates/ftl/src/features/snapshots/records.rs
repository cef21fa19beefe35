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
    /// Returns the numbers of the last writes before the snapshots, the oldest first.
    pub(super) fn numbers(&self) -> Vec<u64> {
        self.kept.iter().map(|snapshot| snapshot.number).collect()
    }

    /// Forgets snapshots that are not recorded, because the power fails.
    pub(super) fn forget_unrecorded(&mut self) {
        self.kept.retain(|snapshot| snapshot.recorded);
        self.kept.iter_mut().for_each(|snapshot| snapshot.old.clear());
    }

    /// Notes that the snapshot at `position` is the last to see `lpn` at `place`. True when no other sees it
    /// there.
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

    /// Numbers the snapshots that exist when time begins as if they had been taken one after the other; returns the
    /// number of the last write by then.
    pub(super) fn number_first(&mut self, before: u64) -> u64 {
        for (number, snapshot) in (before..).zip(&mut self.kept) {
            (snapshot.number, snapshot.recorded) = (number, true);
        }
        before + self.kept.len() as u64
    }

    /// Returns the number of the version at a place when time begins, from its unit and the first snapshot
    /// that sees it.
    pub(super) fn number_at(&self, lpn: Lpn, place: Ppa, before: u64) -> u64 {
        let of_it = |snapshot: &Snapshot| snapshot.old.get(&lpn.0).copied();
        let until = self.kept.iter().position(|snapshot| of_it(snapshot) == Some(place.0));
        let earlier = self.kept.iter().take(until.unwrap_or(self.kept.len()));
        let last = earlier.zip(1..).filter(|(snapshot, _)| of_it(snapshot).is_some()).last();
        before + last.map_or(0, |(_, behind)| behind)
    }

    /// Snapshots whose map is on flash and of which the buffer holds nothing: `oldest`: the oldest epoch that it has data of.
    /// Gives the serial of one that was not recorded before.
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
