//! The checker's account of snapshots: a whole copy of the logical drive for each, by version.

use crate::examined::PastEvent;
use std::collections::{BTreeMap, BTreeSet};
use units::Lpn;

/// Constant: value in place of a version number, for a logical unit without data.
pub(crate) const EMPTY: u32 = u32::MAX;

/// Type of the checker's model of snapshots: the version number of each logical unit's data that each snapshot sees,
/// and the version in each slot of the write buffer (entry for one unit).
#[derive(Default)]
pub(crate) struct Past {
    kept: Vec<(u32, Vec<u32>)>,
    slots: BTreeMap<u32, u32>,
    /// The checker's set of serial numbers of the snapshots whose record is on flash, so that they must survive a power
    /// cut.
    recorded: BTreeSet<u32>,
    /// Set of the versions whose flash page a power cut destroyed (torn), each as a logical unit and a version number.
    torn: BTreeSet<(u32, u32)>,
}

impl Past {
    /// Returns true if, by the checker's model, a snapshot sees the data of unit `lpn` with the number `version`;
    /// snapshots see only units of the host.
    pub fn sees(&self, lpn: Lpn, version: u32) -> bool {
        self.kept.iter().any(|(_, content)| content.get(lpn.index()) == Some(&version))
    }

    /// Returns the serial number of each existing snapshot, with the version of every host unit that the snapshot sees;
    /// the oldest snapshot is first.
    pub fn kept(&self) -> impl Iterator<Item = (u32, &[u32])> {
        self.kept.iter().map(|(serial, content)| (*serial, content.as_slice()))
    }

    /// Returns the version number of the data that slot `slot` of the write buffer (entry for one unit) holds.
    pub fn of_slot(&self, slot: u32) -> u32 {
        self.slots[&slot]
    }

    /// Adds a snapshot that a drive loaded from a saved state already had before the run; `content` is the version
    /// number of each host unit that the snapshot sees.
    pub fn begin_with(&mut self, serial: u32, content: Vec<u32>) {
        self.kept.push((serial, content));
    }

    /// Notes that a power cut destroyed the flash page that held `version` of unit `lpn`.
    pub fn tear(&mut self, lpn: Lpn, version: u32) {
        self.torn.insert((lpn.0, version));
    }

    /// Drops, after a power cut, the snapshots that the drive no longer has (it has `serials`, oldest first) from the
    /// checker's model, and empties the slots of the write buffer in it.
    ///
    /// # Panics
    /// When a snapshot that was to survive is gone, or the drive names a snapshot that did not exist before.
    pub fn go_on_with(&mut self, serials: &[u32]) {
        self.slots.clear();
        let of_it = |serial: &u32| self.kept.iter().any(|(kept, _)| kept == serial);
        assert!(
            serials.iter().all(of_it),
            "after a power cut there are the snapshots {serials:?}, not all of which were"
        );
        let gone =
            self.kept.iter().find(|(serial, _)| self.recorded.contains(serial) && !serials.contains(serial));
        assert!(
            gone.is_none(),
            "snapshot {} did not survive a power cut",
            gone.map_or(0, |(serial, _)| *serial)
        );
        self.kept.retain(|(serial, _)| serials.contains(serial));
    }

    /// Checks `found`, the version of unit `lpn` that snapshot `serial` sees after a power cut ([`EMPTY`] if it sees no
    /// data), and makes it the version that the snapshot is expected to see from now on.
    ///
    /// # Panics
    /// When the snapshot saw another version before the cut. If the snapshot saw no data of the unit, any version
    /// passes; if the cut destroyed the page of the version it saw, an older version or none passes.
    pub fn check_seen(&mut self, serial: u32, lpn: Lpn, found: u32) {
        let of_it = self.kept.iter_mut().find(|(kept, _)| *kept == serial).expect("it was looked for above");
        let saw = &mut of_it.1[lpn.index()];
        let is_older = found == EMPTY || *saw == EMPTY || found < *saw;
        let is_free = *saw == EMPTY || (is_older && self.torn.contains(&(lpn.0, *saw)));
        assert!(
            found == *saw || is_free,
            "after a power cut snapshot {serial} sees version {found} of {lpn}, and saw {saw}"
        );
        *saw = found;
    }

    /// Adds, drops or marks a snapshot, or notes the version in a buffer slot, in the checker's model, as the snapshot
    /// event says; `content` and `version` return the version numbers that the logical drive holds now, of all units
    /// and of one. Returns, only after a roll-back, the versions that the newest snapshot sees, else `None`.
    pub fn note(
        &mut self,
        event: PastEvent,
        content: impl FnOnce() -> Vec<u32>,
        version: impl FnOnce(Lpn) -> u32,
    ) -> Option<&[u32]> {
        match event {
            PastEvent::Taken(serial) => self.kept.push((serial, content())),
            PastEvent::Recorded(serial) => {
                self.recorded.insert(serial);
            }
            PastEvent::Dropped(serial) => {
                let before = self.kept.len();
                self.kept.retain(|(kept, _)| *kept != serial);
                assert_eq!(self.kept.len() + 1, before, "snapshot {serial} was dropped and is not there");
            }
            PastEvent::Buffered(lpn, slot) => {
                self.slots.insert(slot, version(lpn));
            }
            PastEvent::RolledBack(serial) => {
                let (newest, content) = self.kept.last().expect("a drive goes back to a snapshot");
                assert_eq!(*newest, serial, "a drive goes back to its newest snapshot");
                return Some(content);
            }
            _ => {}
        }
        None
    }
}
