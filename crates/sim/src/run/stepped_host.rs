//! The host of a stepped run: requests that its caller submitted, and completions that the caller has not taken.

use super::SourceHolds;
use crate::observe::answers::SteppedAnswers;
use host::{Completion, HostRequest, Poll, Workload, WorkloadError, WorkloadReport};
use std::collections::VecDeque;
use units::SimTime;

/// Type for a pair, in a stepped run, of a host request and the number that its submission returned to the caller; the
/// number comes first.
pub type NumberedRequest = (u64, HostRequest);

/// State of the host side of a stepped run: the requests that the caller has submitted and the run has not drawn, and
/// the completions that the caller has not taken.
#[derive(Default)]
pub(crate) struct SteppedHost {
    /// Queue of the submitted requests in the order of their arrival times; requests of the same time stay in the order
    /// of their submission.
    submitted: VecDeque<NumberedRequest>,
    /// Flag of the stepped run's host side: true if no submitted request was left when the run last asked for one.
    is_dry: bool,
    /// Number, as its submission returned it to the caller of the stepped run, of the request that the run drew last.
    number: u64,
    /// Number of the caller's submitted requests that the stepped run has drawn (taken into simulation) so far.
    drawn: u64,
    /// Field of a stepped run's host side: completions of the requests that the caller has not taken.
    pub answers: SteppedAnswers,
}

impl SteppedHost {
    /// Moves `requests`, which are in the order of their submission, into the queue of submitted requests. Returns
    /// whether requests were left in the queue when the run asked for one last.
    #[inline]
    pub fn submit(&mut self, requests: &mut Vec<NumberedRequest>) -> SourceHolds {
        for &(number, request) in &*requests {
            let is_last = self.submitted.back().is_none_or(|(_, last)| last.arrive <= request.arrive);
            if is_last {
                self.submitted.push_back((number, request));
            } else {
                let place = self.submitted.partition_point(|(_, other)| other.arrive <= request.arrive);
                self.submitted.insert(place, (number, request));
            }
        }
        requests.clear();
        if self.is_dry { SourceHolds::Nothing } else { SourceHolds::Requests }
    }

    /// Returns the next submitted request if it is due at the simulated time `now`, else the time of its arrival;
    /// `Blocked` if no request is left, since the caller may submit more.
    #[inline]
    pub fn poll(&mut self, now: SimTime) -> Poll {
        let first = self.submitted.front();
        self.is_dry = first.is_none();
        match first {
            None => Poll::Blocked,
            Some((_, request)) if request.arrive > now => Poll::At(request.arrive),
            Some(&(number, request)) => {
                self.submitted.pop_front();
                (self.number, self.drawn) = (number, self.drawn + 1);
                Poll::Ready(request)
            }
        }
    }

    /// Records that the submitted request which the stepped run drew last is in flight with the simulator's request
    /// index `id`.
    #[inline]
    pub fn take_in(&mut self, id: u32) {
        self.answers.number(id, self.number);
    }

    /// Returns the number of the caller's submitted requests that the stepped run has drawn (taken into simulation) so
    /// far.
    pub fn drawn(&self) -> u64 {
        self.drawn
    }
}

/// Workload type that stands in a stepped run in place of a real workload, for the result; it issues no requests,
/// because the caller submits them.
pub(crate) struct SteppedWorkload;

impl Workload for SteppedWorkload {
    fn poll(&mut self, _: SimTime) -> Result<Poll, WorkloadError> {
        Ok(Poll::Blocked)
    }

    fn complete(&mut self, _: &HostRequest, _: &Completion) {}

    fn fraction_done(&self, _: SimTime) -> Option<f64> {
        None
    }

    fn report(&self) -> WorkloadReport {
        WorkloadReport {
            name: "stepped".into(),
            format: "stepped".into(),
            tags: vec!["host".into()],
            ..WorkloadReport::default()
        }
    }
}
