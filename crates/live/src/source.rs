//! Requests of clients, as a workload.

use crate::contents::SharedContents;
use host::{Completion, HostRequest, Poll, Workload, WorkloadError, WorkloadReport};
use std::sync::{Arc, Mutex};
use units::SimTime;

/// Workload that consists of the requests that the live server queues; it never ends, since more requests may come.
pub struct QueueSource {
    shared: Arc<Mutex<SharedContents>>,
    /// Serial number of the client's request to which the request that the live server's workload returned last
    /// belongs.
    number: u64,
    requests: u64,
}

impl QueueSource {
    /// Makes a workload that takes its requests from the queue that the live server fills in `shared`.
    pub fn new(shared: Arc<Mutex<SharedContents>>) -> Self {
        Self { shared, number: 0, requests: 0 }
    }
}

impl Workload for QueueSource {
    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        let incoming = &mut self.shared.lock().expect("one thread").incoming;
        match incoming.front() {
            None => Ok(Poll::Blocked),
            Some((_, request)) if request.arrive > now => Ok(Poll::At(request.arrive)),
            Some(_) => {
                let (number, request) = incoming.pop_front().expect("it is there");
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
        let notes = self.shared.lock().expect("one thread").notes.clone();
        WorkloadReport {
            name: "nbd".into(),
            format: "nbd".into(),
            requests: self.requests,
            tags: vec!["clients".into()],
            notes,
            ..WorkloadReport::default()
        }
    }
}
