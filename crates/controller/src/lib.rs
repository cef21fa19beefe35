//! Channels, ways and dies at work: queues per die, who gets the bus, what may overlap, what is suspended.
//!
//! The FTL submits transactions; the controller carries them through bus and array and hands them back when
//! they are finished. It knows no logical address.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod arbitration;
mod channel;
mod config_read;
mod controller;
mod die;
mod in_flight;
mod probe;
pub mod scheduler;
mod sharing;
mod transaction;
mod work;

pub use config_read::ControllerConfig;
pub use controller::{Controller, Ending, Interrupted, events};
pub use die::Urgency;
pub use in_flight::{TimedTransaction, TransactionTimes};
pub use probe::{ChannelUse, Context, Probe};
pub use sharing::Ride;
pub use transaction::{Class, Kind, Origin, Reading, Transaction, TransactionId, Waits};
pub use work::Work;
