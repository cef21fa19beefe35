//! One request as a trace has it, and the volumes it may belong to.

use super::field::{Fault, fatal, fault, show};
use super::footprint::MixMap;
use super::options::Align;
use crate::Op;
use std::io::Write as _;

/// Constant: size in bytes of the sectors in which traces count addresses; disks of the time may have had others.
pub(crate) const SECTOR: u64 = 512;

/// Constant: greatest number of volumes of a trace: as many as a request's tag can distinguish.
const MOST_VOLUMES: usize = 1 << 16;

/// Record of one request of a trace: time, operation, volume, address and length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// Field of a trace record: time of the trace's request on the trace's own clock, in nanoseconds.
    pub time_ns: u64,
    /// Field of a trace record: byte address on its volume at which the trace's request begins.
    pub offset: u64,
    /// Field of a trace record: length of the request in bytes; zero only for a flush, an operation on a zone or one on
    /// a placement handle.
    pub bytes: u32,
    /// Field of a trace record: number of the request's volume, in the order in which volumes first appear.
    pub volume: u32,
    /// Field of a trace record: operation (such as read, write or flush) of the request that this trace record
    /// describes.
    pub op: Op,
    /// True if the request of this trace record is a write with force unit access, which must be on durable media when
    /// the drive answers.
    pub fua: bool,
    /// Field of a trace record: mark of the trace record, which tells more than its operation: plain request, write of
    /// zeroes, or requeued request.
    pub mark: RecordMark,
    /// Field of a trace record: placement handle (such as an FDP placement identifier) that a write names; none if the
    /// trace has no handles.
    pub placement: Option<u16>,
    /// Field of a trace record: number of the process that made the request, if the trace has processes.
    pub process: Option<u32>,
}

/// Kind of mark of a trace record, which tells more than the record's operation: plain request, write of zeroes, or
/// requeued request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RecordMark {
    /// Case of mark: none; the trace record is a plain request.
    #[default]
    None,
    /// Case of mark: the trace lists the request as a write of zeroes, and the trace record is a trim, which carries no
    /// data either.
    Zeroes,
    /// Case of mark: the trace record is no request of its own; the host's driver gave the request back here (requeue),
    /// or issues it for the second time.
    Requeued,
}

impl RecordMark {
    /// Constant list of all marks of trace records, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::None, Self::Zeroes, Self::Requeued];
}

/// Kind of result of parsing one frame (line or record) of a trace.
#[derive(Debug)]
pub(crate) enum Parsed {
    /// Case of result: the frame (line or record of a trace) is a request to be replayed.
    Request(Record),
    /// Case of result: the frame (line or record of a trace) is valid but no request, such as another event, or the
    /// opening of a file.
    Known,
    /// Case of result: the frame (line or record of a trace) is an event of the selected action that transfers no data;
    /// such events are counted.
    Empty,
    /// Case of result: the frame (line or record) is one that only this trace format has, such as its header.
    Signature,
    /// Case of result: the frame (line or record) says nothing about the trace format, such as a notice before the
    /// header.
    Ignored,
}

impl Record {
    /// Makes the trace record of a request from an address and a length in bytes; whether these are whole sectors is
    /// checked by [`Aligner`].
    ///
    /// # Errors
    /// When the length is zero or needs more than 32 bits, or the end is beyond 64 bits.
    #[inline]
    pub fn in_bytes(time_ns: u64, op: Op, offset: u64, bytes: u64, volume: u32) -> Result<Self, Fault> {
        if bytes == 0 || bytes > u64::from(u32::MAX) {
            return Err(Self::misfit(bytes));
        }
        if offset.checked_add(bytes).is_none() {
            return Err(fault(format!("offset {offset} plus size {bytes}"), "an end within 64 bits"));
        }
        Ok(Self {
            time_ns,
            offset,
            bytes: bytes as u32,
            volume,
            op,
            fua: false,
            mark: RecordMark::None,
            placement: None,
            process: None,
        })
    }

    /// Makes the trace record of a request from an address and a length in sectors of 512 bytes.
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

    /// Makes a trace record of a flush of volume `volume`, which has no address.
    pub fn flush(time_ns: u64, volume: u32) -> Self {
        Self {
            time_ns,
            offset: 0,
            bytes: 0,
            volume,
            op: Op::FLUSH,
            fua: false,
            mark: RecordMark::None,
            placement: None,
            process: None,
        }
    }

    /// Returns the trace record, with the number `process` of the process that made the request stored in it.
    ///
    /// # Errors
    /// When the number needs more than 32 bits.
    #[inline]
    pub fn by(self, process: u64) -> Result<Self, Fault> {
        match u32::try_from(process) {
            Ok(process) => Ok(Self { process: Some(process), ..self }),
            Err(_) => Err(fault(format!("process {process}"), "a number of a process, up to 4294967295")),
        }
    }

    #[cold]
    fn misfit(bytes: u64) -> Fault {
        match bytes {
            0 => fault("a request of size 0", "at least one sector of 512 bytes"),
            _ => fault(format!("a request of {bytes} bytes"), "less than 4 GiB in one request"),
        }
    }
}

