//! The protocol of network block devices: fixed newstyle negotiation, simple and structured replies, and the metadata context
//! `base:allocation`. Bytes in, bytes out: no sockets here.
//!
//! Source: <https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md>. Not there: TLS, resizing, extended headers.

mod handshake;
mod reply;
mod request;

pub use handshake::{Handshake, HandshakeStep, greeting};
pub use reply::{Replies, ReplyExtent};
pub use request::{Command, HEADER, NbdMessage, NbdRequest, parse};

use host::{HostSpace, Namespace};
use std::sync::Arc;

/// Bytes of a request's data that are taken at once.
pub const PAYLOAD_MOST: u32 = 32 << 20;

/// Error with which a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Refusal {
    /// The drive could not do the request.
    Io = 5,
    /// The request is invalid.
    Invalid = 22,
    /// The place to be written does not exist, or there is no space.
    NoSpace = 28,
    /// The request cannot be done in this way.
    Unsupported = 95,
    /// The drive is being shut down.
    Shutdown = 108,
}

impl Refusal {
    /// Returns the name of the error in C.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Io => "EIO",
            Self::Invalid => "EINVAL",
            Self::NoSpace => "ENOSPC",
            Self::Unsupported => "ENOTSUP",
            Self::Shutdown => "ESHUTDOWN",
        }
    }
}

/// A namespace of the drive as an NBD export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Name, size and place of the namespace.
    pub namespace: Namespace,
    /// Bytes of a mapping unit: requests of that size cost least.
    pub unit: u32,
}

impl Export {
    /// Makes an export for each namespace, in mapping units of `unit` bytes.
    pub fn all_of(space: &HostSpace, unit: u32) -> Arc<[Self]> {
        space.each().into_iter().map(|namespace| Self { namespace, unit }).collect()
    }
}

/// The metadata context for allocated extents, and its number.
const ALLOCATION: &str = "base:allocation";
const ALLOCATION_ID: u32 = 1;

/// Returns the big-endian numbers at the beginning of `bytes`.
fn number<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|byte| bytes[at + byte])
}
