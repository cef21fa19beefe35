//! The map on its way to the flash: what taking a snapshot, or going back to one, costs at once.

use super::Snapshots;
use crate::Layout;
use crate::buffer::SlotState;
use crate::core::{Ask, Core};
use crate::store::NONE;
use units::{Lpn, SimTime};

/// Constant: greatest number of map units (mapping units that hold a page of the map) of a checkpoint that may wait in
/// the write buffer or be in flight to flash, in addition to the units of two programs.
const IN_FLIGHT: u32 = 8;

/// Kind of place in which a drive stores its map, RAM alone or also flash; this decides how a checkpoint for snapshots
/// writes the map to flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapPlace {
    /// Case of the place of the drive's map: the map is in RAM alone, and the snapshot feature itself writes it to
    /// flash as a checkpoint.
    InRam,
    /// Case of the place of the drive's map: the map also lies on flash, demand-paged (RAM caches a part) or as
    /// checkpoints for recovery; the feature for maps on flash writes the translation units (map pages).
    OnFlash,
}

/// Kind of command that waits for a checkpoint of the map and is complete once the checkpoint is on flash: the taking
/// of a snapshot, or a rollback to a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Awaited {
    Snapshot,
    Rollback,
}

/// State of the checkpoints of the map for snapshots: the checkpoint in progress, and the snapshots and rollbacks that
/// wait for it or for the next one.
pub(super) struct Checkpoint {
    /// Number of the first of the logical units that hold the map on flash.
    pub first: u32,
    pub units: u32,
    /// Number of map units (map pages) of the checkpoint in progress that are not in the write buffer yet.
    pub left: u32,
    pub slots: u32,
    pub used_slots: u32,
    pub waiting: Vec<(Awaited, SimTime)>,
    /// Number of snapshots and rollbacks, counted from the front of the list of waiting commands, that the checkpoint
    /// of the map in progress makes complete.
    pub covered: usize,
    /// Number above the serial numbers of all snapshots for which a map that was written after they were taken is
    /// complete on flash.
    pub mapped: u32,
    /// Number above the serial numbers of all snapshots whose map is on flash once the checkpoint in progress is
    /// complete.
    pub maps: u32,
    /// True if the checkpoint of the map in progress began right after another one. Its units are then queued behind
    /// the host's units in the write buffer, not before them: a series of checkpoints would otherwise keep the host's
    /// units from ever being programmed.
    pub behind_host: bool,
    /// For each translation unit (map page) of a map on flash ([`MapPlace::OnFlash`]): true if the checkpoint in
    /// progress waits until the unit is written; empty for a map in RAM alone.
    pub awaited: Vec<bool>,
    /// Number of translation units (map pages) for whose programs the checkpoint in progress still waits, on a drive
    /// with a map on flash ([`MapPlace::OnFlash`]); 0 for a map in RAM alone.
    pub awaiting: u32,
    /// List of the write buffer slots whose programs, in flight since before the checkpoint in progress began, hold
    /// translation units (map pages) as they were before: the checkpoint waits for newer versions of these units.
    pub older: Vec<u32>,
}

impl Checkpoint {
    /// Makes the state of map checkpoints for snapshots of a fresh drive, with no checkpoint in progress.
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
            older: Vec::new(),
        }
    }

    pub fn slots_free(&self) -> u32 {
        self.slots - self.used_slots
    }

    pub fn is_under_way(&self) -> bool {
        self.covered > 0
    }

    /// Returns true if all units of the checkpoint of the map in progress are on flash.
    pub fn is_complete(&self) -> bool {
        self.left == 0 && self.used_slots == 0 && self.awaiting == 0
    }

    /// Marks translation units (map pages) of a map on flash as units for which the checkpoint in progress, made for
    /// snapshots, waits; each comes with the write buffer slot of an older version in flight, or `NONE`.
    pub fn await_units(&mut self, pages: &[(u32, u32)]) {
        for &(page, older) in pages {
            self.awaiting += u32::from(!std::mem::replace(&mut self.awaited[page as usize], true));
            self.older.extend(Some(older).filter(|older| *older != NONE));
        }
    }
}

impl Snapshots {
    /// Ends the complete checkpoint of the map, and records how long the snapshots and rollbacks that it serves have
    /// waited.
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

    /// Requests a checkpoint of the map for a snapshot or rollback; it begins at once or, if another one or a rollback
    /// is in progress, after that, and all commands that wait by then share it.
    pub(super) fn ask_checkpoint(&mut self, awaited: Awaited, since: SimTime, core: &mut Core, now: SimTime) {
        self.checkpoint.waiting.push((awaited, since));
        self.go_on_with_checkpoint(core, now);
        if self.checkpoint.slots == 0 {
            core.ask(Ask::GoOn);
        }
    }

    /// Advances the checkpoint of the map: ends a complete one, begins the next if snapshots or rollbacks wait for one
    /// and no rollback is in progress, and puts map units into the write buffer as far as reserved slots are free.
    pub(super) fn go_on_with_checkpoint(&mut self, core: &mut Core, now: SimTime) {
        // A program that failed is made again, with the newest version.
        self.checkpoint.older.retain(|&slot| core.buffer.slot(slot).state == SlotState::Bound);
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

    /// Charges the dies with the time of a map checkpoint whose units are known, and ends the checkpoint at once if the
    /// whole map is on flash already.
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

    /// Notes that map unit `lpn` (a page of the map) was programmed from write buffer slot `slot`, and counts it if the
    /// checkpoint in progress waits for the unit.
    pub(super) fn note_map_unit(&mut self, core: &Core, lpn: Lpn, slot: u32) {
        let checkpoint = &mut self.checkpoint;
        let page = (lpn.0 - core.store.layout.logical_units) as usize;
        let is_newest = core.buffer.is_newest(slot) && !checkpoint.older.contains(&slot);
        if checkpoint.slots > 0 {
            checkpoint.used_slots -= 1;
        } else if is_newest && std::mem::take(&mut checkpoint.awaited[page]) {
            checkpoint.awaiting -= 1;
        } else {
            return;
        }
        self.counts.checkpoint_units += 1;
    }
}
