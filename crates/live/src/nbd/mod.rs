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

/// Greatest number of bytes of data of one NBD read or write request.
pub const PAYLOAD_MOST: u32 = 32 << 20;

/// Kind of NBD error with which a client's request is refused; the numbers are those of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Refusal {
    /// Case of NBD error: the drive, or the disk that stores the image, failed to carry out the request.
    Io = 5,
    /// Case of NBD error: the client's request is invalid, for example not aligned to sectors.
    Invalid = 22,
    /// Case of NBD error: the range to be written lies beyond the end of the export, or the disk that stores the image
    /// has no space.
    NoSpace = 28,
    /// Case of NBD error: the client's request cannot be carried out in the way that its flags ask for.
    Unsupported = 95,
    /// Case of NBD error: the live server is being shut down.
    Shutdown = 108,
}

impl Refusal {
    /// Returns the C name of the NBD error, such as `EIO`.
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

/// Record of an export, which offers a namespace of the simulated drive to NBD clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Namespace that the export offers to NBD clients: its name and its byte range on the drive.
    pub namespace: Namespace,
    /// Size in bytes of the drive's mapping units; rounded up to a power of two, it is told to the export's clients as
    /// the preferred block size.
    pub unit: u32,
}

impl Export {
    /// Makes an export for each namespace of the drive, with mapping units of `unit` bytes.
    pub fn all_of(space: &HostSpace, unit: u32) -> Arc<[Self]> {
        space.each().into_iter().map(|namespace| Self { namespace, unit }).collect()
    }
}

/// Name of the NBD metadata context for allocated extents.
const ALLOCATION: &str = "base:allocation";
/// Constant: identifier, in replies, of the NBD metadata context for allocated extents.
const ALLOCATION_ID: u32 = 1;

/// Returns, as an array, the `N` bytes of an NBD message `bytes` from index `at` on, which the caller converts to a
/// number (big-endian).
fn number<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|byte| bytes[at + byte])
}
