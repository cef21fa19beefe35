//! What is known of the flash when the power is back, before any map is.

use super::Core;
use crate::store::Mark;
use std::ops::Range;
use units::Ppa;

/// Record of the numbers of checkpoint units, summaries, page rows and flash pages that a drive that was shut down
/// cleanly reads at power-up to find its map again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Number of mapping units of the map's checkpoint that a drive reads at power-up after a clean shutdown.
    pub checkpoint_units: u64,
    /// Number of superblocks whose summaries (lists of their logical units) a drive reads at power-up after a clean
    /// shutdown.
    pub summaries: u64,
    /// Number of page rows (pages of one index on all planes) of open superblocks whose spare areas a drive reads at
    /// power-up after a clean shutdown.
    pub open_rows: u64,
    /// Number of flash pages that a drive reads at power-up after a clean shutdown: for the directory of the map's
    /// checkpoint, the checkpoint, the summaries (lists of superblocks' logical units) and the spare areas of open
    /// superblocks.
    pub pages_read: u64,
}

/// Record of how much of a superblock's content the map on flash and the log of map changes tell recovery after a power
/// cut.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ToldOnFlash {
    /// True if the map and the log on flash give the content of all pages of the superblock; this applies only if the
    /// superblock is full.
    pub all: bool,
    /// Number of page rows of the superblock, from the first row on, whose content is known from the map and the log.
    pub rows: u32,
}

impl Core {
    /// Returns the number of page rows of a superblock that recovery finds programmed (none if an erase was
    /// interrupted), and the number of page rows that the superblock has.
    pub fn rows_found(&self, global: usize, mark: &Mark) -> (u32, u32) {
        let layout = &self.store.layout;
        let rows = if mark.one_bit { layout.slc_rows } else { layout.rows };
        let programmed = if mark.half_erased { 0 } else { self.store.array.next_row(global) };
        (programmed, rows)
    }

    /// Returns, for each superblock of the drive, the range of physical addresses of the mapping units that recovery
    /// finds programmed.
    pub fn programmed_units(&self, marks: &[Mark]) -> Vec<Range<u64>> {
        let layout = &self.store.layout;
        let units = |(global, mark): (usize, &Mark)| {
            let first = layout.first_ppa(global as u32);
            first..first + u64::from(self.rows_found(global, mark).0 * layout.row_units)
        };
        marks.iter().enumerate().map(units).collect()
    }

    /// Counts the unit at physical address `place`, which recovery found, in the valid units of its superblock and in
    /// the live (valid) units of its die.
    pub fn count_live(&mut self, place: Ppa) {
        let superblock = self.store.layout.superblock_of(place);
        let (die, _) = self.store.space.place_of(superblock);
        self.store.space.valid[superblock as usize] += 1;
        self.store.space.dies[die].live += 1;
    }
}
