//! What a power cut leaves of a drive.

use crate::buffer::Risk;
use crate::core::{Handles, LostUnits};
use crate::features::Features;
use crate::store::spare::SpareAreas;
use crate::store::{DeadDies, Mark, NONE};
use crate::{FtlStats, Turnover, UpkeepCounts};
use controller::Controller;
use nand::FlashArray;
use units::{Lpn, Ppa};

/// Damage that a power cut did to the flash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Page rows whose program was interrupted.
    pub torn_rows: u64,
    /// Page rows programmed before, whose cells the interrupted program shared.
    pub paired_rows: u64,
    /// Superblocks whose erase was interrupted.
    pub half_erased: u64,
    /// Mapping units of which the newest copy was on a die that had failed, and that nothing gives back: the drive forgets
    /// where they were.
    pub units_on_dead: u64,
}

/// Counts that belong to the observer, so that no power cut affects them.
pub(crate) struct Counted {
    pub stats: FtlStats,
    pub risk: Risk,
    pub turnover: Turnover,
    pub upkeep: Option<UpkeepCounts>,
    /// For each die: the write clock, and the number of erases.
    pub clocks: Vec<(u64, u64)>,
    /// The placement handles with their counts and the reclaim units in progress.
    pub handles: Option<Box<Handles>>,
}

/// State that the drive stores beside its list of bad blocks: whether the drive is read-only, and the dies
/// that failed.
pub(crate) struct Listed {
    pub read_only: bool,
    /// Dies of the drive that failed.
    pub dead: DeadDies,
}

/// What the flash holds when the power is gone: all that outlives a translation layer. The controller, which forgot all it
/// was at, and what was counted come along, for they are the observer's.
pub struct Medium {
    pub(crate) array: FlashArray,
    pub(crate) controller: Controller,
    pub(crate) counted: Counted,
    pub(crate) spare: SpareAreas,
    pub(crate) marks: Vec<Mark>,
    /// Units whose only copy was marked as lost.
    pub(crate) lost: LostUnits,
    /// The part of the features' state that survived.
    pub(crate) features: Features,
    pub(crate) listed: Listed,
    /// Damage that the cut did to the flash.
    pub damage: Damage,
    /// Units that were acknowledged to the host and were only in the buffer.
    pub buffered_lost: u32,
}

/// A superblock as it is found on the flash of a drive that was at work before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuperblockFound {
    /// Page rows that were programmed; torn ones count.
    pub rows_programmed: u32,
    /// True if the superblock found on flash is in SLC mode.
    pub one_bit: bool,
    /// Number of erases of the superblock.
    pub erases: u32,
    /// Place of the superblock in the order of writing: higher is later.
    pub order: u64,
}

impl Medium {
    /// Says what a superblock (numbered over the drive) holds of a flash that is kept in a file.
    pub fn put_superblock(&mut self, superblock: usize, found: SuperblockFound) {
        let SuperblockFound { rows_programmed, one_bit, erases, order } = found;
        let per_die = self.marks.len() / self.counted.clocks.len();
        let (die, within) = ((superblock / per_die) as u32, (superblock % per_die) as u32);
        self.array.restore(superblock, rows_programmed);
        self.array.wear_superblock(die, within, erases);
        let clock = &mut self.counted.clocks[die as usize].0;
        *clock = order.max(*clock);
        self.features.put_there(superblock);
        // Which stream filled it the file does not say.
        let (stream, filled_by) = (NONE, 0);
        self.marks[superblock] =
            Mark { stream, one_bit, failing: false, half_erased: false, filled_by, closed_at: order };
    }

    /// Sets the spare area of a unit: the logical unit, and the number of the host's write. A unit whose spare area was
    /// not set cannot be read.
    pub fn put_unit(&mut self, ppa: Ppa, lpn: Lpn, stamp: u64) {
        self.spare.holders[ppa.index()] = lpn.0;
        self.spare.stamps[ppa.index()] = stamp;
    }
}
