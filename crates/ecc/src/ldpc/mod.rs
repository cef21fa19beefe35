//! Low-density parity-check codes: their matrices, where those come from, and how words are made.
//!
//! - [`Code`]: a matrix from a file of `codes/`, read strictly; [`shipped`]: the codes that come along.
//! - [`Graph`]: which bits each check adds up; [`BaseMatrix`]: the same by circulants; [`Lines`]: from a Reed-Solomon code.
//! - [`grow`]: codes of our own, by progressive edge growth; [`cycles`]: how short their cycles are.
//! - [`Encoder`]: parity bits of data.
//!
//! Not modelled: shortened and punctured words, circulants of a weight above one.

mod base;
pub mod cycles;
mod encoder;
mod file;
mod graph;
pub mod grow;
mod lines;
mod rank;
mod shipped;

pub use base::BaseMatrix;
pub use encoder::Encoder;
pub use file::{Code, CodeOrigin};
pub use graph::Graph;
pub use lines::Lines;
pub use shipped::{named, shipped};
