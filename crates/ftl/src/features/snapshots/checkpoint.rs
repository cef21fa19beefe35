//! The map on its way to the flash: what taking a snapshot, or going back to one, costs at once.

use super::Snapshots;
use crate::Layout;
use crate::buffer::SlotState;
use crate::core::{Ask, Core};
use units::{Lpn, SimTime};

/// Units of a checkpoint on their way at a time, beyond what two programs take.
const IN_FLIGHT: u32 = 8;

/// Where the map lies from which a checkpoint is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapPlace {
    /// The whole map is in RAM; snapshots write the map to flash.
    InRam,
    /// The map lies on flash; the feature that keeps the map there writes it.
    OnFlash,
}

/// An event that waits for a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Awaited {
    Snapshot,
    Rollback,
}

/// A checkpoint of the map, and the events that wait for this checkpoint and for the next one.
pub(super) struct Checkpoint {
    /// The first of the logical units that hold the map, and how many there are.
    pub first: u32,
    pub units: u32,
    /// Units of the map that are not in the buffer yet.
    pub left: u32,
    pub slots: u32,
    pub used_slots: u32,
    pub waiting: Vec<(Awaited, SimTime)>,
    /// Number of waiting events that the checkpoint in progress serves.
    pub covered: usize,
    /// The map is on flash that was written for all snapshots below this one; the checkpoint in progress is for those below `maps`.
    pub mapped: u32,
    /// See `mapped`.
    pub maps: u32,
    /// True if the checkpoint began right after another one: its units go behind the units of the host, which
    /// would otherwise never be served.
    pub behind_host: bool,
    /// Where the map lies on flash anyway: the units of it that the checkpoint waits for, and how many those are.
    pub awaited: Vec<bool>,
    /// See `awaited`.
    pub awaiting: u32,
}

impl Checkpoint {
    /// Makes a state with no checkpoint in progress.
    pub fn of(map: MapPlace, layout: &Layout) -> Self {
        let (slots, awaited) = match map {
            MapPlace::InRam => (2 * layout.program_units + IN_FLIGHT, Vec::new()),
            MapPlace::OnFlash => (0, vec![false; layout.translation_units as usize]),
        };
        Self {
            first: layout.logical_units,
            units: layout.translation_units,
            left: 0,
            slots,
            used_slots: 0,
            waiting: Vec::new(),
            covered: 0,
            mapped: 0,
            maps: 0,
            behind_host: false,
            awaited,
            awaiting: 0,
        }
    }

    pub fn slots_free(&self) -> u32 {
        self.slots - self.used_slots
    }

    pub fn is_under_way(&self) -> bool {
        self.covered > 0
    }

    /// True when nothing of the checkpoint in progress is missing on the flash.
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
    /// Ends a checkpoint that is complete, and the waits of the events that it served.
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

    /// Writes the map to flash, after the checkpoint in progress if there is one; several waiting events share one
    /// checkpoint.
    pub(super) fn ask_checkpoint(&mut self, awaited: Awaited, since: SimTime, core: &mut Core, now: SimTime) {
        self.checkpoint.waiting.push((awaited, since));
        self.go_on_with_checkpoint(core, now);
        if self.checkpoint.slots == 0 {
            core.ask(Ask::GoOn);
        }
    }

    /// Puts units of the map into the buffer while there are slots for them.
    pub(super) fn go_on_with_checkpoint(&mut self, core: &mut Core, now: SimTime) {
        let ends = self.checkpoint.is_under_way() && self.checkpoint.is_complete();
        if ends {
            self.end_checkpoint(now);
        }
        // Going back waits for all that is on its way to the flash: nothing more is put on it.
        let (begins, maps) = (!self.is_rolling_back(), self.next_serial);
        let checkpoint = &mut self.checkpoint;
        if begins && checkpoint.covered == 0 && !checkpoint.waiting.is_empty() {
            (checkpoint.covered, checkpoint.maps) = (checkpoint.waiting.len(), maps);
            checkpoint.behind_host = ends;
            if checkpoint.slots == 0 {
                return core.ask(Ask::FlushMap);
            }
            checkpoint.left = checkpoint.units;
            self.begin_checkpoint(core, now);
        }
        self.put_map_units(core);
    }

    /// Begins a checkpoint whose units are known.
    pub(super) fn begin_checkpoint(&mut self, core: &mut Core, now: SimTime) {
        if let Some(agenda) = &mut core.agenda {
            agenda.charge_checkpoint(&core.store.layout, now);
        }
        if self.checkpoint.is_complete() {
            self.end_checkpoint(now); // The flash has all of the map already.
        }
    }

    fn put_map_units(&mut self, core: &mut Core) {
        let checkpoint = &mut self.checkpoint;
        while checkpoint.left > 0 && checkpoint.used_slots < checkpoint.slots {
            let unit = Lpn(checkpoint.first + checkpoint.units - checkpoint.left);
            checkpoint.left -= 1;
            checkpoint.used_slots += 1;
            let slot = core.buffer.insert(unit, u32::MAX, SlotState::Queued);
            core.stamp(slot);
            if checkpoint.behind_host {
                core.buffer.enqueue(slot);
            } else {
                // Behind a full buffer each few units would wait for all of it.
                core.buffer.enqueue_first(slot);
            }
        }
    }

    /// Notes that a unit of the map has gone from `slot` to the flash: a checkpoint may wait for it.
    pub(super) fn note_map_unit(&mut self, core: &Core, lpn: Lpn, slot: u32) {
        let checkpoint = &mut self.checkpoint;
        let page = (lpn.0 - core.store.layout.logical_units) as usize;
        if checkpoint.slots > 0 {
            checkpoint.used_slots -= 1;
        } else if core.buffer.is_newest(slot) && std::mem::take(&mut checkpoint.awaited[page]) {
            checkpoint.awaiting -= 1;
        } else {
            return;
        }
        self.counts.checkpoint_units += 1;
    }
}
