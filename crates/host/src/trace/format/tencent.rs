//! Tencent cloud block storage, 2018: five comma-separated numbers, read is 0, time in whole seconds.

use super::{FormatCard, Framing};
use crate::Op;
use crate::trace::field::{Columns, Fault, fault, int, show, time};
use crate::trace::record::{Parsed, Record, Volumes};

pub(super) const CARD: FormatCard = FormatCard {
    name: "tencent",
    title: "Tencent cloud block storage, 2018",
    units: "time in whole seconds,offset in 512-byte sectors,size in sectors,0=read 1=write,volume",
    // Five bare numbers say too little about themselves.
    certain: false,
    framing: Framing::Lines,
    parser: |_| Box::new(parse),
    writer: None,
};

fn parse(line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
    let mut columns = Columns::separated(line, b',');
    let time_ns = time(columns.next("time")?, 1_000_000_000, "time")?;
    let sector = int(columns.next("offset")?, "offset")?;
    let sectors = int(columns.next("size")?, "size")?;
    let op = match columns.next("operation")? {
        b"0" => Op::Read,
        b"1" => Op::Write,
        other => return Err(fault(format!("operation is {}", show(other)), "0 (read) or 1 (write)")),
    };
    let volume = columns.next("volume")?;
    int(volume, "volume")?;
    columns.end()?;
    let mut record = Record::in_sectors(time_ns, op, sector, sectors, 0)?;
    record.volume = volumes.id(volume)?;
    Ok(Parsed::Request(record))
}
