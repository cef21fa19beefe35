//! What policies are shown of a die's superblocks.

/// Type of the read-only view of the superblocks of a die, indexed by superblock, for a policy that chooses among them.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a> {
    /// For each superblock: number of mapping units that are still valid.
    pub valid_units: &'a [u32],
    /// For each superblock: number of program/erase cycles.
    pub pe_cycles: &'a [u32],
    /// For each superblock: value of the die's write clock (count of mapping units written to the die) when the
    /// superblock was closed, which means that it takes no more data.
    pub closed_at: &'a [u64],
    /// For each superblock: index of the write stream (data that share an open superblock, see `ftl.streams`) for which
    /// the superblock was opened last.
    pub streams: &'a [u8],
}
