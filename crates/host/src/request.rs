//! One host request.

use crate::command::Op;
use units::SimTime;

/// Record of a request of the host to the drive: operation, address range and arrival time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostRequest {
    /// Simulated time at which the host makes the request; latency is counted from this time. Never later than the time
    /// at which a workload hands out the request.
    pub arrive: SimTime,
    /// Operation of the host's request: read, write, trim, flush, or management of a zone or a placement handle.
    pub op: Op,
    /// Byte address on the logical drive at which the host's request begins; a multiple of 512.
    pub offset: u64,
    /// Length of the host's request in bytes; a multiple of 512, zero only for a flush, an operation on a zone
    /// or one on a placement handle.
    pub bytes: u32,
    /// Number of the fio job, trace volume or flow that makes the request (its tag); it is part of the completion, and
    /// selects the submission queue.
    pub tag: u16,
    /// True for a write that must be on durable storage when the drive acknowledges it, write cache or not
    /// (force unit access).
    pub fua: bool,
    /// Placement handle (such as an FDP placement identifier) that the write request carries; none if it carries none.
    pub placement: Option<u16>,
}

impl HostRequest {
    /// Makes a request of job 0 with no more than an operation and an address range: no force unit access, no placement
    /// handle.
    pub const fn plain(arrive: SimTime, op: Op, offset: u64, bytes: u32) -> Self {
        Self { arrive, op, offset, bytes, tag: 0, fua: false, placement: None }
    }
}
