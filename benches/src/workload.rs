//! The workloads of the benchmark: as cheap to draw as can be, so that the engine is what is measured.

use engine::RandomStream;
use host::{Completion, HostRequest, Op, Poll, Workload, WorkloadError, WorkloadReport};
use units::SimTime;

/// Type of the benchmark's workload: requests of one size to consecutive or random blocks at a fixed queue depth, as
/// cheap to make as possible.
pub struct BlockLoad {
    /// Operation of the requests, read or write.
    pub op: Op,
    /// Operation of every second request, if it differs from `op`; none for the same operation.
    pub other: Option<Op>,
    /// Length of each request in bytes.
    pub bytes: u32,
    /// Number of blocks of the requests' size on the drive.
    pub blocks: u64,
    /// True if the requests address the blocks in order, false if uniformly at random.
    pub sequential: bool,
    /// Total number of requests that the workload makes.
    pub requests: u64,
    /// Queue depth: the number of requests that are outstanding at one time.
    pub depth: u32,
    /// Number of submission queues, among which the requests are distributed in turn.
    pub queues: u16,
    made: u64,
    outstanding: u32,
    random: RandomStream,
}

impl BlockLoad {
    /// Makes a workload of `requests` requests of `bytes` bytes each, over a drive of `capacity` bytes.
    pub fn new(op: Op, bytes: u32, capacity: u64, sequential: bool, requests: u64, depth: u32) -> Self {
        let blocks = capacity / u64::from(bytes);
        let random = RandomStream::new(1, "bench");
        let (made, outstanding) = (0, 0);
        Self {
            op,
            other: None,
            bytes,
            blocks,
            sequential,
            requests,
            depth,
            queues: 1,
            made,
            outstanding,
            random,
        }
    }
}

impl Workload for BlockLoad {
    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        if self.made == self.requests {
            return Ok(Poll::Done);
        }
        if self.outstanding == self.depth {
            return Ok(Poll::Blocked);
        }
        let block = if self.sequential { self.made % self.blocks } else { self.random.below(self.blocks) };
        self.made += 1;
        self.outstanding += 1;
        let offset = block * u64::from(self.bytes);
        let op = self.other.filter(|_| self.made.is_multiple_of(2)).unwrap_or(self.op);
        let tag = if self.queues == 1 { 0 } else { (self.made % u64::from(self.queues)) as u16 };
        Ok(Poll::Ready(HostRequest { tag, ..HostRequest::plain(now, op, offset, self.bytes) }))
    }

    fn complete(&mut self, _: &HostRequest, _: &Completion) {
        self.outstanding -= 1;
    }

    fn fraction_done(&self, _: SimTime) -> Option<f64> {
        Some(self.made as f64 / self.requests as f64)
    }

    fn report(&self) -> WorkloadReport {
        WorkloadReport { name: "blocks".into(), requests: self.made, ..WorkloadReport::default() }
    }
}
