//! What the drive answered to requests that a caller submits one by one, until the caller takes it.

use crate::measure::STAGES;
use crate::requests::Request;
use host::HostRequest;
use std::collections::VecDeque;
use units::SimTime;

/// The stages of a latency: those of the drive, then the link.
pub const STAGE_COUNT: usize = STAGES.len() + 1;

/// Names of the stages, in the order of [`SteppedCompletion::stages_ns`]; together they are the whole latency.
pub const STAGE_NAMES: [&str; STAGE_COUNT] = {
    let mut names = ["link"; STAGE_COUNT];
    let mut stage = 0;
    while stage < STAGES.len() {
        names[stage] = STAGES[stage];
        stage += 1;
    }
    names
};

/// Status of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SteppedStatus {
    /// As asked.
    Success = 0,
    /// The drive answered with an error.
    Failed = 1,
    /// Data that were to be read are lost.
    Uncorrectable = 2,
}

/// A request that the drive has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct SteppedCompletion {
    /// Number of the request, as its submission gave it.
    pub id: u64,
    /// Time at which the host issued it.
    pub submitted_ns: u64,
    /// Time at which the host had the answer.
    pub completed_ns: u64,
    /// First byte of the request on the drive; of an append, the first byte where the drive put the data.
    pub offset: u64,
    /// Where the time went, in the order of [`STAGE_NAMES`].
    pub stages_ns: [u64; STAGE_COUNT],
    /// Length of the request.
    pub bytes: u32,
    /// Operation ([`host::Op::code`]).
    pub op: u8,
    /// Status with which the drive answered the request.
    pub status: SteppedStatus,
    /// The longest stage: place in [`STAGE_NAMES`].
    pub cause: u8,
    /// Attempts of a read beyond the first.
    pub retries: u8,
}

impl SteppedCompletion {
    /// Time from submission to answer.
    pub fn latency_ns(&self) -> u64 {
        self.completed_ns - self.submitted_ns
    }
}

/// The stage that took longest, the first of several.
fn cause(stages: &[u64; STAGE_COUNT]) -> u8 {
    let mut longest = 0;
    for (stage, ns) in stages.iter().enumerate() {
        longest = if *ns > stages[longest] { stage } else { longest };
    }
    longest as u8
}

/// Completions that the caller of a stepped drive has not taken.
#[derive(Default)]
pub(crate) struct SteppedAnswers {
    waiting: VecDeque<SteppedCompletion>,
    /// The number of each request in flight, by id.
    numbers: Vec<u64>,
}

impl SteppedAnswers {
    pub fn number(&mut self, id: u32, number: Option<u64>) {
        let id = id as usize;
        self.numbers.resize(self.numbers.len().max(id + 1), 0);
        self.numbers[id] = number.unwrap_or(0);
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

    /// The last answer is to this request in the host's words; `address`: where the drive put its data, if it chose.
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
