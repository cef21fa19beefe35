//! Requests as clients send them.

use super::{PAYLOAD_MOST, number};
use std::borrow::Cow;

const MAGIC: u32 = 0x2560_9513;
/// Length in bytes of the header of an NBD request, before its data.
pub const HEADER: usize = 28;
/// Length in bytes above which the data of an NBD write are received directly into memory of their own, without a copy
/// in the connection's read buffer.
pub const LONG: u32 = 256 << 10;

/// Kind of command of an NBD request, such as read, write or flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Case of NBD command: read a range of bytes.
    Read,
    /// Case of NBD command: write a range of bytes.
    Write,
    /// Case of NBD command: disconnect, by which the client ends the connection.
    Disconnect,
    /// Case of NBD command: flush, by which all acknowledged writes are made durable.
    Flush,
    /// Case of NBD command: trim a range that the client no longer needs.
    Trim,
    /// Case of NBD command: write zeros over a range; the request carries no data.
    WriteZeroes,
    /// Case of NBD command: block status, a query for the allocated extents of a range.
    BlockStatus,
    /// Case of NBD command: any other, which the server refuses.
    Other,
}

/// Record of one request of an NBD client to the live server: command, address, length, and the data of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NbdRequest<'a> {
    /// Command of the NBD request.
    pub command: Command,
    flags: u16,
    /// Cookie of the NBD request, chosen by the client, which identifies the request in its reply.
    pub cookie: u64,
    /// Byte address in the export at which the NBD request begins.
    pub offset: u64,
    /// Number of bytes that the NBD request covers.
    pub length: u32,
    /// Data that an NBD write request carries; empty for other requests.
    pub data: Cow<'a, [u8]>,
}

impl NbdRequest<'_> {
    /// Returns a copy of this NBD request that carries `data`, which were received after its header.
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

    /// Returns true if this is an NBD request with force unit access, which is answered only after its data are
    /// durable.
    pub fn is_fua(&self) -> bool {
        self.flags & 1 != 0
    }

    /// Returns true if, in the reply to this block-status request, the NBD client asks for only one extent.
    pub fn wants_one(&self) -> bool {
        self.flags & 8 != 0
    }

    /// Returns true if this NBD request is to write zeros only if that is faster than an ordinary write, and to be
    /// refused otherwise.
    pub fn is_fast_only(&self) -> bool {
        self.flags & 16 != 0
    }
}

/// Kind of result of parsing the bytes that a client has sent after the NBD negotiation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NbdMessage<'a> {
    /// Case of result: the bytes contain only a part of an NBD request, so that more must be received.
    More,
    /// Case of result: a complete NBD request, and the number of received bytes that it takes.
    Request(NbdRequest<'a>, usize),
    /// Case of result: the header of an NBD write with long data, which are to be received into memory of their own.
    Long(NbdRequest<'static>),
    /// Case of result: the bytes are no NBD request, so that nothing after them can be parsed either.
    Nonsense,
}

/// Parses the NBD request at the beginning of the received bytes.
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
