//! The workloads of the benchmark: as cheap to draw as can be, so that the engine is what is measured.

use engine::RandomStream;
use host::{Completion, HostRequest, Op, Poll, Workload, WorkloadError, WorkloadReport};
use units::SimTime;

/// Blocks of one size, in order or at random, at a fixed queue depth.
pub struct BlockLoad {
    /// Read or write.
    pub op: Op,
    /// What every other request is instead.
    pub other: Option<Op>,
    /// Bytes of each request.
    pub bytes: u32,
    /// Blocks of that size on the drive.
    pub blocks: u64,
    /// In order, or uniform at random.
    pub sequential: bool,
    /// Requests to make.
    pub requests: u64,
    /// Requests outstanding.
    pub depth: u32,
    /// Submission queues that requests go to in turn.
    pub queues: u16,
    made: u64,
    outstanding: u32,
    random: RandomStream,
}

impl BlockLoad {
    /// Requests of `bytes` over `capacity` bytes.
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
