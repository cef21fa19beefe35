//! What is known of the flash when the power is back, before any map is.

use super::Core;
use crate::store::Mark;
use std::ops::Range;
use units::Ppa;

/// What a drive that was at rest reads at power-up to find its data again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Mapping units of the checkpoint.
    pub checkpoint_units: u64,
    /// Superblocks whose summaries are read.
    pub summaries: u64,
    /// Page rows of open superblocks whose spare areas are read.
    pub open_rows: u64,
    /// Flash pages that the recovery reads for the directory, the checkpoint, the summaries and the open
    /// rows.
    pub pages_read: u64,
}

/// What a map on flash and a log of its changes tell of a superblock.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ToldOnFlash {
    /// True if the map and the log on flash tell the whole content of the superblock, provided that the
    /// superblock is full.
    pub all: bool,
    /// Page rows of the superblock, from the first row on, whose content is known.
    pub rows: u32,
}

impl Core {
    /// Returns the page rows of a superblock that were programmed, and the number of page rows that it has.
    pub fn rows_found(&self, global: usize, mark: &Mark) -> (u32, u32) {
        let layout = &self.store.layout;
        let rows = if mark.one_bit { layout.slc_rows } else { layout.rows };
        let programmed = if mark.half_erased { 0 } else { self.store.array.next_row(global) };
        (programmed, rows)
    }

    /// Returns the units of each superblock that were programmed.
    pub fn programmed_units(&self, marks: &[Mark]) -> Vec<Range<u64>> {
        let layout = &self.store.layout;
        let units = |(global, mark): (usize, &Mark)| {
            let first = layout.first_ppa(global as u32);
            first..first + u64::from(self.rows_found(global, mark).0 * layout.row_units)
        };
        marks.iter().enumerate().map(units).collect()
    }

    /// Counts the unit at a place as valid.
    pub fn count_live(&mut self, place: Ppa) {
        let superblock = self.store.layout.superblock_of(place);
        let (die, _) = self.store.space.place_of(superblock);
        self.store.space.valid[superblock as usize] += 1;
        self.store.space.dies[die].live += 1;
    }
}
