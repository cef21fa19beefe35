//! What policies are shown of a die's superblocks.

/// The superblocks of a die, by number: lent for one question to the policy that chooses among them.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a> {
    /// Mapping units still valid in each superblock.
    pub valid_units: &'a [u32],
    /// Program/erase cycles of each superblock.
    pub pe_cycles: &'a [u32],
    /// The write clock when each superblock was closed.
    pub closed_at: &'a [u64],
    /// The stream that each superblock was opened for last, as `ftl.streams` numbers them.
    pub streams: &'a [u8],
}
