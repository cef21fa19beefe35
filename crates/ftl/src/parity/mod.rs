//! How is the data of a page recovered when its code cannot correct it?
//!
//! A scheme says how wide a stripe is; what follows from that is the feature `features/parity`.

use crate::Layout;

/// Type of the pair that says why a parity scheme does not fit a drive: name of the parameter to blame, and text with
/// the values that were expected.
pub type Misfit = (&'static str, String);

/// Interface of the parity policies, which decide how many dies share a parity stripe (page rows on different dies, one
/// of them with the parity of the others).
pub trait ParityScheme: Send {
    /// Returns the number of superblocks with data that share one superblock of parity, each on a different die; `None`
    /// for no parity.
    ///
    /// # Errors
    /// When the drive cannot have such stripes, with the parameter to blame.
    fn stripe(&self, layout: &Layout) -> Result<Option<u32>, Misfit>;
}

config::policies! {
    seam: "ftl.parity",
    question: "How is the data of a page recovered when its code cannot correct it?",
    default: "none",
    dyn ParityScheme;
    none::NoParity,
    rain::Rain,
}
