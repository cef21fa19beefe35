//! Snapshots in the account: versions that only they see stay where they are.

use super::{Checker, NOTHING};
use crate::examined::{Examined, KeptAt, MapAtFirst, PastEvent};
use crate::own_map::PlaceState;
use crate::past::EMPTY;
use units::{Lpn, Ppa};

impl<B: MapAtFirst> Checker<B> {
    /// Adds the snapshots that a drive loaded from a saved state already has to the checker's model, each with the
    /// version number of each host unit that it sees.
    pub(super) fn begin_with_snapshots(&mut self, drive: &impl Examined) {
        let Some(snapshots) = drive.snapshots() else { return };
        // They are compared unit by unit.
        self.map.make_all();
        for serial in snapshots {
            let mut content = vec![EMPTY; self.shape.logical_units as usize];
            for (lpn, content) in content.iter_mut().enumerate() {
                let KeptAt::Flash(ppa) = drive.kept_at(serial, Lpn(lpn as u32)) else { continue };
                let place = self.map.place_mut(ppa);
                if place.holder == NOTHING {
                    self.versions += 1;
                    *place = PlaceState { holder: lpn as u32, stored: lpn as u32, version: self.versions };
                }
                assert_eq!(place.holder, lpn as u32, "two units live at {ppa}");
                *content = place.version;
            }
            self.past.begin_with(serial, content);
        }
    }

    /// Adjusts the checker's model to a snapshot event: a snapshot was taken, deleted or rolled back to, or a version
    /// that only snapshots see was programmed or moved. After a roll-back, checks that the drive's map is that of the
    /// snapshot.
    pub fn on_version(&mut self, event: PastEvent) {
        match event {
            PastEvent::Programmed(lpn, slot, ppa) => {
                let version = self.past.of_slot(slot);
                self.hold(lpn, ppa, version);
            }
            PastEvent::Moved(lpn, old, new) => {
                assert_eq!(self.map.place(old).holder, lpn.0, "{lpn} was moved from {old}, which lacks it");
                self.leave(old);
                self.hold(lpn, new, self.held(old));
            }
            PastEvent::Returned(lpn, old, new) => {
                assert_eq!(self.map.unit(lpn).home, old, "{lpn} did not live at {old}");
                self.map.unit_mut(lpn).home = new;
            }
            _ => {}
        }
        let content = || self.map.hosts().map(|unit| unit.content).collect();
        if let Some(content) = self.past.note(event, content, |lpn| self.map.unit(lpn).version) {
            for (lpn, &version) in (0..).map(Lpn).zip(content) {
                let home = self.map.unit(lpn).home;
                let differs = || format!("unit {} is not as in the snapshot", lpn.0);
                assert_eq!(home == Ppa::NONE, version == EMPTY, "{}", differs());
                if home != Ppa::NONE {
                    let PlaceState { holder, version: held, .. } = self.map.place(home);
                    assert_eq!((holder, held), (lpn.0, version), "{}", differs());
                    self.map.unit_mut(lpn).version = version;
                    self.bytes.on_returned(lpn, home);
                } else {
                    self.bytes.on_trim(lpn);
                }
                self.durability.on_returned(lpn, (home != Ppa::NONE).then_some(version), self.versions);
                self.map.unit_mut(lpn).content = version;
            }
        }
        if matches!(event, PastEvent::Dropped(_) | PastEvent::RolledBack(_)) {
            self.forget_unseen();
        }
    }

    /// Checks and notes that `version` of unit `lpn`, which only snapshots see (the host has overwritten it), is now at
    /// physical address `ppa`.
    fn hold(&mut self, lpn: Lpn, ppa: Ppa, version: u32) {
        assert!(self.past.sees(lpn, version), "{lpn} at {ppa} is kept and no snapshot sees it");
        assert_eq!(self.map.place(ppa).holder, NOTHING, "{ppa} holds something already");
        self.bytes.on_commit(ppa);
        let there = self.there(ppa);
        assert_eq!(there, (lpn.0, version), "{ppa} holds another unit or version");
        self.put(lpn, ppa);
    }

    /// Marks as invalid, in the checker's own map, every physical address to which the map does not point and whose
    /// version no snapshot sees, after a snapshot was deleted or rolled back to.
    fn forget_unseen(&mut self) {
        for ppa in (0..self.shape.physical_units() as u64).map(Ppa) {
            let lpn = Lpn(self.map.place(ppa).holder);
            let unseen =
                lpn.0 != NOTHING && self.map.unit(lpn).home != ppa && !self.past.sees(lpn, self.held(ppa));
            if unseen {
                self.leave(ppa);
            }
        }
    }

    /// Checks at the end of a run that every snapshot sees the versions that the drive held when the snapshot was
    /// taken. On a drive that is read-only or still draining, these may be in the write buffer.
    pub(super) fn settle_snapshots(&self, drive: &impl Examined) {
        let expected: Vec<u32> = self.past.kept().map(|(serial, _)| serial).collect();
        assert_eq!(drive.snapshots().unwrap_or_default(), expected, "the snapshots that are kept");
        for (serial, content) in self.past.kept() {
            for lpn in 0..self.shape.logical_units {
                let version = content[lpn as usize];
                match drive.kept_at(serial, Lpn(lpn)) {
                    KeptAt::Nowhere => assert_eq!(version, EMPTY, "snapshot {serial} lost unit {lpn}"),
                    KeptAt::Buffered => {
                        assert!(
                            drive.is_read_only() || drive.is_draining(),
                            "unit {lpn} of snapshot {serial} is not on flash"
                        )
                    }
                    KeptAt::Flash(ppa) => {
                        let held = (self.map.place(ppa).holder, self.held(ppa));
                        assert_eq!(held, (lpn, version), "unit {lpn} of snapshot {serial} at {ppa}");
                        assert!(
                            drive.is_valid(ppa),
                            "unit {lpn} of snapshot {serial} at {ppa} counts as invalid"
                        );
                        assert_eq!(drive.holder(ppa).0, lpn, "the spare area of {ppa} names another unit");
                    }
                }
            }
        }
    }
}
