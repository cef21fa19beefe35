//! What the drive answered to requests that a caller submits one by one, until the caller takes it.

use crate::measure::STAGES;
use crate::requests::Request;
use host::HostRequest;
use std::collections::VecDeque;
use units::SimTime;

/// Constant: number of stages that make up a request's latency: the drive's stages, and the host link.
pub const STAGE_COUNT: usize = STAGES.len() + 1;

/// Constant: names of the stages of a latency, in the order of [`SteppedCompletion::stages_ns`]; the times of all
/// stages add up to the latency.
pub const STAGE_NAMES: [&str; STAGE_COUNT] = {
    let mut names = ["link"; STAGE_COUNT];
    let mut stage = 0;
    while stage < STAGES.len() {
        names[stage] = STAGES[stage];
        stage += 1;
    }
    names
};

/// Kind of status with which the drive completed a request of a stepped run: success, or one of two errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SteppedStatus {
    /// Case of status: the request was completed without an error.
    Success = 0,
    /// Case of status: the drive answered the request with an error other than lost data.
    Failed = 1,
    /// Case of status: the drive answered a read with an error because the data are lost.
    Uncorrectable = 2,
}

/// Record of the completion of a request that a caller submitted to a stepped drive: times, address, status and stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct SteppedCompletion {
    /// Number of the completed request, which the stepped drive assigned and returned to the caller when the caller
    /// submitted the request.
    pub id: u64,
    /// Simulated time in nanoseconds at which the host issued the request.
    pub submitted_ns: u64,
    /// Simulated time in nanoseconds at which the host received the answer.
    pub completed_ns: u64,
    /// Address of the request's first byte on the drive; for an append, the address at which the drive put the first
    /// byte of the data.
    pub offset: u64,
    /// List of the nanoseconds spent in each stage, in the order of [`STAGE_NAMES`].
    pub stages_ns: [u64; STAGE_COUNT],
    /// Length in bytes of the request's data.
    pub bytes: u32,
    /// Numeric code of the request's operation ([`host::Op::code`]).
    pub op: u8,
    /// Field of a completion's record: status with which the drive answered the request.
    pub status: SteppedStatus,
    /// Index, in [`STAGE_NAMES`], of the stage in which the completed request spent the most time: the main cause of
    /// its latency.
    pub cause: u8,
    /// Greatest number of read retries (attempts beyond the first) that one flash read of the request took.
    pub retries: u8,
}

impl SteppedCompletion {
    /// Returns the latency of the request in nanoseconds, from submission to answer.
    pub fn latency_ns(&self) -> u64 {
        self.completed_ns - self.submitted_ns
    }
}

/// Returns the index of the stage that took longest; the first one if several took equally long.
fn cause(stages: &[u64; STAGE_COUNT]) -> u8 {
    let mut longest = 0;
    for (stage, ns) in stages.iter().enumerate() {
        longest = if *ns > stages[longest] { stage } else { longest };
    }
    longest as u8
}

/// Queue of a stepped drive's completions that the caller has not taken yet.
#[derive(Default)]
pub(crate) struct SteppedAnswers {
    waiting: VecDeque<SteppedCompletion>,
    /// List, indexed by the simulator's id of a request in flight, of the numbers that the caller got for the requests
    /// when it submitted them.
    numbers: Vec<u64>,
}

impl SteppedAnswers {
    pub fn number(&mut self, id: u32, number: u64) {
        let id = id as usize;
        if id >= self.numbers.len() {
            self.numbers.resize(id + 1, 0);
        }
        self.numbers[id] = number;
    }

    pub fn push(&mut self, request: &Request, now: SimTime, stages: &[u64; STAGE_COUNT]) {
        let host = &request.host;
        let status = match (request.failed, request.uncorrectable) {
            (false, _) => SteppedStatus::Success,
            (true, false) => SteppedStatus::Failed,
            (true, true) => SteppedStatus::Uncorrectable,
        };
        self.waiting.push_back(SteppedCompletion {
            id: self.numbers[request.id as usize],
            submitted_ns: host.arrive.ns(),
            completed_ns: now.ns(),
            offset: host.offset,
            stages_ns: *stages,
            bytes: host.bytes,
            op: host.op.code(),
            status,
            cause: cause(stages),
            retries: request.retries,
        });
    }

    /// Replaces the address and length in the newest completion by the address and length of the original host request;
    /// for an append, whose place the drive chose, by the place `address` of the data.
    pub fn place(&mut self, host: &HostRequest, address: Option<u64>) {
        if let Some(last) = self.waiting.back_mut() {
            (last.offset, last.bytes) = (address.unwrap_or(host.offset), host.bytes);
        }
    }

    pub fn untaken(&self) -> usize {
        self.waiting.len()
    }

    pub fn waiting(&mut self) -> &mut VecDeque<SteppedCompletion> {
        &mut self.waiting
    }
}
