//! Error correction: raw bit error rate in; sensing levels, retries and outcome out.
//!
//! - [`code`]: which code protects a page? One file per answer; each gives a [`Ladder`].
//! - [`Ladder`]: the ways to read a page, from cheap to dear, and what each of them corrects.
//! - [`flow`]: which attempt comes next for a page's read? One file per answer; [`PageRead`] makes the attempts.
//! - [`Estimator`]: the error rate that the weight of a syndrome tells.
//! - [`cost`]: what reads and writes cost by reference voltages and program step (Li and others, FAST 2016).
//! - [`tail`]: the chance of more errors than can be corrected.
//!
//! What really decodes, and what drives read with of it:
//!
//! - [`words`]: words decoded for each read instead, the check that tables tell the truth.
//! - [`table`]: failures and iterations of a code, counted, for drives.
//! - [`sensing`]: a page of cells between references, and what each bit is told; [`law`]: how failures fall with errors.
//! - [`ldpc`]: matrices of codes, their cycles, their encoder; [`decoder`]: how a word is decoded, one file per answer.
//! - [`bch`]: BCH codes by algebra, beside the closed form of [`code`].
//! - [`channel`]: what a decoder is told of each bit; [`measure`]: failures counted, with exact intervals.
//!
//! Not modelled in drives: errors that cluster (every bit errs on its own), miscorrection.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod bch;
pub mod channel;
pub mod code;
mod config_read;
pub mod cost;
pub mod decoder;
mod estimate;
mod field;
pub mod flow;
mod ladder;
pub mod law;
pub mod ldpc;
pub mod measure;
mod page_read;
pub mod sensing;
pub mod table;
pub mod tail;
pub mod words;

pub use config_read::EccConfig;
pub use estimate::{Estimator, Weight};
pub use ladder::{Corrects, Decodes, Ladder, Overlap, Pace, Rates, Rung, Shifted, Soft};
pub use page_read::{Outcome, PageRead, Tried};
