//! A map that is all in RAM and rebuilt at power-up: checkpoints on flash, summaries at the end of superblocks, and the
//! reads of a recovery.

use super::{Demand, NONE};
use crate::PageMapped;
use controller::{Class, Origin, Probe};
use engine::Calendar;
use units::Ppa;

/// A map that is all in RAM and rebuilt at power-up: from the last checkpoint on flash, and from the summaries of
/// the superblocks closed since.
pub(crate) struct Checkpoints {
    /// Superblocks closed between the beginnings of two checkpoints.
    pub(super) every: u64,
    /// Superblocks closed so far, and how many that were when each was closed.
    pub(super) closed: u64,
    pub(super) closed_as: Vec<u64>,
    /// How many were closed when the checkpoint under way began, and the last complete one.
    pub(super) began: u64,
    pub(super) done: u64,
    /// Units of it yet to be written.
    pub(super) left: u32,
    /// Reads of a recovery under way.
    pub(super) recovering: u32,
    /// Without time something was written since the last checkpoint.
    pub(super) outdated: bool,
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
}

impl Checkpoints {
    /// Bytes of state of the simulator.
    pub fn bytes(&self) -> usize {
        8 * self.closed_as.len()
    }
}

impl Demand {
    /// A superblock was closed: it may be time for a checkpoint.
    pub(super) fn note_closed(&mut self, superblock: usize) {
        let Some(checkpoints) = &mut self.checkpoints else { return };
        checkpoints.closed += 1;
        checkpoints.closed_as[superblock] = checkpoints.closed;
        if checkpoints.left == 0 && checkpoints.closed >= checkpoints.began + checkpoints.every {
            checkpoints.began = checkpoints.closed;
            checkpoints.left = self.is_behind.len() as u32;
            self.behind.extend(0..checkpoints.left);
            self.is_behind.fill(true);
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

impl PageMapped {
    /// A superblock was closed.
    pub(crate) fn note_closed(&mut self, superblock: usize) {
        if let Some(demand) = &mut self.demand {
            demand.note_closed(superblock);
        }
    }

    /// Reads of a recovery that are under way.
    pub fn recovering(&self) -> u32 {
        let checkpoints = self.demand.as_ref().and_then(|demand| demand.checkpoints.as_ref());
        checkpoints.map_or(0, |checkpoints| checkpoints.recovering)
    }

    /// A read of a recovery is done.
    pub(crate) fn on_recovery_read(&mut self) {
        let checkpoints = self.demand.as_mut().and_then(|demand| demand.checkpoints.as_mut());
        checkpoints.expect("only a drive with checkpoints recovers").recovering -= 1;
    }

    /// Reads what a drive that was at rest reads at power-up to rebuild its map; none where the map survives.
    pub fn begin_recovery<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) -> Option<Recovery> {
        let demand = self.demand.as_ref()?;
        let checkpoints = demand.checkpoints.as_ref()?;
        let layout = self.layout.clone();
        let mut recovery = Recovery::default();
        let mut reads: Vec<(u32, u64)> = Vec::new();
        for page in 0..demand.is_behind.len() as u32 {
            let home = self.map.lookup(demand.unit_of(page));
            if home != Ppa::NONE {
                recovery.checkpoint_units += 1;
                reads.push((home.0 / layout.row_units, 1 << (home.0 % layout.row_units)));
            }
        }
        let whole = u64::MAX >> (64 - layout.row_units);
        let spare =
            (0..layout.row_units).step_by(layout.units_per_page as usize).fold(0, |mask, at| mask | 1 << at);
        for superblock in 0..layout.superblocks() {
            let (first, written) = (superblock as u32 * layout.rows, self.array.next_row(superblock));
            if written == layout.rows && checkpoints.closed_as[superblock] > checkpoints.done {
                recovery.summaries += 1;
                reads.push((first + layout.rows - layout.program_rows, whole));
            } else if written < layout.rows {
                recovery.open_rows += u64::from(written);
                reads.extend((0..written).map(|row| (first + row, spare)));
            }
        }
        recovery.pages_read = reads.iter().map(|(_, mask)| u64::from(layout.pages_touched(*mask))).sum();
        let demand = self.demand.as_mut().expect("seen above");
        demand.checkpoints.as_mut().expect("seen above").recovering = reads.len() as u32;
        for (row, mask) in reads {
            self.submit_read(row, mask, Origin::Map, Class::InternalRead, NONE, calendar, probe);
        }
        Some(recovery)
    }
}