/// Checker of whether requests of a trace cover whole sectors; changes them if the user asked for it.
pub(crate) struct Aligner {
    how: Align,
    /// Field: distance in bytes by which all addresses of the trace are moved down to whole sectors (`offset` of
    /// `--align`); none before the first request.
    above: Option<u64>,
    /// Field: number of the trace's requests whose address or length was changed to whole sectors.
    pub changed: u64,
}

impl Aligner {
    /// Makes an aligner that has not seen a request of the trace yet; `how` says what it does with requests that are no
    /// whole sectors.
    pub fn new(how: Align) -> Self {
        Self { how, above: None, changed: 0 }
    }

    /// Checks that `record` covers whole sectors, or changes `record` so that it does.
    ///
    /// # Errors
    /// When it does not and the user asked for no change, or the change that was asked for does not help.
    #[inline]
    pub fn align(&mut self, record: &mut Record) -> Result<(), Fault> {
        let misfit = (record.offset | u64::from(record.bytes)) & (SECTOR - 1) != 0;
        match (self.how, misfit) {
            (Align::Refuse | Align::Round, false) => Ok(()),
            _ => self.change(record),
        }
    }

    #[cold]
    fn change(&mut self, record: &mut Record) -> Result<(), Fault> {
        let (offset, bytes) = (record.offset, u64::from(record.bytes));
        if bytes == 0 {
            return Ok(());
        }
        match self.how {
            Align::Refuse => return Err(inside_a_sector(offset, bytes)),
            Align::Round => {
                let begin = offset / SECTOR * SECTOR;
                let end = (offset + bytes).checked_next_multiple_of(SECTOR);
                let whole = end.and_then(|end| u32::try_from(end - begin).ok());
                let Some(whole) = whole else {
                    return Err(fault(
                        format!("a request of {bytes} bytes"),
                        "less than 4 GiB in one request",
                    ));
                };
                (record.offset, record.bytes) = (begin, whole);
            }
            Align::Offset => {
                let above = *self.above.get_or_insert(offset % SECTOR);
                let moved = offset.checked_sub(above).filter(|moved| moved % SECTOR == 0);
                let Some(moved) = moved else {
                    let found = format!(
                        "offset {offset} is {} bytes into a sector, the first {above}",
                        offset % SECTOR
                    );
                    return Err(fault(found, "the same everywhere, or --align round"));
                };
                if bytes % SECTOR != 0 {
                    let expected = "a multiple of 512 bytes, or --align round";
                    return Err(fault(format!("size {bytes} is not a whole number of sectors"), expected));
                }
                if above == 0 {
                    return Ok(());
                }
                record.offset = moved;
            }
        }
        self.changed += 1;
        Ok(())
    }
}

fn inside_a_sector(offset: u64, bytes: u64) -> Fault {
    let (name, value) = if !offset.is_multiple_of(SECTOR) { ("offset", offset) } else { ("size", bytes) };
    fault(
        format!("{name} {value} is not a whole number of sectors"),
        "a multiple of 512 bytes, --align round (all sectors touched) or --align offset (all moved alike)",
    )
}

/// Parses a trace's operation given as `R` or `W` in either case.
#[inline]
pub(crate) fn letter_op(field: &[u8]) -> Result<Op, Fault> {
    match field {
        b"R" | b"r" => Ok(Op::READ),
        b"W" | b"w" => Ok(Op::WRITE),
        _ => Err(fault(format!("operation is {}", show(field)), "R (read) or W (write)")),
    }
}

/// Register of a trace's volumes, which are numbered in the order in which they appear.
#[derive(Default)]
pub(crate) struct Volumes {
    names: Vec<String>,
    by_key: MixMap<Vec<u8>, u32>,
    /// Field: name of the trace's volume that was looked up last: most traces stay on one volume for many lines.
    last_key: Vec<u8>,
    /// Field: number of the trace's volume that was looked up last: most traces stay on one volume for many lines.
    last: u32,
}

impl Volumes {
    /// Returns the number of the volume that the trace calls `key`, and registers the volume at its first use.
    #[inline]
    pub fn id(&mut self, key: &[u8]) -> Result<u32, Fault> {
        if !self.names.is_empty() && key == self.last_key {
            return Ok(self.last);
        }
        self.look_up(key)
    }

    /// Returns the number of the volume for the block device `major,minor`, and registers the volume at its first use.
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
        // A name is printed where it is reported: what moves a cursor has no place in it.
        if key.is_empty() || key.len() > LONGEST_NAME || key.iter().any(u8::is_ascii_control) {
            return Err(fault(format!("volume is {}", show(key)), "a name of 1 to 255 printable bytes"));
        }
        if self.names.len() >= MOST_VOLUMES {
            return Err(fatal(
                format!("more than {MOST_VOLUMES} volumes"),
                "fewer, or another --trace-format",
            ));
        }
        let id = self.names.len() as u32;
        let name = std::str::from_utf8(key).map_or_else(|_| key.escape_ascii().to_string(), str::to_owned);
        self.names.push(name);
        self.by_key.insert(key.to_vec(), id);
        Ok(id)
    }

    /// Returns the number of the volume called `key` if it is registered.
    pub fn known(&self, key: &[u8]) -> Option<u32> {
        self.by_key.get(key).copied()
    }

    /// Returns the names of the trace's volumes, in the order of their numbers.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}
