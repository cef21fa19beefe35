//! Alibaba cloud block storage, 2020: comma-separated, one letter for the operation.

use super::{BASE, FormatCard};
use crate::trace::field::{Columns, Fault, int, time};
use crate::trace::record::{Parsed, Record, Volumes, letter_op};

pub(super) const CARD: FormatCard = FormatCard {
    name: "alibaba",
    title: "Alibaba cloud block storage, 2020",
    units: "device,R|W,offset in bytes,length in bytes,time in microseconds",
    parser: |_| Box::new(parse),
    ..BASE
};

fn parse(line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
    let mut columns = Columns::separated(line, b',');
    let device = columns.next("device")?;
    let op = letter_op(columns.next("operation")?)?;
    let offset = int(columns.next("offset")?, "offset")?;
    let bytes = int(columns.next("length")?, "length")?;
    let time_ns = time(columns.next("time")?, 1_000, "time")?;
    columns.end()?;
    let mut record = Record::in_bytes(time_ns, op, offset, bytes, 0)?;
    record.volume = volumes.id(device)?;
    Ok(Parsed::Request(record))
}
