//! What must be written anew, and when.

use super::Regulation;
use units::{Nanos, SimTime};

impl Regulation {
    /// When the superblock of the program issued last has to be looked at, if that was not said before.
    pub(crate) fn take_due(&mut self) -> Option<SimTime> {
        self.newly_due.take()
    }

    /// Notes when the data that a superblock holds before time begins must be written anew, and gives that.
    pub(crate) fn due_from_start(&mut self, superblock: usize) -> Option<SimTime> {
        let cost = usize::from(self.row_cost[superblock * self.rows as usize]);
        let refresh = self.table.costs[cost].refresh?.ns().min(i64::MAX as u64);
        let due = SimTime::from_ns(self.opened_at[superblock].saturating_add(refresh as i64).max(0) as u64);
        self.due[superblock] = due;
        Some(due)
    }

    /// From now on nothing falls due: the host is gone.
    pub(crate) fn forget_due(&mut self) {
        self.due.fill(SimTime::NEVER);
        self.reclaims = false;
        self.table.costs.iter_mut().for_each(|cost| cost.refresh = None);
    }

    /// Since when the superblock holds data that must be written anew; none where that is yet to come.
    pub(crate) fn due_since(&self, superblock: usize, now: SimTime) -> Option<SimTime> {
        (self.due[superblock] <= now).then_some(self.due[superblock])
    }

    /// When a superblock was opened, in ns; negative: before the run.
    pub(crate) fn opened_at(&self, superblock: usize) -> i64 {
        self.opened_at[superblock]
    }

    /// The shortest time after which a way to write wants its data written anew.
    pub(crate) fn shortest_refresh(&self) -> Option<Nanos> {
        self.table.costs.iter().filter_map(|cost| cost.refresh).min()
    }

    /// How often a page is sensed when nothing is in doubt.
    pub(crate) fn hard_senses(&self) -> u64 {
        u64::from(self.readings[0].senses)
    }

    /// A superblock that was read as often as was reckoned with.
    #[inline]
    pub(crate) fn take_worn_by_reads(&mut self) -> Option<u32> {
        self.worn_by_reads.pop()
    }
}
