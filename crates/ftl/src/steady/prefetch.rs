//! Map entries of units that garbage collection moves soon, asked for before they are needed.
//!
//! Without simulated time there is little to do between two units but to wait for memory: where the units of a victim live
//! in the map is all over it.

use crate::store::{Store, places};
use std::ops::Range;
use units::Ppa;

/// Constant: number of mapping units between the unit that garbage collection moves without simulated time and the one
/// whose map entry is prefetched.
const UNITS_AHEAD: u32 = 16;

impl Store {
    /// Prefetches the map entries of the first units of a superblock (numbered over the drive) that is about to be
    /// collected without simulated time.
    pub(super) fn prefetch_first_rows(&self, superblock: u32) {
        let first = superblock * self.layout.rows;
        self.prefetch_rows(first..first + self.rows_ahead().min(self.layout.rows));
    }

    /// Prefetches the map entries of the valid units in the page row that is moved some rows after `row` (numbered over
    /// the drive), if it is in the same superblock.
    #[inline]
    pub(super) fn prefetch_row_after(&self, row: u32) {
        let rows = self.layout.rows;
        let later = row + self.rows_ahead();
        if later / rows == row / rows {
            self.prefetch_rows(later..later + 1);
        }
    }

    /// Returns the number of page rows by which prefetches of map entries are ahead of the rows that are moved.
    #[inline]
    fn rows_ahead(&self) -> u32 {
        (UNITS_AHEAD / self.layout.row_units).max(1)
    }

    /// Prefetches the map entries of the valid units in page rows (numbered over the drive).
    #[inline]
    fn prefetch_rows(&self, rows: Range<u32>) {
        let (layout, map) = (&self.layout, &self.map);
        for first in rows.map(|row| layout.first_of_row(row)) {
            map.prefetch_holder(Ppa(first + u64::from(2 * UNITS_AHEAD)));
            for place in places(first, map.valid_mask(first, layout.row_units)) {
                map.prefetch_lookup(map.holder(place));
            }
        }
    }
}
