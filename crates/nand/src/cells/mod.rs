//! The cells: threshold voltages, and what programming, erasing, time and wear do to them.
//!
//! What each question's answer is made of:
//!
//! - How many pulses, how long, does it fail? [`CellPhysics`]: pure functions of voltages, offsets and temperature.
//! - What do cycles and time leave behind? [`Wear`], [`Retention`], [`Tails`], [`Uneven`], [`arrhenius`].
//! - Where does each cell of a wordline or block lie, and what is it read as? [`Wordline`], [`CellBlock`].
//! - How many bits are wrong, by state and page, with which references? [`Confusion`], [`Histogram`],
//!   [`distribution`].
//!
//! All variation belongs to a cell, an erase or a pass by number ([`normal::Stream`]): the same cell has the same
//! value after any earlier calls, on every machine, as every function on the way is either rounded by IEEE 754 or
//! written in Rust (`libm`, `lanes.rs`).
//!
//! Not modelled: random telegraph noise from read to read, how a string's other cells change a read (back pattern),
//! fast cells that overshoot in one pulse, variation along a string other than the layers' tails, self-heating, recovery of the oxide other than through `dwell`. A cell's offset is one number
//! that wear moves as a whole, and disturb depends on the threshold only, not on the neighbours' data. A wordline
//! couples to the one below alone, so pages are programmed wordline by wordline; the shadow order of planar MLC,
//! which programs the next wordline's first page in between, would couple less.

pub mod coding;
pub mod distribution;
mod exponentials;
mod kernels;
mod lanes;
pub mod normal;

mod block;
mod errors;
mod physics;
mod slowest;
mod tails;
mod wear;
mod wordline;

pub use block::{CellBlock, Programmed};
pub use errors::{Confusion, Histogram};
pub(crate) use exponentials::{is_plain, power};
pub use physics::{CellPhysics, EraseTiming, Pass, ProgramTiming, VoltagePlan};
#[cfg(test)]
pub(crate) use slowest::slow_offset;
pub(crate) use slowest::{SlowCell, SlowCells};
pub(crate) use tails::{Beyond, Side};
pub use tails::{Elapsed, Noise, Tails, Uneven};
pub use wear::{Leak, Retention, Wear, arrhenius};
pub use wordline::{Condition, Wordline};
