//! The map on its way to the flash: what taking a snapshot, or going back to one, costs at once.

use crate::buffer::SlotState;
use crate::guards::snapshots::Awaited;
use crate::pages::PageMapped;
use units::{Lpn, SimTime};

impl PageMapped {
    /// Writes the map to flash, after the checkpoint under way if there is one: more than one that wait share it.
    pub(super) fn ask_checkpoint(&mut self, awaited: Awaited, now: SimTime) {
        let Some(snapshots) = &mut self.media.guards.snapshots else { return };
        snapshots.checkpoint.waiting.push((awaited, now));
        self.go_on_with_checkpoint(now);
    }

    /// Puts units of the map into the buffer while there are slots for them.
    pub(crate) fn go_on_with_checkpoint(&mut self, now: SimTime) {
        let Some(snapshots) = &mut self.media.guards.snapshots else { return };
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
            if let Some(upkeep) = &mut self.media.agenda {
                upkeep.charge_checkpoint(&self.media.store.layout, now);
            }
        }
        while checkpoint.left > 0 && checkpoint.used_slots < checkpoint.slots {
            let unit = Lpn(checkpoint.first + checkpoint.units - checkpoint.left);
            checkpoint.left -= 1;
            checkpoint.used_slots += 1;
            let slot = self.media.buffer.insert(unit, u32::MAX, SlotState::Queued);
            if checkpoint.behind_host {
                self.media.buffer.enqueue(slot);
            } else {
                // Behind a full buffer each few units would wait for all of it.
                self.media.buffer.enqueue_first(slot);
            }
        }
    }

    /// A unit of a checkpoint is on the flash.
    pub(crate) fn note_checkpoint_unit(&mut self, lpn: Lpn) {
        if let Some(snapshots) = &mut self.media.guards.snapshots
            && !self.media.store.layout.is_host_unit(lpn)
        {
            snapshots.checkpoint.used_slots -= 1;
            snapshots.counts.checkpoint_units += 1;
        }
    }
}
