//! The map on its way to the flash: what taking a snapshot, or going back to one, costs at once.

use crate::Probe;
use crate::buffer::SlotState;
use crate::guards::snapshots::Awaited;
use crate::pages::PageMapped;
use controller::Context;
use units::{Lpn, SimTime};

impl PageMapped {
    /// Writes the map to flash, after the checkpoint under way if there is one: more than one that wait share it.
    pub(super) fn ask_checkpoint<P: Probe>(
        &mut self,
        awaited: Awaited,
        since: SimTime,
        ctx: &mut Context<P>,
    ) {
        let Some(snapshots) = &mut self.media.guards.snapshots else { return };
        snapshots.checkpoint.waiting.push((awaited, since));
        self.go_on_with_checkpoint(ctx.calendar.now());
        if self.media.guards.demand.is_some() {
            self.start_tasks(ctx);
        }
    }

    /// Puts units of the map into the buffer while there are slots for them.
    pub(crate) fn go_on_with_checkpoint(&mut self, now: SimTime) {
        let Some(snapshots) = &mut self.media.guards.snapshots else { return };
        let ends = snapshots.checkpoint.is_under_way() && snapshots.checkpoint.is_complete();
        if ends {
            snapshots.end_checkpoint(now);
        }
        // Going back waits for all that is on its way to the flash: nothing more is put on it.
        let (begins, maps) = (!snapshots.is_rolling_back(), snapshots.next_serial);
        let checkpoint = &mut snapshots.checkpoint;
        if begins && checkpoint.covered == 0 && !checkpoint.waiting.is_empty() {
            (checkpoint.covered, checkpoint.maps) = (checkpoint.waiting.len(), maps);
            match &mut self.media.guards.demand {
                Some(demand) => checkpoint.await_units(&demand.flush()),
                None => checkpoint.left = checkpoint.units,
            }
            checkpoint.behind_host = ends;
            if let Some(agenda) = &mut self.media.agenda {
                agenda.charge_checkpoint(&self.media.store.layout, now);
            }
            if checkpoint.is_complete() {
                snapshots.end_checkpoint(now); // The flash has all of the map already.
            }
        }
        let checkpoint = &mut snapshots.checkpoint;
        while checkpoint.left > 0 && checkpoint.used_slots < checkpoint.slots {
            let unit = Lpn(checkpoint.first + checkpoint.units - checkpoint.left);
            checkpoint.left -= 1;
            checkpoint.used_slots += 1;
            let slot = self.media.buffer.insert(unit, u32::MAX, SlotState::Queued);
            if let Some(power) = &mut self.media.guards.power {
                power.on_buffered(slot);
            }
            if checkpoint.behind_host {
                self.media.buffer.enqueue(slot);
            } else {
                // Behind a full buffer each few units would wait for all of it.
                self.media.buffer.enqueue_first(slot);
            }
        }
    }

    /// A unit of the map is on the flash, out of `slot`: it may be one that a checkpoint waits for.
    #[cold]
    pub(crate) fn note_map_unit(&mut self, lpn: Lpn, slot: u32) {
        if let Some(trims) = self.media.guards.trims.as_mut().filter(|trims| trims.holds(lpn)) {
            trims.used_slots -= 1;
            return;
        }
        if let Some(demand) = &mut self.media.guards.demand {
            demand.used_slots -= 1;
            demand.note_written(lpn);
        }
        let Some(snapshots) = &mut self.media.guards.snapshots else { return };
        let checkpoint = &mut snapshots.checkpoint;
        let page = (lpn.0 - self.media.store.layout.logical_units) as usize;
        if self.media.guards.demand.is_none() {
            checkpoint.used_slots -= 1;
        } else if self.media.buffer.is_newest(slot) && std::mem::take(&mut checkpoint.awaited[page]) {
            checkpoint.awaiting -= 1;
        } else {
            return;
        }
        snapshots.counts.checkpoint_units += 1;
    }
}
