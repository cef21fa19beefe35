//! blktrace in binary: events in the byte order of the machine that wrote them, of 48 bytes, and of 64 where both Linux
//! (6.19 and later) and blktrace know the second version of the form, which tells zeroes and zones from writes.
//!
//! A file holds the events of one CPU. Those of all CPUs are read together (see `origin.rs`); several in one file, one
//! after the other, are one trace, too, when sorted.

use super::rwbs::late_address;
use super::{BASE, FormatCard, Framing, Parser};
use crate::trace::field::{Fault, fatal, fault};
use crate::trace::options::TraceOptions;
use crate::trace::record::{Parsed, Record, RecordMark, SECTOR, Volumes};
use crate::{Effect, Op};

/// Constant: magic number in the first four bytes of a blktrace event: the upper three bytes; the lowest byte is the
/// version of the format.
const MAGIC: u32 = 0x6561_7400;

/// Record that describes one of the two versions of the blktrace format: its version number, and where the fields that
/// differ between the versions stand in an event.
struct BlktraceFields {
    version: u32,
    /// Field of the description of a blktrace version: length in bytes of the head of an event, that is, of the event
    /// without its payload.
    head: usize,
    /// Field of the description of a blktrace version: function that reads the action field of a blktrace event: 32
    /// bits in the first version, 64 bits in the second.
    action: fn(&BlktraceEvent<'_>) -> u64,
    device: usize,
    process: usize,
    /// Field of the description of a blktrace version: byte offset, in an event, of the length of the event's payload.
    follows: usize,
    other: &'static str,
}

const FIRST: BlktraceFields = BlktraceFields {
    version: 7,
    head: 48,
    action: |event| u64::from(event.u32_at(28)),
    device: 36,
    process: 32,
    follows: 46,
    other: "blktrace-v2",
};
const SECOND: BlktraceFields = BlktraceFields {
    version: 8,
    head: 64,
    action: |event| event.u64_at(32),
    device: 40,
    process: 28,
    follows: 50,
    other: "blktrace",
};

impl BlktraceFields {
    /// Returns the number of payload bytes that follow the head of a blktrace event; 0 if the head is not that of an
    /// event of this version.
    fn following(&self, head: &[u8]) -> usize {
        let event = BlktraceEvent::new(head);
        if event.u32_at(0) == MAGIC | self.version { usize::from(event.u16_at(self.follows)) } else { 0 }
    }
}

pub(super) const CARD: FormatCard = FormatCard {
    name: "blktrace",
    title: "blktrace, binary",
    units: "48-byte events with magic 0x65617407: time in ns, start in 512-byte sectors, length in bytes",
    framing: Framing::Records { head: FIRST.head, extra: |head| FIRST.following(head) },
    has_events: true,
    parser: |options| BlkTrace::boxed(&FIRST, options),
    ..BASE
};

pub(super) const CARD_V2: FormatCard = FormatCard {
    name: "blktrace-v2",
    title: "blktrace, binary, of Linux 6.19 and later",
    units: "64-byte events with magic 0x65617408: time in ns, start in 512-byte sectors, length in bytes",
    framing: Framing::Records { head: SECOND.head, extra: |head| SECOND.following(head) },
    parser: |options| BlkTrace::boxed(&SECOND, options),
    ..CARD
};

/// Constant table of the letter in the output of blkparse for each action, by the number in the low bits of a blktrace
/// event's action field.
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
    (16, "AB"),
    (17, "DR"),
    (18, "ZP"),
    (19, "ZU"),
    (20, "ZM"),
];

// Categories: bits of an event's action above the lowest sixteen; those from 16 on are of the second version only.
const WRITE: u64 = 1 << 1;
const FLUSH: u64 = 1 << 2;
const PACKET: u64 = 1 << 9;
const NOTIFY: u64 = 1 << 10;
const DISCARD: u64 = 1 << 13;
const FUA: u64 = 1 << 15;
const ZONE_APPEND: u64 = 1 << 16;
/// Constant bit mask of the categories of zone operations in a blktrace event: reset, reset of all zones, finish, open,
/// close.
const ZONES: u64 = 0x1f << 17;
const ZEROES: u64 = 1 << 22;

