//! From what a client asks to what the drive is asked.

use crate::buffers::Buffers;
use crate::contents::Payload;
use crate::nbd::{Asked, Command, Export, PAYLOAD_MOST, Refusal};
use host::Op;
use std::ops::Range;

/// Bytes of a sector: what is asked for begins and ends at one.
const SECTOR: u64 = 512;

/// A request to the drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub op: Op,
    pub offset: u64,
    pub bytes: u32,
    pub fua: bool,
    pub payload: Payload,
}

/// What becomes of a client's request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// It is refused.
    Refuse(Refusal),
    /// It asks what is allocated.
    Status,
    /// Requests to the drive, and a flush when they are done. None: there is nothing to do.
    Drive(Vec<Part>, Then),
    /// The client leaves.
    Leave,
}

/// What follows a client's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    Nothing,
    /// What the drive forgot is to stay forgotten.
    Flush,
}

/// The most requests to the drive that one of a client's becomes, with a flush behind them.
pub const PARTS_MOST: u64 = 4;

/// What becomes of `asked`; `allocation`: the client may ask for that.
pub fn plan(asked: &Asked<'_>, export: &Export, allocation: Allocation, buffers: &mut Buffers) -> Plan {
    match asked.command {
        Command::Disconnect => return Plan::Leave,
        Command::Flush => return Plan::Drive(vec![part(Op::Flush, 0..0, Payload::None)], Then::Nothing),
        Command::Other => return Plan::Refuse(Refusal::Invalid),
        Command::BlockStatus if allocation == Allocation::Unknown => return Plan::Refuse(Refusal::Invalid),
        _ => {}
    }
    if let Some(refusal) = refusal(asked, export) {
        return Plan::Refuse(refusal);
    }
    let (range, fua) = (asked.offset..asked.offset + u64::from(asked.length), asked.is_fua());
    let then = if fua { Then::Flush } else { Then::Nothing };
    match asked.command {
        Command::Read => Plan::Drive(vec![part(Op::Read, range, Payload::None)], Then::Nothing),
        Command::Write => Plan::Drive(
            vec![Part { fua, ..part(Op::Write, range, Payload::Bytes(buffers.copy(asked.data))) }],
            Then::Nothing,
        ),
        Command::Trim => {
            let (_, whole, _) = cut(range, u64::from(export.unit));
            Plan::Drive(some(part(Op::Trim, whole, Payload::None)), then)
        }
        // Forgotten units would read as zeros only until a power cut brings back what they held: zeros are data.
        Command::WriteZeroes if asked.is_fast_only() => Plan::Refuse(Refusal::Unsupported),
        Command::WriteZeroes => {
            Plan::Drive(vec![Part { fua, ..part(Op::Write, range, Payload::Zeros) }], Then::Nothing)
        }
        _ => Plan::Status,
    }
}

/// Whether a client may ask what is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocation {
    Known,
    Unknown,
}

fn refusal(asked: &Asked<'_>, export: &Export) -> Option<Refusal> {
    let writes = matches!(asked.command, Command::Write | Command::WriteZeroes);
    let end = asked.offset.checked_add(u64::from(asked.length));
    if asked.length == 0 || (asked.command == Command::Read && asked.length > PAYLOAD_MOST) {
        return Some(Refusal::Invalid);
    }
    if end.is_none_or(|end| end > export.bytes) {
        return Some(if writes { Refusal::NoSpace } else { Refusal::Invalid });
    }
    let is_aligned = asked.offset.is_multiple_of(SECTOR) && u64::from(asked.length).is_multiple_of(SECTOR);
    (!is_aligned && asked.command != Command::BlockStatus).then_some(Refusal::Invalid)
}

fn part(op: Op, range: Range<u64>, payload: Payload) -> Part {
    Part { op, offset: range.start, bytes: (range.end - range.start) as u32, fua: false, payload }
}

/// Nothing where it is about nothing.
fn some(part: Part) -> Vec<Part> {
    if part.bytes == 0 { Vec::new() } else { vec![part] }
}

/// A range before, in and behind the units that it covers.
fn cut(range: Range<u64>, unit: u64) -> (Range<u64>, Range<u64>, Range<u64>) {
    let first = range.start.next_multiple_of(unit);
    let end = range.end / unit * unit;
    if first >= end {
        // It covers none: at most the ends of two.
        let middle = first.min(range.end);
        return (range.start..middle, middle..middle, middle..range.end);
    }
    (range.start..first, first..end, end..range.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_cut_at_units() {
        assert_eq!(cut(0..8192, 4096), (0..0, 0..8192, 8192..8192));
        assert_eq!(cut(512..8704, 4096), (512..4096, 4096..8192, 8192..8704));
        assert_eq!(cut(512..1024, 4096), (512..1024, 1024..1024, 1024..1024));
        assert_eq!(cut(3584..4608, 4096), (3584..4096, 4096..4096, 4096..4608));
    }
}
