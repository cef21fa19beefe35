//! The host side: what is asked of the drive, when, and over which link.
//!
//! - [`request`]: one request.
//! - [`command`]: command sets: which operations there are, by which rules, and what a completion holds.
//! - [`workload`]: the one interface through which the simulator pulls requests.
//! - [`trace`]: readers of block traces, one file per format, and the replay of them.
//! - [`space`]: what a host sees of a drive: its bytes, and its namespaces where it has several.
//! - [`foreseen`]: a workload of which it is known how long what it writes will live.
//! - [`later`]: a workload that begins again, later.
//! - [`software`]: what the host itself takes for a request.
//! - [`mod@link`]: how commands and data cross; one file per link.
//! - [`place`]: which placement handle a write carries.
//! - [`fio`]: fio job files and the generators behind them.
//! - [`flows`]: several flows at once, each on its own part of the drive, as MQSim has them.
//! - [`volume`]: synthetic volumes after published statistics.
//!
//! Knows no physical address and no policy.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod codec;
pub mod command;
mod declared;
pub mod fio;
pub mod flows;
pub mod foreseen;
pub mod later;
pub mod link;
pub mod place;
mod regular;
pub mod request;
pub mod software;
pub mod space;
pub mod temporary;
pub mod trace;
pub mod volume;
pub mod workload;
mod workload_error;

pub use command::{CommandSet, Completion, CompletionStatus, Effect, Op};
pub use declared::{Declared, NamespaceRoom};
pub use link::{Direction, LinkConfig};
pub use request::HostRequest;
pub use space::{HostSpace, HostZones, Namespace};
pub use workload::{Background, Extent, Poll, Telling, Workload, WorkloadReport};
pub use workload_error::WorkloadError;
