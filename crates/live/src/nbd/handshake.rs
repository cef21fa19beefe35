//! Negotiation: from a new connection to one that sends requests.

use super::{ALLOCATION, ALLOCATION_ID, Export, PAYLOAD_MOST, number};
use std::sync::Arc;

const FIXED_NEWSTYLE: u16 = 1;
const NO_ZEROES: u16 = 2;
const OPTION_MAGIC: u64 = 0x4948_4156_454f_5054;
const REPLY_MAGIC: u64 = 0x0003_e889_0455_65a9;
/// NBD transmission flags of the exports: has flags, flush, FUA, trim, write zeroes, no fragments, several connections,
/// fast zeroes.
const FLAGS: u16 = 1 | 4 | 8 | 32 | 64 | 128 | 256 | 2048;
/// Greatest length in bytes of an NBD option that the server accepts; a name in it has at most 4096 bytes.
const OPTION_MOST: usize = 16 << 10;
/// Constant: code of the NBD option that asks for TLS, which the server does not support.
const STARTTLS: u32 = 5;

mod option {
    pub const EXPORT_NAME: u32 = 1;
    pub const ABORT: u32 = 2;
    pub const LIST: u32 = 3;
    pub const INFO: u32 = 6;
    pub const GO: u32 = 7;
    pub const STRUCTURED_REPLY: u32 = 8;
    pub const LIST_META_CONTEXT: u32 = 9;
    pub const SET_META_CONTEXT: u32 = 10;
}

mod answer {
    pub const ACK: u32 = 1;
    pub const SERVER: u32 = 2;
    pub const INFO: u32 = 3;
    pub const META_CONTEXT: u32 = 4;
    pub const UNSUPPORTED: u32 = (1 << 31) + 1;
    pub const INVALID: u32 = (1 << 31) + 3;
    pub const UNKNOWN: u32 = (1 << 31) + 6;
}

mod info {
    pub const EXPORT: u16 = 0;
    pub const BLOCK_SIZE: u16 = 3;
}

/// Returns the greeting, the first NBD message of the live server to a client.
pub fn greeting() -> Vec<u8> {
    let mut bytes = b"NBDMAGIC".to_vec();
    bytes.extend(OPTION_MAGIC.to_be_bytes());
    bytes.extend((FIXED_NEWSTYLE | NO_ZEROES).to_be_bytes());
    bytes
}

/// Kind of state that the NBD negotiation with a client has reached after the bytes received so far: it continues, has
/// succeeded, or has ended the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandshakeStep {
    /// Case of state of an NBD negotiation: it continues with the next message of the client.
    More,
    /// Case of state of an NBD negotiation: it has ended successfully: the client's requests follow.
    Ready,
    /// Case of state of an NBD negotiation: it ends the connection, because the client leaves or sent an invalid
    /// message.
    Over,
}

/// State of the NBD negotiation (handshake) with one client of the live server, and what was negotiated.
#[derive(Clone, Debug)]
pub struct Handshake {
    exports: Arc<[Export]>,
    /// Index, in the list of exports, of the export (namespace of the drive) that the client chose.
    chosen: usize,
    flags: Option<u32>,
    /// True if the client negotiated structured replies.
    pub structured: bool,
    /// True if the client negotiated the metadata context `base:allocation`.
    pub allocation: bool,
}

impl Handshake {
    /// Makes the negotiation with a new NBD client, to which these exports are offered.
    pub fn new(exports: Arc<[Export]>) -> Self {
        Self { exports, chosen: 0, flags: None, structured: false, allocation: false }
    }

    /// Returns the export (namespace of the drive) that the client chose.
    pub fn export(&self) -> &Export {
        &self.exports[self.chosen]
    }

    /// Returns the index of the export called `name`; a single export is chosen by any name. None if there is none.
    fn named(&self, name: &[u8]) -> Option<usize> {
        match self.exports.len() {
            1 => Some(0),
            _ => self.exports.iter().position(|export| export.namespace.name.as_bytes() == name),
        }
    }

    /// Processes the complete messages of the NBD negotiation at the beginning of `read`, the bytes received from the
    /// client, and writes replies to `out`; returns the number of bytes processed and the state of the negotiation.
    pub fn take(&mut self, read: &[u8], out: &mut Vec<u8>) -> (usize, HandshakeStep) {
        let mut at = 0;
        if self.flags.is_none() {
            if read.len() < 4 {
                return (0, HandshakeStep::More);
            }
            let flags = u32::from_be_bytes(number(read, 0));
            if flags & u32::from(FIXED_NEWSTYLE) == 0 || flags & !u32::from(FIXED_NEWSTYLE | NO_ZEROES) != 0 {
                return (4, HandshakeStep::Over);
            }
            (self.flags, at) = (Some(flags), 4);
        }
        while read.len() - at >= 16 {
            let header = &read[at..];
            let length = u32::from_be_bytes(number(header, 12)) as usize;
            if u64::from_be_bytes(number(header, 0)) != OPTION_MAGIC || length > OPTION_MOST {
                return (at, HandshakeStep::Over);
            }
            let Some(data) = header.get(16..16 + length) else { break };
            at += 16 + length;
            let step = self.option(u32::from_be_bytes(number(header, 8)), data, out);
            if step != HandshakeStep::More {
                return (at, step);
            }
        }
        (at, HandshakeStep::More)
    }

