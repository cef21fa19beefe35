//! A map that is all in RAM and rebuilt at power-up: checkpoints on flash, summaries at the end of superblocks, and the
//! reads of a recovery.

use super::{Demand, Journal, Loading};
use crate::Layout;
use crate::flash_map::OnDemand;
use units::Lpn;

/// State of a map that is wholly in RAM and saved to flash as checkpoints: at power-up, recovery rebuilds the map from
/// the last checkpoint and from the summaries of the superblocks closed since.
pub(super) struct Checkpoints {
    /// Setting: number of superblocks that must be closed (written full or ended early) after the beginning of one
    /// checkpoint of the map before the next begins.
    pub every: u64,
    /// Number of superblocks that were closed (written full or ended early) so far.
    pub closed: u64,
    /// For each superblock, the value of `closed` (number of superblocks closed so far) right after it was closed.
    pub closed_as: Vec<u64>,
    /// Number of superblocks that had been closed when the checkpoint of the map in progress began.
    pub began: u64,
    /// Number of superblocks that had been closed when the last complete checkpoint of the map began.
    pub done: u64,
    /// Number of translation units (map pages) of the checkpoint in progress that are still to be written to flash.
    pub left: u32,
    /// True if mapping units were written without simulated time (as in preconditioning) since the last checkpoint of
    /// the map.
    pub outdated: bool,
    /// Sizes of the checkpoint's directory and of the log of map changes, on a drive that accepts requests after
    /// power-up before its map is in RAM; `None` on other drives.
    pub on_demand: Option<OnDemand>,
    /// The record of the translation units (map pages) that are not in RAM yet, kept while the drive reads the map
    /// after power-up; `None` at other times.
    pub loading: Option<Loading>,
    /// Field of the state of the map's checkpoints: log (journal) of the changes of the map since the last checkpoint;
    /// `None` on a drive that logs no changes.
    pub log: Option<Journal>,
    /// Number of superblocks that had been closed when the last complete checkpoint began, if a unit of that
    /// checkpoint, or of the log after it, is lost with its die; `None` as long as none is lost.
    pub lost: Option<u64>,
}

impl Checkpoints {
    /// Makes the state of map checkpoints of a fresh drive, which has written no checkpoint yet, and begins the log of
    /// map changes where the drive has one.
    pub fn new(every: u64, on_demand: Option<OnDemand>, layout: &Layout) -> Self {
        let superblocks = layout.superblocks();
        let log = on_demand.filter(|on_demand| on_demand.log_units > 0).map(|on_demand| {
            let OnDemand { directory_units, log_units, changes_per_unit } = on_demand;
            let first = layout.logical_units + layout.map_units() + directory_units;
            Journal::new(first, log_units, changes_per_unit, superblocks)
        });
        Self {
            every,
            closed: 0,
            closed_as: vec![0; superblocks],
            began: 0,
            done: 0,
            left: 0,
            outdated: false,
            on_demand,
            loading: None,
            log,
            lost: None,
        }
    }

    /// Returns the number of mapping units that the directory of a checkpoint of the map takes: the units that hold the
    /// physical places of the checkpoint's other units. 0 on a drive without such a directory.
    pub fn directory_units(&self) -> u32 {
        self.on_demand.map_or(0, |on_demand| on_demand.directory_units)
    }

    /// Begins a checkpoint of the map that consists of `units` translation units (map pages).
    pub fn begin(&mut self, units: u32) {
        (self.began, self.left) = (self.closed, units);
        if let Some(log) = &mut self.log {
            log.note_checkpoint_begun();
        }
    }

    /// Returns the state of the map's checkpoints after a power cut: the checkpoint in progress is dropped, and
    /// recovery starts from the last complete one.
    pub fn after_cut(self) -> Self {
        let log = self.log.map(Journal::after_cut);
        Self { began: self.done, left: 0, loading: None, log, ..self }
    }

    /// Returns true while no unit of the last complete checkpoint of the map, or of the log that follows it, is lost
    /// with a failed die.
    fn is_whole(&self) -> bool {
        self.lost.is_none_or(|lost| self.done > lost)
    }

    /// Returns true if the last complete checkpoint of the map gives the place of all data in a superblock, provided
    /// that the superblock is full.
    pub fn covers(&self, superblock: usize) -> bool {
        self.is_whole() && self.closed_as[superblock] <= self.done
    }

    /// Returns the number of page rows (pages of one index on all planes) of a superblock whose content the last
    /// checkpoint of the map and the log of changes give.
    pub fn rows_told(&self, superblock: usize) -> u32 {
        let log = self.log.as_ref().filter(|_| self.is_whole());
        log.map_or(0, |log| log.rows_told(superblock))
    }

    /// Counts a superblock that was closed (takes no more data), and stores the count as the superblock's position in
    /// the order of closing, from which [`Self::covers`] tells whether a checkpoint of the map covers the superblock.
    pub fn note_closed(&mut self, superblock: usize) {
        self.closed += 1;
        self.closed_as[superblock] = self.closed;
    }

    /// Returns the number of bytes of memory that the simulator's state of map checkpoints and log of map changes
    /// takes.
    pub fn bytes(&self) -> usize {
        let loading = self.loading.as_ref().map_or(0, Loading::bytes);
        8 * self.closed_as.len() + self.log.as_ref().map_or(0, Journal::bytes) + loading
    }
}

impl Demand {
    /// Notes that unit `lpn`, a translation unit (map page) or a unit of the log of map changes, is on flash; when no
    /// unit of the checkpoint in progress is left to be written, that checkpoint counts as complete.
    pub(super) fn note_written(&mut self, lpn: Lpn) {
        let Some(checkpoints) = &mut self.checkpoints else { return };
        if checkpoints.log.as_mut().is_some_and(|log| log.note_written(lpn)) || checkpoints.left == 0 {
            return;
        }
        checkpoints.left -= 1;
        if checkpoints.left == 0 {
            checkpoints.done = checkpoints.began;
            if let Some(log) = &mut checkpoints.log {
                log.note_checkpoint_done();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes the state of map checkpoints for a test with four superblocks: the last complete checkpoint covers the
    /// first three, and the fourth was closed after that checkpoint began.
    fn closed_and_written() -> Checkpoints {
        Checkpoints {
            every: 2,
            closed: 5,
            closed_as: vec![1, 2, 4, 5],
            began: 4,
            done: 4,
            left: 0,
            outdated: false,
            on_demand: None,
            loading: None,
            log: None,
            lost: None,
        }
    }

    fn covered(checkpoints: &Checkpoints) -> [bool; 4] {
        [0, 1, 2, 3].map(|superblock| checkpoints.covers(superblock))
    }

    #[test]
    fn a_checkpoint_of_which_a_unit_is_lost_covers_nothing_until_the_next_one_is_whole() {
        let whole = closed_and_written();
        assert_eq!(covered(&whole), [true, true, true, false]);
        let mut lost = Checkpoints { lost: Some(4), ..whole };
        assert_eq!(covered(&lost), [false; 4]);
        lost.begin(3);
        assert_eq!(covered(&lost), [false; 4]);
        let next = Checkpoints { done: lost.began, left: 0, ..lost };
        assert_eq!(covered(&next), [true; 4]);
    }
}
