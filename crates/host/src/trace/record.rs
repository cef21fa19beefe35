//! One request as a trace has it, and the volumes it may belong to.

use super::field::{Fault, fatal, fault, show};
use super::footprint::MixMap;
use crate::Op;
use std::io::Write as _;

/// Traces address sectors of this many bytes, whatever the disk of the time used.
pub(crate) const SECTOR: u64 = 512;

/// More volumes than a tag can tell apart.
const MOST_VOLUMES: usize = 1 << 16;

/// One request of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// On the trace's own clock.
    pub time_ns: u64,
    /// First byte on its volume.
    pub offset: u64,
    /// Length in bytes; zero only for a flush.
    pub bytes: u32,
    /// Which volume, by number of first appearance.
    pub volume: u32,
    /// What it asks for.
    pub op: Op,
    /// A write that must be on durable media when it is answered (force unit access).
    pub fua: bool,
}

/// What one line or record turned out to be.
#[derive(Debug)]
pub(crate) enum Parsed {
    /// A request to replay.
    Request(Record),
    /// A line of this format that asks for nothing: another event, a file being opened.
    Known,
    /// A line that only this format has: its header.
    Signature,
    /// Text that says nothing about the format: a notice before the header.
    Ignored,
}

impl Record {
    /// A request whose address and length count bytes.
    ///
    /// # Errors
    /// When they are not whole sectors, the length is zero or does not fit, or the end is beyond 64 bits.
    #[inline]
    pub fn in_bytes(time_ns: u64, op: Op, offset: u64, bytes: u64, volume: u32) -> Result<Self, Fault> {
        if (offset | bytes) & (SECTOR - 1) != 0 || bytes == 0 || bytes > u64::from(u32::MAX) {
            return Err(Self::misfit(offset, bytes));
        }
        if offset.checked_add(bytes).is_none() {
            return Err(fault(format!("offset {offset} plus size {bytes}"), "an end within 64 bits"));
        }
        Ok(Self { time_ns, offset, bytes: bytes as u32, volume, op, fua: false })
    }

    /// A request whose address and length count sectors.
    ///
    /// # Errors
    /// As [`Self::in_bytes`], and when a byte address would not fit into 64 bits.
    #[inline]
    pub fn in_sectors(time_ns: u64, op: Op, sector: u64, sectors: u64, volume: u32) -> Result<Self, Fault> {
        match (sector.checked_mul(SECTOR), sectors.checked_mul(SECTOR)) {
            (Some(offset), Some(bytes)) => Self::in_bytes(time_ns, op, offset, bytes, volume),
            _ => {
                Err(fault(format!("sector {sector} with length {sectors}"), "byte addresses within 64 bits"))
            }
        }
    }

    /// A flush, which has no address.
    pub fn flush(time_ns: u64, volume: u32) -> Self {
        Self { time_ns, offset: 0, bytes: 0, volume, op: Op::Flush, fua: false }
    }

    #[cold]
    fn misfit(offset: u64, bytes: u64) -> Fault {
        if bytes == 0 {
            return fault("a request of size 0", "at least one sector of 512 bytes");
        }
        if bytes > u64::from(u32::MAX) {
            return fault(format!("a request of {bytes} bytes"), "less than 4 GiB in one request");
        }
        let (name, value) = if offset & (SECTOR - 1) != 0 { ("offset", offset) } else { ("size", bytes) };
        fault(format!("{name} {value} is not a whole number of sectors"), "a multiple of 512 bytes")
    }
}

/// `R` or `W`, in either case, or the words.
#[inline]
pub(crate) fn letter_op(field: &[u8]) -> Result<Op, Fault> {
    match field {
        b"R" | b"r" => Ok(Op::Read),
        b"W" | b"w" => Ok(Op::Write),
        _ => Err(fault(format!("operation is {}", show(field)), "R (read) or W (write)")),
    }
}

/// Numbers the volumes in the order in which they appear.
#[derive(Default)]
pub(crate) struct Volumes {
    names: Vec<String>,
    by_key: MixMap<Vec<u8>, u32>,
    /// The last key and its number: most traces stay on one volume for many lines.
    last_key: Vec<u8>,
    last: u32,
}

impl Volumes {
    /// The number of the volume that the trace calls `key`.
    #[inline]
    pub fn id(&mut self, key: &[u8]) -> Result<u32, Fault> {
        if !self.names.is_empty() && key == self.last_key {
            return Ok(self.last);
        }
        self.look_up(key)
    }

    /// The number of the block device `major,minor`.
    #[inline]
    pub fn pair(&mut self, [major, minor]: [u64; 2]) -> Result<u32, Fault> {
        let mut key = [0u8; 48];
        let room = key.len();
        let mut rest = &mut key[..];
        // Two numbers of 64 bits and a comma need 41 bytes.
        let _ = write!(rest, "{major},{minor}");
        let length = room - rest.len();
        self.id(&key[..length])
    }

    fn look_up(&mut self, key: &[u8]) -> Result<u32, Fault> {
        let id = match self.by_key.get(key) {
            Some(&id) => id,
            None => self.add(key)?,
        };
        self.last_key.clear();
        self.last_key.extend_from_slice(key);
        self.last = id;
        Ok(id)
    }

    fn add(&mut self, key: &[u8]) -> Result<u32, Fault> {
        const LONGEST_NAME: usize = 255;
        if key.is_empty() || key.len() > LONGEST_NAME {
            return Err(fault(format!("volume is {}", show(key)), "a name of 1 to 255 bytes"));
        }
        if self.names.len() >= MOST_VOLUMES {
            return Err(fatal(
                format!("more than {MOST_VOLUMES} volumes"),
                "fewer, or another --trace-format",
            ));
        }
        let id = self.names.len() as u32;
        self.names.push(String::from_utf8_lossy(key).into_owned());
        self.by_key.insert(key.to_vec(), id);
        Ok(id)
    }

    /// The number of `key` if it was met before.
    pub fn known(&self, key: &[u8]) -> Option<u32> {
        self.by_key.get(key).copied()
    }

    /// The names, by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}
