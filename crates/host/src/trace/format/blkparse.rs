//! blkparse text: one event of the block layer per line, and a summary at the end.
//!
//! Requests are the events of one action, D (issued to the device) unless another is asked for. A write with an F
//! behind its W is one with force unit access; a flush without data is a flush; a discard is a trim. An F in front
//! of a write with data asks for a flush before it: what is issued to the device has that as a request of its own.

use super::{BASE, FormatCard, Parser};
use crate::Op;
use crate::trace::field::{Columns, Fault, fault, int, show, time};
use crate::trace::record::{Parsed, Record, Volumes};

pub(super) const CARD: FormatCard = FormatCard {
    name: "blkparse",
    title: "blkparse text (blktrace)",
    units: "major,minor cpu sequence time in s, pid, action, RWBS, start + length in 512-byte sectors [process]",
    has_events: true,
    parser: |options| {
        let action = options.action.as_deref().unwrap_or("D").as_bytes().to_vec();
        Box::new(BlkParse { action, in_summary: false })
    },
    ..BASE
};

/// How the lines of the summary begin.
const SUMMARY: &[&str] = &[
    "CPU",
    "Total",
    "Throughput",
    "Events",
    "Skips",
    "Reads Queued:",
    "Read Dispatches:",
    "Reads Requeued:",
    "Reads Completed:",
    "Read Merges:",
    "Read depth:",
    "PC Reads Queued:",
    "PC Read Disp.:",
    "PC Reads Req.:",
    "PC Reads Compl.:",
    "PC Write Disp.:",
    "PC Writes Queued:",
    "IO unplugs:",
    "Write depth:",
];

struct BlkParse {
    action: Vec<u8>,
    in_summary: bool,
}

impl Parser for BlkParse {
    fn parse(&mut self, line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
        if self.in_summary || is_summary_start(line) {
            return self.summary(line);
        }
        let mut columns = Columns::blank(line);
        let device = columns.next("device")?;
        if !is_device(device) {
            return Err(fault(format!("device is {}", show(device)), "major,minor"));
        }
        int(columns.next("cpu")?, "cpu")?;
        int(columns.next("sequence")?, "sequence")?;
        let time_ns = time(columns.next("time")?, 1_000_000_000, "time")?;
        int(columns.next("pid")?, "pid")?;
        let action = columns.next("action")?;
        if action.len() > 2 || !action.iter().all(u8::is_ascii_alphabetic) {
            return Err(fault(format!("action is {}", show(action)), "one or two letters, such as D"));
        }
        if action != self.action {
            return Ok(Parsed::Known);
        }
        let rwbs = columns.next("RWBS")?;
        let op = op_of(rwbs)?;
        request(time_ns, op, rwbs, device, &mut columns, volumes)
    }
}

impl BlkParse {
    /// Lines of the summary, which ends the file.
    fn summary(&mut self, line: &[u8]) -> Result<Parsed, Fault> {
        self.in_summary = true;
        let line = super::super::field::trim(line);
        match SUMMARY.iter().any(|start| line.starts_with(start.as_bytes())) {
            true => Ok(Parsed::Known),
            false => Err(fault(show(line), "the end of the summary, after which no event may follow")),
        }
    }
}

/// The summary begins with the first CPU, or with the total where there was but one.
fn is_summary_start(line: &[u8]) -> bool {
    line.starts_with(b"CPU") || line.starts_with(b"Total (")
}

fn is_device(field: &[u8]) -> bool {
    let mut parts = field.splitn(2, |&b| b == b',');
    let number =
        |part: Option<&[u8]>| part.is_some_and(|p| !p.is_empty() && p.iter().all(u8::is_ascii_digit));
    number(parts.next()) && number(parts.next())
}

