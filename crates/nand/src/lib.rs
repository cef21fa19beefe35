//! The chips: how they are laid out, how long they take, which block is bad, which command is legal.
//!
//! Knows no logical address. Not modelled yet: threshold voltages, error rates, wear-dependent times,
//! retention and disturb (the cell model and the tables derived from it come with their own issue).

mod array;
pub mod cells;
pub mod chip;
mod geometry;
mod power;
mod timing;

pub use array::{FlashArray, RetireOutcome};
pub use geometry::{Cell, Geometry, ProgramOrder};
pub use power::ArrayPower;
pub use timing::ArrayTiming;
