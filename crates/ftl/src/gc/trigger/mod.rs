//! When does garbage collection work on a die?

use crate::Layout;
use units::Nanos;

/// Constant: number of superblocks of a die that host data can never fill, beside the superblocks that foreground
/// garbage collection needs free: one open superblock for each of two write streams, and one superblock with enough
/// garbage to gain space from.
pub const KEPT_BESIDE_FREE: u32 = 3;

/// Record of the state of a die that the trigger policy of garbage collection is shown.
#[derive(Clone, Copy, Debug)]
pub struct TriggerView {
    /// Number of superblocks of the die that are free, or will be free without further reads because all their valid
    /// units were read or they are being erased, less the superblocks that are reserved.
    pub free: u32,
    /// Number of superblocks of the die that are not lost to bad blocks.
    pub superblocks: u32,
    /// Number of invalid mapping units in the closed superblocks of the die.
    pub garbage_units: u64,
    /// Number of mapping units of a superblock that are for data, without the units of its summary (list of the logical
    /// units in the superblock, for recovery).
    pub superblock_units: u32,
}

/// Trait of a trigger policy: decides when garbage collection works on a die.
pub trait GcTrigger: Send {
    /// Returns true when garbage collection should start or continue on the die although the host may be waiting.
    fn foreground(&self, view: &TriggerView) -> bool;

    /// Returns true when garbage collection should start or continue while the die has nothing else to do.
    fn background(&self, view: &TriggerView) -> bool;

    /// Returns true when a garbage collection victim that frees `gain` of its `units` mapping units is worth collecting
    /// in the background; its valid units are moved in whole programs. Must be false when no space is gained, because
    /// otherwise an idle die would collect garbage for ever.
    fn worthwhile(&self, gain: u32, units: u32) -> bool;

    /// Returns how long a die must have been idle before background garbage collection starts, or `None` for no
    /// background collection.
    fn idle_after(&self) -> Option<Nanos>;

    /// Returns the greatest number of free superblocks of a die at which `foreground` can be true: the FTL withholds
    /// that much space from the host, so that each foreground collection can gain something.
    fn foreground_limit(&self) -> u32;

    /// Returns the number of superblocks that a die must have in addition to those full of data, for the trigger policy
    /// to work: with fewer, [`Self::fit`] refuses the drive.
    fn superblocks_beside(&self) -> u32 {
        0
    }

    /// Checks that a drive of this geometry can have as many free superblocks as the policy's settings ask for when it
    /// is full.
    ///
    /// # Errors
    /// The key at fault, and a text with the expected value.
    fn fit(&self, layout: &Layout) -> Result<(), (&'static str, String)>;
}

config::policies! {
    seam: "ftl.gc.trigger",
    question: "When does garbage collection work on a die?",
    default: "watermark",
    dyn GcTrigger;
    watermark::Watermark,
}
