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

/// Record of an extent of consecutive bytes, all of them allocated or none, in a reply to a block-status request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyExtent {
    /// Length in bytes of the extent in a block-status reply.
    pub bytes: u32,
    /// True if the extent contains data; false for a hole, which reads as zeros.
    pub written: bool,
}

/// Type of the writer of replies to an NBD client, in the form that was negotiated with the client, simple or
/// structured; its methods write to `out`.
#[derive(Clone, Copy, Debug)]
pub struct Replies {
    /// True if replies are structured and consist of chunks; false for simple replies.
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

    /// Writes the reply to a request that succeeded and returns no data.
    pub fn done(self, out: &mut Vec<u8>, cookie: u64) {
        if self.structured { Self::chunk(out, chunk::NONE, cookie, 0) } else { Self::simple(out, 0, cookie) }
    }

    /// Writes the header of a reply with `length` bytes of data that were read at `offset`; the data follow.
    pub fn before_data(self, out: &mut Vec<u8>, cookie: u64, offset: u64, length: usize) {
        if self.structured {
            Self::chunk(out, chunk::DATA, cookie, 8 + length);
            out.extend(offset.to_be_bytes());
        } else {
            Self::simple(out, 0, cookie);
        }
    }

    /// Writes the reply to a block-status request, with the allocated and unallocated extents.
    pub fn status(self, out: &mut Vec<u8>, cookie: u64, extents: &[ReplyExtent]) {
        Self::chunk(out, chunk::STATUS, cookie, 4 + 8 * extents.len());
        out.extend(ALLOCATION_ID.to_be_bytes());
        for extent in extents {
            out.extend(extent.bytes.to_be_bytes());
            out.extend(if extent.written { 0u32 } else { 3 }.to_be_bytes());
        }
    }

    /// Writes the reply that a request is refused with this error.
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
