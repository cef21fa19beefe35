//! What must be written anew, and when.

use super::Reckoned;
use super::Regulation;
use crate::agenda::{Due, Work};
use crate::core::Core;
use controller::Origin;
use engine::Calendar;
use units::SimTime;

/// Record of the superblocks whose data must be rewritten: by age (refresh, with the time for each superblock) or after
/// many reads (read reclaim).
pub(super) struct DueTimes {
    /// For each superblock of the drive, the time at which its data must be relocated for refresh or read reclaim;
    /// `NEVER`: not at all.
    pub at: Vec<SimTime>,
    /// Refresh time that the program being issued sets for its superblock, if it is earlier than the superblock's
    /// previous refresh time; `None` while no such new time waits for its timer event to be scheduled.
    pub newly: Option<SimTime>,
    /// List of the superblocks that have reached the number of reads up to which reads are planned, and must be
    /// relocated (read reclaim); always empty on a drive without read reclaim.
    pub worn_by_reads: Vec<u32>,
    pub reclaims: bool,
}

impl DueTimes {
    /// Makes the record of refresh times of `superblocks` superblocks, none of which is due.
    pub fn new(superblocks: usize, reckoned: &Reckoned) -> Self {
        Self {
            at: vec![SimTime::NEVER; superblocks],
            newly: None,
            worn_by_reads: Vec::new(),
            reclaims: reckoned.reclaim,
        }
    }

    /// Cancels the refresh time of a superblock that begins to take new data: it is `NEVER` until a program of the new
    /// data sets another.
    pub fn forget(&mut self, superblock: usize) {
        self.at[superblock] = SimTime::NEVER;
    }

    /// Sets the refresh time of a superblock to `due` if `due` is earlier than its present one; the timer event for the
    /// new time is still to be scheduled (`newly`).
    pub fn advance(&mut self, superblock: usize, due: SimTime, now: SimTime) {
        if due < self.at[superblock] {
            self.newly = Some(due.max(now));
            self.at[superblock] = due;
        }
    }

    /// Makes a superblock due for relocation now because it has had the number of reads up to which reads are planned
    /// (read reclaim); does nothing on a drive without read reclaim.
    pub fn note_worn_by_reads(&mut self, superblock: usize, now: SimTime) {
        if self.reclaims {
            self.worn_by_reads.push(superblock as u32);
            self.at[superblock] = self.at[superblock].min(now);
        }
    }
}

impl Regulation {
    /// Sets, and returns, the refresh time of a superblock with data from before the run: the time by which the data
    /// must be rewritten; `None` if their write cost (way to program a page) needs no refresh.
    pub(super) fn due_from_start(&mut self, superblock: usize) -> Option<SimTime> {
        let cost = self.rows.of(superblock as u32 * self.rows.per_superblock);
        let refresh = self.table.costs[cost].refresh?.ns().min(i64::MAX as u64);
        let due =
            SimTime::from_ns(self.ages.opened_at[superblock].saturating_add(refresh as i64).max(0) as u64);
        self.due.at[superblock] = due;
        Some(due)
    }

    /// Queues a superblock on its die to be relocated for refresh or background scrub, once the time that the drive
    /// spends on such work allows; does nothing if the superblock is queued already or being collected.
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
