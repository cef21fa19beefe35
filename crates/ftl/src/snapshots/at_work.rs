//! What snapshots change in the work of the page-mapped layer: what is overwritten stays while one of them sees it.

use super::checkpoint::Awaited;
use super::{ABSENT, NONE, PENDING, Seen, Snapshot, Snapshots, WhenFull};
use crate::PageMapped;
use crate::buffer::SlotState;
use controller::{Probe, SnapshotEvent};
use engine::Calendar;
use std::collections::BTreeMap;
use units::{Lpn, Ppa};

/// What became of the version that a write or a trim overtakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overtaken {
    /// Nothing that matters: no snapshot sees it, or it is on flash and stays.
    Free,
    /// The buffer holds it, and must not let it go.
    InBuffer,
    /// It may not be overtaken: there is no room to keep it.
    Refused,
}

impl PageMapped {
    /// The snapshots; none where the drive takes none.
    pub fn snapshots(&self) -> Option<&Snapshots> {
        self.snapshots.as_deref()
    }

    /// Takes a snapshot of the logical drive as it is now: all that was received, in the buffer or on flash. Gives
    /// its serial number.
    ///
    /// # Panics
    /// When the drive was built without `ftl.snapshots`.
    pub fn take_snapshot<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) -> u32 {
        // What is buffered goes out without being held once it is overtaken.
        self.buffer.end_epoch();
        let snapshots = self.snapshots.as_mut().expect("the drive was built to take snapshots");
        let serial = snapshots.next_serial;
        snapshots.next_serial += 1;
        snapshots.counts.taken += 1;
        snapshots.kept.push_back(Snapshot { serial, taken: calendar.now(), old: BTreeMap::new() });
        let excess = snapshots.kept.len().saturating_sub(snapshots.rules.keep as usize);
        snapshots.counts.expired += excess as u64;
        probe.on_snapshot(SnapshotEvent::Taken { serial });
        for _ in 0..excess {
            self.drop_snapshot(0, probe);
        }
        self.ask_checkpoint(Awaited::Snapshot, calendar.now());
        self.erase_emptied(calendar, probe);
        self.pump(calendar, probe);
        serial
    }

    /// Drops the snapshot of this serial number; false when it is not there.
    pub fn delete_snapshot<P: Probe>(&mut self, serial: u32, calendar: &mut Calendar, probe: &mut P) -> bool {
        let Some(position) = self.snapshots.as_ref().and_then(|snapshots| snapshots.position(serial)) else {
            return false;
        };
        self.drop_snapshot(position, probe);
        self.erase_emptied(calendar, probe);
        self.pump(calendar, probe);
        true
    }

    /// Where the snapshot of this serial number sees `lpn`; none when there is no such snapshot.
    pub fn lookup_in(&self, serial: u32, lpn: Lpn) -> Option<Seen> {
        let snapshots = self.snapshots.as_ref()?;
        let place = snapshots.find(snapshots.position(serial)?, lpn);
        Some(place.map_or_else(|| self.seen_now(lpn), Seen::of))
    }

    fn seen_now(&self, lpn: Lpn) -> Seen {
        match self.find_unwritten(lpn) {
            Some(_) => Seen::Buffered,
            None => Seen::of(self.map.lookup(lpn).0),
        }
    }

    /// The buffer slot of the newest version, if the flash does not hold it.
    fn find_unwritten(&self, lpn: Lpn) -> Option<u32> {
        self.buffer.find(lpn).filter(|&slot| self.buffer.slot(slot).state != SlotState::Clean)
    }

    /// True when a write of `lpn` must be answered with an error: snapshots see what it would overwrite, have no more
    /// room and may not be dropped.
    #[inline]
    pub fn refuses(&self, lpn: Lpn) -> bool {
        self.snapshots.as_ref().is_some_and(|snapshots| {
            snapshots.rules.when_full == WhenFull::RefuseWrites
                && snapshots.is_full()
                && snapshots.is_unchanged(lpn)
                && self.seen_now(lpn) != Seen::Nowhere
        })
    }

    /// Gives back the buffer slot that was reserved for a unit which [`Self::refuses`] was asked about.
    pub fn refuse(&mut self, lpn: Lpn) {
        self.reserved_slots -= 1;
        if let Some(sectors) = &mut self.sectors {
            sectors.break_promise(lpn);
        }
        if let Some(snapshots) = &mut self.snapshots {
            snapshots.counts.units_refused += 1;
        }
    }

    /// `lpn` is about to be overwritten or trimmed: the newest snapshot takes note of what it sees there.
    pub(crate) fn overtake<P: Probe>(&mut self, lpn: Lpn, probe: &mut P) -> Overtaken {
        loop {
            if !self.snapshots.as_ref().is_some_and(|snapshots| snapshots.is_unchanged(lpn)) {
                return Overtaken::Free;
            }
            let (slot, home) = (self.find_unwritten(lpn), self.map.lookup(lpn));
            let snapshots = self.snapshots.as_mut().expect("seen above");
            if slot.is_none() && home == Ppa::NONE {
                snapshots.capture(lpn, ABSENT);
                return Overtaken::Free;
            }
            if snapshots.is_full() {
                if snapshots.rules.when_full == WhenFull::RefuseWrites {
                    return Overtaken::Refused;
                }
                snapshots.counts.dropped_full += 1;
                self.drop_snapshot(0, probe);
                continue;
            }
            let Some(slot) = slot else {
                snapshots.capture(lpn, home.0);
                return Overtaken::Free;
            };
            snapshots.capture(lpn, PENDING);
            snapshots.captured[slot as usize] = snapshots.kept.back().expect("seen above").serial;
            self.buffer.overtake(slot);
            return Overtaken::InBuffer;
        }
    }

    /// A trim of a unit was ignored for lack of room.
    pub(crate) fn ignore_trim(&mut self) {
        if let Some(snapshots) = &mut self.snapshots {
            snapshots.counts.trims_ignored += 1;
        }
    }

    /// Blocks that failed may have taken the room that snapshots had: the oldest go, whatever the policy is.
    pub(crate) fn fit_snapshots<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        let spare = self.spare_units();
        if let Some(snapshots) = &mut self.snapshots {
            snapshots.set_room(spare);
        }
        while let Some(snapshots) = &mut self.snapshots
            && snapshots.units > snapshots.room
        {
            snapshots.counts.dropped_full += 1;
            self.drop_snapshot(0, probe);
        }
        self.erase_emptied(calendar, probe);
    }

    /// True when a snapshot needs what a slot holds, although a newer version came or it was trimmed.
    #[inline]
    pub(crate) fn is_captured(&self, slot: u32) -> bool {
        self.snapshots.as_ref().is_some_and(|snapshots| snapshots.captured[slot as usize] != NONE)
    }

    /// A version that only snapshots see came from the buffer to the flash.
    pub(crate) fn commit_captured<P: Probe>(&mut self, lpn: Lpn, ppa: Ppa, slot: u32, probe: &mut P) {
        let Some(snapshots) = &mut self.snapshots else { return };
        let serial = std::mem::replace(&mut snapshots.captured[slot as usize], NONE);
        snapshots.rename(Some(serial), lpn, PENDING, ppa);
        self.map.validate(ppa);
        self.space.valid[self.layout.superblock_of(ppa) as usize] += 1;
        probe.on_snapshot(SnapshotEvent::Programmed { lpn, slot, ppa });
    }

    /// `old` is no longer the home of the newest version: it turns invalid unless a snapshot names it.
    #[inline]
    pub(crate) fn leave(&mut self, old: Ppa) {
        if !self.is_named(old) {
            self.invalidate_host(old);
        }
    }

    /// True when a snapshot's table names `ppa`.
    #[inline]
    pub(crate) fn is_named(&self, ppa: Ppa) -> bool {
        self.snapshots.as_ref().is_some_and(|snapshots| snapshots.names(ppa))
    }

    /// What snapshots name moved from `old` to `new`; `live`: it is the newest version, too, and the map says so.
    pub(crate) fn move_named<P: Probe>(&mut self, lpn: Lpn, old: Ppa, new: Ppa, live: bool, probe: &mut P) {
        let Some(snapshots) = &mut self.snapshots else { return };
        snapshots.rename(None, lpn, old.0, new);
        if !live {
            snapshots.counts.units_moved += 1;
            self.map.validate(new);
            probe.on_snapshot(SnapshotEvent::Moved { lpn, old, new });
        }
    }

    /// Drops a snapshot: what it names goes over to the snapshot before it, where that sees it, too.
    pub(super) fn drop_snapshot<P: Probe>(&mut self, position: usize, probe: &mut P) {
        let Some(snapshots) = &mut self.snapshots else { return };
        let gone = snapshots.kept.remove(position).expect("the caller found it there");
        let slots = self.captured_slots(gone.serial);
        for (lpn, place) in gone.old {
            let snapshots = self.snapshots.as_mut().expect("seen above");
            let before = position.checked_sub(1).map(|before| &mut snapshots.kept[before]);
            match before {
                // The snapshot before sees the same version if it was not overwritten between the two.
                Some(before) if !before.old.contains_key(&lpn) => {
                    before.old.insert(lpn, place);
                    if place == PENDING {
                        snapshots.captured[slots[&lpn] as usize] = before.serial;
                    }
                }
                _ => self.release_place(Lpn(lpn), place, &slots),
            }
        }
        probe.on_snapshot(SnapshotEvent::Dropped { serial: gone.serial });
    }

    /// The buffer slots with versions that the table of a snapshot names, by logical unit.
    pub(super) fn captured_slots(&self, serial: u32) -> BTreeMap<u32, u32> {
        let Some(snapshots) = &self.snapshots else { return BTreeMap::new() };
        let of_it = (0u32..).zip(&snapshots.captured).filter(|(_, captured)| **captured == serial);
        of_it.map(|(slot, _)| (self.buffer.slot(slot).lpn.0, slot)).collect()
    }

    /// No snapshot sees a version any more.
    pub(super) fn release_place(&mut self, lpn: Lpn, place: u32, slots: &BTreeMap<u32, u32>) {
        let Some(snapshots) = &mut self.snapshots else { return };
        match place {
            ABSENT => {}
            PENDING => {
                let slot = slots[&lpn.0];
                snapshots.units -= 1;
                snapshots.captured[slot as usize] = NONE;
                self.buffer.void(slot);
            }
            home => {
                snapshots.units -= 1;
                snapshots.set_named(Ppa(home), false);
                if self.map.lookup(lpn).0 != home {
                    self.invalidate_host(Ppa(home));
                }
            }
        }
    }
}
