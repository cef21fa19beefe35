//! Five columns of numbers between blanks: six formats that look alike and differ in the unit of time, the
//! unit of addresses and the base of the last column; and one with a hash behind them. What tells them apart is which
//! reading is plausible; where more than one is, they must be named.

use super::{FormatCard, LineWriter, one_reads};
use crate::trace::field::{Columns, Fault, fault, hex, int, show, time, trim};
use crate::trace::record::{Parsed, Record, SECTOR, Volumes};
use crate::trace::weigh::FirstRequests;
use crate::{Effect, Op};
use std::io::Write as _;

/// Constant: size in bytes of a page, the unit of request sizes in the trace format `diskpages`.
const PAGE: u64 = 4096;

const BASE: FormatCard = FormatCard { certain: false, ..super::BASE };

pub(super) const SSDSIM: FormatCard = FormatCard {
    name: "ssdsim",
    title: "SSDsim ASCII",
    units: "time in ns, device, start in 512-byte sectors, size in sectors, 1=read 0=write",
    doubt: FirstRequests::doubt_sectors,
    parser: |_| Box::new(ssdsim),
    writer: Some(LineWriter { header: |_| String::new(), line: write_ssdsim }),
    ..BASE
};

pub(super) const MQSIM: FormatCard = FormatCard {
    name: "mqsim",
    title: "MQSim ASCII",
    units: "time in ns, device, start in 512-byte sectors, size in sectors, 1=read 0=write; single blanks",
    doubt: FirstRequests::doubt_sectors,
    parser: |_| Box::new(mqsim),
    writer: Some(LineWriter { header: |_| String::new(), line: write_ssdsim }),
    ..BASE
};

pub(super) const DISKSIM: FormatCard = FormatCard {
    name: "disksim",
    title: "DiskSim ASCII",
    units: "time in ms, device, start in 512-byte sectors, size in sectors, flags in hex, bit 0 set = read",
    doubt: |reading| reading.doubt_millis().or_else(|| reading.doubt_sectors()),
    parser: |_| Box::new(disksim),
    writer: Some(LineWriter { header: |_| String::new(), line: write_disksim }),
    ..BASE
};

pub(super) const DISKPAGES: FormatCard = FormatCard {
    name: "diskpages",
    title: "DiskSim-like with sizes in pages (flashsim copies of UMass)",
    units: "time in ms, device, start in 512-byte sectors, size in 4 KiB pages, 1=read 0=write",
    doubt: |reading| reading.doubt_millis().or_else(|| doubt_pages(reading)),
    parser: |_| Box::new(diskpages),
    ..BASE
};

pub(super) const DTRS: FormatCard = FormatCard {
    name: "dtrs",
    title: "Microsoft production servers, cut and converted for SSDsim",
    units: "time in us, device, start in 512-byte sectors, size in sectors, 1=read 0=write",
    doubt: |reading| reading.doubt_whole(US, "microseconds").or_else(|| reading.doubt_sectors()),
    parser: |_| Box::new(dtrs),
    ..BASE
};

pub(super) const MS_OFFSET: FormatCard = FormatCard {
    name: "ms-offset",
    title: "windows of MSR volumes, as block replayers take them",
    units: "time in ms, device, offset in bytes, size in bytes, 1=read 0=write",
    doubt: FirstRequests::doubt_millis,
    parser: |_| Box::new(ms_offset),
    ..BASE
};

pub(super) const SSDSIM_HASH: FormatCard = FormatCard {
    name: "ssdsim-hash",
    title: "SSDsim ASCII for deduplication: a hash of the content in the last column",
    units: "time in ns[, device], start in 512-byte sectors, size in sectors, 1=read 0=write, hash",
    doubt: FirstRequests::doubt_sectors,
    parser: |_| Box::new(ssdsim_hash),
    ..BASE
};

const MS: u64 = 1_000_000;
const US: u64 = 1_000;

/// Record of the five columns of a trace line in the formats of SSDsim, MQSim, DiskSim and others, with start and size
/// as numbers in the units of the line.
struct Five<'a> {
    time: &'a [u8],
    device: &'a [u8],
    start: u64,
    size: u64,
    op: &'a [u8],
}

#[inline]
fn five(line: &[u8]) -> Result<Five<'_>, Fault> {
    let mut columns = Columns::blank(line);
    let time = columns.next("time")?;
    let device = columns.next("device")?;
    int(device, "device")?;
    let start = int(columns.next("start")?, "start")?;
    let size = int(columns.next("size")?, "size")?;
    let op = columns.next("operation")?;
    columns.end()?;
    Ok(Five { time, device, start, size, op })
}

#[inline]
fn finish(record: Result<Record, Fault>, device: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
    let mut record = record?;
    record.volume = volumes.id(device)?;
    Ok(Parsed::Request(record))
}

/// Parses a time in whole nanoseconds; the error for a number with a fraction says that the trace probably is of a
/// format with another unit.
fn whole_ns(field: &[u8]) -> Result<u64, Fault> {
    match int(field, "time") {
        Err(mut fault) if field.contains(&b'.') => {
            fault.expected = "whole nanoseconds; a fraction suggests another --trace-format".into();
            Err(fault)
        }
        other => other,
    }
}

