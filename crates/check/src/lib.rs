//! The independent account of a drive: it hears what happens, keeps its own map, versions, block states, times and counts, and
//! stops the run at the first difference. It shares nothing with what it checks: it sees events, resolved keys and the numbers
//! of chips and wires, and knows neither the translation layer nor the simulator.
//!
//! - `examined`: what it is told of a drive, and what the drive says of itself.
//! - `shape`: where units lie.
//! - `clock`: how long channels and arrays take, by the numbers of chip and interface, and in which order.
//! - `numbers`: those numbers, read and worked out once more.
//! - `ledger`: what goes in comes out, by origin and by request.
//! - `content`: whose bytes are whose.
//! - `own_map`: where everything is.
//! - `survival`: what must be there after a power cut; `power`: what a cut does to the account.
//! - `failures`: what dies that failed may take along.
//! - `trims`: what was trimmed is forgotten.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod account;
mod clock;
mod content;
mod durability;
mod examined;
mod failures;
mod ledger;
#[cfg(test)]
mod made_up;
mod new_data;
mod numbers;
mod own_map;
mod parts;
mod past;
mod shape;
mod stripes;
mod survival;
mod trims;

pub use account::Checker;
pub use examined::{Answered, Busy, DriveCounts, Examined, Facts, KeptAt, MapAtFirst, PastEvent, Promise};
pub use ledger::Measured;
pub use shape::FlashShape;
