//! The checker's account of snapshots: a whole copy of the logical drive for each, by version.

use ftl::SnapshotEvent;
use std::collections::BTreeMap;
use units::Lpn;

/// A unit that holds nothing.
pub(crate) const EMPTY: u32 = u32::MAX;

/// What the logical drive held when each snapshot was taken, and which version each slot of the buffer holds.
#[derive(Default)]
pub(crate) struct Past {
    kept: Vec<(u32, Vec<u32>)>,
    slots: BTreeMap<u32, u32>,
}

impl Past {
    /// True when a snapshot sees this version of a unit. None sees a unit that is not the host's.
    pub fn sees(&self, lpn: Lpn, version: u32) -> bool {
        self.kept.iter().any(|(_, content)| content.get(lpn.index()) == Some(&version))
    }

    /// Snapshots and what they hold, the oldest first.
    pub fn kept(&self) -> impl Iterator<Item = (u32, &[u32])> {
        self.kept.iter().map(|(serial, content)| (*serial, content.as_slice()))
    }

    /// The version that a slot holds.
    pub fn of_slot(&self, slot: u32) -> u32 {
        self.slots[&slot]
    }

    /// A snapshot that there was before the run.
    pub fn begin_with(&mut self, serial: u32, content: Vec<u32>) {
        self.kept.push((serial, content));
    }

    /// Notes an event, `content` and `version` telling what the logical drive has; gives what the newest snapshot holds if the
    /// drive went back to it.
    pub fn note(
        &mut self,
        event: SnapshotEvent,
        content: impl FnOnce() -> Vec<u32>,
        version: impl FnOnce(Lpn) -> u32,
    ) -> Option<&[u32]> {
        match event {
            SnapshotEvent::Taken { serial } => self.kept.push((serial, content())),
            SnapshotEvent::Dropped { serial } => {
                let before = self.kept.len();
                self.kept.retain(|(kept, _)| *kept != serial);
                assert_eq!(self.kept.len() + 1, before, "snapshot {serial} was dropped and is not there");
            }
            SnapshotEvent::Buffered { lpn, slot } => {
                self.slots.insert(slot, version(lpn));
            }
            SnapshotEvent::RolledBack { serial } => {
                let (newest, content) = self.kept.last().expect("a drive goes back to a snapshot");
                assert_eq!(*newest, serial, "a drive goes back to its newest snapshot");
                return Some(content);
            }
            _ => {}
        }
        None
    }
}
