//! Tencent cloud block storage, 2018: five comma-separated numbers, read is 0, time in whole seconds.

use super::{BASE, FormatCard};
use crate::Op;
use crate::trace::field::{Columns, Fault, fault, int, show, time};
use crate::trace::record::{Parsed, Record, Volumes};
use crate::trace::weigh::FirstRequests;

pub(super) const CARD: FormatCard = FormatCard {
    name: "tencent",
    title: "Tencent cloud block storage, 2018",
    units: "time in whole seconds,offset in 512-byte sectors,size in sectors,0=read 1=write,volume",
    // Five bare numbers say too little about themselves.
    certain: false,
    note: WHOLE_SECONDS,
    doubt: doubt_unix,
    parser: |_| Box::new(parse),
    ..BASE
};

/// Constant text of the remark that is shown with the results on traces whose times are whole seconds.
pub(super) const WHOLE_SECONDS: &str =
    "its times are whole seconds: the requests of one second arrive together, so its pace says little";

/// Returns a reason to doubt that a trace is in the Tencent format if the earliest time of the first requests is no
/// Unix time of the years 2000 to 2049.
fn doubt_unix(reading: &FirstRequests) -> Option<String> {
    const SECOND_NS: u64 = 1_000_000_000;
    const YEARS: std::ops::Range<u64> = 946_684_800..2_524_608_000;
    let second = reading.first_ns / SECOND_NS;
    (!YEARS.contains(&second)).then(|| format!("{second} is no Unix time from 2000 to 2049"))
}

fn parse(line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
    let mut columns = Columns::separated(line, b',');
    let time_ns = time(columns.next("time")?, 1_000_000_000, "time")?;
    let sector = int(columns.next("offset")?, "offset")?;
    let sectors = int(columns.next("size")?, "size")?;
    let op = match columns.next("operation")? {
        b"0" => Op::READ,
        b"1" => Op::WRITE,
        other => return Err(fault(format!("operation is {}", show(other)), "0 (read) or 1 (write)")),
    };
    let volume = columns.next("volume")?;
    int(volume, "volume")?;
    columns.end()?;
    let mut record = Record::in_sectors(time_ns, op, sector, sectors, 0)?;
    record.volume = volumes.id(volume)?;
    Ok(Parsed::Request(record))
}
