//! What snapshots change in the work of the page-mapped layer: what is overwritten stays while one of them sees it.

use crate::buffer::SlotState;
use crate::guards::snapshots::{ABSENT, Overtaken, PENDING, Seen};
use crate::media::Media;
use crate::settings::WhenFull;
use crate::snapshot_expiry::ExpiryReason;
use crate::store::NONE;
use crate::{Probe, SnapshotEvent};
use std::collections::BTreeMap;
use units::{Lpn, Ppa, SimTime};

impl Media {
    pub fn seen_now(&self, lpn: Lpn) -> Seen {
        match self.find_unwritten(lpn) {
            Some(_) => Seen::Buffered,
            None => Seen::of(self.store.map.lookup(lpn).0),
        }
    }

    /// The buffer slot of the newest version, if the flash does not hold it.
    pub fn find_unwritten(&self, lpn: Lpn) -> Option<u32> {
        self.buffer.find(lpn).filter(|&slot| self.buffer.slot(slot).state != SlotState::Clean)
    }

    /// `lpn` is about to be overwritten or trimmed: the newest snapshot takes note of what it sees there.
    pub fn overtake<P: Probe>(&mut self, lpn: Lpn, now: SimTime, probe: &mut P) -> Overtaken {
        loop {
            if !self.guards.snapshots.as_ref().is_some_and(|snapshots| snapshots.is_unchanged(lpn)) {
                return Overtaken::Free;
            }
            let (slot, home) = (self.find_unwritten(lpn), self.store.map.lookup(lpn));
            let snapshots = self.guards.snapshots.as_mut().expect("seen above");
            if slot.is_none() && home == Ppa::NONE {
                snapshots.capture(lpn, ABSENT);
                return Overtaken::Free;
            }
            if snapshots.is_full() {
                if snapshots.rules.when_full == WhenFull::RefuseWrites {
                    return Overtaken::Refused;
                }
                snapshots.counts.dropped_full += 1;
                self.expire_snapshot(ExpiryReason::Room, now, probe);
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

    /// True when a snapshot needs what a slot holds, although a newer version came or it was trimmed.
    #[inline]
    pub fn is_captured(&self, slot: u32) -> bool {
        self.guards.snapshots.as_ref().is_some_and(|snapshots| snapshots.captured[slot as usize] != NONE)
    }

    /// A version that only snapshots see came from the buffer to the flash.
    pub fn commit_captured<P: Probe>(&mut self, lpn: Lpn, ppa: Ppa, slot: u32, probe: &mut P) {
        let Some(snapshots) = &mut self.guards.snapshots else { return };
        let serial = std::mem::replace(&mut snapshots.captured[slot as usize], NONE);
        snapshots.rename(Some(serial), lpn, PENDING, ppa);
        self.store.map.validate(ppa);
        self.store.space.valid[self.store.layout.superblock_of(ppa) as usize] += 1;
        probe.on_snapshot(SnapshotEvent::Programmed { lpn, slot, ppa });
    }

    /// `old` is no longer the home of the newest version: it turns invalid unless a snapshot names it.
    #[inline]
    pub fn leave(&mut self, old: Ppa) {
        if !self.is_named(old) {
            self.invalidate_host(old);
        }
    }

    /// True when a snapshot's table names `ppa`.
    #[inline]
    pub fn is_named(&self, ppa: Ppa) -> bool {
        self.guards.snapshots.as_ref().is_some_and(|snapshots| snapshots.names(ppa))
    }

    /// What snapshots name moved from `old` to `new`.
    pub fn move_named(&mut self, lpn: Lpn, old: Ppa, new: Ppa) {
        if let Some(snapshots) = &mut self.guards.snapshots {
            snapshots.rename(None, lpn, old.0, new);
        }
    }

    /// What only snapshots name moved from `old` to `new`: the map does not say that it is valid.
    pub(crate) fn validate_named<P: Probe>(&mut self, lpn: Lpn, old: Ppa, new: Ppa, probe: &mut P) {
        let Some(snapshots) = &mut self.guards.snapshots else { return };
        snapshots.counts.units_moved += 1;
        self.store.map.validate(new);
        probe.on_snapshot(SnapshotEvent::Moved { lpn, old, new });
    }

    /// Drops the snapshot that the policy chooses.
    pub fn expire_snapshot<P: Probe>(&mut self, reason: ExpiryReason, now: SimTime, probe: &mut P) {
        let Some(snapshots) = &mut self.guards.snapshots else { return };
        let chosen = snapshots.choose_expired(reason, now);
        self.drop_snapshot(chosen, probe);
    }

    /// Drops a snapshot: what it names goes over to the snapshot before it, where that sees it, too.
    pub fn drop_snapshot<P: Probe>(&mut self, position: usize, probe: &mut P) {
        let Some(snapshots) = &mut self.guards.snapshots else { return };
        let gone = snapshots.kept.remove(position).expect("the caller found it there");
        let slots = self.captured_slots(gone.serial);
        for (lpn, place) in gone.old {
            let snapshots = self.guards.snapshots.as_mut().expect("seen above");
            let before = position.checked_sub(1).map(|before| &mut snapshots.kept[before]);
            match before {
                // The snapshot before sees the same version if it was not overwritten between the two.
                Some(before) if !before.old.contains_key(&lpn) => {
                    before.old.insert(lpn, place);
                    if place == PENDING {
                        snapshots.captured[slots[&lpn] as usize] = before.serial;
                    }
                }
                _ => self.release_place(Lpn(lpn), place, &slots, probe),
            }
        }
        probe.on_snapshot(SnapshotEvent::Dropped { serial: gone.serial });
    }

    /// The buffer slots with versions that the table of a snapshot names, by logical unit.
    pub fn captured_slots(&self, serial: u32) -> BTreeMap<u32, u32> {
        let Some(snapshots) = &self.guards.snapshots else { return BTreeMap::new() };
        let of_it = (0u32..).zip(&snapshots.captured).filter(|(_, captured)| **captured == serial);
        of_it.map(|(slot, _)| (self.buffer.slot(slot).lpn.0, slot)).collect()
    }

    /// No snapshot sees a version any more.
    pub fn release_place<P: Probe>(
        &mut self,
        lpn: Lpn,
        place: u64,
        slots: &BTreeMap<u32, u32>,
        probe: &mut P,
    ) {
        let Some(snapshots) = &mut self.guards.snapshots else { return };
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
                snapshots.clear_named(Ppa(home));
                if self.outlasts_cut(lpn, Ppa(home)) {
                    self.keep_overtaken(lpn, Ppa(home), probe);
                } else if self.store.map.lookup(lpn).0 != home {
                    self.invalidate_host(Ppa(home));
                }
            }
        }
    }

    /// A trim of a unit was ignored for lack of room.
    pub(crate) fn ignore_trim(&mut self) {
        if let Some(snapshots) = &mut self.guards.snapshots {
            snapshots.counts.trims_ignored += 1;
        }
    }
}
