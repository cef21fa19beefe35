//! A map that is all in RAM and rebuilt at power-up: checkpoints on flash, summaries at the end of superblocks, and the
//! reads of a recovery.

use super::Demand;

/// A map that is all in RAM and rebuilt at power-up: from the last checkpoint on flash, and from the summaries of
/// the superblocks closed since.
pub(crate) struct Checkpoints {
    /// Superblocks closed between the beginnings of two checkpoints.
    pub every: u64,
    /// Superblocks closed so far, and how many that were when each was closed.
    pub closed: u64,
    pub closed_as: Vec<u64>,
    /// How many were closed when the checkpoint under way began, and the last complete one.
    pub began: u64,
    pub done: u64,
    /// Units of it yet to be written.
    pub left: u32,
    /// Reads of a recovery under way.
    pub recovering: u32,
    /// Without time something was written since the last checkpoint.
    pub outdated: bool,
}

impl Checkpoints {
    pub fn new(every: u32, superblocks: usize) -> Self {
        Self {
            every: u64::from(every),
            closed: 0,
            closed_as: vec![0; superblocks],
            began: 0,
            done: 0,
            left: 0,
            recovering: 0,
            outdated: false,
        }
    }

    /// What is known after a power cut: the checkpoint under way, if any, is not whole.
    pub fn after_cut(self) -> Self {
        Self { began: self.done, left: 0, recovering: 0, ..self }
    }

    /// The last whole checkpoint says all that a full superblock holds.
    pub fn covers(&self, superblock: usize) -> bool {
        self.closed_as[superblock] <= self.done
    }

    /// A superblock was closed.
    pub fn note_closed(&mut self, superblock: usize) {
        self.closed += 1;
        self.closed_as[superblock] = self.closed;
    }

    /// Bytes of state of the simulator.
    pub fn bytes(&self) -> usize {
        8 * self.closed_as.len()
    }
}

impl Demand {
    /// A superblock was closed: it may be time for a checkpoint.
    pub fn note_closed(&mut self, superblock: usize) {
        let Some(checkpoints) = &mut self.checkpoints else { return };
        checkpoints.note_closed(superblock);
        if checkpoints.left == 0 && checkpoints.closed >= checkpoints.began + checkpoints.every {
            checkpoints.began = checkpoints.closed;
            checkpoints.left = self.outdated.pages();
            self.outdated.queue_all();
        }
    }

    /// A unit of the checkpoint is on the flash.
    pub fn note_written(&mut self) {
        let Some(checkpoints) = &mut self.checkpoints else { return };
        checkpoints.left = checkpoints.left.saturating_sub(1);
        if checkpoints.left == 0 {
            checkpoints.done = checkpoints.began;
        }
    }
}

/// What a drive reads at power-up to find its data again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Mapping units of the checkpoint.
    pub checkpoint_units: u64,
    /// Superblocks whose summaries are read.
    pub summaries: u64,
    /// Page rows of open superblocks whose spare areas are read.
    pub open_rows: u64,
    /// Flash pages that are read for all that.
    pub pages_read: u64,
}
