//! What must be written anew, and when.

use super::Reckoned;
use super::Regulation;
use crate::agenda::{Due, Work};
use crate::core::Core;
use controller::Origin;
use engine::Calendar;
use units::SimTime;

/// When the data of superblocks must be rewritten.
pub(super) struct DueTimes {
    /// For each superblock of the drive; `NEVER`: not at all.
    pub at: Vec<SimTime>,
    /// The due time of the program issued last, where it is earlier than the superblock's due time was before.
    pub newly: Option<SimTime>,
    /// Superblocks read as often as was reckoned with, where such ones are moved.
    pub worn_by_reads: Vec<u32>,
    pub reclaims: bool,
}

impl DueTimes {
    /// No superblock is due.
    pub fn new(superblocks: usize, reckoned: &Reckoned) -> Self {
        Self {
            at: vec![SimTime::NEVER; superblocks],
            newly: None,
            worn_by_reads: Vec::new(),
            reclaims: reckoned.reclaim,
        }
    }

    /// Forgets the due time of a superblock that takes new data.
    pub fn forget(&mut self, superblock: usize) {
        self.at[superblock] = SimTime::NEVER;
    }

    /// Notes that data written to a superblock now must be written anew by `due`.
    pub fn advance(&mut self, superblock: usize, due: SimTime, now: SimTime) {
        if due < self.at[superblock] {
            self.newly = Some(due.max(now));
            self.at[superblock] = due;
        }
    }

    /// Notes that a superblock has had as many reads as are planned for: its data are due until they are
    /// rewritten.
    pub fn note_worn_by_reads(&mut self, superblock: usize, now: SimTime) {
        if self.reclaims {
            self.worn_by_reads.push(superblock as u32);
            self.at[superblock] = self.at[superblock].min(now);
        }
    }
}

impl Regulation {
    /// Notes when the data that a superblock holds before time begins must be rewritten, and returns that time.
    pub(super) fn due_from_start(&mut self, superblock: usize) -> Option<SimTime> {
        let cost = self.rows.of(superblock as u32 * self.rows.per_superblock);
        let refresh = self.table.costs[cost].refresh?.ns().min(i64::MAX as u64);
        let due =
            SimTime::from_ns(self.ages.opened_at[superblock].saturating_add(refresh as i64).max(0) as u64);
        self.due.at[superblock] = due;
        Some(due)
    }

    /// Asks for a superblock to be rewritten as soon as its die has time for it.
    pub(super) fn ask_upkeep(
        &self,
        core: &mut Core,
        (superblock, origin): (u32, Origin),
        since: SimTime,
        calendar: &mut Calendar,
    ) {
        let die = (superblock / core.store.space.per_die) as usize;
        if !core.is_written_anew(superblock) {
            return; // It is being emptied: its own reads may have worn it out.
        }
        let Some(agenda) = &mut core.agenda else { return };
        if std::mem::replace(&mut agenda.waits[superblock as usize], true) {
            return;
        }
        let of = &mut agenda.dies[die];
        of.due.push_back(Due { superblock, since, origin, opened: self.ages.opened_at[superblock as usize] });
        if !of.has_turn {
            of.has_turn = true;
            let at = of.free_at;
            agenda.enter(at, Work::Turn(die as u32), calendar);
        }
    }
}
