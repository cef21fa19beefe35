//! A workload that begins later than time does: what runs again after a run of it is over.

use crate::{Background, Completion, HostRequest, Poll, Telling, Workload, WorkloadError, WorkloadReport};
use units::SimTime;

/// Workload that plays the workload `inner` with all times shifted, so that the time zero of `inner` is a later
/// simulated time.
pub struct Later {
    inner: Box<dyn Workload>,
    begin: SimTime,
    /// True if the time-shifted workload keeps the ramp (warm-up time at the beginning) of the workload inside it;
    /// false if it runs that workload once more, without a ramp.
    ramps: bool,
}

impl Later {
    /// Makes a workload that runs `inner` once more from simulated time `begin` on, without its ramp (warm-up time that
    /// metrics leave out).
    pub fn new(inner: Box<dyn Workload>, begin: SimTime) -> Self {
        Self { inner, begin, ramps: false }
    }

    /// Makes a workload that plays `inner` as a whole, including its ramp (warm-up time that metrics leave out), with
    /// `begin` as the simulated time at which it starts instead of time zero.
    pub fn whole(inner: Box<dyn Workload>, begin: SimTime) -> Self {
        Self { inner, begin, ramps: true }
    }

    fn inside(&self, now: SimTime) -> SimTime {
        SimTime::from_ns(now.ns() - self.begin.ns())
    }

    fn outside(&self, time: SimTime) -> SimTime {
        SimTime::from_ns(time.ns().saturating_add(self.begin.ns()))
    }
}

impl Workload for Later {
    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        Ok(match self.inner.poll(self.inside(now))? {
            Poll::Ready(request) => {
                Poll::Ready(HostRequest { arrive: self.outside(request.arrive), ..request })
            }
            Poll::At(time) => Poll::At(self.outside(time)),
            other => other,
        })
    }

    fn complete(&mut self, request: &HostRequest, completion: &Completion) {
        let inside = HostRequest { arrive: self.inside(request.arrive), ..*request };
        self.inner.complete(&inside, &Completion { at: self.inside(completion.at), ..*completion });
    }

    fn learn_zones(&mut self, zones: &[(u64, bool)]) {
        self.inner.learn_zones(zones);
    }

    fn is_open_loop(&self) -> bool {
        self.inner.is_open_loop()
    }

    fn number(&self) -> Option<u64> {
        if self.ramps { self.inner.number() } else { None }
    }

    fn background(&self) -> Background {
        self.inner.background()
    }

    fn tells(&self, what: Telling) -> bool {
        self.inner.tells(what)
    }

    fn in_ramp(&self, now: SimTime) -> bool {
        self.ramps && self.inner.in_ramp(self.inside(now))
    }

    fn fraction_done(&self, now: SimTime) -> Option<f64> {
        self.inner.fraction_done(self.inside(now))
    }

    fn report(&self) -> WorkloadReport {
        self.inner.report()
    }
}
