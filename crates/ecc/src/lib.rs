//! Error correction: raw bit error rate in; sensing levels, retries and outcome out.
//!
//! - [`code`]: which code protects a page? One file per answer; each gives a [`Ladder`].
//! - [`Ladder`]: the ways to read a page, from cheap to dear, and what each of them corrects.
//! - [`cost`]: what reads and writes cost by reference voltages and program step (Li and others, FAST 2016).
//! - [`tail`]: the chance of more errors than can be corrected.
//!
//! Not modelled: errors that cluster (every bit errs on its own), iterations of an LDPC decoder (each attempt takes
//! `ecc.t_decode`), miscorrection.

pub mod code;
mod config_read;
pub mod cost;
mod ladder;
pub mod tail;

pub use config_read::EccConfig;
pub use ladder::{Ladder, Outcome, Rung, Shifted};
