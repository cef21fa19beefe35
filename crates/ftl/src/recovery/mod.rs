//! How does the drive find its map again when the power comes back?
//!
//! The map in RAM is gone with the power. What is left is what each unit's spare area says: the logical unit, and the
//! number of the host's write whose data it holds. A method says what is written beside the data so that less has to be
//! read, and what is read at power-up; which copy of a unit is the newest follows from the numbers alone.

use crate::Layout;
use crate::flash_map::MapOnFlash;

/// What is known of a superblock at power-up before its data are looked at.
#[derive(Clone, Copy, Debug)]
pub struct FoundView {
    /// Page rows of it that were programmed; a torn one counts.
    pub rows_programmed: u32,
    /// Page rows that it has, with as many bits a cell as it holds.
    pub rows: u32,
    /// Page rows of its summary, at its end: none where it holds one bit a cell.
    pub summary_rows: u32,
    /// It was full before the last whole checkpoint of the map began, which says all that it holds; false where there is
    /// none.
    pub is_in_checkpoint: bool,
    /// Page rows of it, from the first one on, of which a log on flash tells what they hold; 0 where there is no log.
    pub rows_told: u32,
}

/// A page row that is read at power-up, numbered within its superblock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowRead {
    /// The spare area of each of its pages.
    Spare(u32),
    /// What its pages hold of the superblock's summary.
    Summary(u32),
}

/// A way to find the map again.
pub trait RecoveryMethod: Send {
    /// Takes the room that it needs at the end of each superblock.
    ///
    /// # Errors
    /// When superblocks are too small; the text says what was expected.
    fn fit(&self, _layout: &mut Layout) -> Result<(), String> {
        Ok(())
    }

    /// The checkpoints of the map that it keeps on flash; none where it keeps none.
    fn checkpoint(&self, _layout: &Layout) -> Option<MapOnFlash> {
        None
    }

    /// What is read of a superblock in which something was programmed.
    fn reads(&self, superblock: &FoundView) -> Vec<RowRead>;
}

config::policies! {
    seam: "ftl.recovery",
    question: "How does the drive find its map again when the power comes back?",
    default: "scan",
    dyn RecoveryMethod;
    checkpoint::Checkpoint,
    journal::Journal,
    scan::Scan,
    summaries::Summaries,
}

pub(crate) use checkpoint::{checkpoint_bytes, checkpointed, make_room, of_checkpointed_map};
pub(crate) use summaries::{summary_bytes, summary_rows};
