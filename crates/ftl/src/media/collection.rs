//! What a die has in hand of superblocks that are emptied.

use super::IdleTimer;
use crate::store::{NONE, Space};
use controller::Origin;
use std::collections::VecDeque;
use units::{Ppa, SimTime};

/// Victims that are read completely but still wait for the programs of their last units.
pub(crate) const PENDING_MAX: usize = 4;

/// Program units that the host may save up while a collection runs.
const CREDIT_PROGRAMS: u32 = 4;

/// The state of a die's collection.
pub(crate) struct Collection {
    pub victim: u32,
    pub origin: Origin,
    pub next_row: u32,
    pub reading_rows: u32,
    pub reading_units: u32,
    pub pending: Vec<(u32, Origin)>,
    /// Superblocks taken with their group, where there is parity: to be read when it is their turn.
    pub taken: VecDeque<(u32, Origin)>,
    /// The victim policy's choice, waiting for the room it needs.
    pub declined: u32,
    pub erasing: u32,
    /// Superblocks that must be relocated whatever the victim policy says.
    pub forced: VecDeque<(u32, Origin)>,
    /// Units read, or to be moved again, for which there was no open superblock.
    pub backlog: VecDeque<(Ppa, Origin)>,
    /// The victim before was taken for the data's sake: where the host waits, it has a turn before the next one.
    pub kept_data: bool,
    /// Host units the collection has earned: see [`Collection::earn`].
    pub credit: f64,
    /// Host units earned by each unit moved.
    pub rate: f64,
    pub background: bool,
    pub timer: IdleTimer,
    pub rewrite_timer: IdleTimer,
    pub fold_timer: IdleTimer,
    pub idle_since: SimTime,
}

impl Collection {
    pub fn new() -> Self {
        Self {
            victim: NONE,
            origin: Origin::Gc,
            next_row: 0,
            reading_rows: 0,
            reading_units: 0,
            pending: Vec::with_capacity(PENDING_MAX),
            taken: VecDeque::new(),
            declined: NONE,
            erasing: 0,
            forced: VecDeque::new(),
            backlog: VecDeque::new(),
            kept_data: false,
            credit: 0.0,
            rate: 0.0,
            background: false,
            timer: IdleTimer::default(),
            rewrite_timer: IdleTimer::default(),
            fold_timer: IdleTimer::default(),
            idle_since: SimTime::ZERO,
        }
    }

    /// At most this many units will still be moved for victims already taken.
    #[inline]
    pub fn reserved_units(&self, space: &Space, die: usize) -> u32 {
        let victim = if self.victim == NONE { 0 } else { space.valid[space.global(die, self.victim)] };
        let taken: u32 = self.taken.iter().map(|(taken, _)| space.valid[space.global(die, *taken)]).sum();
        self.reading_units + self.backlog.len() as u32 + victim + taken
    }

    /// The superblocks it has in hand.
    pub fn in_hand(&self) -> impl Iterator<Item = u32> {
        let listed = self.pending.iter().chain(&self.taken).map(|(superblock, _)| *superblock);
        listed.chain((self.victim != NONE).then_some(self.victim))
    }

    /// How many superblocks it has in hand.
    pub fn under_way(&self) -> usize {
        self.pending.len() + self.taken.len() + usize::from(self.victim != NONE)
    }

    /// Takes the next superblock that was asked for.
    pub fn take_forced(&mut self) -> Option<(u32, Origin)> {
        self.forced.pop_front()
    }

    /// A superblock was read completely and waits for what it held to be programmed elsewhere.
    pub fn is_pending(&self, superblock: u32) -> bool {
        self.pending.iter().any(|(pending, _)| *pending == superblock)
    }

    /// A superblock that was read completely is being erased. Gives on whose behalf, if it was in hand.
    pub fn begin_erase(&mut self, superblock: u32) -> Option<Origin> {
        let at = self.pending.iter().position(|(pending, _)| *pending == superblock)?;
        self.erasing += 1;
        Some(self.pending.swap_remove(at).1)
    }

    /// Asks for a superblock to be relocated; at most one request of wear levelling waits, and none twice for its data's
    /// sake.
    pub fn force(&mut self, superblock: u32, origin: Origin) {
        let vain = match origin {
            Origin::Wear => !self.forced.is_empty(),
            Origin::Refresh | Origin::Scrub => self.forced.iter().any(|(asked, _)| *asked == superblock),
            _ => false,
        };
        if !vain {
            self.forced.push_back((superblock, origin));
        }
    }

    /// It moves a superblock for its data's sake, or is about to.
    pub fn keeps_data(&self) -> bool {
        let keeps = |origin: Origin| matches!(origin, Origin::Refresh | Origin::Scrub);
        (self.victim != NONE && keeps(self.origin)) || self.forced.iter().any(|(_, origin)| keeps(*origin))
    }

    /// A superblock waits to be relocated, and nothing is being collected.
    #[inline]
    pub fn is_asked(&self) -> bool {
        self.victim == NONE && !self.forced.is_empty()
    }

    /// Moving `units` earns the host the right to write as many units as the victim gives back for them.
    /// Without this, the host runs ahead until nothing is free and then waits for a whole superblock to be
    /// collected: seconds of silence on a drive with large superblocks.
    #[inline]
    pub fn earn(&mut self, units: f64, program_units: u32) {
        // What the host did not use is soon forfeit, or it would run ahead after each wait.
        let most = f64::from(CREDIT_PROGRAMS * program_units);
        self.credit = (self.credit + units * self.rate).min(most);
    }

    /// The host wrote a unit.
    #[inline]
    pub fn spend(&mut self) {
        if self.is_pacing() {
            self.credit -= 1.0;
        }
    }

    /// True when the host must let the collection catch up.
    #[inline]
    pub fn holds_host_back(&self) -> bool {
        self.is_pacing() && self.credit < 0.0
    }

    #[inline]
    pub fn is_pacing(&self) -> bool {
        self.victim != NONE && self.rate > 0.0 && !self.background
    }

    /// Superblocks that will be free when what is under way has come to its end.
    #[inline]
    pub fn expected_superblocks(&self) -> u32 {
        self.erasing + self.under_way() as u32
    }

    /// What it is doing, for messages.
    pub fn describe(&self) -> String {
        format!(
            "collection: victim {}, row {}, reading {} rows, pending {:?}, erasing {}, forced {}, backlog {}",
            if self.victim == NONE { "none".to_owned() } else { self.victim.to_string() },
            self.next_row,
            self.reading_rows,
            self.pending,
            self.erasing,
            self.forced.len(),
            self.backlog.len()
        )
    }
}
