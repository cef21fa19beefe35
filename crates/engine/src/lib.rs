//! The event calendar, the random streams and large arrays: what a run stands on.

mod calendar;
mod memory;
mod random;

pub use calendar::{Calendar, Event};
pub use memory::{large_array, prefetch};
pub use random::RandomStream;
