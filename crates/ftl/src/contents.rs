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

/// Record of the counts of the damage that a power cut did to the flash: page rows, superblocks and mapping units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Number of torn page rows: rows whose program the power cut interrupted, so that their data are lost unless
    /// parity restores them.
    pub torn_rows: u64,
    /// Number of page rows that were programmed earlier but lie on the same wordlines (cells) as an interrupted
    /// program, which spoils their data.
    pub paired_rows: u64,
    /// Number of superblocks whose erase the power cut interrupted.
    pub half_erased: u64,
    /// Number of mapping units whose newest version was on a die that failed before the power cut and cannot be
    /// restored; after the power cut the drive no longer knows the physical addresses of these units, because the spare
    /// areas of a failed die cannot be read.
    pub units_on_dead: u64,
}

/// Record of the statistics of a drive that continue over a power cut, because they belong to the simulation and not to
/// the drive.
pub(crate) struct Counted {
    pub stats: FtlStats,
    pub risk: Risk,
    pub turnover: Turnover,
    pub upkeep: Option<UpkeepCounts>,
    /// For each die: its write clock (number of mapping units written to the die so far), and the number of its erases
    /// so far.
    pub clocks: Vec<(u64, u64)>,
    /// Field: state of the placement handles (as of NVMe FDP) with their counts and the reclaim units in progress.
    pub handles: Option<Box<Handles>>,
}

/// Record that the drive stores durably beside its list of bad blocks, so that it survives a power cut: whether the
/// drive is read-only, and which dies failed.
pub(crate) struct Listed {
    pub read_only: bool,
    /// Set of the dies of the drive that failed before the power cut.
    pub dead: DeadDies,
}

/// Record of the content of the flash after a power cut: all that outlives the translation layer. Included are the
/// controller, reset, and the statistics, because they belong to the simulation and not to the drive.
pub struct FlashContents {
    pub(crate) array: FlashArray,
    pub(crate) controller: Controller,
    pub(crate) counted: Counted,
    pub(crate) spare: SpareAreas,
    pub(crate) marks: Vec<Mark>,
    /// Set of the mapping units whose only version the drive has marked as lost (uncorrectable).
    pub(crate) lost: LostUnits,
    /// Field: state of the drive's optional features (such as parity or snapshots), as far as it survived the power
    /// cut.
    pub(crate) features: Features,
    pub(crate) listed: Listed,
    /// Field: counts of the damage that the power cut did to the flash: page rows torn or spoiled, superblocks half
    /// erased, and mapping units lost on failed dies.
    pub damage: Damage,
    /// Number of mapping units that were acknowledged to the host and whose newest version was only in the write buffer
    /// at the power cut.
    pub buffered_lost: u32,
}

/// State of a superblock on the flash of a drive that was used before and whose flash was kept in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuperblockFound {
    /// Number of page rows of the superblock that were programmed, including torn rows, whose program a power cut
    /// interrupted.
    pub rows_programmed: u32,
    /// True if the superblock of the flash that was kept in a file is in SLC mode (one bit per cell).
    pub one_bit: bool,
    /// Number of times that the superblock of the flash that was kept in a file was erased.
    pub erases: u32,
    /// Position of the superblock in the order in which superblocks were written: a higher number was written later.
    pub order: u64,
}

impl FlashContents {
    /// Sets the state of one superblock (numbered over the drive) of a flash that was kept in a file.
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

    /// Sets the spare area of the unit at `ppa`: its logical unit, and the number of the host's write. A unit whose
    /// spare area was not set cannot be read.
    pub fn put_unit(&mut self, ppa: Ppa, lpn: Lpn, stamp: u64) {
        self.spare.holders[ppa.index()] = lpn.0;
        self.spare.stamps[ppa.index()] = stamp;
    }
}
