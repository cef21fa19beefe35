//! fio iolog, versions 2 (waits between requests) and 3 (a time on each line). Each file is a volume.
//!
//! fio appends to a log that is there already. As in its own replay (3.33 and 3.42), a run that was appended follows the
//! one before: its first line comes with the last of the run before, and its times go on from there.

use super::{BASE, FormatCard, LineWriter, Parser};
use crate::trace::field::{Columns, Fault, fatal, fault, int, show};
use crate::trace::record::{Parsed, Record, Volumes};
use crate::{Effect, Op};
use std::io::Write as _;

const US: u64 = 1_000;
const MS: u64 = 1_000_000;
/// Constant: time stamp in microseconds of the first request in a fio iolog that is written: fio takes a stamp of 0 for
/// a missing one and leaves out the wait after it.
const FIRST_US: u64 = 1;

pub(super) const CARD_V2: FormatCard = FormatCard {
    name: "fio-iolog-v2",
    title: "fio iolog, version 2",
    units: "header, then: file action [offset length] in bytes; wait counts ms from the start",
    parser: |_| Box::new(Iolog::new(false)),
    ..BASE
};

pub(super) const CARD_V3: FormatCard = FormatCard {
    name: "fio-iolog-v3",
    title: "fio iolog, version 3",
    units: "header, then: time in us, file, action [offset length] in bytes",
    parser: |_| Box::new(Iolog::new(true)),
    writer: Some(LineWriter { header, line: write }),
    ..BASE
};

const HEADERS: [&[u8]; 2] = [b"fio version 2 iolog", b"fio version 3 iolog"];

struct Iolog {
    /// True for a fio iolog of version 3, in which each line begins with a time stamp.
    timed: bool,
    header_met: bool,
    /// Field: time in nanoseconds of the latest wait or time stamp of a fio iolog, counted from the beginning of the
    /// log's first run (one file may contain the appended logs of several fio runs).
    now_ns: u64,
    /// Field: number of nanoseconds to be added to the time stamps of the present run in a fio iolog (version 3), which
    /// may contain the appended logs of several fio runs; none before the first stamp of an appended run.
    base_ns: Option<i128>,
}

impl Parser for Iolog {
    fn parse(&mut self, line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
        if line == HEADERS[usize::from(self.timed)] {
            self.base_ns = (!self.header_met).then_some(0);
            self.header_met = true;
            return Ok(Parsed::Signature);
        }
        if !self.header_met {
            let header = String::from_utf8_lossy(HEADERS[usize::from(self.timed)]).into_owned();
            return Err(fatal(show(line), format!("the header {header:?}")));
        }
        let mut columns = Columns::blank(line);
        let mut time_ns = self.now_ns;
        if self.timed {
            time_ns = self.stamp(micros(columns.next("time")?)?)?;
        }
        let file = columns.next("file")?;
        let action = columns.next("action")?;
        let parsed = match action {
            b"add" => {
                volumes.id(file)?;
                Parsed::Known
            }
            b"open" | b"close" => Parsed::Known,
            b"wait" if !self.timed => self.wait(&mut columns)?,
            _ => request(time_ns, action, file, &mut columns, volumes)?,
        };
        columns.end()?;
        Ok(parsed)
    }
}

impl Iolog {
    fn new(timed: bool) -> Self {
        Self { timed, header_met: false, now_ns: 0, base_ns: Some(0) }
    }

    /// Converts a time stamp of the present run in a fio iolog (one of several appended logs) into nanoseconds from the
    /// beginning of the first run in the file.
    fn stamp(&mut self, ns: u64) -> Result<u64, Fault> {
        let base = *self.base_ns.get_or_insert(i128::from(self.now_ns) - i128::from(ns));
        let time = u64::try_from(base + i128::from(ns));
        self.now_ns =
            time.map_err(|_| fault("the times of appended runs add up to more than 64 bits", YEARS))?;
        Ok(self.now_ns)
    }

    /// Parses the line `file wait milliseconds 0` of a fio iolog: the requests that follow are made no earlier than
    /// this time after the start of the replay.
    fn wait(&mut self, columns: &mut Columns<'_>) -> Result<Parsed, Fault> {
        let ms = int(columns.next("wait")?, "wait")?;
        if let Some(length) = columns.optional() {
            int(length, "length")?;
        }
        let wait_ns = ms.checked_mul(MS).ok_or_else(|| fault(format!("wait {ms} ms"), YEARS))?;
        self.now_ns = self.now_ns.max(wait_ns);
        Ok(Parsed::Known)
    }
}

const YEARS: &str = "a time below 584 years";

fn micros(field: &[u8]) -> Result<u64, Fault> {
    let us = int(field, "time")?;
    us.checked_mul(US).ok_or_else(|| fault(format!("time {us} us"), YEARS))
}

fn request(
    time_ns: u64,
    action: &[u8],
    file: &[u8],
    columns: &mut Columns<'_>,
    volumes: &mut Volumes,
) -> Result<Parsed, Fault> {
    let op = match action {
        b"read" => Op::READ,
        b"write" => Op::WRITE,
        b"trim" => Op::TRIM,
        b"sync" | b"datasync" => Op::FLUSH,
        other => {
            let expected = "add, open, close, read, write, trim, sync, datasync, or wait (version 2 only)";
            return Err(fault(format!("action is {}", show(other)), expected));
        }
    };
    let Some(volume) = volumes.known(file) else {
        return Err(fault(format!("file {} was not added", show(file)), "an add line for it before"));
    };
    if op.effect() == Effect::Flush {
        // fio writes an extent here, which means nothing for a flush.
        for what in ["offset", "length"] {
            if let Some(column) = columns.optional() {
                int(column, what)?;
            }
        }
        return Ok(Parsed::Request(Record::flush(time_ns, volume)));
    }
    let offset = int(columns.next("offset")?, "offset")?;
    let bytes = int(columns.next("length")?, "length")?;
    Ok(Parsed::Request(Record::in_bytes(time_ns, op, offset, bytes, volume)?))
}

/// Makes a file name for volume number `volume` in a fio iolog, because the volume names of other traces are no file
/// names.
fn file_name(volume: usize) -> String {
    format!("volume{volume}")
}

fn header(volumes: &[String]) -> String {
    let mut text = String::from("fio version 3 iolog\n");
    for action in ["add", "open"] {
        for volume in 0..volumes.len() {
            text.push_str(&format!("{FIRST_US} {} {action}\n", file_name(volume)));
        }
    }
    text
}

fn write(out: &mut Vec<u8>, record: &Record, _volume: &str) -> Result<(), &'static str> {
    let (us, file) = (FIRST_US + record.time_ns / US, file_name(record.volume as usize));
    let action = match record.op.effect() {
        Effect::Flush => {
            let _ = writeln!(out, "{us} {file} sync 0 0");
            return Ok(());
        }
        Effect::Read => "read",
        Effect::Write => "write",
        Effect::Trim => "trim",
        Effect::Manage => return Err("an operation on a zone or a placement handle"),
    };
    let _ = writeln!(out, "{us} {file} {action} {} {}", record.offset, record.bytes);
    Ok(())
}
