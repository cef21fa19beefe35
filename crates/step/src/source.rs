//! Requests of a caller, as a workload.

use host::{Completion, HostRequest, Poll, Workload, WorkloadError, WorkloadReport};
use sim::SourceHolds;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use units::SimTime;

/// Pair of the number that the submission of a host request returned, and the request.
pub(crate) type NumberedRequest = (u64, HostRequest);

/// Queue that passes requests from the caller of a stepped drive to the drive's workload source.
#[derive(Clone, Default)]
pub(crate) struct StepInbox(Arc<Inbox>);

#[derive(Default)]
struct Inbox {
    /// True if the queue of submitted requests is not empty; an atomic flag, because the workload source checks it at
    /// every poll, which is cheaper than a lock.
    holds: AtomicBool,
    /// True if the workload source, which reads this queue, had no request left for the drive at its last poll.
    is_dry: AtomicBool,
    requests: Mutex<Vec<NumberedRequest>>,
}

impl StepInbox {
    /// Moves `requests`, which are in the order of their submission, into the queue.
    pub fn give(&self, requests: &mut Vec<NumberedRequest>) {
        // One thread at a time has the drive; a panic ends it.
        let mut inside = self.0.requests.lock().unwrap_or_else(PoisonError::into_inner);
        if inside.is_empty() {
            std::mem::swap(&mut *inside, requests)
        } else {
            inside.append(requests)
        }
        self.0.holds.store(true, Ordering::Release);
    }

    /// Returns whether the workload source, the reader of this queue, still held requests for the drive at its last
    /// poll.
    pub fn held(&self) -> SourceHolds {
        if self.0.is_dry.load(Ordering::Acquire) { SourceHolds::Nothing } else { SourceHolds::Requests }
    }

    fn take(&self, waiting: &mut VecDeque<NumberedRequest>) {
        let mut inside = self.0.requests.lock().unwrap_or_else(PoisonError::into_inner);
        inside.drain(..).for_each(|(number, request)| put(waiting, number, request));
        self.0.holds.store(false, Ordering::Release);
        self.0.is_dry.store(false, Ordering::Release);
    }
}

/// Inserts a request into `queue`, which is in the order of the requests' times; requests of the same time stay in the
/// order of their submission.
fn put(queue: &mut VecDeque<NumberedRequest>, number: u64, request: HostRequest) {
    if queue.back().is_none_or(|(_, last)| last.arrive <= request.arrive) {
        return queue.push_back((number, request));
    }
    let place = queue.partition_point(|(_, other)| other.arrive <= request.arrive);
    queue.insert(place, (number, request));
}

/// Workload source of a stepped drive: hands the requests that the caller submits to the drive in the order of their
/// times; it never ends, since more requests may follow.
pub(crate) struct StepSource {
    inbox: StepInbox,
    waiting: VecDeque<NumberedRequest>,
    /// Number, as its submission returned it, of the request that the source handed to the drive last.
    number: u64,
    requests: u64,
}

impl StepSource {
    pub fn new(inbox: StepInbox) -> Self {
        Self { inbox, waiting: VecDeque::new(), number: 0, requests: 0 }
    }
}

impl Workload for StepSource {
    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        if self.inbox.0.holds.load(Ordering::Acquire) {
            self.inbox.take(&mut self.waiting);
        }
        match self.waiting.front() {
            None => {
                self.inbox.0.is_dry.store(true, Ordering::Release);
                Ok(Poll::Blocked)
            }
            Some((_, request)) if request.arrive > now => Ok(Poll::At(request.arrive)),
            Some(&(number, request)) => {
                self.waiting.pop_front();
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