/// The operation in an RWBS field, `None` for one that moves no data (N).
fn op_of(rwbs: &[u8]) -> Result<Option<Op>, Fault> {
    // A leading F asks for a flush before the operation that follows it; alone, or doubled, it is the flush.
    let bare = match rwbs {
        [b'F', rest @ ..] if matches!(rest.first(), Some(b'R' | b'W' | b'D' | b'N' | b'F')) => rest,
        all => all,
    };
    match bare.first() {
        Some(b'R') => Ok(Some(Op::Read)),
        Some(b'W') => Ok(Some(Op::Write)),
        Some(b'D') => Ok(Some(Op::Trim)),
        Some(b'F') => Ok(Some(Op::Flush)),
        Some(b'N') if rwbs.starts_with(b"F") => Ok(Some(Op::Flush)),
        Some(b'N') => Ok(None),
        _ => Err(fault(format!("RWBS is {}", show(rwbs)), "R, W, D, F or N with its flags")),
    }
}

/// True for a write with an F behind its W.
fn forces_unit_access(rwbs: &[u8]) -> bool {
    rwbs.iter().skip_while(|letter| **letter != b'W').any(|letter| *letter == b'F')
}

fn request(
    time_ns: u64,
    op: Option<Op>,
    rwbs: &[u8],
    device: &[u8],
    columns: &mut Columns<'_>,
    volumes: &mut Volumes,
) -> Result<Parsed, Fault> {
    if op.is_none() || is_packet(columns.remainder()) {
        return Ok(Parsed::Known);
    }
    let extent = extent(columns)?;
    let mut record = match (op, extent) {
        (None, _) => return Ok(Parsed::Known),
        (Some(Op::Flush), _) => Record::flush(time_ns, 0),
        // Flags of a flush on a write of nothing: only the flush is left.
        (Some(Op::Write), None | Some((_, 0))) if rwbs.starts_with(b"F") => Record::flush(time_ns, 0),
        (Some(op), Some((sector, sectors))) => Record::in_sectors(time_ns, op, sector, sectors, 0)?,
        (Some(_), None) => {
            return Err(fault(format!("{} without an address", show(rwbs)), "sector + sectors"));
        }
    };
    record.fua = record.op == Op::Write && forces_unit_access(rwbs);
    record.volume = volumes.id(device)?;
    Ok(Parsed::Request(record))
}

/// `bytes (command ..)`: a SCSI command sent by a program, which reads or writes no sector of the disk.
fn is_packet(rest: &[u8]) -> bool {
    let mut columns = Columns::blank(rest);
    let (first, second) = (columns.optional().unwrap_or_default(), columns.optional().unwrap_or_default());
    first.starts_with(b"(") || (first.iter().all(u8::is_ascii_digit) && second.starts_with(b"("))
}

/// `sector + sectors`, or nothing but a process.
fn extent(columns: &mut Columns<'_>) -> Result<Option<(u64, u64)>, Fault> {
    match columns.remainder().first() {
        None | Some(b'[') => return Ok(None),
        Some(_) => {}
    }
    let sector = int(columns.next("sector")?, "sector")?;
    let plus = columns.next("+")?;
    if plus != b"+" {
        return Err(fault(show(plus), "+ between sector and sectors"));
    }
    let sectors = int(columns.next("sectors")?, "sectors")?;
    match columns.remainder().first() {
        None | Some(b'[' | b'(' | b'<') => Ok(Some((sector, sectors))),
        Some(_) => {
            Err(fault(format!("{} after the address", show(columns.remainder())), "[process] or the end"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rwbs_tells_flushes_from_writes_with_flags() {
        let op = |text: &str| op_of(text.as_bytes()).unwrap();
        assert_eq!((op("R"), op("RA"), op("RM")), (Some(Op::Read), Some(Op::Read), Some(Op::Read)));
        assert_eq!((op("WS"), op("FWFS"), op("DS")), (Some(Op::Write), Some(Op::Write), Some(Op::Trim)));
        assert_eq!(
            (op("F"), op("FF"), op("FN"), op("N")),
            (Some(Op::Flush), Some(Op::Flush), Some(Op::Flush), None)
        );
        assert!(op_of(b"X").is_err());
        let forced = |text: &str| forces_unit_access(text.as_bytes());
        assert_eq!((forced("WFS"), forced("FWFS"), forced("WF")), (true, true, true));
        assert_eq!((forced("W"), forced("FWS"), forced("WSM")), (false, false, false));
    }
}
