//! The checker's account of snapshots: a whole copy of the logical drive for each, by version.

use crate::examined::PastEvent;
use std::collections::{BTreeMap, BTreeSet};
use units::Lpn;

/// A unit that holds nothing.
pub(crate) const EMPTY: u32 = u32::MAX;

/// The content of the logical drive when each snapshot was taken, and the version that each slot of the buffer holds.
#[derive(Default)]
pub(crate) struct Past {
    kept: Vec<(u32, Vec<u32>)>,
    slots: BTreeMap<u32, u32>,
    /// Snapshots that survive a power cut.
    recorded: BTreeSet<u32>,
    /// Units and versions whose page was destroyed by a power cut.
    torn: BTreeSet<(u32, u32)>,
}

impl Past {
    /// True when a snapshot sees this version of a unit. Snapshots see only units of the host.
    pub fn sees(&self, lpn: Lpn, version: u32) -> bool {
        self.kept.iter().any(|(_, content)| content.get(lpn.index()) == Some(&version))
    }

    /// Returns the snapshots and the versions that they see, the oldest first.
    pub fn kept(&self) -> impl Iterator<Item = (u32, &[u32])> {
        self.kept.iter().map(|(serial, content)| (*serial, content.as_slice()))
    }

    /// Returns the version of a unit that a buffer slot holds.
    pub fn of_slot(&self, slot: u32) -> u32 {
        self.slots[&slot]
    }

    /// Adds a snapshot that existed before the run.
    pub fn begin_with(&mut self, serial: u32, content: Vec<u32>) {
        self.kept.push((serial, content));
    }

    /// Notes that a power cut destroyed the page of a version.
    pub fn tear(&mut self, lpn: Lpn, version: u32) {
        self.torn.insert((lpn.0, version));
    }

    /// Notes that after a power cut the drive has these snapshots, the oldest first; the slots of the buffer
    /// are empty.
    ///
    /// # Panics
    /// When one that was to survive is gone, or one is back that was not there.
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

    /// Checks that after a power cut a snapshot sees this version of a unit, [`EMPTY`] for none.
    ///
    /// # Panics
    /// When it is not what it saw before. Of a unit that was trimmed then, or whose page the cut destroyed, any earlier
    /// version may be there, or none.
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

    /// Notes an event; `content` and `version` give what the logical drive holds. Returns the content of the newest
    /// snapshot if the drive returned to it.
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
