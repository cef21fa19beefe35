//! One host request.

use crate::command::Op;
use units::SimTime;

/// A request as the host makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostRequest {
    /// When the host made it; latency counts from here. Never later than the time it is handed out at.
    pub arrive: SimTime,
    /// Operation of the request.
    pub op: Op,
    /// First byte on the logical drive; a multiple of 512.
    pub offset: u64,
    /// Length in bytes; a multiple of 512, zero only for a flush.
    pub bytes: u32,
    /// Number of the job or stream that made the request; returned at completion, and used to choose the queue.
    pub tag: u16,
    /// True for a write that must be on durable storage when the drive acknowledges it, write cache or not
    /// (force unit access).
    pub fua: bool,
    /// Placement identifier that the write request carries, if it carries one.
    pub placement: Option<u16>,
}

impl HostRequest {
    /// Makes a request of the first job that asks for nothing beside its operation.
    pub const fn plain(arrive: SimTime, op: Op, offset: u64, bytes: u32) -> Self {
        Self { arrive, op, offset, bytes, tag: 0, fua: false, placement: None }
    }
}
