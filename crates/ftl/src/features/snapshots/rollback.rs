//! Going back: the logical drive holds again what a snapshot sees.
//!
//! The drive takes no data until what its buffer holds is on flash; then the map is put back, unit by unit of the
//! tables of differences, and written to flash. No data is copied. What was written since is lost, and so are the
//! snapshots taken since.

use super::checkpoint::Awaited;
use super::{PENDING, Snapshots};
use crate::VersionEvent;
use crate::core::{Ask, Core};
use std::collections::BTreeMap;
use units::{Lpn, Ppa, SimTime};

impl Snapshots {
    /// Begins a rollback to the newest snapshot, which takes effect when all data received are on flash; does nothing
    /// while a rollback is in progress. Counts a rollback without effect if there is no snapshot.
    pub(super) fn roll_back(&mut self, core: &mut Core, now: SimTime) {
        match self.kept.back() {
            Some(newest) if self.rolling_back.is_none() => {
                self.rolling_back = Some((newest.serial, now));
                self.go_on_rolling_back(core);
            }
            Some(_) => {}
            None => self.counts.rollbacks.void += 1,
        }
    }

    /// Carries out the requested rollback once the write buffer has no data that flash lacks and no checkpoint is in
    /// progress; until then, asks the FTL to write all buffered data. Counts it as without effect if its snapshot was
    /// deleted meanwhile.
    pub(super) fn go_on_rolling_back(&mut self, core: &mut Core) {
        let Some((serial, since)) = self.rolling_back else { return };
        if core.buffer.dirty_slots() > 0 || core.reserved_slots > 0 || self.checkpoint.is_under_way() {
            return core.ask(Ask::SendOut);
        }
        self.rolling_back = None;
        while let Some(last) = self.kept.len().checked_sub(1)
            && self.kept[last].serial > serial
        {
            self.drop_at(last, core);
        }
        // Writing what was received may have dropped it.
        let Some(position) = self.position(serial) else {
            self.counts.rollbacks.void += 1;
            return core.ask(Ask::Pump);
        };
        let number = self.kept[position].number;
        self.put_back(position, core);
        if let Some(numbers) = &mut core.store.spare {
            numbers.undo(number);
        }
        core.ask(Ask::Tell(VersionEvent::RolledBack { serial }));
        core.ask(Ask::PutBack(since));
        core.ask(Ask::EraseEmptied);
        core.ask(Ask::Pump);
    }

    /// Requests, when a rollback has set the map back to the snapshot, the checkpoint of the map that makes the
    /// rollback durable.
    pub(super) fn end_rolling_back(&mut self, since: SimTime, core: &mut Core, now: SimTime) {
        self.ask_checkpoint(Awaited::Rollback, since, core, now);
    }

    /// Requests, for a rollback, that the map entry of every unit that changed since the snapshot at `position`, the
    /// newest one left, is set back to the place at which the snapshot sees the unit; empties the snapshot's difference
    /// table.
    fn put_back(&mut self, position: usize, core: &mut Core) {
        let nothing = BTreeMap::new();
        let view = std::mem::take(&mut self.kept[position].old);
        for (lpn, place) in view {
            debug_assert_ne!(place, PENDING, "nothing is on its way to the flash");
            let lpn = Lpn(lpn);
            // Else named because a write was on its way that never came.
            if place != core.store.map.lookup(lpn).0 {
                self.counts.rollbacks.units += 1;
                core.ask(Ask::Return(lpn, Ppa(place)));
            }
            self.release_place(lpn, place, &nothing, core);
        }
        self.counts.rollbacks.done += 1;
    }
}
