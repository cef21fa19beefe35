//! Storage Performance Council form, as in the UMass repository.

use super::{BASE, FormatCard, LineWriter};
use crate::Effect;
use crate::trace::field::{Columns, Fault, fault, int, time};
use crate::trace::record::{Parsed, Record, SECTOR, Volumes, letter_op};
use std::io::Write as _;

pub(super) const CARD: FormatCard = FormatCard {
    name: "spc",
    title: "Storage Performance Council 1.0.1 (UMass Financial, WebSearch)",
    units: "ASU,address in 512-byte blocks,size in bytes,R|W,time in seconds[,further columns]",
    parser: |_| Box::new(parse),
    writer: Some(LineWriter { header: |_| String::new(), line: write }),
    ..BASE
};

fn parse(line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
    let mut columns = Columns::separated(line, b',');
    let asu = columns.next("ASU")?;
    let block = int(columns.next("address")?, "address")?;
    let bytes = int(columns.next("size")?, "size")?;
    let op = letter_op(columns.next("operation")?)?;
    let time_ns = time(columns.next("time")?, 1_000_000_000, "time")?;
    int(asu, "ASU")?;
    let Some(offset) = block.checked_mul(SECTOR) else {
        return Err(fault(format!("address {block}"), "a byte address within 64 bits"));
    };
    let mut record = Record::in_bytes(time_ns, op, offset, bytes, 0)?;
    record.volume = volumes.id(asu)?;
    Ok(Parsed::Request(record))
}

fn write(out: &mut Vec<u8>, record: &Record, _volume: &str) -> Result<(), &'static str> {
    let letter = match record.op.effect() {
        Effect::Read => 'r',
        Effect::Write => 'w',
        Effect::Trim => return Err("a trim"),
        Effect::Flush => return Err("a flush"),
        Effect::Manage => return Err("an operation on a zone or a placement handle"),
    };
    let (seconds, below) = (record.time_ns / 1_000_000_000, record.time_ns % 1_000_000_000);
    let (asu, block) = (record.volume, record.offset / SECTOR);
    let _ = writeln!(out, "{asu},{block},{},{letter},{seconds}.{below:09}", record.bytes);
    Ok(())
}
