//! blkparse text: one event of the block layer per line, and a summary at the end.
//!
//! Requests are the events of one action, D (issued to the device) unless another is asked for. A write with an F
//! behind its W is one with force unit access; a flush without data is a flush; a discard is a trim, and so are zeroes to
//! be written, which are no data. An F in front of a write with data asks for a flush before it: what is issued to the
//! device has that as a request of its own. A request that was given back (R) and issued again is one (`requeued.rs`).
//!
//! What blkparse writes to its standard output is taken whole: the names of its input files, which stand anywhere, and
//! the summaries, of each program (`-s`) and of each CPU.

use super::rwbs::{self, RwbsKind};
use super::{BASE, FormatCard, Parser};
use crate::trace::field::{Columns, Fault, fault, int, show, time};
use crate::trace::record::{Parsed, Record, RecordMark, Volumes};
use crate::{Effect, Op};

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

/// Constant: list of the beginnings of the lines of the summary at the end of blkparse's output.
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
    "Allocation wait:",
    "Dispatch wait:",
    "Completion wait:",
];

struct BlkParse {
    action: Vec<u8>,
    in_summary: bool,
}

impl Parser for BlkParse {
    fn parse(&mut self, line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
        if line.starts_with(b"Input file ") && line.ends_with(b" added") {
            return Ok(Parsed::Known);
        }
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
        let pid = int(columns.next("pid")?, "pid")?;
        let action = columns.next("action")?;
        if action.len() > 2 || !action.iter().all(u8::is_ascii_alphabetic) {
            return Err(fault(format!("action is {}", show(action)), "one or two letters, such as D"));
        }
        let requeued = action == b"R" && self.action == b"D";
        if action != self.action && !requeued {
            return Ok(Parsed::Known);
        }
        let rwbs = columns.next("RWBS")?;
        let kind = match rwbs::kind(rwbs)? {
            RwbsKind::Append if action == b"C" => RwbsKind::Write,
            kind => kind,
        };
        let parsed = request(time_ns, kind, rwbs, device, &mut columns, volumes);
        match parsed {
            Ok(Parsed::Request(record)) if requeued => {
                Ok(Parsed::Request(Record { mark: RecordMark::Requeued, ..record }))
            }
            _ if requeued => Ok(Parsed::Known),
            Ok(Parsed::Request(record)) => Ok(Parsed::Request(record.by(pid)?)),
            parsed => parsed,
        }
    }
}

impl BlkParse {
    /// Parses a line of the summary with which blkparse's output ends; the error says that an event follows the
    /// summary.
    fn summary(&mut self, line: &[u8]) -> Result<Parsed, Fault> {
        self.in_summary = true;
        let line = super::super::field::trim(line);
        match SUMMARY.iter().any(|start| line.starts_with(start.as_bytes())) || is_program(line) {
            true => Ok(Parsed::Known),
            false => Err(fault(show(line), "the end of the summary, after which no event may follow")),
        }
    }
}

/// Returns true if the line begins blkparse's summary: the line of the first program or CPU, or the totals if there was
/// only one CPU.
fn is_summary_start(line: &[u8]) -> bool {
    line.starts_with(b"CPU") || line.starts_with(b"Total (") || is_program(line)
}

/// Returns true for a line `name (process)`, which begins the part of a program in the summary of `blkparse -s`. An
/// event line begins with its device or has another end.
fn is_program(line: &[u8]) -> bool {
    let Some(number) = line.strip_suffix(b")") else { return false };
    let digits = number.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let name = number[..number.len() - digits].strip_suffix(b" (");
    let first = Columns::blank(line).optional().unwrap_or_default();
    digits > 0 && name.is_some_and(|name| !name.is_empty()) && !is_device(first)
}

fn is_device(field: &[u8]) -> bool {
    let mut parts = field.splitn(2, |&b| b == b',');
    let number =
        |part: Option<&[u8]>| part.is_some_and(|p| !p.is_empty() && p.iter().all(u8::is_ascii_digit));
    number(parts.next()) && number(parts.next())
}

