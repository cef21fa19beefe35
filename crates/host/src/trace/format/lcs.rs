//! lcs, the other binary form of libCacheSim: a header of 8,192 bytes, which has the version, and records of 24 to 100
//! bytes, little-endian.
//!
//! Version 1 has what oracleGeneral has (see `oracle_general.rs`, also for what an identifier means and why objects of
//! caches are refused); from version 2 on there are an operation and a tenant, from 3 on sizes of 64 bits and a time to
//! live, from 4 on features, which say nothing here. The header's statistics count the requests: a file that holds
//! more or fewer is damaged.

use super::vscsi::bytes_at;
use super::{BASE, FormatCard, Framing, Parser};
use crate::Op;
use crate::trace::field::{Fault, fatal, fault};
use crate::trace::record::{Parsed, Record, SECTOR, Volumes};
use crate::trace::weigh::FirstRequests;

/// Constant: length in bytes of the header of an lcs trace file.
const HEADER: usize = 8192;
/// Constant: magic number at the beginning and at the end of the header of an lcs trace file.
const MAGIC: u64 = 0x1234_5678_9abc_def0;
/// Constant: byte offset of the number of requests in the header of an lcs trace file, behind the magic number, the
/// version and the version of the statistics.
const COUNT: usize = 24;
/// Constant list of the lengths in bytes of a record (one request) in an lcs trace, by version of the format from 1 on.
const LENGTHS: [usize; 8] = [24, 28, 36, 40, 44, 52, 68, 100];
/// Constant: greatest size in bytes of a request in an lcs trace: a greater size, which no request or cached object
/// has, is an error.
const MOST_BYTES: u64 = 1 << 30;

pub(super) const CARD: FormatCard = FormatCard {
    name: "lcs",
    title: "lcs of libCacheSim, versions 1 to 8, block traces, identifiers in sectors",
    units: "header of 8,192 bytes; records little-endian: time in s, identifier = start in 512-byte sectors, bytes, ...",
    certain: false,
    note: "its times are whole seconds, so that requests of one second come together; a request without an operation \
           is a read",
    doubt: FirstRequests::doubt_addresses,
    framing: Framing::Headed { header: HEADER, record: |header| LENGTHS[version(header).unwrap_or(1) - 1] },
    parser: |_| Box::new(Lcs { unit: SECTOR, version: None, counted: 0, records: 0 }),
    ..BASE
};

pub(super) const CARD_BYTES: FormatCard = FormatCard {
    name: "lcs-bytes",
    title: "lcs of libCacheSim, versions 1 to 8, block traces, identifiers in bytes",
    units: "header of 8,192 bytes; records little-endian: time in s, identifier = start in bytes, bytes, ...",
    doubt: |_| None,
    parser: |_| Box::new(Lcs { unit: 1, version: None, counted: 0, records: 0 }),
    ..CARD
};

struct Lcs {
    /// Unit of the identifier of an lcs record, which is the request's start address, in bytes: 1, or 512 for sectors;
    /// a field of the parser, set by the trace format.
    unit: u64,
    /// Field of the parser: version of the records of an lcs trace; none before the header has been read.
    version: Option<usize>,
    /// Field of the parser: number of requests in the lcs trace according to its header; zero if the header does not
    /// give it.
    counted: u64,
    records: u64,
}

/// Returns the version of the format from the header of an lcs trace; none if the bytes are no such header.
fn version(header: &[u8]) -> Option<usize> {
    let magic = |at: usize| u64::from_le_bytes(bytes_at(header, at));
    let version = magic(8) as usize;
    (magic(0) == MAGIC && magic(HEADER - 8) == MAGIC && (1..=LENGTHS.len()).contains(&version))
        .then_some(version)
}

impl Parser for Lcs {
    fn parse(&mut self, frame: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
        let Some(version) = self.version else { return self.header(frame) };
        self.records += 1;
        let (op, tenant) = match version {
            1 => (Op::READ, 0),
            2 => operation(u32::from_le_bytes(bytes_at(frame, 16)))?,
            _ => operation(u32::from_le_bytes(bytes_at(frame, 20)))?,
        };
        let bytes = match version {
            1 | 2 => u64::from(u32::from_le_bytes(bytes_at(frame, 12))),
            _ => u64::from_le_bytes(bytes_at(frame, 12)),
        };
        if bytes > MOST_BYTES {
            return Err(fault(format!("a request of {} bytes", bytes as i64), "0 to 1 GiB"));
        }
        if bytes % SECTOR != 0 {
            let expected = "whole sectors: cached objects have no address, so only block traces run";
            let mut odd = fault(format!("an object of {bytes} bytes"), expected);
            (odd.recognised, odd.fatal) = (true, true);
            return Err(odd);
        }
        let id = u64::from_le_bytes(bytes_at(frame, 4));
        let Some(offset) = id.checked_mul(self.unit) else {
            return Err(fault(format!("identifier {id}"), "a byte address within 64 bits"));
        };
        let time_s = u64::from(u32::from_le_bytes(bytes_at(frame, 0)));
        let mut request = Record::in_bytes(time_s * 1_000_000_000, op, offset, bytes, 0)?;
        request.volume = volumes.id(tenant.to_string().as_bytes())?;
        Ok(Parsed::Request(request))
    }

    fn end(&self) -> Result<(), Fault> {
        match self.counted {
            0 => Ok(()),
            counted if counted == self.records => Ok(()),
            counted => Err(fault(
                format!("{} records in the file", self.records),
                format!("{counted}, as its header says; fetch it again"),
            )),
        }
    }
}

impl Lcs {
    fn header(&mut self, header: &[u8]) -> Result<Parsed, Fault> {
        self.version = version(header);
        if self.version.is_none() {
            let found = format!("a header of magic {:#x}", u64::from_le_bytes(bytes_at(header, 0)));
            let version = u64::from_le_bytes(bytes_at(header, 8));
            let expected =
                format!("{MAGIC:#x} at its begin and end, and a version from 1 to {}", LENGTHS.len());
            return Err(fatal(format!("{found} and version {version}"), expected));
        }
        self.counted = u64::from_le_bytes(bytes_at(header, COUNT));
        Ok(Parsed::Signature)
    }
}

/// Returns the operation of an lcs record from the low byte of a field, and the tenant from the bits above it.
fn operation(field: u32) -> Result<(Op, u32), Fault> {
    // As libCacheSim counts reads, writes and deletions; 0 and 15, or 255, stand where a trace has none.
    let op = match field & 0xff {
        0..=2 | 12 | 15 | 255 => Op::READ,
        3 | 4 | 6 | 13 | 14 => Op::WRITE,
        9 => Op::TRIM,
        other => {
            let expected = "1, 2, 12 (read), 3, 4, 6, 13, 14 (write), 9 (delete), or 0, 15, 255 (none)";
            return Err(fault(format!("operation {other}"), expected));
        }
    };
    Ok((op, field >> 8))
}
