//! Snapshots of the logical drive, taken, dropped and looked into.

use super::checkpoint::Awaited;
use super::{Snapshot, Snapshots, WhenFull, seen_at};
use crate::core::{Ask, Core, Seen};
use crate::snapshot_expiry::ExpiryReason;
use crate::{Probe, VersionEvent};
use std::collections::BTreeMap;
use units::{Lpn, SimTime};

impl Snapshots {
    /// Takes a snapshot of the logical drive with all data received so far, in the write buffer or on flash, deletes a
    /// snapshot if there are now more than `keep`, requests a checkpoint of the map, and returns the new snapshot's
    /// serial number.
    pub(super) fn take<P: Probe>(&mut self, core: &mut Core, now: SimTime, probe: &mut P) -> u32 {
        // What is buffered goes out without being held once it is overtaken.
        let epoch = core.buffer.end_epoch();
        let number = core.store.spare.as_ref().map_or(0, |numbers| numbers.last());
        let serial = self.next_serial;
        self.next_serial += 1;
        self.counts.taken += 1;
        self.kept.push_back(Snapshot { number, epoch, ..Snapshot::new(serial, now, BTreeMap::new()) });
        let excess = self.kept.len().saturating_sub(self.rules.keep as usize);
        self.counts.expired += excess as u64;
        probe.on_version(VersionEvent::Taken { serial });
        for _ in 0..excess {
            self.expire(ExpiryReason::Count, core, now);
        }
        self.ask_checkpoint(Awaited::Snapshot, now, core, now);
        core.ask(Ask::EraseEmptied);
        core.ask(Ask::Pump);
        serial
    }

    /// Deletes the snapshot with this serial number; false if there is no such snapshot.
    pub(super) fn delete(&mut self, serial: u32, core: &mut Core) -> bool {
        let Some(position) = self.position(serial) else { return false };
        self.drop_at(position, core);
        core.ask(Ask::EraseEmptied);
        core.ask(Ask::Pump);
        true
    }

    /// Returns the kind of place, and the address, at which the snapshot with this serial number sees the data of
    /// `lpn`; `None` if there is no such snapshot.
    pub(super) fn look_up(&self, core: &Core, serial: u32, lpn: Lpn) -> Option<Seen> {
        let place = self.find(self.position(serial)?, lpn);
        Some(place.map_or_else(|| seen_now(core, lpn), seen_at))
    }

    /// Returns true if a write of `lpn` must be refused with an error: a snapshot sees the data that it would
    /// overwrite, snapshots may retain no more units, and none may be deleted for the write.
    pub(super) fn must_refuse(&self, core: &Core, lpn: Lpn) -> bool {
        self.rules.when_full == WhenFull::RefuseWrites
            && self.is_full()
            && self.is_unchanged(lpn)
            && seen_now(core, lpn) != Seen::Nowhere
    }
}

fn seen_now(core: &Core, lpn: Lpn) -> Seen {
    match core.find_unwritten(lpn) {
        Some(_) => Seen::Buffered,
        None => seen_at(core.store.map.lookup(lpn).0),
    }
}
