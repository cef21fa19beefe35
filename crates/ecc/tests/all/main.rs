//! Decoders beside the measurements of another program.

mod oracles;
mod points;
mod tables;
