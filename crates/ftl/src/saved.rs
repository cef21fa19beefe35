//! The state of a drive at rest, as plain arrays: what a saved state holds.

/// Arrays of 32-bit and of 64-bit words, in a fixed order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedState {
    /// Map, superblocks, frontiers, blocks.
    pub words: Vec<Vec<u32>>,
    /// Validity, clocks, ranks of free superblocks.
    pub longs: Vec<Vec<u64>>,
}
