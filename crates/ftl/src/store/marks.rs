//! What superblocks say of themselves.

use super::{Frontier, NONE, Space, SuperblockState};

/// Record of the facts about a superblock that outlive a power cut, as stored in the superblock's spare areas and in
/// the list of bad blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    /// Number of the write stream (data with open superblocks of their own) that was filling the superblock at the
    /// power cut; `NONE` for a superblock that was not open.
    pub stream: u32,
    pub one_bit: bool,
    /// True if a program on the superblock failed since its last erase: at the next erase, a spare block replaces the
    /// failed block, or the superblock is lost if none is left.
    pub failing: bool,
    /// True if an erase of the superblock was interrupted: the superblock holds no data, and must be erased again.
    pub half_erased: bool,
    /// Number of the stream for which the superblock was opened last.
    pub filled_by: u8,
    /// Value of the die's write clock, the number of mapping units written to the die, when the superblock was closed.
    pub closed_at: u64,
}

impl Space {
    /// Returns a record for each superblock of the drive, at a power cut, of what spare areas and bad block list say of
    /// it; `half_erased` lists superblocks whose erase was interrupted.
    pub fn marks(&self, half_erased: &[usize]) -> Vec<Mark> {
        let space = self;
        let stream_of = |die: usize, superblock: u32| {
            let is_it = |frontier: &Frontier| frontier.superblock == superblock;
            space.dies[die].frontiers.iter().position(is_it).map_or(NONE, |stream| stream as u32)
        };
        let mark = |global: usize| {
            let (die, superblock) = space.place_of(global as u32);
            Mark {
                stream: match space.state[global] {
                    SuperblockState::Open => stream_of(die, superblock),
                    _ => NONE,
                },
                one_bit: self.holds_one_bit(global),
                failing: space.failing[global],
                half_erased: half_erased.contains(&global),
                filled_by: space.stream[global],
                closed_at: space.closed_at[global],
            }
        };
        (0..space.state.len()).map(mark).collect()
    }
}
