//! What a die's collection knows beside the superblock it empties: what was asked of it, and what it earns the host.

use super::Idle;
use crate::store::{Mover, NONE, Pace, Space};
use controller::Origin;
use std::collections::VecDeque;

/// The state of a die's collection.
pub(crate) struct Collection {
    pub mover: Mover,
    /// Superblocks that were taken together with their parity group, to be read in turn.
    pub taken: VecDeque<(u32, Origin)>,
    /// The superblock that the victim policy chose and that waits for the room it needs.
    pub declined: u32,
    /// Superblocks that must be relocated before any that the victim policy chooses.
    pub forced: VecDeque<(u32, Origin)>,
    /// True if the last victim was taken for refresh or scrub: a waiting host has its turn before the next
    /// victim.
    pub kept_data: bool,
    pub pace: Pace,
    pub background: bool,
    pub idle: Idle,
}

impl Collection {
    pub fn new() -> Self {
        Self {
            mover: Mover::new(),
            taken: VecDeque::new(),
            declined: NONE,
            forced: VecDeque::new(),
            kept_data: false,
            pace: Pace { credit: 0.0, rate: 0.0 },
            background: false,
            idle: Idle::default(),
        }
    }

    /// Returns the most units that will still be moved for victims already taken.
    #[inline]
    pub fn reserved_units(&self, space: &Space, die: usize) -> u32 {
        let valid = |superblock: u32| space.valid[space.global(die, superblock)];
        let victim = if self.mover.has_victim() { valid(self.mover.victim) } else { 0 };
        let taken: u32 = self.taken.iter().map(|(taken, _)| valid(*taken)).sum();
        self.mover.units_in_hand() + victim + taken
    }

    /// Returns the superblocks that the collection is working on or has queued.
    pub fn in_hand(&self) -> impl Iterator<Item = u32> {
        let listed = self.mover.pending.iter().chain(&self.taken).map(|(superblock, _)| *superblock);
        listed.chain(self.mover.has_victim().then_some(self.mover.victim))
    }

    /// Returns the number of superblocks that the collection is working on or has queued.
    pub fn under_way(&self) -> usize {
        self.mover.pending.len() + self.taken.len() + usize::from(self.mover.has_victim())
    }

    /// Asks for a superblock to be relocated; at most one request of wear levelling waits, and no
    /// superblock waits twice for refresh or scrub.
    pub fn force(&mut self, superblock: u32, origin: Origin) {
        let vain = match origin {
            Origin::Wear => !self.forced.is_empty(),
            _ if origin.keeps_data() => self.forced.iter().any(|(asked, _)| *asked == superblock),
            _ => false,
        };
        if !vain {
            self.forced.push_back((superblock, origin));
        }
    }

    /// True when the collection moves a superblock for refresh or scrub, or is about to.
    pub fn keeps_data(&self) -> bool {
        (self.mover.has_victim() && self.mover.origin.keeps_data())
            || self.forced.iter().any(|(_, origin)| origin.keeps_data())
    }

    /// True if a superblock waits to be relocated, and nothing is being collected.
    #[inline]
    pub fn is_asked(&self) -> bool {
        !self.mover.has_victim() && !self.forced.is_empty()
    }

    /// Spends the room that collection earned the host, for one unit that the host wrote.
    #[inline]
    pub fn spend(&mut self) {
        if self.is_pacing() {
            self.pace.credit -= 1.0;
        }
    }

    /// True when the host must let the collection catch up.
    #[inline]
    pub fn holds_host_back(&self) -> bool {
        self.is_pacing() && self.pace.credit < 0.0
    }

    #[inline]
    pub fn is_pacing(&self) -> bool {
        self.mover.has_victim() && self.pace.rate > 0.0 && !self.background
    }

    /// Returns the number of superblocks that will be free when the operations in flight have ended.
    #[inline]
    pub fn expected_superblocks(&self) -> u32 {
        self.mover.erasing + self.under_way() as u32
    }

    /// Returns the state of the collection in words, for messages.
    pub fn describe(&self) -> String {
        format!("collection: {}, forced {}", self.mover.describe(), self.forced.len())
    }
}
