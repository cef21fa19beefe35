//! The chips: how they are laid out, how long they take, which block is bad, which command is legal.
//!
//! Knows no logical address. `cells` says what threshold voltages do, `chip` puts them on a bench as a part with
//! pages, status and wear; a drive's array takes its times from the chip file's data sheet, and reads and checks
//! `[cells]` without using it until tables derived from the cells stand in for those times.

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
