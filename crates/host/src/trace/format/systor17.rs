//! SYSTOR '17: enterprise virtual desktops, CSV with a header; the operation may be missing in real files.

use super::{BASE, FormatCard, Parser};
use crate::trace::field::{Columns, Fault, fatal, fault, int, show, time};
use crate::trace::record::{Parsed, Record, Volumes, letter_op};

const HEADER: &[u8] = b"Timestamp,Response,IOType,LUN,Offset,Size";
const SECOND: u64 = 1_000_000_000;

pub(super) const CARD: FormatCard = FormatCard {
    name: "systor17",
    title: "SYSTOR '17 enterprise virtual desktops (Fujitsu)",
    units: "header Timestamp,Response,IOType,LUN,Offset,Size: times in s, R|W, offset and size in bytes",
    parser: |_| Box::new(Systor17 { header_met: false }),
    ..BASE
};

struct Systor17 {
    header_met: bool,
}

impl Parser for Systor17 {
    fn parse(&mut self, line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
        if line == HEADER {
            self.header_met = true;
            return Ok(Parsed::Signature);
        }
        if !self.header_met {
            return Err(fatal(show(line), "the header Timestamp,Response,IOType,LUN,Offset,Size"));
        }
        let mut columns = Columns::separated(line, b',');
        let time_ns = time(columns.next("Timestamp")?, SECOND, "Timestamp")?;
        let response = columns.next("Response")?;
        let io_type = columns.next("IOType")?;
        let lun = columns.next("LUN")?;
        let offset = int(columns.next("Offset")?, "Offset")?;
        let bytes = int(columns.next("Size")?, "Size")?;
        columns.end()?;
        if io_type.is_empty() {
            return Err(fault("IOType is empty", "R or W, or --skip-bad-lines"));
        }
        if !response.is_empty() {
            time(response, SECOND, "Response")?;
        }
        int(lun, "LUN")?;
        let mut record = Record::in_bytes(time_ns, letter_op(io_type)?, offset, bytes, 0)?;
        record.volume = volumes.id(lun)?;
        Ok(Parsed::Request(record))
    }
}