    fn option(&mut self, option: u32, data: &[u8], out: &mut Vec<u8>) -> HandshakeStep {
        match option {
            option::EXPORT_NAME => {
                // This option has no answer but the export: without it the connection ends.
                let Some(chosen) = self.named(data) else { return HandshakeStep::Over };
                self.chosen = chosen;
                out.extend(self.export().namespace.extent.bytes.to_be_bytes());
                out.extend(FLAGS.to_be_bytes());
                let zeroes = self.flags.is_some_and(|flags| flags & u32::from(NO_ZEROES) == 0);
                out.extend(std::iter::repeat_n(0, if zeroes { 124 } else { 0 }));
                return HandshakeStep::Ready;
            }
            option::ABORT => {
                reply(out, option, answer::ACK, &[]);
                return HandshakeStep::Over;
            }
            option::LIST if data.is_empty() => {
                for Export { namespace, .. } in self.exports.iter() {
                    let length = (namespace.name.len() as u32).to_be_bytes();
                    reply(out, option, answer::SERVER, &[&length, namespace.name.as_bytes()].concat());
                }
                reply(out, option, answer::ACK, &[]);
            }
            option::INFO | option::GO => return self.inform(option, data, out),
            option::STRUCTURED_REPLY if data.is_empty() => {
                self.structured = true;
                reply(out, option, answer::ACK, &[]);
            }
            option::LIST_META_CONTEXT | option::SET_META_CONTEXT if self.structured => {
                self.contexts(option, data, out);
            }
            option::LIST..=option::SET_META_CONTEXT if option != STARTTLS => {
                reply(out, option, answer::INVALID, b"not so, or not without structured replies");
            }
            _ => reply(out, option, answer::UNSUPPORTED, b"not an option of this server"),
        }
        HandshakeStep::More
    }

    /// Replies with the size, flags and block sizes of the export that the client names. With the NBD option `GO` the
    /// negotiation then ends, and the client's requests go to this export.
    fn inform(&mut self, option: u32, data: &[u8], out: &mut Vec<u8>) -> HandshakeStep {
        let Some(name) = name_of_info(data) else {
            reply(out, option, answer::INVALID, b"a name, and a list of kinds");
            return HandshakeStep::More;
        };
        let Some(chosen) = self.named(name) else {
            reply(out, option, answer::UNKNOWN, b"no export of that name: each namespace is one");
            return HandshakeStep::More;
        };
        reply(out, option, answer::INFO, &about(&self.exports[chosen]));
        reply(out, option, answer::INFO, &block_size(&self.exports[chosen]));
        reply(out, option, answer::ACK, &[]);
        if option != option::GO {
            return HandshakeStep::More;
        }
        self.chosen = chosen;
        HandshakeStep::Ready
    }

    /// Replies to a query for metadata contexts: there is only the one for allocated extents.
    fn contexts(&mut self, option: u32, data: &[u8], out: &mut Vec<u8>) {
        let Some(asked) = contexts(data) else {
            return reply(out, option, answer::INVALID, b"a name, and queries");
        };
        let listing = option == option::LIST_META_CONTEXT;
        let all = listing && (asked.is_empty() || asked.contains(&&b"base:"[..]));
        let found = all || asked.contains(&ALLOCATION.as_bytes());
        if !listing {
            self.allocation = found;
        }
        if found {
            let context = [&ALLOCATION_ID.to_be_bytes(), ALLOCATION.as_bytes()].concat();
            reply(out, option, answer::META_CONTEXT, &context);
        }
        reply(out, option, answer::ACK, &[]);
    }
}

fn about(export: &Export) -> Vec<u8> {
    let bytes = export.namespace.extent.bytes.to_be_bytes();
    [&info::EXPORT.to_be_bytes()[..], &bytes, &FLAGS.to_be_bytes()].concat()
}

fn block_size(export: &Export) -> Vec<u8> {
    let sizes = [512, export.unit.next_power_of_two().max(512), PAYLOAD_MOST];
    let mut bytes = info::BLOCK_SIZE.to_be_bytes().to_vec();
    sizes.iter().for_each(|size: &u32| bytes.extend(size.to_be_bytes()));
    bytes
}

/// Writes a reply to an NBD option to `out`.
fn reply(out: &mut Vec<u8>, option: u32, kind: u32, data: &[u8]) {
    out.extend(REPLY_MAGIC.to_be_bytes());
    out.extend(option.to_be_bytes());
    out.extend(kind.to_be_bytes());
    out.extend((data.len() as u32).to_be_bytes());
    out.extend(data);
}

/// Returns the export's name in the data of an NBD option for information: the name, then a list of two-byte kinds,
/// each preceded by its length. `None` for malformed data.
fn name_of_info(data: &[u8]) -> Option<&[u8]> {
    let (name, rest) = text(data)?;
    let is_whole = rest.len() >= 2 && rest.len() == 2 + 2 * usize::from(u16::from_be_bytes(number(rest, 0)));
    is_whole.then_some(name)
}

/// Parses the queries for metadata contexts that follow the export's name in the data of an NBD option; `None` for
/// malformed data.
fn contexts(data: &[u8]) -> Option<Vec<&[u8]>> {
    let (_name, rest) = text(data)?;
    let count = u32::from_be_bytes(number(rest.get(..4)?, 0));
    let mut rest = &rest[4..];
    let mut found = Vec::new();
    for _ in 0..count {
        let (query, after) = text(rest)?;
        found.push(query);
        rest = after;
    }
    rest.is_empty().then_some(found)
}

/// Splits off a text that is preceded by its length from the data of an NBD option; returns the text and the rest of
/// the data. `None` if the data are too short.
fn text(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = u32::from_be_bytes(number(data.get(..4)?, 0)) as usize;
    data.get(4..)?.split_at_checked(length)
}
