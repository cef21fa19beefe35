//! The chips: how they are laid out, how long they take, which block is bad, which command is legal.
//!
//! Knows no logical address. `cells` says what threshold voltages do, `chip` puts them on a bench as a part with
//! pages, status and wear. A drive's array takes its times from the chip file's data sheet, or from `tables` that
//! `floatgate derive` makes from the cells, together with error rates and endurance; `[cells]` itself it only reads
//! and checks.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod array;
pub mod cells;
pub mod chip;
pub mod errors;
mod geometry;
mod power;
mod slc_mode;
pub mod tables;
mod timing;

pub use array::{FlashArray, ProgramStatus, RetireOutcome};
pub use geometry::{Cell, Geometry, ProgramOrder};
pub use power::ArrayPower;
pub use slc_mode::SlcMode;
pub use tables::Tables;
pub use timing::ArrayTiming;
