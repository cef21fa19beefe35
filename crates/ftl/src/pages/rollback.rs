//! Going back: the logical drive holds again what a snapshot sees.
//!
//! The drive takes no data until what its buffer holds is on flash; then the map is put back, unit by unit of the
//! tables of differences, and written to flash. No data is copied. What was written since is lost, and so are the
//! snapshots taken since.

use crate::guards::snapshots::{ABSENT, Awaited, PENDING};
use crate::host_side::Serves;
use crate::pages::PageMapped;
use crate::{Probe, SnapshotEvent};
use controller::Context;
use std::collections::BTreeMap;
use units::{Lpn, Ppa};

impl PageMapped {
    /// Asks the drive to go back to its newest snapshot, as soon as what it has received is on flash. Counted as void
    /// where there is none.
    pub fn roll_back<P: Probe>(&mut self, ctx: &mut Context<P>) {
        let Some(snapshots) = &mut self.media.guards.snapshots else { return };
        match snapshots.kept.back() {
            Some(newest) if snapshots.rolling_back.is_none() => {
                snapshots.rolling_back = Some((newest.serial, ctx.calendar.now()));
                self.go_on_rolling_back(ctx);
            }
            Some(_) => {}
            None => snapshots.counts.rollbacks.void += 1,
        }
    }

    /// Goes back once nothing is on its way to the flash.
    pub(crate) fn go_on_rolling_back<P: Probe>(&mut self, ctx: &mut Context<P>) {
        let Some(snapshots) = &mut self.media.guards.snapshots else { return };
        let Some((serial, since)) = snapshots.rolling_back else { return };
        if self.media.buffer.dirty_slots() > 0
            || self.media.reserved_slots > 0
            || snapshots.checkpoint.is_under_way()
        {
            self.send_out(ctx);
            self.media.pad_current(ctx);
            return;
        }
        snapshots.rolling_back = None;
        while let Some(snapshots) = &self.media.guards.snapshots
            && let Some(last) = snapshots.kept.len().checked_sub(1)
            && snapshots.kept[last].serial > serial
        {
            self.media.drop_snapshot(last, &mut ctx.probe);
        }
        // Writing what was received may have dropped it.
        let Some(snapshots) = &mut self.media.guards.snapshots else { return };
        let Some(position) = snapshots.position(serial) else {
            snapshots.counts.rollbacks.void += 1;
            return self.pump(ctx);
        };
        let number = snapshots.kept[position].number;
        self.put_back(position, &mut ctx.probe);
        if let Some(power) = &mut self.media.guards.power {
            power.undo(number);
        }
        ctx.probe.on_snapshot(SnapshotEvent::RolledBack { serial });
        self.ask_checkpoint(Awaited::Rollback, since, ctx);
        self.media.erase_emptied(ctx);
        self.pump(ctx);
    }

    /// Makes the map what the snapshot at `position` sees; the later ones are gone.
    fn put_back<P: Probe>(&mut self, position: usize, probe: &mut P) {
        let Some(snapshots) = &mut self.media.guards.snapshots else { return };
        let nothing = BTreeMap::new();
        let view = std::mem::take(&mut snapshots.kept[position].old);
        let mut changed = 0;
        for (lpn, place) in view {
            debug_assert_ne!(place, PENDING, "nothing is on its way to the flash");
            let (lpn, live) = (Lpn(lpn), self.media.store.map.lookup(Lpn(lpn)));
            if place == live.0 {
                // Named because a write was on its way that never came.
                self.media.release_place(lpn, place, &nothing, probe);
                continue;
            }
            changed += 1;
            self.media.note_change(lpn);
            self.media.buffer.cancel(lpn);
            self.host.reads.forget(lpn, &mut self.media.store.stats);
            if live != Ppa::NONE {
                self.media.store.map.clear(lpn);
                self.media.invalidate_host(live);
            }
            if place != ABSENT {
                self.media.store.map.set(lpn, Ppa(place));
            }
            self.media.release_place(lpn, place, &nothing, probe);
            probe.on_snapshot(SnapshotEvent::Returned { lpn, old: live, new: Ppa(place) });
        }
        if let Some(snapshots) = &mut self.media.guards.snapshots {
            snapshots.counts.rollbacks.done += 1;
            snapshots.counts.rollbacks.units += changed;
        }
    }
}
