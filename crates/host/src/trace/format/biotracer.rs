//! BIOtracer text of Android phones: eight columns between tabs.

use super::{BASE, FormatCard};
use crate::Op;
use crate::trace::field::{Columns, Fault, fault, int, time};
use crate::trace::record::{Parsed, Record, SECTOR, Volumes};

const SECOND: u64 = 1_000_000_000;

pub(super) const CARD: FormatCard = FormatCard {
    name: "biotracer",
    title: "BIOtracer, Android phones (IISWC 2015)",
    units: "start in 512-byte sectors, sectors, bytes, type (bit 0 set = write), four times in s: the first counts",
    parser: |_| Box::new(parse),
    ..BASE
};

fn parse(line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
    let mut columns = Columns::blank(line);
    let sector = int(columns.next("start sector")?, "start sector")?;
    let sectors = int(columns.next("size in sectors")?, "size in sectors")?;
    let bytes = int(columns.next("size in bytes")?, "size in bytes")?;
    let kind = int(columns.next("type")?, "type")?;
    let time_ns = time(columns.next("time of generation")?, SECOND, "time of generation")?;
    for what in ["time of fetching", "time of sending", "time of completion"] {
        time(columns.next(what)?, SECOND, what)?;
    }
    columns.end()?;
    if sectors.checked_mul(SECTOR) != Some(bytes) {
        return Err(fault(format!("{sectors} sectors but {bytes} bytes"), "the same size in both columns"));
    }
    let op = if kind & 1 == 1 { Op::WRITE } else { Op::READ };
    let mut record = Record::in_sectors(time_ns, op, sector, sectors, 0)?;
    record.volume = volumes.id(b"0")?;
    Ok(Parsed::Request(record))
}
