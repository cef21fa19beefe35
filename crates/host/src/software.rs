//! The host's own software: a request costs it time that those beside it do not wait for.

use crate::{
    Background, Completion, Extent, HostRequest, Poll, Telling, Workload, WorkloadError, WorkloadReport,
};
use std::collections::VecDeque;
use units::{Nanos, SimTime};

/// Workload that plays the workload `inner` behind host software that takes time for each completion: `inner` learns of
/// a completion later by this time, so that requests that wait for the completion are made later, while other requests
/// go on. Latencies do not include this time.
pub struct Software {
    inner: Box<dyn Workload>,
    time: Nanos,
    /// Queue of the completions that the workload has not learnt of yet, each with its request, in order of time; all
    /// are delayed by the same time.
    told: VecDeque<(HostRequest, Completion)>,
}

impl Software {
    /// Makes a workload that runs `inner` behind software that takes `time` after each completion; returns `inner`
    /// itself if `time` is zero.
    pub fn around(inner: Box<dyn Workload>, time: Nanos) -> Box<dyn Workload> {
        if time == Nanos::ZERO { inner } else { Box::new(Self { inner, time, told: VecDeque::new() }) }
    }

    fn tell(&mut self, now: SimTime) {
        while let Some((request, completion)) = self.told.front().filter(|(_, told)| told.at <= now).copied()
        {
            self.told.pop_front();
            self.inner.complete(&request, &completion);
        }
    }
}

impl Workload for Software {
    fn lay_out(&mut self, count: u64, name: &mut dyn FnMut(Extent)) -> Result<Option<f64>, WorkloadError> {
        self.inner.lay_out(count, name)
    }

    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        self.tell(now);
        let poll = self.inner.poll(now)?;
        Ok(match (poll, self.told.front()) {
            (Poll::At(time), Some((_, told))) => Poll::At(time.min(told.at)),
            (Poll::Blocked, Some((_, told))) => Poll::At(told.at),
            (poll, _) => poll,
        })
    }

    fn complete(&mut self, request: &HostRequest, completion: &Completion) {
        self.told.push_back((*request, Completion { at: completion.at + self.time, ..*completion }));
    }

    fn learn_zones(&mut self, zones: &[(u64, bool)]) {
        self.inner.learn_zones(zones);
    }

    fn is_open_loop(&self) -> bool {
        self.inner.is_open_loop()
    }

    fn number(&self) -> Option<u64> {
        self.inner.number()
    }

    fn background(&self) -> Background {
        self.inner.background()
    }

    fn tells(&self, what: Telling) -> bool {
        self.inner.tells(what)
    }

    fn in_ramp(&self, now: SimTime) -> bool {
        self.inner.in_ramp(now)
    }

    fn fraction_done(&self, now: SimTime) -> Option<f64> {
        self.inner.fraction_done(now)
    }

    fn report(&self) -> WorkloadReport {
        self.inner.report()
    }
}