fn ssdsim(line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
    let f = five(line)?;
    let time_ns = whole_ns(f.time)?;
    finish(Record::in_sectors(time_ns, one_reads(f.op)?, f.start, f.size, 0), f.device, volumes)
}

fn mqsim(line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
    let doubled = line.windows(2).any(|pair| pair == b"  ");
    if doubled || line.contains(&b'\t') || line.first() == Some(&b' ') || line.last() == Some(&b' ') {
        return Err(fault(show(line), "single blanks between columns, which is all that MQSim reads"));
    }
    ssdsim(line, volumes)
}

/// Parses a line that ends in a hash: `time device start size op hash`, as in SSDsim, or without a device `time start
/// size op hash`, as in SSDsim's variants for deduplication.
fn ssdsim_hash(line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
    let line = trim(line);
    let hash = line.rsplit(|&b| b == b' ' || b == b'\t').next().unwrap_or_default();
    if hash.is_empty() || !hash.iter().all(u8::is_ascii_hexdigit) {
        return Err(fault(format!("hash is {}", show(hash)), "hexadecimal digits in the last column"));
    }
    let rest = &line[..line.len() - hash.len()];
    let mut columns = Columns::blank(rest);
    let count = std::iter::from_fn(|| columns.optional()).count();
    match count {
        4 => {
            let mut columns = Columns::blank(rest);
            let time_ns = whole_ns(columns.next("time")?)?;
            let start = int(columns.next("start")?, "start")?;
            let size = int(columns.next("size")?, "size")?;
            let op = one_reads(columns.next("operation")?)?;
            finish(Record::in_sectors(time_ns, op, start, size, 0), b"0", volumes)
        }
        _ => ssdsim(rest, volumes),
    }
}

/// Returns a reason to doubt that the sizes of a trace count pages: every size would be a multiple of 32 KiB, or
/// requests would have more than a MiB on average, so that the numbers are sectors. Too small sizes are a reason to
/// doubt the formats that count sectors.
fn doubt_pages(reading: &FirstRequests) -> Option<String> {
    const MIB: u64 = 1 << 20;
    if !reading.is_enough() {
        return None;
    }
    if reading.size_unit >= PAGE * 8 {
        return Some("every size would be a multiple of 32 KiB: they are sectors".into());
    }
    (reading.bytes / reading.requests > MIB)
        .then(|| format!("requests would be {} MiB on average", reading.bytes / reading.requests / MIB))
}

fn dtrs(line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
    let f = five(line)?;
    let time_ns = time(f.time, US, "time")?;
    finish(Record::in_sectors(time_ns, one_reads(f.op)?, f.start, f.size, 0), f.device, volumes)
}

fn ms_offset(line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
    let f = five(line)?;
    let time_ns = time(f.time, MS, "time")?;
    finish(Record::in_bytes(time_ns, one_reads(f.op)?, f.start, f.size, 0), f.device, volumes)
}

fn diskpages(line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
    let f = five(line)?;
    let time_ns = time(f.time, MS, "time")?;
    let Some(sectors) = f.size.checked_mul(PAGE / SECTOR) else {
        return Err(fault(format!("size {} pages", f.size), "less than 4 GiB in one request"));
    };
    finish(Record::in_sectors(time_ns, one_reads(f.op)?, f.start, sectors, 0), f.device, volumes)
}

fn disksim(line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
    let f = five(line)?;
    let time_ns = time(f.time, MS, "time")?;
    let flags = hex(f.op, "flags")?;
    if flags > u64::from(u32::MAX) {
        return Err(fault(format!("flags {}", show(f.op)), "at most 8 hexadecimal digits"));
    }
    let op = if flags & 1 == 1 { Op::READ } else { Op::WRITE };
    finish(Record::in_sectors(time_ns, op, f.start, f.size, 0), f.device, volumes)
}

/// Returns the digit that stands for an operation in the trace formats of five columns, 1 for a read and 0 for a write;
/// the error names any other operation, which these formats cannot express.
fn op_digit(op: Op) -> Result<u8, &'static str> {
    match op.effect() {
        Effect::Read => Ok(1),
        Effect::Write => Ok(0),
        Effect::Trim => Err("a trim"),
        Effect::Flush => Err("a flush"),
        Effect::Manage => Err("an operation on a zone or a placement handle"),
    }
}

fn write_ssdsim(out: &mut Vec<u8>, record: &Record, _volume: &str) -> Result<(), &'static str> {
    let (sector, sectors) = (record.offset / SECTOR, u64::from(record.bytes) / SECTOR);
    let op = op_digit(record.op)?;
    let _ = writeln!(out, "{} {} {sector} {sectors} {op}", record.time_ns, record.volume);
    Ok(())
}

fn write_disksim(out: &mut Vec<u8>, record: &Record, _volume: &str) -> Result<(), &'static str> {
    let (sector, sectors) = (record.offset / SECTOR, u64::from(record.bytes) / SECTOR);
    let op = op_digit(record.op)?;
    let (ms, below) = (record.time_ns / MS, record.time_ns % MS);
    let _ = writeln!(out, "{ms}.{below:06} {} {sector} {sectors} {op:x}", record.volume);
    Ok(())
}
