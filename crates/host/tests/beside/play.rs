//! Jobs against a drive of constant latency.

use host::fio::FioWorkload;
use host::{Completion, HostRequest, Poll, Workload};
use std::collections::VecDeque;
use units::SimTime;

/// Kind of event about a request that a test run of a fio workload reports: the request was made, or answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// Case of event: the workload made the request.
    Made,
    /// Case of event: the test's drive answered the request.
    Answered,
}

/// Runs `workload` on a drive that answers every request after `latency_ns`, up to `most` requests, calls `seen` when a
/// request is made and when it is answered, and returns the simulated time in ns at which the run ended.
pub fn play(
    workload: &mut FioWorkload,
    latency_ns: u64,
    most: usize,
    seen: &mut dyn FnMut(&FioWorkload, &HostRequest, Said),
) -> u64 {
    let mut outstanding: VecDeque<(u64, HostRequest)> = VecDeque::new();
    let (mut now, mut count, mut is_done) = (0, 0, false);
    while count < most {
        let mut next = u64::MAX;
        match workload.poll(SimTime::from_ns(now)).unwrap() {
            Poll::Ready(request) => {
                assert!(!is_done, "a request after the last");
                assert_eq!(request.arrive.ns(), now);
                count += 1;
                seen(workload, &request, Said::Made);
                outstanding.push_back((now + latency_ns, request));
                continue;
            }
            Poll::At(time) => {
                assert!(time.ns() > now);
                next = time.ns();
            }
            Poll::Blocked => assert!(!outstanding.is_empty(), "blocked for ever"),
            Poll::Done if outstanding.is_empty() => break,
            // A run stops asking here: what an answer would start is lost.
            Poll::Done => is_done = true,
        }
        match outstanding.front() {
            Some((time, _)) if *time <= next => {
                let (time, request) = outstanding.pop_front().unwrap();
                now = time;
                seen(workload, &request, Said::Answered);
                workload.complete(&request, &Completion::success(SimTime::from_ns(now)));
            }
            _ => now = next,
        }
    }
    now
}