fn request(
    time_ns: u64,
    kind: RwbsKind,
    rwbs: &[u8],
    device: &[u8],
    columns: &mut Columns<'_>,
    volumes: &mut Volumes,
) -> Result<Parsed, Fault> {
    let op = match kind {
        RwbsKind::Nothing => return Ok(Parsed::Known),
        _ if is_packet(columns.remainder()) => return Ok(Parsed::Known),
        RwbsKind::Append => return Err(rwbs::late_address()),
        RwbsKind::Read => Op::READ,
        RwbsKind::Write => Op::WRITE,
        RwbsKind::Trim | RwbsKind::Zeroes => Op::TRIM,
        RwbsKind::Flush => Op::FLUSH,
    };
    let extent = extent(columns)?;
    let mut record = match (op, extent) {
        (Op::FLUSH, _) => Record::flush(time_ns, 0),
        // Flags of a flush on a write of nothing: only the flush is left.
        (Op::WRITE, BehindLetters::Nothing | BehindLetters::Address | BehindLetters::Sectors(_, 0))
            if rwbs.starts_with(b"F") =>
        {
            Record::flush(time_ns, 0)
        }
        (op, BehindLetters::Sectors(sector, sectors)) => Record::in_sectors(time_ns, op, sector, sectors, 0)?,
        (_, BehindLetters::Address) => return Ok(Parsed::Empty),
        (_, BehindLetters::Nothing) => {
            return Err(fault(format!("{} without an address", show(rwbs)), "sector + sectors"));
        }
    };
    record.fua = record.op.effect() == Effect::Write && rwbs::forces_unit_access(rwbs);
    if kind == RwbsKind::Zeroes {
        record.mark = RecordMark::Zeroes;
    }
    record.volume = volumes.id(device)?;
    Ok(Parsed::Request(record))
}

/// Returns true if `bytes (command ..)` follows the RWBS letters: a SCSI command sent by a program, which reads or
/// writes no sector of the disk. A single number in parentheses is a time, as `blkparse -t` prints it.
fn is_packet(rest: &[u8]) -> bool {
    let mut columns = Columns::blank(rest);
    let before = columns.remainder();
    let first = columns.optional().unwrap_or_default();
    let open = if first.starts_with(b"(") { before } else { columns.remainder() };
    let Some(inside) = open.strip_prefix(b"(") else { return false };
    let inside = inside.split(|byte| *byte == b')').next().unwrap_or_default();
    let mut words = Columns::blank(inside);
    let is_time = words.optional().is_some_and(|word| word.iter().all(u8::is_ascii_digit)) && words.is_over();
    !is_time && (first.starts_with(b"(") || first.iter().all(u8::is_ascii_digit))
}

/// Kind of values that stand in a blkparse line behind the RWBS letters (which give the kind of request): address and
/// length, address alone, or none.
#[derive(Clone, Copy)]
enum BehindLetters {
    /// Case of values: none; the blkparse line gives neither address nor length behind the RWBS letters, only a
    /// process.
    Nothing,
    /// Case of values: an address alone; the blkparse line gives no length, because no data were transferred.
    Address,
    /// Case of values: an extent; the blkparse line gives its first sector and its number of sectors.
    Sectors(u64, u64),
}

/// Parses the part of a blkparse line behind the RWBS letters: `sector + sectors`, a sector alone if no data were
/// transferred, or only a process.
fn extent(columns: &mut Columns<'_>) -> Result<BehindLetters, Fault> {
    let is_end = |rest: &[u8]| matches!(rest.first(), None | Some(b'[' | b'(' | b'<'));
    if is_end(columns.remainder()) {
        return Ok(BehindLetters::Nothing);
    }
    let sector = int(columns.next("sector")?, "sector")?;
    // A line that ends here is cut.
    if !columns.remainder().is_empty() && is_end(columns.remainder()) {
        return Ok(BehindLetters::Address);
    }
    let plus = columns.next("+")?;
    if plus != b"+" {
        return Err(fault(show(plus), "+ between sector and sectors"));
    }
    let sectors = int(columns.next("sectors")?, "sectors")?;
    match is_end(columns.remainder()) {
        true => Ok(BehindLetters::Sectors(sector, sectors)),
        false => {
            Err(fault(format!("{} after the address", show(columns.remainder())), "[process] or the end"))
        }
    }
}
