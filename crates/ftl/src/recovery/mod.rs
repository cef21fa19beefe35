//! How does the drive find its map again when the power comes back?
//!
//! The map in RAM is gone with the power. What is left is what each unit's spare area says: the logical unit, and the
//! number of the host's write whose data it holds. A method says what is written beside the data so that less has to be
//! read, and what is read at power-up; which copy of a unit is the newest follows from the numbers alone.

use crate::Layout;
use crate::flash_map::MapOnFlash;

/// Type of the read-only view of what is known about a superblock at power-up before its data are read, for recovery
/// methods.
#[derive(Clone, Copy, Debug)]
pub struct FoundView {
    /// Number of page rows of the superblock that were programmed, including torn rows, whose program a power cut
    /// interrupted.
    pub rows_programmed: u32,
    /// Number of page rows of the superblock, at the number of bits per cell (SLC mode or full) that it has.
    pub rows: u32,
    /// Number of page rows of the summary (list of the logical units and write numbers) at the end of the superblock; 0
    /// in SLC mode.
    pub summary_rows: u32,
    /// True if the superblock was full before the last complete checkpoint of the map began: the checkpoint
    /// gives all content of the superblock. False without a checkpoint.
    pub is_in_checkpoint: bool,
    /// Number of page rows, from the superblock's first one on, whose content (logical units) a log of map changes on
    /// flash gives; 0 without a log.
    pub rows_told: u32,
}

/// Kind of flash read that recovery makes at power-up of one page row, numbered within its superblock: of spare areas
/// or of a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowRead {
    /// Case of flash read: the spare areas of all pages of the row with this number.
    Spare(u32),
    /// Case of flash read: the pages, of the row with this number, that contain a part of the superblock's summary.
    Summary(u32),
}

/// Interface of the recovery methods, by which the drive recovers its map at power-up after a power cut.
pub trait RecoveryMethod: Send {
    /// Reserves the space that the recovery method needs, such as for summaries (lists of the logical units and write
    /// numbers) at the end of each superblock.
    ///
    /// # Errors
    /// When superblocks are too small, or the method's settings do not suit the mapping unit; the string says what was
    /// expected.
    fn fit(&self, _layout: &mut Layout) -> Result<(), String> {
        Ok(())
    }

    /// Returns the settings of the map checkpoints that the recovery method writes to flash; none without checkpoints.
    fn checkpoint(&self, _layout: &Layout) -> Option<MapOnFlash> {
        None
    }

    /// Returns the page rows that recovery reads of a superblock with at least one programmed page.
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
