//! What ends a clone early: a steady state, a request that took too long, the end of another.

use super::{FioWorkload, WaitingPlace};
use crate::HostRequest;
use std::cmp::Reverse;

impl FioWorkload {
    /// Counts a completed request of fio job clone `index` for the steady-state detection.
    #[cold]
    #[inline(never)]
    pub(super) fn settle(&mut self, index: u32, request: &HostRequest, now: u64) {
        if now >= self.watches.next_ns {
            self.look(now);
        }
        self.watches.count(index, request, now);
    }

    /// Takes the steady-state samples that are due by `now` ns, and ends the fio job clones that have reached their
    /// steady state.
    #[cold]
    #[inline(never)]
    pub(super) fn look(&mut self, now: u64) {
        for clone in self.watches.look(now) {
            self.end_early(clone, now);
        }
        self.unstarted.retain(|other| self.clones[*other as usize].place == WaitingPlace::Later);
    }

    /// Ends fio job clone `index` early: it issues no more requests of its job, or never begins.
    pub(super) fn end_early(&mut self, index: u32, now: u64) {
        let clone = &mut self.clones[index as usize];
        match clone.place {
            WaitingPlace::Finished => {}
            WaitingPlace::Later => clone.place = WaitingPlace::Finished,
            WaitingPlace::Timed => {
                clone.worker.stop(now);
                clone.place = WaitingPlace::Ready;
                self.timers.retain(|Reverse((_, timed))| *timed != index);
                self.ready.push_back(index);
            }
            _ => clone.worker.stop(now),
        }
    }

    /// Ends fio job clone `index` where its completed `request` took longer than the clone's latency limit
    /// (`max_latency`) allows.
    #[cold]
    #[inline(never)]
    pub(super) fn limit(&mut self, index: u32, request: &HostRequest, now: u64) {
        let clone = &mut self.clones[index as usize];
        let name = &self.file.jobs[clone.job as usize].name;
        if self.limits.ends(index, name, request, now) {
            clone.worker.fail(now);
        }
    }
}
