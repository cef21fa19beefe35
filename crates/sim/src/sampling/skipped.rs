//! A workload part of which was carried forward without a clock: what is left of it comes earlier by the time that this took.

use host::{Background, Completion, HostRequest, Poll, Telling, Workload, WorkloadError, WorkloadReport};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use units::SimTime;

/// Type of the lead in ns of a workload's clock over the clock of its run: the time of requests that were carried
/// forward without simulated time. Copies share one value, which a single thread uses.
#[derive(Clone, Default)]
pub(super) struct PassedOver(Arc<AtomicU64>);

impl PassedOver {
    /// Returns the lead of the workload's clock in nanoseconds.
    pub fn ns(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Adds `ns` nanoseconds to the lead of the workload's clock.
    pub fn add(&self, ns: u64) {
        self.0.fetch_add(ns, Ordering::Relaxed);
    }

    /// Returns the time `now` of the run by the clock of the workload.
    pub fn inside(&self, now: SimTime) -> SimTime {
        SimTime::from_ns(now.ns().saturating_add(self.ns()))
    }

    /// Returns the time `time` by the clock of the workload as a time of the run.
    fn outside(&self, time: SimTime) -> SimTime {
        SimTime::from_ns(time.ns().saturating_sub(self.ns()))
    }
}

/// Workload that wraps another one, whose clock is ahead of the clock of its run by the time that was carried forward.
pub(super) struct Skipped {
    /// Field: wrapped workload, which makes the requests.
    pub inner: Box<dyn Workload>,
    /// Field: lead of the wrapped workload's clock over the clock of the run.
    pub passed: PassedOver,
}

impl Workload for Skipped {
    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        Ok(match self.inner.poll(self.passed.inside(now))? {
            // What fell due while it was carried forward comes now.
            Poll::Ready(request) => {
                Poll::Ready(HostRequest { arrive: self.passed.outside(request.arrive), ..request })
            }
            Poll::At(time) => Poll::At(self.passed.outside(time)),
            other => other,
        })
    }

    fn complete(&mut self, request: &HostRequest, completion: &Completion) {
        let inside = HostRequest { arrive: self.passed.inside(request.arrive), ..*request };
        self.inner.complete(&inside, &Completion { at: self.passed.inside(completion.at), ..*completion });
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
        self.inner.in_ramp(self.passed.inside(now))
    }

    fn fraction_done(&self, now: SimTime) -> Option<f64> {
        self.inner.fraction_done(self.passed.inside(now))
    }

    fn report(&self) -> WorkloadReport {
        self.inner.report()
    }
}