struct BlkTrace {
    layout: &'static BlktraceFields,
    action: String,
}

impl BlkTrace {
    fn boxed(layout: &'static BlktraceFields, options: &TraceOptions) -> Box<dyn Parser> {
        Box::new(Self { layout, action: options.action.as_deref().unwrap_or("D").to_owned() })
    }
}

/// Record of one blktrace event: its bytes, and their byte order (`big` for big-endian).
struct BlktraceEvent<'a> {
    bytes: &'a [u8],
    big: bool,
}

impl<'a> BlktraceEvent<'a> {
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
        let event = BlktraceEvent::new(frame);
        let (magic, wanted) = (event.u32_at(0), MAGIC | self.layout.version);
        if magic != wanted {
            return Err(no_event(magic, self.layout));
        }
        let action = (self.layout.action)(&event);
        let (number, category) = (action & 0xff, action >> 16);
        if category & (NOTIFY | PACKET) != 0 {
            return Ok(Parsed::Known);
        }
        let letter = ACTIONS.iter().find(|(known, _)| u64::from(*known) == number).map(|(_, letter)| *letter);
        let Some(letter) = letter else {
            return Err(fault(format!("action {number}"), format!("an action from 1 to {}", ACTIONS.len())));
        };
        let requeued = letter == "R" && self.action == "D";
        if letter != self.action && !requeued {
            return Ok(Parsed::Known);
        }
        match request(&event, category, letter)? {
            Some(record) => {
                let device = event.u32_at(self.layout.device);
                let volume = volumes.pair([u64::from(device >> 20), u64::from(device & 0xf_ffff)])?;
                let mark = if requeued { RecordMark::Requeued } else { record.mark };
                let process = Some(event.u32_at(self.layout.process));
                Ok(Parsed::Request(Record { volume, mark, process, ..record }))
            }
            None if requeued => Ok(Parsed::Known),
            None => Ok(Parsed::Empty),
        }
    }
}

#[cold]
fn no_event(magic: u32, layout: &BlktraceFields) -> Fault {
    let mut expected = format!("the magic number {:#010x}", MAGIC | layout.version);
    if magic == MAGIC | FIRST.version || magic == MAGIC | SECOND.version {
        expected.push_str(&format!(", or --trace-format {}", layout.other));
    }
    fatal(format!("an event begins with {magic:#010x}"), expected)
}

/// Returns the request that a blktrace event describes; none if the event transfers no data.
fn request(event: &BlktraceEvent<'_>, category: u64, letter: &str) -> Result<Option<Record>, Fault> {
    let (time_ns, sector, bytes) = (event.u64_at(8), event.u64_at(16), u64::from(event.u32_at(24)));
    let is_flush = bytes == 0 && category & FLUSH != 0;
    if is_flush {
        return Ok(Some(Record::flush(time_ns, 0)));
    }
    if bytes == 0 || category & ZONES != 0 {
        return Ok(None);
    }
    if category & ZONE_APPEND != 0 && letter != "C" {
        return Err(late_address());
    }
    let Some(offset) = sector.checked_mul(SECTOR) else {
        return Err(fault(format!("sector {sector}"), "a byte address within 64 bits"));
    };
    let (op, mark) = op_of(category);
    let mut record = Record::in_bytes(time_ns, op, offset, bytes, 0)?;
    (record.fua, record.mark) = (op.effect() == Effect::Write && category & FUA != 0, mark);
    Ok(Some(record))
}

fn op_of(category: u64) -> (Op, RecordMark) {
    if category & ZEROES != 0 {
        (Op::TRIM, RecordMark::Zeroes)
    } else if category & DISCARD != 0 {
        (Op::TRIM, RecordMark::None)
    } else if category & (WRITE | ZONE_APPEND) != 0 {
        (Op::WRITE, RecordMark::None)
    } else {
        (Op::READ, RecordMark::None)
    }
}
