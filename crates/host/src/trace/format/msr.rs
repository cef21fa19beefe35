//! MSR Cambridge: seven columns, the operation spelled out, time in ticks of 100 ns.

use super::{BASE, FormatCard, LineWriter};
use crate::trace::field::{Columns, Fault, fault, int, show};
use crate::trace::record::{Parsed, Record, Volumes};
use crate::{Effect, Op};
use std::io::Write as _;

/// Constant: Windows file time (100 ns ticks) of 22 February 2007, 17:00 UTC, at which the published week of the MSR
/// Cambridge traces begins; converted traces begin at this time.
const FIRST_TICK: u64 = 128_166_372_000_000_000;

/// Constant: header line that tools put first when they rewrite MSR Cambridge traces; the published files have none.
const HEADER: &[u8] = b"Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime";

pub(super) const CARD: FormatCard = FormatCard {
    name: "msr",
    title: "MSR Cambridge (SNIA 387)",
    units: "time in 100 ns ticks,host,disk,Read|Write,offset in bytes,size in bytes,response in ticks",
    parser: |_| {
        Box::new(|line: &[u8], volumes: &mut Volumes| match line.eq_ignore_ascii_case(HEADER) {
            true => Ok(Parsed::Signature),
            false => parse(Columns::separated(line, b','), volumes),
        })
    },
    writer: Some(LineWriter { header: |_| String::new(), line: write }),
    ..BASE
};

pub(super) const CARD_BLANK: FormatCard = FormatCard {
    name: "msr-blank",
    title: "MSR Cambridge, columns separated by blanks",
    units: "time in 100 ns ticks, host, disk, Read|Write, offset in bytes, size in bytes, response in ticks",
    parser: |_| Box::new(|line: &[u8], volumes: &mut Volumes| parse(Columns::blank(line), volumes)),
    ..BASE
};

fn parse(mut columns: Columns<'_>, volumes: &mut Volumes) -> Result<Parsed, Fault> {
    let time = columns.next("time")?;
    let ticks = int(time, "time")?;
    let host = columns.next("host")?;
    let disk = columns.next("disk")?;
    let op = op(columns.next("operation")?)?;
    let offset = int(columns.next("offset")?, "offset")?;
    let bytes = int(columns.next("size")?, "size")?;
    int(columns.next("response time")?, "response time")?;
    columns.end()?;
    int(disk, "disk")?;
    let Some(time_ns) = ticks.checked_mul(100) else {
        return Err(fault(format!("time {}", show(time)), "ticks of 100 ns, a time below 584 years"));
    };
    let mut record = Record::in_bytes(time_ns, op, offset, bytes, 0)?;
    record.volume = volume(host, disk, volumes)?;
    Ok(Parsed::Request(record))
}

/// Returns the number of the volume `host_disk`, which is registered at its first use; the name is put together without
/// allocating memory.
#[inline]
fn volume(host: &[u8], disk: &[u8], volumes: &mut Volumes) -> Result<u32, Fault> {
    let mut key = [0u8; 128];
    let length = host.len() + 1 + disk.len();
    if host.is_empty() || length > key.len() {
        return Err(fault(format!("host is {}", show(host)), "a name of 1 to 100 bytes"));
    }
    key[..host.len()].copy_from_slice(host);
    key[host.len()] = b'_';
    key[host.len() + 1..length].copy_from_slice(disk);
    volumes.id(&key[..length])
}

#[inline]
pub(super) fn op(field: &[u8]) -> Result<Op, Fault> {
    if field.eq_ignore_ascii_case(b"read") {
        Ok(Op::READ)
    } else if field.eq_ignore_ascii_case(b"write") {
        Ok(Op::WRITE)
    } else {
        Err(fault(format!("operation is {}", show(field)), "Read or Write"))
    }
}

fn write(out: &mut Vec<u8>, record: &Record, volume: &str) -> Result<(), &'static str> {
    let name = match record.op.effect() {
        Effect::Read => "Read",
        Effect::Write => "Write",
        Effect::Trim => return Err("a trim"),
        Effect::Flush => return Err("a flush"),
        Effect::Manage => return Err("an operation on a zone or a placement handle"),
    };
    let (ticks, Record { offset, bytes, .. }) = (FIRST_TICK + record.time_ns / 100, record);
    let _ = match host_and_disk(volume) {
        Some((host, disk)) => writeln!(out, "{ticks},{host},{disk},{name},{offset},{bytes},0"),
        None => writeln!(out, "{ticks},trace,{},{name},{offset},{bytes},0", record.volume),
    };
    Ok(())
}

/// Divides the name of a volume, `host_disk`, into host and disk, the two columns of the MSR format; `None` if the name
/// cannot be divided so.
fn host_and_disk(volume: &str) -> Option<(&str, &str)> {
    let (host, disk) = volume.rsplit_once('_')?;
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    let fits = !host.is_empty() && host.len() <= 100 && host.bytes().all(plain);
    // Written with leading zeros, a disk would come back as it was, but its number would not.
    let number = disk.parse::<u32>().is_ok_and(|number| number.to_string() == disk);
    (fits && number).then_some((host, disk))
}
