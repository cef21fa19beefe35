//! WiscSim (WiscSee) events: issued and completed requests in turn; the issued ones are the arrivals.

use super::{BASE, FormatCard};
use crate::Op;
use crate::trace::field::{Columns, Fault, fault, int, show, time};
use crate::trace::record::{Parsed, Record, Volumes};

const SECOND: u64 = 1_000_000_000;

pub(super) const CARD: FormatCard = FormatCard {
    name: "wiscsim",
    title: "WiscSim / WiscSee events",
    units: "pid, D (issued) or C (completed), operation, offset in bytes, size in bytes, time in s, latency in s, flag",
    parser: |_| Box::new(parse),
    ..BASE
};

fn parse(line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
    let mut columns = Columns::blank(line);
    let pid = int(columns.next("pid")?, "pid")?;
    let issued = match columns.next("action")? {
        b"D" => true,
        b"C" => false,
        other => return Err(fault(format!("action is {}", show(other)), "D (issued) or C (completed)")),
    };
    let op = match columns.next("operation")? {
        b"read" => Op::READ,
        b"write" => Op::WRITE,
        b"discard" => Op::TRIM,
        b"flush" => Op::FLUSH,
        other => {
            let expected = "read, write, discard or flush";
            return Err(fault(format!("operation is {}", show(other)), expected));
        }
    };
    let offset = int(columns.next("offset")?, "offset")?;
    let bytes = int(columns.next("size")?, "size")?;
    let time_ns = time(columns.next("time")?, SECOND, "time")?;
    time(columns.next("latency")?, SECOND, "latency")?;
    match columns.next("flag")? {
        b"True" | b"False" => {}
        other => return Err(fault(format!("flag is {}", show(other)), "True or False")),
    }
    columns.end()?;
    if !issued {
        return Ok(Parsed::Known);
    }
    let mut record = match op {
        Op::FLUSH => Record::flush(time_ns, 0),
        _ => Record::in_bytes(time_ns, op, offset, bytes, 0)?,
    };
    record.volume = volumes.id(b"0")?;
    Ok(Parsed::Request(record.by(pid)?))
}
