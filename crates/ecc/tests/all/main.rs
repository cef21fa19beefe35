//! Tests of the decoder against other people's measurements.

mod oracles;
mod points;
