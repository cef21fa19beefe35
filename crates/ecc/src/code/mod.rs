//! Which code protects a page?

use crate::Ladder;

/// A code: asked once, when a drive is built.
pub trait Code: Send {
    /// Returns the ways to read a page of cells of `bits` bits, or none: errors are left out of account.
    fn ladder(&self, bits: u32) -> Option<Ladder>;

    /// Returns the parity bytes for each data byte.
    fn overhead(&self) -> f64;
}

config::policies! {
    seam: "ecc.code",
    question: "Which code protects a page, and how is it read?",
    default: "none",
    dyn Code;
    bch::Bch,
    ldpc::Ldpc,
    none::NoCode,
}
