//! Requests of a caller, as a workload.

use host::{Completion, HostRequest, Poll, Workload, WorkloadError, WorkloadReport};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use units::SimTime;

/// Requests that were submitted and have not arrived at the drive, by time; those of one time in the order of their submission.
#[derive(Clone, Default)]
pub(crate) struct Incoming(Arc<Mutex<VecDeque<(u64, HostRequest)>>>);

impl Incoming {
    pub fn lock(&self) -> MutexGuard<'_, VecDeque<(u64, HostRequest)>> {
        // One thread at a time has the drive; a panic ends it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time of the first.
    pub fn first(&self) -> Option<SimTime> {
        self.lock().front().map(|(_, request)| request.arrive)
    }
}

/// Puts a request in its place.
pub(crate) fn put(queue: &mut VecDeque<(u64, HostRequest)>, number: u64, request: HostRequest) {
    if queue.back().is_none_or(|(_, last)| last.arrive <= request.arrive) {
        return queue.push_back((number, request));
    }
    let place = queue.partition_point(|(_, other)| other.arrive <= request.arrive);
    queue.insert(place, (number, request));
}

/// Source of the requests that the caller has submitted; it never ends, since more may come.
pub(crate) struct StepSource {
    incoming: Incoming,
    /// The number of the request handed out last.
    number: u64,
    requests: u64,
}

impl StepSource {
    pub fn new(incoming: Incoming) -> Self {
        Self { incoming, number: 0, requests: 0 }
    }
}

impl Workload for StepSource {
    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        let mut incoming = self.incoming.lock();
        match incoming.front() {
            None => Ok(Poll::Blocked),
            Some((_, request)) if request.arrive > now => Ok(Poll::At(request.arrive)),
            Some(&(number, request)) => {
                incoming.pop_front();
                (self.number, self.requests) = (number, self.requests + 1);
                Ok(Poll::Ready(request))
            }
        }
    }

    fn complete(&mut self, _: &HostRequest, _: &Completion) {}

    fn number(&self) -> Option<u64> {
        Some(self.number)
    }

    fn fraction_done(&self, _: SimTime) -> Option<f64> {
        None
    }

    fn report(&self) -> WorkloadReport {
        WorkloadReport {
            name: "stepped".into(),
            format: "stepped".into(),
            requests: self.requests,
            tags: vec!["host".into()],
            ..WorkloadReport::default()
        }
    }
}
