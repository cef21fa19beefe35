//! Where the bytes come from: a file or memory, plain, gzip or zstd, cut into lines or records.
//!
//! Memory is one buffer, whatever the file's size; a line longer than [`LONGEST_LINE`] is a fault.

use super::format::Framing;
use crate::WorkloadError;
use std::fs::File;
use std::io::{Cursor, ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A line of any format is far shorter; a binary file read as text is not.
pub(crate) const LONGEST_LINE: usize = 16 << 10;

const BUFFER: usize = 256 << 10;

/// Where a trace lies, so that it can be read more than once.
#[derive(Clone)]
pub(crate) enum Origin {
    /// A file.
    Path(PathBuf),
    /// Bytes in memory, for tests and fuzzing.
    Bytes(Arc<[u8]>),
}

/// How the bytes are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

impl Packing {
    /// The packing that a file beginning with `head` has.
    fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            _ => Self::Plain,
        }
    }

    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "none",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }
}

impl Origin {
    /// The name used in messages.
    pub fn name(&self) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::Bytes(_) => "memory".into(),
        }
    }

    /// The unpacked bytes from the beginning.
    ///
    /// # Errors
    /// When the file cannot be opened or is none.
    pub fn open(&self) -> Result<(Box<dyn Read + Send>, Packing), WorkloadError> {
        match self {
            Self::Path(path) => {
                let file = open_file(path)?;
                self.unpack(file)
            }
            Self::Bytes(bytes) => self.unpack(Cursor::new(Arc::clone(bytes))),
        }
    }

    fn unpack<R: Read + Send + 'static>(
        &self,
        mut raw: R,
    ) -> Result<(Box<dyn Read + Send>, Packing), WorkloadError> {
        let mut magic = Vec::with_capacity(4);
        let taken = raw.by_ref().take(4).read_to_end(&mut magic);
        taken.map_err(|e| WorkloadError::of(self.name(), e.to_string(), "a readable file"))?;
        let packing = Packing::of(&magic);
        let whole = Cursor::new(magic).chain(raw);
        let reader: Box<dyn Read + Send> = match packing {
            Packing::Plain => Box::new(whole),
            Packing::Gzip => {
                let buffered = std::io::BufReader::with_capacity(BUFFER, whole);
                Box::new(flate2::bufread::MultiGzDecoder::new(buffered))
            }
            Packing::Zstd => {
                let decoder = zstd::stream::read::Decoder::new(whole);
                Box::new(decoder.map_err(|e| WorkloadError::of(self.name(), e.to_string(), "a zstd file"))?)
            }
        };
        Ok((reader, packing))
    }
}

fn open_file(path: &Path) -> Result<File, WorkloadError> {
    let name = || path.display().to_string();
    let failed = |error: std::io::Error| {
        let found = match error.kind() {
            ErrorKind::NotFound => "no such file".to_owned(),
            _ => error.to_string(),
        };
        WorkloadError::of(name(), found, "a readable trace file")
    };
    // Asked before opening: opening a pipe would wait for its writer, and a trace is read twice.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(WorkloadError::of(name(), "not a regular file", "a trace file, which is read twice"));
    }
    File::open(path).map_err(failed)
}

/// What came out of the file.
pub(crate) enum Frame {
    /// A line without its end, or a record: this range of [`Frames::bytes`].
    At(Range<usize>),
    /// A line too long to be one; it was passed over.
    TooLong,
    /// The file ends inside a record of which this many bytes are there.
    CutShort(usize),
    /// The end.
    End,
}

/// Cuts a stream of bytes into lines or records.
pub(crate) struct Frames {
    source: Box<dyn Read + Send>,
    packing: Packing,
    framing: Framing,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    eof: bool,
    number: u64,
    name: String,
}

impl Frames {
    /// The frames of `origin` from its beginning.
    pub fn open(origin: &Origin, framing: Framing) -> Result<Self, WorkloadError> {
        let (source, packing) = origin.open()?;
        let buffer = vec![0; BUFFER];
        let name = origin.name();
        Ok(Self { source, packing, framing, buffer, start: 0, end: 0, eof: false, number: 0, name })
    }

