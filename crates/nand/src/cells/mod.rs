//! The cells: threshold voltages, and what programming, erasing, time and wear do to them.
//!
//! Not modelled: random telegraph noise, back-pattern dependence, charge sharing between word lines of different
//! strings, process variation along a string; a cell's offset is one number that wear moves as a whole.

pub mod coding;
mod lanes;
pub mod normal;
mod physics;
mod wear;
mod wordline;

pub use physics::{CellPhysics, EraseTiming, Pass, ProgramTiming, VoltagePlan};
pub use wear::{Retention, Wear, arrhenius};
pub use wordline::{Condition, Wordline};
