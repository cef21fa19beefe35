//! blkreplay natural loads: a header line with a notice around it, then columns between semicolons.

use super::{BASE, FormatCard, Parser};
use crate::Op;
use crate::trace::field::{Columns, Fault, fault, int, show, time, trim_start};
use crate::trace::record::{Parsed, Record, Volumes};

pub(super) const CARD: FormatCard = FormatCard {
    name: "blkreplay",
    title: "blkreplay load",
    units: "after a header: time in s ; start in 512-byte sectors ; length in sectors ; R, W or RA ; two delays",
    parser: |_| Box::new(BlkReplay { header_met: false, data_met: false }),
    ..BASE
};

struct BlkReplay {
    header_met: bool,
    data_met: bool,
}

impl Parser for BlkReplay {
    fn parse(&mut self, line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
        if is_header(line) {
            self.header_met = true;
            return Ok(Parsed::Signature);
        }
        // The notice stands before the header, after it, or both; it ends with the first line of columns.
        if !self.header_met || (!self.data_met && !has_columns(line)) {
            return Ok(Parsed::Ignored);
        }
        self.data_met = true;
        let mut columns = Columns::separated(line, b';');
        let time_ns = time(columns.next("start time")?, 1_000_000_000, "start time")?;
        let sector = int(columns.next("sector")?, "sector")?;
        let sectors = int(columns.next("length")?, "length")?;
        let op = match columns.next("operation")? {
            b"R" | b"RA" => Op::READ,
            b"W" => Op::WRITE,
            other => {
                return Err(fault(format!("operation is {}", show(other)), "R, RA (read ahead) or W"));
            }
        };
        for delay in ["replay delay", "replay duration"] {
            if let Some(column) = columns.optional() {
                time(column, 1_000_000_000, delay)?;
            }
        }
        columns.end()?;
        let mut record = Record::in_sectors(time_ns, op, sector, sectors, 0)?;
        record.volume = volumes.id(b"0")?;
        Ok(Parsed::Request(record))
    }
}

/// Returns true if a line of a blkreplay trace has at least three semicolons, and so is a line of columns, not of text.
fn has_columns(line: &[u8]) -> bool {
    line.iter().filter(|&&b| b == b';').count() >= 3
}

/// Returns true for the header line of a blkreplay trace, `start ; sector; length ; op ; ...`, with any number of
/// blanks.
fn is_header(line: &[u8]) -> bool {
    if !trim_start(line).starts_with(b"start") {
        return false;
    }
    let mut columns = Columns::separated(line, b';');
    ["start", "sector", "length", "op"].iter().all(|name| columns.optional() == Some(name.as_bytes()))
}
