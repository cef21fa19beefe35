//! Clones that stand back for others of their flow.

use super::{CloneAnswer, FioWorkload, WaitingPlace};
use crate::Poll;
use std::cmp::Reverse;
use units::SimTime;

impl FioWorkload {
    /// Asks the fio flow (jobs whose requests are kept in proportion) of clone `index` whether the clone may issue a
    /// request; if not, the clone rests or waits.
    #[cold]
    #[inline(never)]
    pub(super) fn ask(&mut self, index: u32, now: u64) {
        if self.flows.admits(index) {
            self.clones[index as usize].worker.admit();
            self.clones[index as usize].place = WaitingPlace::Ready;
            self.ready.push_front(index);
            // What others stand back for has changed.
            return self.unpark();
        }
        let clone = &mut self.clones[index as usize];
        match clone.worker.stand_back(now) {
            Some(CloneAnswer::Wait(then)) => {
                clone.place = WaitingPlace::Timed;
                self.timers.push(Reverse((then, index)));
            }
            Some(_) => {
                clone.place = WaitingPlace::Full;
                self.full += 1;
            }
            None => {
                clone.place = WaitingPlace::Parked;
                self.flows.parked.push((index, clone.worker.end_ns()));
            }
        }
    }

    /// Puts all clones that wait for their fio flow (jobs whose requests are kept in proportion) at the end of the
    /// queue of ready clones, so that they ask their flow again.
    pub(super) fn unpark(&mut self) {
        for (index, _) in std::mem::take(&mut self.flows.parked) {
            self.clones[index as usize].place = WaitingPlace::Ready;
            self.ready.push_back(index);
        }
    }

    /// Puts all clones that wait for their fio flow (jobs whose requests are kept in proportion) back into the queue of
    /// ready clones if the run time of one of them is over by `now` ns, or one of them was stopped.
    #[cold]
    #[inline(never)]
    pub(super) fn end_parked(&mut self, now: u64) {
        if self.flows.parked.iter().any(|(index, _)| self.clones[*index as usize].worker.end_ns() <= now) {
            self.unpark();
        }
    }

    /// Returns the fio workload's answer to a poll when no clone has a request now and some wait for their fio flow
    /// (jobs whose requests are kept in proportion): the run time of these may end before any other event.
    #[cold]
    #[inline(never)]
    pub(super) fn idle_parked(&self) -> Poll {
        let timer = Some(self.next_time()).filter(|time| *time < u64::MAX);
        let parked = self.flows.parked.iter().map(|(_, end)| *end).filter(|end| *end < u64::MAX).min();
        timer.into_iter().chain(parked).min().map_or(Poll::Blocked, |time| Poll::At(SimTime::from_ns(time)))
    }
}
