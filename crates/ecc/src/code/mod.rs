//! Which code protects a page?

use crate::Ladder;

/// An error-correcting code; asked once, when a drive is built.
pub trait Code: Send {
    /// Returns the ladder of read attempts for a page of cells of `bits` bits; none if bit errors are ignored.
    fn ladder(&self, bits: u32) -> Option<Ladder>;

    /// Returns the number of parity bytes for each data byte.
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
