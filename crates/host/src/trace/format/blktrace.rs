//! blktrace in binary: 48-byte events in the byte order of the machine that wrote them.
//!
//! A file holds the events of one CPU. Those of all CPUs are read together (see `origin.rs`); several in one file, one
//! after the other, are one trace, too, when sorted.

use super::{BASE, FormatCard, Framing, Parser};
use crate::Op;
use crate::trace::field::{Fault, fatal, fault};
use crate::trace::record::{Parsed, Record, SECTOR, Volumes};

const HEAD: usize = 48;
/// The upper three bytes of the magic number; the lowest is the version.
const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;

pub(super) const CARD: FormatCard = FormatCard {
    name: "blktrace",
    title: "blktrace, binary",
    units: "48-byte events with magic 0x65617407: time in ns, start in 512-byte sectors, length in bytes",
    framing: Framing::Records { head: HEAD, extra: |head| usize::from(Event::new(head).u16_at(46)) },
    has_events: true,
    parser: |options| Box::new(BlkTrace { action: options.action.as_deref().unwrap_or("D").to_owned() }),
    ..BASE
};

/// Letters of the actions, by the number in the low bits of an event's action.
const ACTIONS: &[(u32, &str)] = &[
    (1, "Q"),
    (2, "M"),
    (3, "F"),
    (4, "G"),
    (5, "S"),
    (6, "R"),
    (7, "D"),
    (8, "C"),
    (9, "P"),
    (10, "U"),
    (11, "UT"),
    (12, "I"),
    (13, "X"),
    (14, "B"),
    (15, "A"),
    (16, "DRV"),
];

// Categories: bits of the upper half of an event's action.
const WRITE: u32 = 1 << 1;
const FLUSH: u32 = 1 << 2;
const PACKET: u32 = 1 << 9;
const NOTIFY: u32 = 1 << 10;
const DISCARD: u32 = 1 << 13;
const FUA: u32 = 1 << 15;

struct BlkTrace {
    action: String,
}

/// One event with its byte order.
struct Event<'a> {
    bytes: &'a [u8],
    big: bool,
}

impl<'a> Event<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let magic = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        Self { bytes, big: magic & !0xff == MAGIC }
    }

    fn at<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut field = [0; N];
        field.copy_from_slice(&self.bytes[at..at + N]);
        if !self.big {
            field.reverse();
        }
        field
    }

    fn u16_at(&self, at: usize) -> u16 {
        u16::from_be_bytes(self.at(at))
    }

    fn u32_at(&self, at: usize) -> u32 {
        u32::from_be_bytes(self.at(at))
    }

    fn u64_at(&self, at: usize) -> u64 {
        u64::from_be_bytes(self.at(at))
    }
}

impl Parser for BlkTrace {
    fn parse(&mut self, frame: &[u8], volumes: &mut Volumes) -> Result<Parsed, Fault> {
        let event = Event::new(frame);
        let magic = event.u32_at(0);
        if magic & !0xff != MAGIC || magic & 0xff != VERSION {
            return Err(fatal(format!("an event begins with {magic:#010x}"), "the magic number 0x65617407"));
        }
        let (action, category) = (event.u32_at(28) & 0xff, event.u32_at(28) >> 16);
        if category & (NOTIFY | PACKET) != 0 {
            return Ok(Parsed::Known);
        }
        match ACTIONS.iter().find(|(number, _)| *number == action) {
            Some((_, letter)) if *letter == self.action => {}
            Some(_) => return Ok(Parsed::Known),
            None => return Err(fault(format!("action {action}"), "an action from 1 to 16")),
        }
        let (time_ns, sector, bytes) = (event.u64_at(8), event.u64_at(16), u64::from(event.u32_at(24)));
        let mut record = match bytes {
            0 if category & FLUSH != 0 => Record::flush(time_ns, 0),
            _ => {
                let Some(offset) = sector.checked_mul(SECTOR) else {
                    return Err(fault(format!("sector {sector}"), "a byte address within 64 bits"));
                };
                Record::in_bytes(time_ns, op_of(category), offset, bytes, 0)?
            }
        };
        record.fua = record.op == Op::Write && category & FUA != 0;
        let device = event.u32_at(36);
        record.volume = volumes.pair([u64::from(device >> 20), u64::from(device & 0xf_ffff)])?;
        Ok(Parsed::Request(record))
    }
}

fn op_of(category: u32) -> Op {
    if category & DISCARD != 0 {
        Op::Trim
    } else if category & WRITE != 0 {
        Op::Write
    } else {
        Op::Read
    }
}
