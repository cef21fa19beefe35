//! The map on its way to the flash: what taking a snapshot, or going back to one, costs at once.

use super::Snapshots;
use crate::buffer::SlotState;
use crate::{Layout, PageMapped};
use units::{Lpn, SimTime};

/// Units of a checkpoint on their way at a time, beyond what two programs take.
const IN_FLIGHT: u32 = 8;

/// What waits for a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Awaited {
    Snapshot,
    Rollback,
}

/// A checkpoint, and who waits for it and for the next one.
pub(super) struct Checkpoint {
    /// The first of the logical units that hold the map, and how many there are.
    first: u32,
    units: u32,
    /// Units not in the buffer yet.
    left: u32,
    pub slots: u32,
    used_slots: u32,
    waiting: Vec<(Awaited, SimTime)>,
    /// Of those, how many the checkpoint under way is for.
    covered: usize,
    /// It began on the heels of another: were it first in line, too, the host would never get through.
    behind_host: bool,
}

impl Checkpoint {
    pub fn new(layout: &Layout) -> Self {
        let slots = 2 * layout.program_units + IN_FLIGHT;
        Self {
            first: layout.logical_units,
            units: layout.translation_units,
            left: 0,
            slots,
            used_slots: 0,
            waiting: Vec::new(),
            covered: 0,
            behind_host: false,
        }
    }

    pub fn slots_free(&self) -> u32 {
        self.slots - self.used_slots
    }

    pub fn is_under_way(&self) -> bool {
        self.covered > 0
    }
}

impl Snapshots {
    /// A checkpoint is complete: those it was for have waited long enough.
    fn end_checkpoint(&mut self, now: SimTime) {
        self.counts.checkpoints += 1;
        let covered = std::mem::take(&mut self.checkpoint.covered);
        for (awaited, since) in self.checkpoint.waiting.drain(..covered) {
            let ns = now.since(since).ns();
            match awaited {
                Awaited::Snapshot => {
                    self.counts.taken_durable += 1;
                    self.counts.taking_ns += ns;
                    self.counts.taking_ns_max = self.counts.taking_ns_max.max(ns);
                }
                Awaited::Rollback => {
                    self.counts.rollbacks_durable += 1;
                    self.counts.rolling_back_ns += ns;
                }
            }
        }
    }
}

impl PageMapped {
    /// Writes the map to flash, after the checkpoint under way if there is one: more than one that wait share it.
    pub(super) fn ask_checkpoint(&mut self, awaited: Awaited, now: SimTime) {
        let Some(snapshots) = &mut self.snapshots else { return };
        snapshots.checkpoint.waiting.push((awaited, now));
        self.go_on_with_checkpoint(now);
    }

    /// Puts units of the map into the buffer while there are slots for them.
    pub(crate) fn go_on_with_checkpoint(&mut self, now: SimTime) {
        let Some(snapshots) = &mut self.snapshots else { return };
        let ends = snapshots.checkpoint.is_under_way()
            && snapshots.checkpoint.left == 0
            && snapshots.checkpoint.used_slots == 0;
        if ends {
            snapshots.end_checkpoint(now);
        }
        // Going back waits for all that is on its way to the flash: nothing more is put on it.
        let begins = !snapshots.is_rolling_back();
        let checkpoint = &mut snapshots.checkpoint;
        if begins && checkpoint.covered == 0 && !checkpoint.waiting.is_empty() {
            checkpoint.covered = checkpoint.waiting.len();
            checkpoint.left = checkpoint.units;
            checkpoint.behind_host = ends;
            if let Some(upkeep) = &mut self.upkeep {
                upkeep.charge_checkpoint(&self.layout, now);
            }
        }
        while checkpoint.left > 0 && checkpoint.used_slots < checkpoint.slots {
            let unit = Lpn(checkpoint.first + checkpoint.units - checkpoint.left);
            checkpoint.left -= 1;
            checkpoint.used_slots += 1;
            let slot = self.buffer.insert(unit, u32::MAX, SlotState::Queued);
            if checkpoint.behind_host {
                self.buffer.enqueue(slot);
            } else {
                // Behind a full buffer each few units would wait for all of it.
                self.buffer.enqueue_first(slot);
            }
        }
    }

    /// A unit of a checkpoint is on the flash.
    pub(crate) fn note_checkpoint_unit(&mut self, lpn: Lpn) {
        if let Some(snapshots) = &mut self.snapshots
            && !self.layout.is_host_unit(lpn)
        {
            snapshots.checkpoint.used_slots -= 1;
            snapshots.counts.checkpoint_units += 1;
        }
    }
}
