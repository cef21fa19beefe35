//! What a die's collection knows beside the superblock it empties: what was asked of it, and what it earns the host.

use super::Idle;
use super::Turns;
use crate::store::{Mover, NONE, Pace, Space};
use controller::Origin;
use std::collections::VecDeque;

/// State of the garbage collection of one die: the superblocks that it relocates or has queued, and the host's write
/// credit.
pub(crate) struct Collection {
    pub mover: Mover,
    /// Queue of the superblocks that garbage collection took together with the other members of their parity groups,
    /// and that it will read one after the other.
    pub taken: VecDeque<(u32, Origin)>,
    /// Number, within the die, of the superblock that the victim policy chose and that waits until the die has enough
    /// free space to relocate its units; `NONE` if there is none.
    pub declined: u32,
    /// Queue of the superblocks that must be relocated before any victim that the victim policy chooses (for wear
    /// levelling, refresh, scrub or a failed program), each with the reason.
    pub forced: VecDeque<(u32, Origin)>,
    /// True if the superblock last taken from the queue `forced` was taken for refresh or background scrub: while host
    /// writes wait or free superblocks are short, the next such superblock is put off once; victims of the policy are
    /// not.
    pub kept_data: bool,
    pub pace: Pace,
    pub background: bool,
    pub idle: Idle,
    /// Counts of how garbage collection and the host shared the die since the drive was made.
    pub seen: CollectionInTime,
}

/// Counts of how garbage collection and the host share dies, since the drive was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollectionInTime {
    /// Number of mapping units that garbage collection of a die moved while programs of the host waited or were in
    /// progress on the die.
    pub moved: u64,
    /// Number of mapping units of host data that a die took while its garbage collection was emptying a superblock.
    pub written: u64,
    /// Number of all mapping units of host data that dies took, with or without garbage collection in progress.
    pub host_units: u64,
    /// Number of program units that the host began on dies, whether they were filled or padded.
    pub host_programs: u64,
}

impl CollectionInTime {
    /// Returns a record of counts, each of which the function `both` calculates from the same count in `self` and in
    /// `other`.
    fn with(self, other: Self, both: fn(u64, u64) -> u64) -> Self {
        Self {
            moved: both(self.moved, other.moved),
            written: both(self.written, other.written),
            host_units: both(self.host_units, other.host_units),
            host_programs: both(self.host_programs, other.host_programs),
        }
    }

    /// Returns the counts of how garbage collection and the host shared dies since `earlier`, an older copy of the
    /// counts.
    pub fn since(self, earlier: Self) -> Self {
        self.with(earlier, |now, then| now - then)
    }

    /// Returns the sums of these counts (of how garbage collection and the host share dies) and of `other`, such as the
    /// counts of another die.
    pub fn and(self, other: Self) -> Self {
        self.with(other, |one, another| one + another)
    }
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
            seen: CollectionInTime::default(),
        }
    }

    /// Returns an upper bound of the number of mapping units that must still be relocated out of the victims that
    /// garbage collection has taken on the die.
    #[inline]
    pub fn reserved_units(&self, space: &Space, die: usize) -> u32 {
        let valid = |superblock: u32| space.valid[space.global(die, superblock)];
        let victim = if self.mover.has_victim() { valid(self.mover.victim) } else { 0 };
        let taken: u32 = self.taken.iter().map(|(taken, _)| valid(*taken)).sum();
        self.mover.units_in_hand() + victim + taken
    }

    /// Returns the superblocks (numbered within the die) that garbage collection has taken: queued, being read, or
    /// waiting until the programs of their moved units end.
    pub fn in_hand(&self) -> impl Iterator<Item = u32> {
        let listed = self.mover.pending.iter().chain(&self.taken).map(|(superblock, _)| *superblock);
        listed.chain(self.mover.has_victim().then_some(self.mover.victim))
    }

    /// Returns the number of superblocks that garbage collection has taken: queued, being read, or waiting until the
    /// programs of their moved units end.
    pub fn under_way(&self) -> usize {
        self.mover.pending.len() + self.taken.len() + usize::from(self.mover.has_victim())
    }

    /// Queues a superblock to be relocated before any victim that the victim policy chooses. Wear levelling adds none
    /// while another superblock is queued, and no superblock is queued twice for refresh or scrub.
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

    /// Returns true if garbage collection is relocating a superblock for refresh or scrub, or has one queued.
    pub fn keeps_data(&self) -> bool {
        (self.mover.has_victim() && self.mover.origin.keeps_data())
            || self.forced.iter().any(|(_, origin)| origin.keeps_data())
    }

    /// Returns true if a superblock is queued to be relocated (for wear levelling, refresh, scrub or a failed program)
    /// and garbage collection has no victim at present.
    #[inline]
    pub fn is_asked(&self) -> bool {
        !self.mover.has_victim() && !self.forced.is_empty()
    }

    /// Counts a mapping unit of host data that the die takes and, while garbage collection throttles the host,
    /// subtracts it from the write credit that garbage collection has earned the host.
    #[inline]
    pub fn spend(&mut self) {
        self.seen.written += u64::from(self.mover.has_victim());
        self.seen.host_units += 1;
        if self.is_pacing() {
            self.pace.credit -= 1.0;
        }
    }

    /// Notes that the host begins a program unit on the die: background collection of the idle die ends.
    #[inline]
    pub fn end_idleness(&mut self) {
        self.background = false;
        self.seen.host_programs += 1;
    }

    /// Gives the host write credit (units that it may write while garbage collection throttles it) for `units` units
    /// that the collection of the die moved. `host_programs` is the number of programs of the host that wait or are in
    /// progress on the die; above 0, the units count as moved beside the host. `turns` limits the credit.
    #[inline]
    pub fn earn(&mut self, units: u32, turns: &Turns, program_units: u32, host_programs: u32) {
        if host_programs > 0 {
            self.seen.moved += u64::from(units);
        }
        self.pace.earn(f64::from(units), turns.credit_most(program_units, self.pace.rate));
    }

    /// Returns true if the host has used up its write credit and must wait until garbage collection has moved more
    /// units.
    #[inline]
    pub fn holds_host_back(&self) -> bool {
        self.is_pacing() && self.pace.credit < 0.0
    }

    #[inline]
    pub fn is_pacing(&self) -> bool {
        self.mover.has_victim() && self.pace.rate > 0.0 && !self.background
    }

    /// Returns the number of superblocks that will be free again when the erases in progress, and the relocation of all
    /// superblocks that garbage collection has taken, have ended.
    #[inline]
    pub fn expected_superblocks(&self) -> u32 {
        self.mover.erasing + self.under_way() as u32
    }

    /// Returns the state of the die's garbage collection as text, for messages.
    pub fn describe(&self) -> String {
        format!("collection: {}, forced {}", self.mover.describe(), self.forced.len())
    }
}
