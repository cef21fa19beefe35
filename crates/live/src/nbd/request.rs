//! Requests as clients send them.

use super::{PAYLOAD_MOST, number};
use std::borrow::Cow;

const MAGIC: u32 = 0x2560_9513;
/// Bytes of a request's header, before its data.
pub const HEADER: usize = 28;
/// Data longer than this are received into memory of their own.
pub const LONG: u32 = 256 << 10;

/// Command of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Read of bytes.
    Read,
    /// Write of bytes.
    Write,
    /// The client ends its connection.
    Disconnect,
    /// Make all acknowledged data durable.
    Flush,
    /// Trim of bytes that the client no longer needs.
    Trim,
    /// Write of zeros, which carries no data.
    WriteZeroes,
    /// Report which extents are allocated.
    BlockStatus,
    /// Any other command, which is refused.
    Other,
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NbdRequest<'a> {
    /// Command of the request.
    pub command: Command,
    flags: u16,
    /// Identifier of the request, chosen by the client.
    pub cookie: u64,
    /// First byte that the request covers.
    pub offset: u64,
    /// Number of bytes that the request covers.
    pub length: u32,
    /// Data that a write carries.
    pub data: Cow<'a, [u8]>,
}

impl NbdRequest<'_> {
    /// Returns the same request with its data, received later.
    pub fn with(self, data: Vec<u8>) -> NbdRequest<'static> {
        NbdRequest {
            command: self.command,
            flags: self.flags,
            cookie: self.cookie,
            offset: self.offset,
            length: self.length,
            data: Cow::Owned(data),
        }
    }

    /// True for a request that is answered only once its data are durable.
    pub fn is_fua(&self) -> bool {
        self.flags & 1 != 0
    }

    /// True when the client wants only one extent.
    pub fn wants_one(&self) -> bool {
        self.flags & 8 != 0
    }

    /// Zeros only where that is faster than a write.
    pub fn is_fast_only(&self) -> bool {
        self.flags & 16 != 0
    }
}

/// The message at the beginning of the bytes read so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NbdMessage<'a> {
    /// Part of a request: more bytes must be read.
    More,
    /// A whole request of the client, and the number of bytes that the request took in the stream.
    Request(NbdRequest<'a>, usize),
    /// The header of a write with long data, which are received into memory of their own.
    Long(NbdRequest<'static>),
    /// No request: nothing that follows can be interpreted.
    Nonsense,
}

/// Reads one request.
pub fn parse(read: &[u8]) -> NbdMessage<'_> {
    if read.len() < HEADER {
        return NbdMessage::More;
    }
    if u32::from_be_bytes(number(read, 0)) != MAGIC {
        return NbdMessage::Nonsense;
    }
    let length = u32::from_be_bytes(number(read, 24));
    let command = match u16::from_be_bytes(number(read, 6)) {
        0 => Command::Read,
        1 => Command::Write,
        2 => Command::Disconnect,
        3 => Command::Flush,
        4 => Command::Trim,
        6 => Command::WriteZeroes,
        7 => Command::BlockStatus,
        _ => Command::Other,
    };
    let end = match command {
        Command::Write if length > PAYLOAD_MOST => {
            return NbdMessage::Nonsense; // To wait for so many data only to refuse them would help no client.
        }
        Command::Write if length > LONG => HEADER,
        Command::Write => HEADER + length as usize,
        _ => HEADER,
    };
    let Some(data) = read.get(HEADER..end) else { return NbdMessage::More };
    let asked = NbdRequest {
        command,
        flags: u16::from_be_bytes(number(read, 4)),
        cookie: u64::from_be_bytes(number(read, 8)),
        offset: u64::from_be_bytes(number(read, 16)),
        length,
        data: Cow::Borrowed(data),
    };
    if command == Command::Write && length > LONG {
        return NbdMessage::Long(NbdRequest { data: Cow::Borrowed(&[]), ..asked });
    }
    NbdMessage::Request(asked, end)
}
