//! From what a client asks to what the drive is asked.

use crate::buffers::Buffers;
use crate::contents::Payload;
use crate::nbd::{Command, Export, NbdRequest, PAYLOAD_MOST, Refusal};
use host::{Effect, Op};
use std::borrow::Cow;
use std::ops::Range;

/// Size of a sector in bytes: clients' requests must begin and end at a multiple of it.
const SECTOR: u64 = 512;
/// Greatest number of bytes that one request to the drive zeroes or trims, so that requests of other clients can be
/// served in between.
const PIECE: u64 = 256 << 10;

/// Record of a request of the live server to the simulated drive, with the data that it writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriveRequest {
    pub op: Op,
    pub offset: u64,
    pub bytes: u32,
    pub fua: bool,
    pub payload: Payload,
}

/// Kind of treatment that the live server chooses for a client's request: refuse it, answer it without the drive, carry
/// it out on the drive, or end the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestPlan {
    /// Case of treatment: the server refuses the client's request with this NBD error.
    Refuse(Refusal),
    /// Case of treatment: the server answers a query of the allocated extents (NBD block status) itself, without a
    /// request to the drive.
    Status,
    /// Case of treatment: the server carries out the client's request by this sequence of requests to the drive.
    Drive(Pieces),
    /// Case of treatment: the server ends the connection, because the client asked to disconnect.
    Leave,
}

/// Type of a sequence of requests to the drive (pieces) that carry out one request of a client; each is sent after the
/// previous one has been completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pieces {
    op: Op,
    /// Byte range of the client's request that is left: no request to the drive has been made for it yet.
    left: Range<u64>,
    fua: bool,
    payload: Payload,
    unit: u64,
    /// True if a flush of the drive's write buffer is still to follow as the last of the requests to the drive that
    /// carry out the client's request, as for a flush or for a trim with force unit access.
    flushes: bool,
}

impl Pieces {
    /// Returns the number of bytes that count against the client's limit of unanswered requests for this request: the
    /// length of the byte range for which no request to the drive has been made yet.
    pub fn charge(&self) -> u64 {
        self.left.end - self.left.start
    }

    fn has_own_memory(&self) -> bool {
        self.op.effect() == Effect::Read || matches!(self.payload, Payload::Bytes(_))
    }

    /// Returns the next request to the drive for the client's request; none if all have been made.
    pub fn next(&mut self) -> Option<DriveRequest> {
        let Range { start, end } = self.left;
        if start == end {
            let is_due = std::mem::take(&mut self.flushes);
            return is_due.then_some(DriveRequest {
                op: Op::FLUSH,
                offset: 0,
                bytes: 0,
                fua: false,
                payload: Payload::None,
            });
        }
        let piece = PIECE.max(self.unit);
        let whole = if self.has_own_memory() { end } else { (start + piece) / self.unit * self.unit };
        self.left.start = whole.min(end);
        let payload = match &mut self.payload {
            Payload::Bytes(bytes) => Payload::Bytes(std::mem::take(bytes)),
            other => other.clone(),
        };
        let bytes = (self.left.start - start) as u32;
        Some(DriveRequest { op: self.op, offset: start, bytes, fua: self.fua, payload })
    }
}

/// Decides what to do with the client's request `asked` to `export`; `allocation` says whether the client may query
/// allocated extents. Memory for data to be written comes from the pool `buffers`.
pub fn plan(
    asked: NbdRequest<'_>,
    export: &Export,
    allocation: Allocation,
    buffers: &mut Buffers,
) -> RequestPlan {
    let unit = u64::from(export.unit);
    match asked.command {
        Command::Disconnect => return RequestPlan::Leave,
        Command::Flush => {
            let pieces =
                Pieces { op: Op::FLUSH, left: 0..0, fua: false, payload: Payload::None, unit, flushes: true };
            return RequestPlan::Drive(pieces);
        }
        Command::Other => return RequestPlan::Refuse(Refusal::Invalid),
        Command::BlockStatus if allocation == Allocation::Unknown => {
            return RequestPlan::Refuse(Refusal::Invalid);
        }
        _ => {}
    }
    if let Some(refusal) = refusal(&asked, export) {
        return RequestPlan::Refuse(refusal);
    }
    let (range, fua) = (asked.offset..asked.offset + u64::from(asked.length), asked.is_fua());
    let work = |op, left, fua, payload| Pieces { op, left, fua, payload, unit, flushes: false };
    match asked.command {
        Command::Read => RequestPlan::Drive(work(Op::READ, range, false, Payload::None)),
        Command::Write => {
            let bytes = match asked.data {
                Cow::Owned(bytes) => bytes,
                Cow::Borrowed(bytes) => buffers.copy(bytes),
            };
            RequestPlan::Drive(work(Op::WRITE, range, fua, Payload::Bytes(bytes)))
        }
        Command::Trim => {
            // What the drive forgot is to stay forgotten.
            RequestPlan::Drive(Pieces {
                flushes: fua,
                ..work(Op::TRIM, covered(range, unit), false, Payload::None)
            })
        }
        // Forgotten units would read as zeros only until a power cut brings back what they held: zeros are data.
        Command::WriteZeroes if asked.is_fast_only() => RequestPlan::Refuse(Refusal::Unsupported),
        Command::WriteZeroes => RequestPlan::Drive(work(Op::WRITE, range, fua, Payload::Zeros)),
        _ => RequestPlan::Status,
    }
}

