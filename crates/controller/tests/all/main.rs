//! The controller alone: operations go in at stated moments, and what comes out is compared with sums done by hand.

mod bench;
mod chips;
mod order;
mod power;
mod rides;
mod settings;
mod suspension;
mod times;
