//! The live drive: a simulated drive that other programs use as a network block device.
//!
//! - `nbd`: the protocol, as bytes.
//! - `image`: the file that holds what the flash holds.
//! - `answers`: what a client has not taken yet.
//! - `extents`: the written parts of a drive.
//! - `buffers`: memory that is used again.
//! - `contents`: whose bytes are where, in slots of the buffer and on flash.
//! - `source`: requests of clients as a workload.
//! - `recorder`: the same as a trace.
//! - `meter`: what is counted for an onlooker.
//! - `pace`: how simulated time follows the clock on the wall, and how late answers were.
//! - [`Server`]: sockets, requests and time, in one thread.
//!
//! Not modelled: what the network adds. A request arrives when its last byte is read from the socket.

mod answers;
mod buffers;
mod commands;
mod connection;
mod contents;
mod extents;
mod found;
mod image;
mod meter;
mod nbd;
mod pace;
mod recorder;
mod server;
mod sockets;
mod source;

pub use meter::{Board, DriveNow, MeteredKind, ServerProgress, SuperblockAges, TimeClasses};
pub use pace::{Lateness, WallPace};
pub use server::{ServeOptions, Server};
