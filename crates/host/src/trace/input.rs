//! The bytes of a trace, cut into lines or records.
//!
//! Memory is one buffer at any size of the file; a line longer than [`LONGEST_LINE`] is a fault.

use super::format::Framing;
use super::origin::{ByteSource, Packed};
use crate::WorkloadError;
use std::io::{ErrorKind, Read};
use std::ops::Range;

/// Constant: greatest length of a line of a trace in bytes: lines of all formats are far shorter, but a binary file
/// that is read as text has longer ones.
pub(crate) const LONGEST_LINE: usize = 16 << 10;

const BUFFER: usize = 256 << 10;

/// Constant: byte order mark that some editors and spreadsheets put before UTF-8 text; it is skipped at the beginning
/// of a trace.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Kind of result of reading the next frame (line or binary record) of a trace file.
pub(crate) enum Frame {
    /// Case of result of reading a frame: a complete line, without its line end, or a complete record; the range
    /// selects its bytes from [`Frames::bytes`].
    At(Range<usize>),
    /// Case of result of reading a frame: a line that is longer than any line of a trace; it was skipped.
    TooLong,
    /// Case of result of reading a frame: the file ends inside a record, of which only this number of bytes are
    /// present.
    CutShort(usize),
    /// Case of result of reading a frame: the end of the trace file has been reached.
    End,
}

/// Reader that divides the bytes of a trace file into frames: lines or binary records.
pub(crate) struct Frames {
    source: Box<dyn Read + Send>,
    packed: Packed,
    framing: Framing,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    eof: bool,
    number: u64,
    /// Field: length in bytes of a record in a file with a header; none until the header has been read.
    record: Option<usize>,
    name: String,
}

impl Frames {
    /// Opens the byte source `part` for reading its frames from the beginning.
    pub fn open(part: &ByteSource, framing: Framing) -> Result<Self, WorkloadError> {
        let (source, packed) = part.open()?;
        let buffer = vec![0; BUFFER];
        let name = part.name().to_owned();
        let (start, end, eof, number, record) = (0, 0, false, 0, None);
        Ok(Self { source, packed, framing, buffer, start, end, eof, number, record, name })
    }

    /// Returns the number of the frame (line or record) that was returned last, from 1; 0 for a binary header, and
    /// before the first frame.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the compression of the trace file, with that of an archive member.
    pub fn packed(&self) -> Packed {
        self.packed
    }

    /// Returns the bytes of the frame (line or record) at `range` of the buffer; valid until the next call of
    /// [`Self::next`].
    #[inline]
    pub fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.buffer[range]
    }

    /// Returns the file name and the number of the frame (line or record) returned last, for error messages.
    pub fn place(&self) -> String {
        self.place_of(self.number)
    }

    /// Returns the file name and the number of frame (line or record) `number`, for error messages.
    pub fn place_of(&self, number: u64) -> String {
        self.framing.place(&self.name, number)
    }

    /// Reads the next frame, a line or a record of the trace.
    ///
    /// # Errors
    /// When the file cannot be read or decompressed.
    #[inline]
    pub fn next(&mut self) -> Result<Frame, WorkloadError> {
        match self.framing {
            Framing::Lines => self.next_line(),
            Framing::Records { head, extra } => self.next_record(head, extra),
            Framing::Headed { header, record } => match self.record {
                Some(length) => self.next_record(length, |_| 0),
                None => self.next_header(header, record),
            },
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
        let bom = self.number == 0 && self.buffer[from..to].starts_with(BYTE_ORDER_MARK);
        let from = from + if bom { BYTE_ORDER_MARK.len() } else { 0 };
        self.number += 1;
        if to - from > LONGEST_LINE {
            return Frame::TooLong;
        }
        let carriage = to > from && self.buffer[to - 1] == b'\r';
        Frame::At(from..to - usize::from(carriage))
    }

    /// Skips the bytes up to and including the next line end, because the line is too long.
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

    #[cold]
    fn next_header(&mut self, header: usize, record: fn(&[u8]) -> usize) -> Result<Frame, WorkloadError> {
        if !self.have(header)? {
            return Ok(self.cut_short());
        }
        let from = self.start;
        self.start += header;
        self.record = Some(record(&self.buffer[from..self.start]));
        Ok(Frame::At(from..self.start))
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

    /// Reads from the file until `length` bytes are in the buffer; returns false if the file ends before.
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
        let packing = self.packed.name();
        if self.packed.is_plain() {
            return WorkloadError::of(place, error.to_string(), "a readable file");
        }
        let found = match error.kind() {
            ErrorKind::UnexpectedEof => format!("the {packing} data end too early here"),
            ErrorKind::FileTooLarge => format!("the {packing} data: {error}"),
            _ => format!("the {packing} data are damaged here ({error})"),
        };
        WorkloadError::of(place, found, "a whole file; fetch or pack it again")
    }
}
