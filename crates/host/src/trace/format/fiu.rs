//! FIU I/O deduplication traces: one line for each 4 KiB, with the hash of its content.

use super::{BASE, FormatCard};
use crate::trace::field::{Columns, Fault, fault, int, show};
use crate::trace::record::{Parsed, Record, Volumes, letter_op};

pub(super) const CARD: FormatCard = FormatCard {
    name: "fiu",
    title: "FIU I/O deduplication (FAST '10)",
    units: "time in ns, pid, process, start in 512-byte sectors, sectors, R|W, major, minor, md5 of the content",
    parser: |_| Box::new(parse),
    ..BASE
};

/// Constant: greatest number of columns in a line of an FIU trace: nine, and more if the process name contains blanks.
/// The columns behind the name are counted from the end of the line.
const MOST_COLUMNS: usize = 24;

fn parse(line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
    let mut columns = Columns::blank(line);
    let mut all = [&b""[..]; MOST_COLUMNS];
    let mut count = 0;
    while let Some(column) = columns.optional() {
        if count == MOST_COLUMNS {
            return Err(fault(format!("more than {MOST_COLUMNS} columns"), "9 columns"));
        }
        all[count] = column;
        count += 1;
    }
    if count < 9 {
        return Err(fault(format!("{count} columns"), "9: time pid process sector size op major minor md5"));
    }
    let time_ns = int(all[0], "time")?;
    let pid = int(all[1], "pid")?;
    let [sector, sectors, op, major, minor, md5] = [6, 5, 4, 3, 2, 1].map(|from_end| all[count - from_end]);
    let (sector, sectors) = (int(sector, "sector")?, int(sectors, "size")?);
    let op = letter_op(op)?;
    let device = [int(major, "major")?, int(minor, "minor")?];
    if md5.len() != 32 || !md5.iter().all(u8::is_ascii_hexdigit) {
        return Err(fault(format!("md5 is {}", show(md5)), "32 hexadecimal digits"));
    }
    let mut record = Record::in_sectors(time_ns, op, sector, sectors, 0)?;
    record.volume = volumes.pair(device)?;
    Ok(Parsed::Request(record.by(pid)?))
}
