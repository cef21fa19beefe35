//! Fujitsu K5 cloud: comma-separated, the identifier of a virtual disk first.

use super::{BASE, FormatCard};
use crate::trace::field::{Columns, Fault, int, time};
use crate::trace::record::{Parsed, Record, Volumes, letter_op};

pub(super) const CARD: FormatCard = FormatCard {
    name: "k5cloud",
    title: "Fujitsu K5 cloud virtual disks",
    units: "disk,time in seconds,R|W,offset in bytes,length in bytes",
    parser: |_| Box::new(parse),
    ..BASE
};

fn parse(line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
    let mut columns = Columns::separated(line, b',');
    let disk = columns.next("disk")?;
    let time_ns = time(columns.next("time")?, 1_000_000_000, "time")?;
    let op = letter_op(columns.next("operation")?)?;
    let offset = int(columns.next("offset")?, "offset")?;
    let bytes = int(columns.next("length")?, "length")?;
    columns.end()?;
    let mut record = Record::in_bytes(time_ns, op, offset, bytes, 0)?;
    record.volume = volumes.id(disk)?;
    Ok(Parsed::Request(record))
}