/// Kind of client by its right to query allocated extents (NBD block status): `Known` if it negotiated the metadata
/// context `base:allocation`, else `Unknown`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocation {
    Known,
    Unknown,
}

fn refusal(asked: &NbdRequest<'_>, export: &Export) -> Option<Refusal> {
    let writes = matches!(asked.command, Command::Write | Command::WriteZeroes);
    let end = asked.offset.checked_add(u64::from(asked.length));
    if asked.length == 0 || (asked.command == Command::Read && asked.length > PAYLOAD_MOST) {
        return Some(Refusal::Invalid);
    }
    if end.is_none_or(|end| end > export.namespace.extent.bytes) {
        return Some(if writes { Refusal::NoSpace } else { Refusal::Invalid });
    }
    let is_aligned = asked.offset.is_multiple_of(SECTOR) && u64::from(asked.length).is_multiple_of(SECTOR);
    (!is_aligned && asked.command != Command::BlockStatus).then_some(Refusal::Invalid)
}

/// Returns the part of a byte range that consists of whole mapping units of `unit` bytes, which alone can be trimmed;
/// empty if the range contains none.
fn covered(range: Range<u64>, unit: u64) -> Range<u64> {
    let (first, end) = (range.start.next_multiple_of(unit), range.end / unit * unit);
    first..end.max(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trim_covers_whole_units() {
        assert_eq!(covered(0..8192, 4096), 0..8192);
        assert_eq!(covered(512..8704, 4096), 4096..8192);
        assert!(covered(512..1024, 4096).is_empty());
        assert!(covered(3584..4608, 4096).is_empty());
    }

    fn all(mut pieces: Pieces) -> Vec<(Op, Range<u64>)> {
        let mut found = Vec::new();
        while let Some(part) = pieces.next() {
            found.push((part.op, part.offset..part.offset + u64::from(part.bytes)));
        }
        found
    }

    #[test]
    fn long_zeroes_and_trims_are_cut_at_units_and_nothing_is_left_out() {
        for unit in [4096, 8192, 3 * 4096, 384 << 10, 1 << 20] {
            for (op, payload) in [(Op::TRIM, Payload::None), (Op::WRITE, Payload::Zeros)] {
                let left = 512..u64::from(u32::MAX) + 1;
                let pieces = Pieces { op, left: left.clone(), fua: false, payload, unit, flushes: true };
                assert_eq!(pieces.charge(), left.end - left.start, "one of them is enough for a client");
                let mut found = all(pieces);
                assert_eq!(found.pop(), Some((Op::FLUSH, 0..0)), "what was done is made durable");
                let most = PIECE.max(unit);
                assert!(found.len() as u64 >= (1 << 32) / most.next_power_of_two());
                assert!(found.iter().all(|(_, part)| part.start < part.end && part.end - part.start <= most));
                assert_eq!((found[0].1.start, found[found.len() - 1].1.end), (left.start, left.end));
                assert!(found.windows(2).all(|two| two[0].1.end == two[1].1.start));
                assert!(found[1..].iter().all(|(_, part)| part.start.is_multiple_of(unit)));
            }
        }
    }

    #[test]
    fn data_go_to_the_drive_in_one_piece() {
        let payload = Payload::Bytes(vec![7; 64 << 10]);
        let left = 512..512 + (64 << 10);
        let mut pieces =
            Pieces { op: Op::WRITE, left: left.clone(), fua: true, payload, unit: 4096, flushes: false };
        assert_eq!(pieces.charge(), 64 << 10);
        let part = pieces.next().unwrap();
        assert_eq!((part.offset, part.bytes, part.fua), (512, 64 << 10, true));
        assert_eq!(part.payload, Payload::Bytes(vec![7; 64 << 10]));
        assert_eq!(pieces.next(), None);
    }
}
