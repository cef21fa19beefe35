//! MSR Cambridge cut to four columns, as many papers' artefacts have it: without host, disk and response time.

use super::{BASE, FormatCard, msr};
use crate::trace::field::{Columns, Fault, fault, int, show};
use crate::trace::record::{Parsed, Record, Volumes};
use crate::trace::weigh::FirstRequests;

pub(super) const CARD: FormatCard = FormatCard {
    name: "msr-4",
    title: "MSR Cambridge cut to four columns",
    units: "time in 100 ns ticks, Read|Write, offset in bytes, size in bytes, the operation second or last",
    // Only the range of its times says that they are ticks.
    certain: false,
    doubt: doubt_ticks,
    parser: |_| Box::new(parse),
    ..BASE
};

/// Returns a reason to doubt that a trace is in the format `msr-4` if the earliest time of the first requests is no
/// Windows file time of the years 2000 to 2049.
fn doubt_ticks(reading: &FirstRequests) -> Option<String> {
    const TICKS: std::ops::Range<u64> = 125_911_584_000_000_000..141_690_816_000_000_000;
    let ticks = reading.first_ns / 100;
    (!TICKS.contains(&ticks)).then(|| format!("{ticks} is no Windows file time from 2000 to 2049"))
}

fn parse(line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
    let mut columns = match line.contains(&b',') {
        true => Columns::separated(line, b','),
        false => Columns::blank(line),
    };
    let time = columns.next("time")?;
    let ticks = int(time, "time")?;
    let mut rest = [columns.next("operation")?, columns.next("offset")?, columns.next("size")?];
    columns.end()?;
    if msr::op(rest[2]).is_ok() {
        rest.rotate_right(1);
    }
    let op = msr::op(rest[0])?;
    let (offset, bytes) = (int(rest[1], "offset")?, int(rest[2], "size")?);
    let Some(time_ns) = ticks.checked_mul(100) else {
        return Err(fault(format!("time {}", show(time)), "ticks of 100 ns, a time below 584 years"));
    };
    let mut record = Record::in_bytes(time_ns, op, offset, bytes, 0)?;
    record.volume = volumes.id(b"0")?;
    Ok(Parsed::Request(record))
}
