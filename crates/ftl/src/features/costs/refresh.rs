//! What must be written anew, and when.

use super::Reckoned;
use super::Regulation;
use super::load::DieLoad;
use super::unit_notes::QUEUED;
use crate::agenda::{Due, Work};
use crate::core::Core;
use crate::saved::Untaken;
use controller::Origin;
use engine::Calendar;
use units::SimTime;

/// When superblocks hold data that must be written anew.
pub(super) struct DueTimes {
    /// Of each superblock of the drive.
    at: Vec<SimTime>,
    /// That of the program issued last, where it is earlier than was known.
    newly: Option<SimTime>,
    /// Superblocks read as often as was reckoned with, where such ones are moved.
    worn_by_reads: Vec<u32>,
    reclaims: bool,
}

impl DueTimes {
    /// Nothing is due.
    pub fn new(superblocks: usize, reckoned: &Reckoned) -> Self {
        Self {
            at: vec![SimTime::NEVER; superblocks],
            newly: None,
            worn_by_reads: Vec::new(),
            reclaims: reckoned.reclaim,
        }
    }

    /// A superblock takes new data.
    pub fn forget(&mut self, superblock: usize) {
        self.at[superblock] = SimTime::NEVER;
    }

    /// Data written to a superblock now must be written anew by `due`.
    pub fn advance(&mut self, superblock: usize, due: SimTime, now: SimTime) {
        if due < self.at[superblock] {
            self.newly = Some(due.max(now));
            self.at[superblock] = due;
        }
    }

    /// A superblock was read as often as was reckoned with: its data are due, until they are written anew.
    pub fn note_worn_by_reads(&mut self, superblock: usize, now: SimTime) {
        if self.reclaims {
            self.worn_by_reads.push(superblock as u32);
            self.at[superblock] = self.at[superblock].min(now);
        }
    }
}

impl Regulation {
    /// When the superblock of the program issued last has to be looked at, if that was not said before.
    pub(super) fn take_due(&mut self) -> Option<SimTime> {
        self.due.newly.take()
    }

    /// Notes when the data that a superblock holds before time begins must be written anew, and gives that.
    pub(super) fn due_from_start(&mut self, superblock: usize) -> Option<SimTime> {
        let cost = self.rows.of(superblock as u32 * self.rows.per_superblock);
        let refresh = self.table.costs[cost].refresh?.ns().min(i64::MAX as u64);
        let due =
            SimTime::from_ns(self.ages.opened_at[superblock].saturating_add(refresh as i64).max(0) as u64);
        self.due.at[superblock] = due;
        Some(due)
    }

    /// From now on nothing falls due: the host is gone.
    pub(super) fn forget_due(&mut self) {
        self.due.at.fill(SimTime::NEVER);
        self.due.reclaims = false;
        self.table.costs.iter_mut().for_each(|cost| cost.refresh = None);
    }

    /// The power is gone, and with it what was to be done; what the data went through stays.
    pub(super) fn forget_plans(&mut self) {
        for die in &mut self.dies {
            for lpn in std::mem::replace(die, DieLoad::IDLE).rewrites {
                self.notes.set(lpn, self.notes.of(lpn) & !QUEUED);
                self.counts.rewrites_dropped += 1;
            }
        }
        self.due.newly = None;
        self.due.worn_by_reads.clear();
    }

    /// Since when the superblock holds data that must be written anew; none where that is yet to come.
    pub(super) fn due_since(&self, superblock: usize, now: SimTime) -> Option<SimTime> {
        Some(self.due.at[superblock]).filter(|due| *due <= now)
    }

    /// How long ago what each superblock holds was written, beside the age that the drive's file gives all.
    ///
    /// # Errors
    /// When these are the ages of other superblocks.
    pub(super) fn set_ages(&mut self, ages_ns: &[u64]) -> Result<(), String> {
        if ages_ns.len() != self.ages.opened_at.len() {
            return Err(Untaken::misfit());
        }
        for (opened_at, &age_ns) in self.ages.opened_at.iter_mut().zip(ages_ns) {
            *opened_at = opened_at.saturating_sub_unsigned(age_ns.min(1 << 62)).max(-i64::MAX / 2);
        }
        Ok(())
    }

    /// When a superblock was opened, in ns; negative: before the run.
    pub(super) fn opened_at(&self, superblock: usize) -> i64 {
        self.ages.opened_at[superblock]
    }

    /// A superblock that was read as often as was reckoned with.
    #[inline]
    pub(super) fn take_worn_by_reads(&mut self) -> Option<u32> {
        self.due.worn_by_reads.pop()
    }

    /// What the drive holds when time begins must be written anew some day, too.
    pub(super) fn enter_all_due(&mut self, core: &mut Core, calendar: &mut Calendar) {
        for superblock in 0..core.store.layout.superblocks() {
            if core.store.space.valid[superblock] > 0
                && let Some(due) = self.due_from_start(superblock)
            {
                core.enter_upkeep(due.max(calendar.now()), Work::Refresh(superblock as u32), calendar);
            }
        }
    }

    /// A superblock is to be written anew as soon as its die has time for that.
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
        of.due.push_back(Due { superblock, since, origin, opened: self.opened_at(superblock as usize) });
        if !of.has_turn {
            of.has_turn = true;
            let at = of.free_at;
            agenda.enter(at, Work::Turn(die as u32), calendar);
        }
    }
}
