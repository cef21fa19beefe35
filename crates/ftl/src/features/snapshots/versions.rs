//! What is overwritten or trimmed stays while a snapshot sees it.

use super::{ABSENT, NONE, PENDING, Snapshots, WhenFull};
use crate::core::{Ask, Core, Overtaken, Version};
use crate::snapshot_expiry::ExpiryReason;
use crate::{Probe, VersionEvent};
use std::collections::BTreeMap;
use units::{Lpn, Ppa, SimTime};

impl Snapshots {
    /// Enters the present version of `lpn`, about to be overwritten or trimmed, in the newest snapshot's difference
    /// table if the table has no entry of `lpn`; returns how the version must be treated. If snapshots may retain no
    /// further unit, deletes a snapshot, or refuses the write or trim, as the settings say.
    pub(super) fn note_overtaken(&mut self, core: &mut Core, lpn: Lpn, now: SimTime) -> Overtaken {
        if !self.is_unchanged(lpn) {
            return Overtaken::Free;
        }
        let (slot, home) = (core.find_unwritten(lpn), core.store.map.lookup(lpn));
        if slot.is_none() && home == Ppa::NONE {
            self.capture(lpn, ABSENT);
            return Overtaken::Free;
        }
        if self.is_full() {
            if self.rules.when_full == WhenFull::RefuseWrites {
                return Overtaken::Refused;
            }
            self.counts.dropped_full += 1;
            self.expire(ExpiryReason::Room, core, now);
            return Overtaken::Again;
        }
        let Some(slot) = slot else {
            self.capture(lpn, home.0);
            return Overtaken::Free;
        };
        self.capture(lpn, PENDING);
        self.captured[slot as usize] = self.kept.back().expect("seen above").serial;
        core.buffer.overtake(slot);
        Overtaken::InBuffer
    }

    /// Enters the physical address of an overwritten version of `lpn` that was programmed from a write buffer slot in
    /// the difference table of its snapshot, and marks the version as valid.
    pub(super) fn commit_captured<P: Probe>(
        &mut self,
        core: &mut Core,
        (lpn, slot, ppa): (Lpn, u32, Ppa),
        probe: &mut P,
    ) {
        let serial = std::mem::replace(&mut self.captured[slot as usize], NONE);
        self.rename(Some(serial), lpn, PENDING, ppa);
        core.store.map.validate(ppa);
        core.store.space.valid[core.store.layout.superblock_of(ppa) as usize] += 1;
        probe.on_version(VersionEvent::Programmed { lpn, slot, ppa });
    }

    /// Deletes the snapshot that the expiry policy chooses.
    pub(super) fn expire(&mut self, reason: ExpiryReason, core: &mut Core, now: SimTime) {
        let chosen = self.choose_expired(reason, now);
        self.drop_at(chosen, core);
    }

    /// Deletes the snapshot at `position`: versions that its difference table names go to the table of the snapshot
    /// before it if that one sees them too, and become invalid otherwise.
    pub(super) fn drop_at(&mut self, position: usize, core: &mut Core) {
        let gone = self.kept.remove(position).expect("the caller found it there");
        let slots = self.captured_slots(gone.serial, core);
        for (lpn, place) in gone.old {
            let before = position.checked_sub(1).map(|before| &mut self.kept[before]);
            match before {
                // The snapshot before sees the same version if it was not overwritten between the two.
                Some(before) if !before.old.contains_key(&lpn) => {
                    before.old.insert(lpn, place);
                    if place == PENDING {
                        self.captured[slots[&lpn] as usize] = before.serial;
                    }
                }
                _ => self.release_place(Lpn(lpn), place, &slots, core),
            }
        }
        core.ask(Ask::Tell(VersionEvent::Dropped { serial: gone.serial }));
    }

    /// Returns, by logical unit, the write buffer slots with former versions that the difference table of snapshot
    /// `serial` names.
    fn captured_slots(&self, serial: u32, core: &Core) -> BTreeMap<u32, u32> {
        let of_it = (0u32..).zip(&self.captured).filter(|(_, captured)| **captured == serial);
        of_it.map(|(slot, _)| (core.buffer.slot(slot).lpn.0, slot)).collect()
    }

    /// Releases a former version of `lpn` that no snapshot sees any more, in the write buffer or on flash.
    pub(super) fn release_place(
        &mut self,
        lpn: Lpn,
        place: u64,
        slots: &BTreeMap<u32, u32>,
        core: &mut Core,
    ) {
        match place {
            ABSENT => {}
            PENDING => {
                let slot = slots[&lpn.0];
                self.units -= 1;
                self.captured[slot as usize] = NONE;
                core.buffer.void(slot);
            }
            home => {
                self.units -= 1;
                self.clear_named(Ppa(home));
                core.ask(Ask::Release(lpn, Ppa(home)));
            }
        }
    }

    /// Replaces the place of a version in the snapshot's difference table that names it, because the version moved from
    /// `old` to `new`; a former version is also marked as valid at its new place.
    pub(super) fn note_moved<P: Probe>(
        &mut self,
        core: &mut Core,
        (lpn, old, new): (Lpn, Ppa, Ppa),
        version: Version,
        probe: &mut P,
    ) {
        self.rename(None, lpn, old.0, new);
        if version == Version::Former {
            self.counts.units_moved += 1;
            core.store.map.validate(new);
            probe.on_version(VersionEvent::Moved { lpn, old, new });
        }
    }
}
