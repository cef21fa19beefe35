//! Requests as clients send them.

use super::{PAYLOAD_MOST, number};
use std::borrow::Cow;

const MAGIC: u32 = 0x2560_9513;
/// Bytes of a request before its data.
pub const HEADER: usize = 28;
/// Data longer than this have memory of their own from their first byte on.
pub const LONG: u32 = 256 << 10;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Bytes.
    Read,
    /// Bytes to be kept.
    Write,
    /// The client leaves.
    Disconnect,
    /// What was answered is to be durable.
    Flush,
    /// These bytes are needed no longer.
    Trim,
    /// Zeros to be kept.
    WriteZeroes,
    /// What is allocated.
    BlockStatus,
    /// Something else.
    Other,
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NbdRequest<'a> {
    /// What for.
    pub command: Command,
    flags: u16,
    /// The client's name for it.
    pub cookie: u64,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
    /// What a write brings.
    pub data: Cow<'a, [u8]>,
}

impl NbdRequest<'_> {
    /// The same request, once its data are there.
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

    /// It is answered only when it is durable.
    pub fn is_fua(&self) -> bool {
        self.flags & 1 != 0
    }

    /// One extent is enough.
    pub fn wants_one(&self) -> bool {
        self.flags & 8 != 0
    }

    /// Zeros only where that is faster than a write.
    pub fn is_fast_only(&self) -> bool {
        self.flags & 16 != 0
    }
}

/// What stands at the beginning of what was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NbdMessage<'a> {
    /// Not a whole request.
    More,
    /// A request, and how many bytes it took.
    Request(NbdRequest<'a>, usize),
    /// A write without its data, which follow the header and are too long for what is read together.
    Long(NbdRequest<'static>),
    /// No request: what follows cannot be told from data.
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
