//! A workload part of which was carried forward without a clock: what is left of it comes earlier by the time that this took.
//! All its requests are counted here, in detail and carried forward.

use host::{Background, Completion, HostRequest, Poll, Telling, Workload, WorkloadError, WorkloadReport};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use units::SimTime;

/// Constant: number of kinds of requests whose rates and latencies a sampled run estimates: reads and writes, in this
/// order.
pub(super) const KINDS: usize = 2;

/// Type for the counts of a workload's reads (first) and writes so far: for each, the number of requests and their
/// bytes.
pub(super) type KindCounts = [[u64; 2]; KINDS];

/// Record of the lead of a workload's clock over the clock of its run, the time of requests that were carried forward
/// without simulated time, and of the workload's requests. Copies share one record, which a single thread uses.
#[derive(Clone, Default)]
pub(super) struct PassedOver(Arc<SharedLead>);

/// Record that the copies of a [`PassedOver`] share.
#[derive(Default)]
struct SharedLead {
    /// Lead of the workload's clock in ns.
    ns: AtomicU64,
    /// Counts of the reads (first) and writes that were answered: requests, and their bytes.
    kinds: [[AtomicU64; 2]; KINDS],
}

/// Adds `more` to a count that a single thread changes, which needs no locked instruction.
fn add(count: &AtomicU64, more: u64) {
    count.store(count.load(Ordering::Relaxed) + more, Ordering::Relaxed);
}

impl PassedOver {
    /// Makes the record for a further pass of the workload: a lead of zero, and the counts of `before`.
    pub fn after(before: &Self) -> Self {
        let next = Self::default();
        for (count, so_far) in next.0.kinds.iter().flatten().zip(before.kinds().iter().flatten()) {
            add(count, *so_far);
        }
        next
    }

    /// Returns the lead of the workload's clock in nanoseconds.
    pub fn ns(&self) -> u64 {
        self.0.ns.load(Ordering::Relaxed)
    }

    /// Adds `ns` nanoseconds to the lead of the workload's clock.
    pub fn add(&self, ns: u64) {
        add(&self.0.ns, ns);
    }

    /// Adds a request of the workload, which was answered, to the counts.
    fn count(&self, request: &HostRequest) {
        if let Some([requests, bytes]) = self.0.kinds.get(request.op.effect() as usize) {
            add(requests, 1);
            add(bytes, u64::from(request.bytes));
        }
    }

    /// Returns the counts of the workload's reads and writes.
    pub fn kinds(&self) -> KindCounts {
        self.0.kinds.each_ref().map(|kind| kind.each_ref().map(|count| count.load(Ordering::Relaxed)))
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
        self.passed.count(request);
        let inside = HostRequest { arrive: self.passed.inside(request.arrive), ..*request };
        self.inner.complete(&inside, &Completion { at: self.passed.inside(completion.at), ..*completion });
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
        self.inner.in_ramp(self.passed.inside(now))
    }

    fn fraction_done(&self, now: SimTime) -> Option<f64> {
        self.inner.fraction_done(self.passed.inside(now))
    }

    fn report(&self) -> WorkloadReport {
        self.inner.report()
    }
}
