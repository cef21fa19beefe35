//! Linux' block events as text: of ftrace (`trace`), `trace-cmd report` and `perf script`.
//!
//! A line ends in `TIME: EVENT: DEVICE RWBS ... SECTOR + SECTORS ...`, after any beginning; other events than those of
//! the block layer may be among them. Events stand for the actions of blkparse: issue D, bio queue Q, completion C,
//! insertion I, requeue R.

use super::rwbs::{self, RwbsKind};
use super::{BASE, FormatCard, Parser};
use crate::trace::field::{Columns, Fault, fault, int, show, time};
use crate::trace::record::{Parsed, Record, RecordMark, Volumes};
use crate::{Effect, Op};

pub(super) const CARD: FormatCard = FormatCard {
    name: "ftrace",
    title: "block events of ftrace, trace-cmd or perf, text",
    units: "... time in s: event: major,minor RWBS ... start + length in 512-byte sectors",
    has_events: true,
    parser: |options| Box::new(Ftrace { action: options.action.as_deref().unwrap_or("D").to_owned() }),
    ..BASE
};

/// Constant: list of the names of ftrace's block events, each with the letter of the corresponding blktrace action.
const EVENTS: &[(&[u8], &str)] = &[
    (b"block_rq_issue", "D"),
    (b"block_bio_queue", "Q"),
    (b"block_rq_complete", "C"),
    (b"block_rq_insert", "I"),
    (b"block_rq_requeue", "R"),
];

/// Constant: list of the beginnings of lines in ftrace's text that are no events: comments of ftrace, and the first
/// lines of `trace-cmd report`.
const BEFORE: &[&[u8]] = &[b"#", b"cpus=", b"version = ", b"CPU "];

struct Ftrace {
    action: String,
}

impl Parser for Ftrace {
    fn parse(&mut self, line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
        if BEFORE.iter().any(|begin| line.starts_with(begin)) {
            return Ok(Parsed::Ignored);
        }
        let Some((clock, event, mut columns)) = event(line) else {
            return Err(fault(show(line), "... TIME: EVENT: ..., as trace-cmd and perf print it"));
        };
        let Some((_, action)) = EVENTS.iter().find(|(name, _)| *name == event) else {
            return Ok(if event.starts_with(b"block_") { Parsed::Known } else { Parsed::Ignored });
        };
        let requeued = *action == "R" && self.action == "D";
        if *action != self.action && !requeued {
            return Ok(Parsed::Known);
        }
        let time_ns = time(clock, 1_000_000_000, "time")?;
        let device = columns.next("device")?;
        let letters = columns.next("RWBS")?;
        let Some(mut record) = request(time_ns, letters, &mut columns, action)? else {
            return Ok(if requeued { Parsed::Known } else { Parsed::Empty });
        };
        if requeued {
            record.mark = RecordMark::Requeued;
        }
        record.volume = volumes.id(device)?;
        Ok(Parsed::Request(record))
    }
}

/// Divides an ftrace line into time, name of the event, and further columns: the time is the first word that is a
/// number with a fraction and a colon at its end, the name is the word after it. `None` if the line has no such words.
fn event(line: &[u8]) -> Option<(&[u8], &[u8], Columns<'_>)> {
    let mut columns = Columns::blank(line);
    while let Some(word) = columns.optional() {
        let Some(clock) = word.strip_suffix(b":") else { continue };
        if clock.contains(&b'.') && clock.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.') {
            let name = columns.optional()?.strip_suffix(b":")?;
            return Some((clock, name.strip_prefix(b"block:").unwrap_or(name), columns));
        }
    }
    None
}

/// Returns the request that an ftrace event describes; none if the event transfers no data.
fn request(
    time_ns: u64,
    letters: &[u8],
    columns: &mut Columns<'_>,
    action: &str,
) -> Result<Option<Record>, Fault> {
    let (op, mark) = match rwbs::kind(letters)? {
        RwbsKind::Nothing => return Ok(None),
        RwbsKind::Flush => return Ok(Some(Record::flush(time_ns, 0))),
        RwbsKind::Append if action != "C" => return Err(rwbs::late_address()),
        RwbsKind::Read => (Op::READ, RecordMark::None),
        RwbsKind::Write | RwbsKind::Append => (Op::WRITE, RecordMark::None),
        RwbsKind::Trim => (Op::TRIM, RecordMark::None),
        RwbsKind::Zeroes => (Op::TRIM, RecordMark::Zeroes),
    };
    // Bytes and a command in parentheses stand before the address, or not.
    let mut sector = columns.next("sector")?;
    loop {
        match columns.next("+")? {
            b"+" => break,
            word => sector = word,
        }
    }
    let (sector, sectors) = (int(sector, "sector")?, int(columns.next("sectors")?, "sectors")?);
    if sectors == 0 {
        let flushes = op.effect() == Effect::Write && letters.starts_with(b"F");
        return Ok(flushes.then(|| Record::flush(time_ns, 0)));
    }
    let mut record = Record::in_sectors(time_ns, op, sector, sectors, 0)?;
    (record.mark, record.fua) = (mark, op.effect() == Effect::Write && rwbs::forces_unit_access(letters));
    Ok(Some(record))
}
