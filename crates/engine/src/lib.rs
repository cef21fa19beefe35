//! The event calendar, the random streams and large arrays: what a run stands on.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod by_number;
mod calendar;
mod heap;
mod leap;
mod memory;
mod permutation;
mod random;
mod wheel;

pub use by_number::ByNumber;
pub use calendar::{Calendar, Event, INDEX_MAX, next_index};
pub use leap::Leap;
pub use memory::{large_array, prefetch};
pub use permutation::Permutation;
pub use random::RandomStream;
