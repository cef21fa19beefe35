//! CloudPhysics as CSV with a header. Two variants are in use that differ in the unit of time alone; where
//! only one of them is plausible it is taken, else it must be named.

use super::{BASE, FormatCard, Parser, vscsi};
use crate::trace::field::{Columns, Fault, fatal, fault, hex, int, show, time};
use crate::trace::record::{Parsed, Volumes};

const HEADER: &[u8] = b"version,time,op,size,lbn";

pub(super) const CARD: FormatCard = FormatCard {
    name: "cloudphysics",
    title: "CloudPhysics vSCSI as CSV, microseconds",
    units: "header version,time,op,size,lbn: time in us, SCSI command in hex, bytes, 512-byte sectors",
    parser: |_| Box::new(CloudPhysics { unit_ns: 1_000, header_met: false }),
    ..BASE
};

pub(super) const CARD_SECONDS: FormatCard = FormatCard {
    name: "cloudphysics-s",
    note: super::tencent::WHOLE_SECONDS,
    doubt: |reading| reading.doubt_whole(1_000_000_000, "seconds"),
    title: "CloudPhysics vSCSI as CSV, seconds",
    units: "header version,time,op,size,lbn: time in s, SCSI command in hex, bytes, 512-byte sectors",
    parser: |_| Box::new(CloudPhysics { unit_ns: 1_000_000_000, header_met: false }),
    ..CARD
};

struct CloudPhysics {
    unit_ns: u64,
    header_met: bool,
}

impl Parser for CloudPhysics {
    fn parse(&mut self, line: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
        if line == HEADER {
            self.header_met = true;
            return Ok(Parsed::Signature);
        }
        if !self.header_met {
            return Err(fatal(show(line), "the header version,time,op,size,lbn"));
        }
        let mut columns = Columns::separated(line, b',');
        int(columns.next("version")?, "version")?;
        let time_ns = time(columns.next("time")?, self.unit_ns, "time")?;
        let cmd = columns.next("op")?;
        let bytes = int(columns.next("size")?, "size")?;
        let lbn = int(columns.next("lbn")?, "lbn")?;
        columns.end()?;
        let code = u16::try_from(hex(cmd, "op")?)
            .map_err(|_| fault(format!("op {}", show(cmd)), "a SCSI command"))?;
        vscsi::request(time_ns, code, lbn, bytes, volumes)
    }
}