    /// The number of the frame handed out last, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// How the file is packed.
    pub fn packing(&self) -> Packing {
        self.packing
    }

    /// The bytes of a frame; valid until the next call of [`Self::next`].
    #[inline]
    pub fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.buffer[range]
    }

    /// Where the frame handed out last stands, for messages.
    pub fn place(&self) -> String {
        self.place_of(self.number)
    }

    /// Where frame `number` stands.
    pub fn place_of(&self, number: u64) -> String {
        match self.framing {
            Framing::Lines => format!("{}:{number}", self.name),
            Framing::Records { .. } => format!("{}: record {number}", self.name),
        }
    }

    /// The next frame.
    ///
    /// # Errors
    /// When the file cannot be read or unpacked.
    #[inline]
    pub fn next(&mut self) -> Result<Frame, WorkloadError> {
        match self.framing {
            Framing::Lines => self.next_line(),
            Framing::Records { head, extra } => self.next_record(head, extra),
        }
    }

    #[inline]
    fn next_line(&mut self) -> Result<Frame, WorkloadError> {
        let mut searched = 0;
        loop {
            let window = &self.buffer[self.start + searched..self.end];
            if let Some(length) = memchr::memchr(b'\n', window) {
                let from = self.start;
                let to = from + searched + length;
                self.start = to + 1;
                return Ok(self.line(from, to));
            }
            searched = self.end - self.start;
            if searched > LONGEST_LINE {
                return self.pass_over_line();
            }
            if self.eof {
                let (from, to) = (self.start, self.end);
                self.start = to;
                return Ok(if from == to { Frame::End } else { self.line(from, to) });
            }
            self.fill()?;
        }
    }

    #[inline]
    fn line(&mut self, from: usize, to: usize) -> Frame {
        self.number += 1;
        if to - from > LONGEST_LINE {
            return Frame::TooLong;
        }
        let carriage = to > from && self.buffer[to - 1] == b'\r';
        Frame::At(from..to - usize::from(carriage))
    }

    /// Drops bytes up to the next line end.
    #[cold]
    fn pass_over_line(&mut self) -> Result<Frame, WorkloadError> {
        self.number += 1;
        loop {
            if let Some(length) = memchr::memchr(b'\n', &self.buffer[self.start..self.end]) {
                self.start += length + 1;
                return Ok(Frame::TooLong);
            }
            self.start = self.end;
            if self.eof {
                return Ok(Frame::TooLong);
            }
            self.fill()?;
        }
    }

    fn next_record(&mut self, head: usize, extra: fn(&[u8]) -> usize) -> Result<Frame, WorkloadError> {
        if !self.have(head)? {
            return Ok(self.cut_short());
        }
        let length = head + extra(&self.buffer[self.start..self.start + head]);
        if !self.have(length)? {
            return Ok(self.cut_short());
        }
        self.number += 1;
        let from = self.start;
        self.start += length;
        Ok(Frame::At(from..from + length))
    }

    fn cut_short(&mut self) -> Frame {
        let left = self.end - self.start;
        self.start = self.end;
        if left == 0 {
            return Frame::End;
        }
        self.number += 1;
        Frame::CutShort(left)
    }

    /// Reads until `length` bytes are there, or the end.
    fn have(&mut self, length: usize) -> Result<bool, WorkloadError> {
        while self.end - self.start < length && !self.eof {
            self.fill()?;
        }
        Ok(self.end - self.start >= length)
    }

    fn fill(&mut self) -> Result<(), WorkloadError> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.eof = true,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.broken(&error)),
            }
            return Ok(());
        }
    }

    #[cold]
    fn broken(&self, error: &std::io::Error) -> WorkloadError {
        let place = self.place_of(self.number + 1);
        let packing = self.packing.name();
        if self.packing == Packing::Plain {
            return WorkloadError::of(place, error.to_string(), "a readable file");
        }
        let found = match error.kind() {
            ErrorKind::UnexpectedEof => format!("the {packing} data end too early here"),
            _ => format!("the {packing} data are damaged here ({error})"),
        };
        WorkloadError::of(place, found, "a whole file; fetch or pack it again")
    }
}
