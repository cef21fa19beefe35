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

/// What a power cut destroyed on flash.
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

/// What was counted, which is the observer's and no power cut takes.
pub(crate) struct Counted {
    pub stats: FtlStats,
    pub risk: Risk,
    pub turnover: Turnover,
    pub upkeep: Option<UpkeepCounts>,
    /// By die: the write clock, and erases.
    pub clocks: Vec<(u64, u64)>,
    /// What the host named, and the reclaim units that were begun.
    pub handles: Option<Box<Handles>>,
}

/// What the drive keeps where it keeps its list of bad blocks.
pub(crate) struct Listed {
    pub read_only: bool,
    /// Dies that failed.
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
    /// What is left of the features.
    pub(crate) features: Features,
    pub(crate) listed: Listed,
    /// What the cut destroyed.
    pub damage: Damage,
    /// Units that the host was told are written and that were only in the buffer.
    pub buffered_lost: u32,
}

/// A superblock as it is found on the flash of a drive that was at work before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuperblockFound {
    /// Page rows that were programmed; torn ones count.
    pub rows_programmed: u32,
    /// It holds one bit a cell.
    pub one_bit: bool,
    /// How often it was erased.
    pub erases: u32,
    /// Where it stands among the others by when it was written: higher is later.
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

    /// Says what the spare area of a unit holds: the logical unit, and the number of the host's write. A unit of which
    /// nothing is said holds nothing that can be read.
    pub fn put_unit(&mut self, ppa: Ppa, lpn: Lpn, stamp: u64) {
        self.spare.holders[ppa.index()] = lpn.0;
        self.spare.stamps[ppa.index()] = stamp;
    }
}
