//! Reclaim units: which of them each placement handle fills in each reclaim group, and when it begins another one.
//!
//! A handle goes on to another unit when the superblocks of the one before are full, when the host asks for it, and when
//! the unit is older than a limit. What the host asks for holds for data that it writes from then on: what is still in
//! the buffer joins the unit that it was written for.

use std::collections::VecDeque;
use units::{Nanos, SimTime};

/// Constant: bit of a saved number of opened superblocks that is set if the host asked for another reclaim unit which
/// is not begun yet.
const ASKED_FOR: u64 = 1 << 63;

/// Kind of reason for which a reclaim unit takes no more data although it is not full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitEnd {
    /// Case of reason for the end of a reclaim unit that is not full: the host asked for another reclaim unit.
    Asked,
    /// Case of reason for the end of a reclaim unit that is not full: it is open for longer than the drive allows.
    TooOld,
}

/// State of the reclaim units of a drive; arrays have an entry for each placement handle in each reclaim group.
pub(crate) struct ReclaimUnits {
    /// Number of superblocks of a reclaim unit.
    pub superblocks: u64,
    /// Setting: greatest time for which a reclaim unit takes data; `None` without a limit.
    pub time_limit: Option<Nanos>,
    /// For each placement handle in each reclaim group, the number of superblocks opened so far; a reclaim unit that
    /// was ended early counts as if all of its superblocks had been opened.
    opened: Vec<u64>,
    /// For each placement handle in each reclaim group: true if the handle's last reclaim unit was ended before it was
    /// full, and the handle has not begun another one.
    ended: Vec<bool>,
    /// For each placement handle in each reclaim group, the queue of the host's requests for another reclaim unit that
    /// no data have followed yet, each as its ordinal number among all such requests of the host.
    asked: Vec<VecDeque<u32>>,
    /// For each placement handle in each reclaim group, the time at which the present reclaim unit was begun.
    begun_at: Vec<SimTime>,
    /// Number of requests for another reclaim unit, of any placement handle, that the host has made so far.
    pub requests: u32,
    /// Field: simulated time at which the last unit left the write buffer, to which the age of a reclaim unit is
    /// counted.
    pub now: SimTime,
}

impl ReclaimUnits {
    /// Makes the state of reclaim units of `superblocks` superblocks, none of which is begun, for `count` pairs of a
    /// handle and a group.
    pub fn new(count: usize, superblocks: u64, time_limit: Option<Nanos>) -> Self {
        Self {
            superblocks,
            time_limit,
            opened: vec![0; count],
            ended: vec![false; count],
            asked: vec![VecDeque::new(); count],
            begun_at: vec![SimTime::ZERO; count],
            requests: 0,
            now: SimTime::ZERO,
        }
    }

    /// Counts a superblock that is opened; returns whether it is the first of a reclaim unit, and whether that unit is
    /// begun because the one before is full.
    pub fn note_opened(&mut self, at: usize) -> (bool, bool) {
        let is_first = self.opened[at].is_multiple_of(self.superblocks);
        let follows = is_first && self.opened[at] > 0 && !self.ended[at];
        if is_first {
            (self.ended[at], self.begun_at[at]) = (false, self.now);
        }
        self.opened[at] += 1;
        (is_first, follows)
    }

    /// Records that the host asks for another reclaim unit for the data that it writes from now on.
    pub fn ask(&mut self, at: usize) {
        self.asked[at].push_back(self.requests);
    }

    /// Returns the reason why the open reclaim unit must end before data that the host wrote after `after` requests for
    /// another unit; `None` if it need not end. Removes the requests that these data follow from the queue.
    pub fn ends(&mut self, at: usize, after: u32) -> Option<UnitEnd> {
        let mut is_asked = false;
        while self.asked[at].front().is_some_and(|request| *request <= after) {
            self.asked[at].pop_front();
            is_asked = true;
        }
        // A drive that lives on in another run has a clock that begins anew.
        let age = self.now.ns().saturating_sub(self.begun_at[at].ns());
        let is_too_old = self.time_limit.is_some_and(|limit| age > limit.ns());
        match is_asked {
            true => Some(UnitEnd::Asked),
            false => is_too_old.then_some(UnitEnd::TooOld),
        }
    }

