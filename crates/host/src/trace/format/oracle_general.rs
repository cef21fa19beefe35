//! oracleGeneral, the binary form in which libCacheSim publishes traces: 24 bytes little-endian for each request.
//!
//! The form is made for caches: it has no operation, whole seconds, and an identifier where a block trace has an
//! address. For block traces the identifier is the address: in sectors of 512 bytes (CloudPhysics and others whose
//! block number was kept) or in bytes (others made from byte offsets). Which of both is weighed like any two formats
//! that look alike. Objects of web and key-value caches have no address; a size that is none of whole sectors shows
//! them, and they are refused.

use super::vscsi::bytes_at;
use super::{BASE, FormatCard, Framing, Parser};
use crate::Op;
use crate::trace::field::{Fault, fault};
use crate::trace::record::{Parsed, Record, SECTOR, Volumes};
use crate::trace::weigh::FirstRequests;

/// Constant: upper limit of the next-access field of an oracleGeneral record, which gives the number, counted from the
/// start of the trace, of the next request to the same object: more requests than any trace has. Values from this limit
/// on are an error, except those in `NEVER`.
const MOST_REQUESTS: i64 = 1 << 40;

/// Constant: greatest size in bytes of a request in an oracleGeneral trace: a greater size, which no request or cached
/// object has, is an error.
const MOST_BYTES: u64 = 1 << 30;

/// Constant: values of the next-access field that mean that the object is never accessed again; the second is used in
/// older files.
const NEVER: [i64; 2] = [-1, i64::MAX];

pub(super) const CARD: FormatCard = FormatCard {
    name: "oracle-general",
    title: "oracleGeneral of libCacheSim, block traces, identifiers in sectors",
    units: "24 bytes little-endian: time in s, identifier = start in 512-byte sectors, bytes, next access",
    certain: false,
    note: "its form has no operation and times of whole seconds: every request is a read, those of one second together",
    doubt: FirstRequests::doubt_addresses,
    framing: Framing::Records { head: 24, extra: |_| 0 },
    parser: |_| Box::new(OracleGeneral { unit: SECTOR, index: 0 }),
    ..BASE
};

pub(super) const CARD_BYTES: FormatCard = FormatCard {
    name: "oracle-general-bytes",
    title: "oracleGeneral of libCacheSim, block traces, identifiers in bytes",
    units: "24 bytes little-endian: time in s, identifier = start in bytes, bytes, next access",
    doubt: |_| None,
    parser: |_| Box::new(OracleGeneral { unit: 1, index: 0 }),
    ..CARD
};

struct OracleGeneral {
    /// Field of the parser: unit, in bytes, of a request's identifier, which is its start address: 1, or 512 for
    /// sectors.
    unit: u64,
    index: i64,
}

impl Parser for OracleGeneral {
    fn parse(&mut self, record: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
        let time_s = u32::from_le_bytes(bytes_at(record, 0));
        let id = u64::from_le_bytes(bytes_at(record, 4));
        let bytes = u64::from(u32::from_le_bytes(bytes_at(record, 12)));
        let next = i64::from_le_bytes(bytes_at(record, 16));
        self.index += 1;
        if !NEVER.contains(&next) && !(self.index..MOST_REQUESTS).contains(&next) {
            return Err(fault(format!("the next access is {next}"), "a later request, or -1"));
        }
        if bytes > MOST_BYTES {
            return Err(fault(format!("a request of {bytes} bytes"), "at most 1 GiB"));
        }
        if bytes % SECTOR != 0 {
            let expected = "whole sectors: cached objects have no address, so only block traces run";
            let mut odd = fault(format!("an object of {bytes} bytes"), expected);
            (odd.recognised, odd.fatal) = (true, true);
            return Err(odd);
        }
        let Some(offset) = id.checked_mul(self.unit) else {
            return Err(fault(format!("identifier {id}"), "a byte address within 64 bits"));
        };
        let mut request = Record::in_bytes(u64::from(time_s) * 1_000_000_000, Op::READ, offset, bytes, 0)?;
        request.volume = volumes.id(b"0")?;
        Ok(Parsed::Request(request))
    }
}
