//! What happens at set times, apart from what the host asks for: snapshots of the logical drive, and going back to them.

use super::SnapshotRules;
use units::{Nanos, SimTime};

/// Kind of snapshot work that is due at a set time of the run: taking a snapshot, or rolling back to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Snapshot,
    Rollback,
}

/// Record of the times at which a run has yet to take snapshots and to roll back to a snapshot.
#[derive(Default)]
pub(super) struct Moments {
    every: Option<Nanos>,
    next: Option<SimTime>,
    at: Vec<Nanos>,
    rollback_at: Vec<Nanos>,
}

impl Moments {
    /// Makes the list of all times of snapshots and rollbacks that `rules` give for a run.
    pub fn of(rules: &SnapshotRules) -> Self {
        // The last is the next to come.
        let (mut at, mut rollback_at) = (rules.at.clone(), rules.rollback_at.clone());
        at.reverse();
        rollback_at.reverse();
        Self {
            every: rules.every,
            next: rules.every.map(|every| SimTime::from_ns(every.ns())),
            at,
            rollback_at,
        }
    }

    /// Returns the next set time of the run and the kind of snapshot work due then, taking or rolling back; a snapshot
    /// comes before a rollback of the same time. `None` if no time is left.
    pub fn first(&self) -> Option<(SimTime, Moment)> {
        let moment = |list: &Vec<Nanos>| list.last().map(|moment| SimTime::ZERO + *moment);
        let snapshot = self.next.into_iter().chain(moment(&self.at)).min();
        match (snapshot, moment(&self.rollback_at)) {
            (Some(snapshot), Some(rollback)) if rollback < snapshot => Some((rollback, Moment::Rollback)),
            (Some(snapshot), _) => Some((snapshot, Moment::Snapshot)),
            (None, rollback) => rollback.map(|rollback| (rollback, Moment::Rollback)),
        }
    }

    /// Removes all set times of snapshots and rollbacks, so that none falls due any more.
    pub fn end(&mut self) {
        *self = Self::default();
    }

    /// Removes all set times of snapshots and rollbacks before `now`, which passed while the drive was without power.
    pub fn skip_to(&mut self, now: SimTime) {
        while let Some((time, due)) = self.first().filter(|(time, _)| *time < now) {
            self.pass(time, due);
        }
    }

    /// Removes the set time `now` of the work `due`, a snapshot or a rollback, from the list; two snapshots due at the
    /// same time count as one.
    pub fn pass(&mut self, now: SimTime, due: Moment) {
        let moment = |list: &Vec<Nanos>| list.last().map(|moment| SimTime::ZERO + *moment);
        if due == Moment::Rollback {
            self.rollback_at.pop();
            return;
        }
        if self.next == Some(now) {
            self.next = self.every.map(|every| SimTime::from_ns(now.ns().saturating_add(every.ns())));
        }
        if moment(&self.at) == Some(now) {
            self.at.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::snapshots::WhenFull;

    #[test]
    fn moments_come_in_order_and_a_snapshot_comes_before_a_rollback() {
        let rules = SnapshotRules {
            every: Some(Nanos::new(10)),
            at: vec![Nanos::new(5), Nanos::new(20), Nanos::new(25)],
            rollback_at: vec![Nanos::new(20), Nanos::new(22)],
            keep: 1,
            when_full: WhenFull::Drop,
            space_ratio: 0.5,
        };
        let mut moments = Moments::of(&rules);
        let mut seen = Vec::new();
        while let Some((time, due)) = moments.first().filter(|(time, _)| time.ns() <= 30) {
            seen.push((time.ns(), due));
            moments.pass(time, due);
        }
        let (snapshot, rollback) = (Moment::Snapshot, Moment::Rollback);
        assert_eq!(
            seen,
            [
                (5, snapshot),
                (10, snapshot),
                (20, snapshot),
                (20, rollback),
                (22, rollback),
                (25, snapshot),
                (30, snapshot)
            ]
        );
        assert_eq!(Moments::default().first(), None);
    }
}