    /// Ends the open reclaim unit of a handle in a group before it is full: the next superblock is the first of another
    /// unit. Returns the number of superblocks of the ended unit that were not opened.
    pub fn end(&mut self, at: usize) -> u64 {
        let unopened = self.to_open(at);
        self.opened[at] += unopened;
        (self.ended[at], self.begun_at[at]) = (true, self.now);
        unopened
    }

    /// Returns the number of superblocks of the present reclaim unit that are not opened yet; 0 between two units.
    pub fn to_open(&self, at: usize) -> u64 {
        self.opened[at].next_multiple_of(self.superblocks) - self.opened[at]
    }

    /// Returns true if the next data begin another reclaim unit because the host asked for it.
    pub fn is_asked_for(&self, at: usize) -> bool {
        !self.asked[at].is_empty()
    }

    /// Restores, after a power cut, the progress of the reclaim units from the state `before` the cut; requests of the
    /// host that had no effect yet are forgotten, as the host must expect of a drive whose power failed.
    pub fn take_back(&mut self, before: Self) {
        (self.opened, self.ended, self.requests) = (before.opened, before.ended, before.requests);
        self.begun_at = before.begun_at;
    }

    /// Returns, for a saved state, the number of superblocks opened by each handle in each group, with a bit that says
    /// whether another reclaim unit is asked for.
    pub fn save(&self) -> Vec<u64> {
        let of =
            |(opened, asked): (&u64, &VecDeque<u32>)| opened | if asked.is_empty() { 0 } else { ASKED_FOR };
        self.opened.iter().zip(&self.asked).map(of).collect()
    }

    /// Returns the length of the list that [`Self::save`] makes: one entry for each placement handle in each group.
    pub fn saved_count(&self) -> usize {
        self.opened.len()
    }

    /// Restores the state of the reclaim units from a saved state, as [`Self::save`] gave it.
    pub fn load(&mut self, saved: &[u64]) {
        for (at, word) in saved.iter().enumerate() {
            self.opened[at] = word & !ASKED_FOR;
            if word & ASKED_FOR != 0 {
                self.asked[at].push_back(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(ns: u64) -> SimTime {
        SimTime::from_ns(ns)
    }

    #[test]
    fn what_the_host_asks_for_holds_for_what_it_writes_after_that() {
        let mut units = ReclaimUnits::new(2, 3, None);
        assert_eq!(units.note_opened(1), (true, false));
        units.requests = 1;
        units.ask(1);
        // Data that were in the buffer go on in the old unit; those behind them in a new one.
        assert_eq!(
            (units.ends(1, 0), units.ends(1, 1), units.ends(1, 1)),
            (None, Some(UnitEnd::Asked), None)
        );
        assert_eq!(units.end(1), 2);
        assert_eq!((units.note_opened(1), units.to_open(1)), ((true, false), 2));
        // Asked twice, with data in between.
        units.requests = 2;
        units.ask(1);
        units.requests = 3;
        units.ask(1);
        assert_eq!((units.ends(1, 2), units.ends(1, 3)), (Some(UnitEnd::Asked), Some(UnitEnd::Asked)));
        assert_eq!(units.ends(0, 3), None);
    }

    #[test]
    fn a_full_unit_is_followed_by_another_and_an_old_one_ends() {
        let mut units = ReclaimUnits::new(1, 2, Some(Nanos::new(10)));
        let opened: Vec<_> = (0..3).map(|_| units.note_opened(0)).collect();
        assert_eq!(opened, [(true, false), (false, false), (true, true)]);
        units.now = ns(10);
        assert_eq!(units.ends(0, 0), None);
        units.now = ns(11);
        assert_eq!((units.ends(0, 0), units.end(0)), (Some(UnitEnd::TooOld), 1));
        assert_eq!((units.ends(0, 0), units.note_opened(0)), (None, (true, false)));
    }

    #[test]
    fn a_saved_state_keeps_what_was_asked_for() {
        let mut units = ReclaimUnits::new(2, 4, None);
        units.note_opened(0);
        units.requests = 1;
        units.ask(1);
        let mut loaded = ReclaimUnits::new(2, 4, None);
        loaded.load(&units.save());
        assert_eq!((loaded.to_open(0), loaded.is_asked_for(0), loaded.is_asked_for(1)), (3, false, true));
        assert_eq!((loaded.ends(0, 0), loaded.ends(1, 0)), (None, Some(UnitEnd::Asked)));
    }
}
