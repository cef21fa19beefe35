//! What superblocks say of themselves.

use super::{Frontier, NONE, Space, SuperblockState};

/// The facts about a superblock in its spare areas and in the list of bad blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    /// Stream that was filling the superblock; `NONE` for a superblock that was not open.
    pub stream: u32,
    pub one_bit: bool,
    /// True after a program on the superblock failed.
    pub failing: bool,
    /// True if an erase of the superblock was begun and not completed: the superblock holds no data, and must
    /// be erased again.
    pub half_erased: bool,
    /// The stream that the superblock was opened for last.
    pub filled_by: u8,
    /// The write clock of the die when the superblock was closed.
    pub closed_at: u64,
}

impl Space {
    /// Returns the mark of each superblock when the power has failed.
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
