//! When does garbage collection work on a die?

use crate::Layout;
use units::Nanos;

/// Superblocks of a die that the host's data can never fill, beside the superblocks that foreground collection needs free: one open
/// for each stream, and one to gain from.
pub const KEPT_BESIDE_FREE: u32 = 3;

/// The information about a die that a trigger policy may use.
#[derive(Clone, Copy, Debug)]
pub struct TriggerView {
    /// Superblocks of the die that are free or about to be erased.
    pub free: u32,
    /// Superblocks of the die that are in use.
    pub superblocks: u32,
    /// Invalid mapping units in closed superblocks.
    pub garbage_units: u64,
    /// Mapping units of a superblock.
    pub superblock_units: u32,
}

/// The moment to collect.
pub trait GcTrigger: Send {
    /// True when a collection should start or go on although the host may be waiting.
    fn foreground(&self, view: &TriggerView) -> bool;

    /// True when a collection should start or go on while the die has nothing else to do.
    fn background(&self, view: &TriggerView) -> bool;

    /// True when a victim that frees `gain` of its `units` is worth collecting in the background; its valid units are
    /// moved in whole programs. Must be false when nothing is gained, because a die must come to rest.
    fn worthwhile(&self, gain: u32, units: u32) -> bool;

    /// Returns how long a die must have been idle before background work, or `None` for no background work.
    fn idle_after(&self) -> Option<Nanos>;

    /// Returns the most free superblocks at which `foreground` can be true: the FTL keeps that much space
    /// from the host, so that each foreground collection can gain something.
    fn foreground_limit(&self) -> u32;

    /// Returns the number of superblocks of a die that must exist beside those full of data: with fewer,
    /// [`Self::fit`] refuses the drive.
    fn superblocks_beside(&self) -> u32 {
        0
    }

    /// Checks that a drive of this shape can have the requested number of free superblocks when it is full.
    ///
    /// # Errors
    /// The key at fault, and what was expected.
    fn fit(&self, layout: &Layout) -> Result<(), (&'static str, String)>;
}

config::policies! {
    seam: "ftl.gc.trigger",
    question: "When does garbage collection work on a die?",
    default: "watermark",
    dyn GcTrigger;
    watermark::Watermark,
}
