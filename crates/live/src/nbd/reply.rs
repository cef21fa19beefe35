//! Answers as clients expect them.

use super::{ALLOCATION_ID, Refusal};

const SIMPLE: u32 = 0x6744_6698;
const STRUCTURED: u32 = 0x668e_33ef;
const LAST: u16 = 1;

mod chunk {
    pub const NONE: u16 = 0;
    pub const DATA: u16 = 1;
    pub const STATUS: u16 = 5;
    pub const ERROR: u16 = (1 << 15) + 1;
}

/// Bytes of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyExtent {
    /// Length of the extent.
    pub bytes: u32,
    /// True if the extent holds data; false for a hole, which reads as zeros.
    pub written: bool,
}

/// Form in which a client wants its answers.
#[derive(Clone, Copy, Debug)]
pub struct Replies {
    /// True if the server sends structured replies, in chunks.
    pub structured: bool,
}

impl Replies {
    fn chunk(out: &mut Vec<u8>, kind: u16, cookie: u64, length: usize) {
        out.extend(STRUCTURED.to_be_bytes());
        out.extend(LAST.to_be_bytes());
        out.extend(kind.to_be_bytes());
        out.extend(cookie.to_be_bytes());
        out.extend((length as u32).to_be_bytes());
    }

    fn simple(out: &mut Vec<u8>, error: u32, cookie: u64) {
        out.extend(SIMPLE.to_be_bytes());
        out.extend(error.to_be_bytes());
        out.extend(cookie.to_be_bytes());
    }

    /// Writes the answer that a request without data is done.
    pub fn done(self, out: &mut Vec<u8>, cookie: u64) {
        if self.structured { Self::chunk(out, chunk::NONE, cookie, 0) } else { Self::simple(out, 0, cookie) }
    }

    /// Writes the header for `length` bytes that were read at `offset`.
    pub fn before_data(self, out: &mut Vec<u8>, cookie: u64, offset: u64, length: usize) {
        if self.structured {
            Self::chunk(out, chunk::DATA, cookie, 8 + length);
            out.extend(offset.to_be_bytes());
        } else {
            Self::simple(out, 0, cookie);
        }
    }

    /// Writes the answer with the allocated extents.
    pub fn status(self, out: &mut Vec<u8>, cookie: u64, extents: &[ReplyExtent]) {
        Self::chunk(out, chunk::STATUS, cookie, 4 + 8 * extents.len());
        out.extend(ALLOCATION_ID.to_be_bytes());
        for extent in extents {
            out.extend(extent.bytes.to_be_bytes());
            out.extend(if extent.written { 0u32 } else { 3 }.to_be_bytes());
        }
    }

    /// Writes the answer that a request is refused.
    pub fn refuse(self, out: &mut Vec<u8>, cookie: u64, refusal: Refusal) {
        if self.structured {
            Self::chunk(out, chunk::ERROR, cookie, 6);
            out.extend((refusal as u32).to_be_bytes());
            out.extend(0u16.to_be_bytes());
        } else {
            Self::simple(out, refusal as u32, cookie);
        }
    }
}
