//! The candidates of a die in the order they were closed, for every policy that asks for the oldest.

use units::SuperblockId;

const NONE: u32 = u32::MAX;

/// Type of the list of a die's garbage collection candidates in the order in which they were closed, doubly linked
/// through superblock numbers: appending and removing cost O(1), and nothing is allocated after [`Self::attach`].
#[derive(Clone, Debug)]
pub(super) struct ClosingOrder {
    oldest: u32,
    newest: u32,
    next: Vec<u32>,
    previous: Vec<u32>,
}

impl Default for ClosingOrder {
    fn default() -> Self {
        Self { oldest: NONE, newest: NONE, next: Vec::new(), previous: Vec::new() }
    }
}

impl ClosingOrder {
    /// Prepares the list for superblocks below number `superblocks`; the list is empty afterwards.
    pub fn attach(&mut self, superblocks: u32) {
        let links = vec![NONE; superblocks as usize];
        *self = Self { oldest: NONE, newest: NONE, next: links.clone(), previous: links };
    }

    /// Appends `superblock`, which was closed just now, to the end of the list of garbage collection candidates in
    /// order of closing.
    pub fn push(&mut self, superblock: SuperblockId) {
        let before = std::mem::replace(&mut self.newest, superblock.0);
        match before {
            NONE => self.oldest = superblock.0,
            before => self.next[before as usize] = superblock.0,
        }
        self.previous[superblock.index()] = before;
        self.next[superblock.index()] = NONE;
    }

    /// Removes `superblock`, at any position, from the list of garbage collection candidates in order of closing.
    pub fn remove(&mut self, superblock: SuperblockId) {
        let (before, after) = (self.previous[superblock.index()], self.next[superblock.index()]);
        match before {
            NONE => self.oldest = after,
            before => self.next[before as usize] = after,
        }
        match after {
            NONE => self.newest = before,
            after => self.previous[after as usize] = before,
        }
    }

    /// Returns the superblock in the list that was closed first; `None` if the list is empty.
    pub fn oldest(&self) -> Option<SuperblockId> {
        (self.oldest != NONE).then_some(SuperblockId(self.oldest))
    }

    /// Returns the superblock in the list that was closed next after `superblock`; `None` if it is the newest.
    pub fn after(&self, superblock: SuperblockId) -> Option<SuperblockId> {
        let next = self.next[superblock.index()];
        (next != NONE).then_some(SuperblockId(next))
    }

    /// Returns the superblocks in the list, from the one closed first to the one closed last.
    pub fn iter(&self) -> impl Iterator<Item = SuperblockId> + '_ {
        let listed = |superblock: u32| (superblock != NONE).then_some(superblock);
        std::iter::successors(listed(self.oldest), move |&at| listed(self.next[at as usize]))
            .map(SuperblockId)
    }
}
