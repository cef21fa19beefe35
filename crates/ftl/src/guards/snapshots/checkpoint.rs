//! The map on its way to the flash: what taking a snapshot, or going back to one, costs at once.

use super::Snapshots;
use crate::Layout;
use units::SimTime;

/// Units of a checkpoint on their way at a time, beyond what two programs take.
const IN_FLIGHT: u32 = 8;

/// What waits for a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaited {
    Snapshot,
    Rollback,
}

/// A checkpoint, and who waits for it and for the next one.
pub(crate) struct Checkpoint {
    /// The first of the logical units that hold the map, and how many there are.
    pub first: u32,
    pub units: u32,
    /// Units not in the buffer yet.
    pub left: u32,
    pub slots: u32,
    pub used_slots: u32,
    pub waiting: Vec<(Awaited, SimTime)>,
    /// Of those, how many the checkpoint under way is for.
    pub covered: usize,
    /// The map is on flash that was written for all snapshots below this one; the one under way is for those below `maps`.
    pub mapped: u32,
    /// See `mapped`.
    pub maps: u32,
    /// It began on the heels of another: were it first in line, too, the host would never get through.
    pub behind_host: bool,
    /// Where the map lies on flash anyway: the units of it that the checkpoint waits for, and how many those are.
    pub awaited: Vec<bool>,
    /// See `awaited`.
    pub awaiting: u32,
}

impl Checkpoint {
    /// None under way, of a map that lies on flash: it is written by those who keep it there.
    pub fn of_map_on_flash(layout: &Layout) -> Self {
        Self {
            slots: 0,
            awaited: vec![false; layout.translation_units as usize],
            ..Self::of_map_in_ram(layout)
        }
    }

    /// None under way, of a map that is all in RAM.
    pub fn of_map_in_ram(layout: &Layout) -> Self {
        Self {
            first: layout.logical_units,
            units: layout.translation_units,
            left: 0,
            slots: 2 * layout.program_units + IN_FLIGHT,
            used_slots: 0,
            waiting: Vec::new(),
            covered: 0,
            mapped: 0,
            maps: 0,
            behind_host: false,
            awaited: Vec::new(),
            awaiting: 0,
        }
    }

    pub fn slots_free(&self) -> u32 {
        self.slots - self.used_slots
    }

    pub fn is_under_way(&self) -> bool {
        self.covered > 0
    }

    /// True when nothing of the one under way is missing on the flash.
    pub fn is_complete(&self) -> bool {
        self.left == 0 && self.used_slots == 0 && self.awaiting == 0
    }

    /// Waits for these units of a map that lies on flash.
    pub fn await_units(&mut self, pages: &[u32]) {
        for &page in pages {
            self.awaiting += u32::from(!std::mem::replace(&mut self.awaited[page as usize], true));
        }
    }
}

impl Snapshots {
    /// A checkpoint is complete: those it was for have waited long enough.
    pub fn end_checkpoint(&mut self, now: SimTime) {
        self.counts.checkpoints += 1;
        let covered = std::mem::take(&mut self.checkpoint.covered);
        self.checkpoint.mapped = self.checkpoint.maps;
        for (awaited, since) in self.checkpoint.waiting.drain(..covered) {
            let ns = now.since(since).ns();
            match awaited {
                Awaited::Snapshot => self.counts.taking.note(ns),
                Awaited::Rollback => self.counts.rollbacks.taking.note(ns),
            }
        }
    }
}
