//! Which code protects a page?

use crate::Ladder;

/// Policy interface of an error-correcting code (ECC) of a drive; the simulator calls these methods once, when it
/// builds the drive.
pub trait Code: Send {
    /// Returns the read ladder of the code (the list of ways to read and correct a page, by rising cost) for cells of
    /// `bits` bits; `None` if bit errors are ignored.
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
