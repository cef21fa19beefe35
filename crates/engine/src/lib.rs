//! The event calendar and the random streams: what makes a run a pure function of its inputs.

mod calendar;
mod random;

pub use calendar::{Calendar, Event};
pub use random::RandomStream;
