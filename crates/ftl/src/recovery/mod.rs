//! How does the drive find its map again when the power comes back?
//!
//! The map in RAM is gone with the power. What is left is what each unit's spare area says: the logical unit, and the
//! number of the host's write whose data it holds. A method says what is written beside the data so that less has to be
//! read, and what is read at power-up; which copy of a unit is the newest follows from the numbers alone.

use crate::Layout;
use crate::flash_map::MapOnFlash;

/// Facts about a superblock that are known at power-up before its data are read.
#[derive(Clone, Copy, Debug)]
pub struct FoundView {
    /// Page rows of the superblock that were programmed, torn ones included.
    pub rows_programmed: u32,
    /// Page rows of the superblock, at the number of bits per cell that the superblock holds.
    pub rows: u32,
    /// Page rows of the summary at the end of the superblock: 0 in SLC mode.
    pub summary_rows: u32,
    /// True if the superblock was full before the last complete checkpoint of the map began: the checkpoint
    /// gives all content of the superblock. False without a checkpoint.
    pub is_in_checkpoint: bool,
    /// Page rows, from the first one on, whose content a log on flash gives; 0 without a log.
    pub rows_told: u32,
}

/// A page row that is read at power-up, numbered within its superblock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowRead {
    /// Spare areas of all pages of the row.
    Spare(u32),
    /// Pages of the row, as far as they hold the summary of the superblock.
    Summary(u32),
}

/// A method by which the drive finds its map again.
pub trait RecoveryMethod: Send {
    /// Takes the room that the method needs at the end of each superblock.
    ///
    /// # Errors
    /// When superblocks are too small; the text says what was expected.
    fn fit(&self, _layout: &mut Layout) -> Result<(), String> {
        Ok(())
    }

    /// Returns the checkpoints of the map that the method keeps on flash; none where it keeps none.
    fn checkpoint(&self, _layout: &Layout) -> Option<MapOnFlash> {
        None
    }

    /// Returns the rows to read of a superblock with at least one programmed page.
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
