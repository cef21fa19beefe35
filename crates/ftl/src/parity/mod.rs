//! How is the data of a page recovered when its code cannot correct it?
//!
//! A scheme says how wide a stripe is; what follows from that is the feature `features/parity`.

use crate::Layout;

/// Why a scheme does not fit a drive: its parameter and what was expected.
pub type Misfit = (&'static str, String);

/// The choice of a stripe.
pub trait ParityScheme: Send {
    /// Returns the superblocks with data that share one superblock of parity, each on a die of its own; none:
    /// no parity.
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
