//! How the map is found again after a power cut, and how far that is.

use super::Core;
use crate::Probe;
use crate::recovery::{RecoveryMethod, RowRead, summary_bytes};
use crate::store::NONE;
use controller::{Class, Context, Origin, Transaction};
use engine::Event;

/// State of a drive's recovery of its map after a power cut: the recovery method, and the reads in flight.
pub(crate) struct Finding {
    pub method: Box<dyn RecoveryMethod>,
    /// Number of bytes that the spare areas of one page row (pages of one index on all planes) have together.
    pub spare_bytes: u32,
    /// Counter of the flash reads in flight at present by which recovery searches for the data and so rebuilds the map;
    /// all reads have ended when it is 0.
    pub reading: u32,
}

impl Core {
    /// Returns the number of page rows of a superblock whose content the log of map changes on flash gives (`told`),
    /// less the rows that a later program of the same wordline may have torn (damaged by a power cut).
    pub fn rows_surely_told(&self, told: u32, global: usize) -> u32 {
        let programmed = self.store.array.next_row(global);
        if told >= programmed || self.store.space.holds_one_bit(global) {
            return told.min(programmed);
        }
        told.min(self.store.layout.first_row_of_wordline(programmed - 1))
    }

    /// Handles an event of the flash while recovery rebuilds the map after a power cut; the drive does nothing else
    /// meanwhile. Returns true when no read of recovery is in flight any more, so that the map can be completed.
    pub fn find_on<P: Probe>(&mut self, event: Event, ctx: &mut Context<P>) -> bool {
        self.store.controller.handle(event, ctx);
        while let Some(id) = self.store.controller.take_finished() {
            let read = self.store.controller.end(id);
            self.store.stats.pages_read[read.origin as usize] += u64::from(read.pages);
            self.finding.as_mut().expect("made for power cuts").reading -= 1;
        }
        self.finding.as_ref().is_none_or(|finding| finding.reading == 0)
    }

    /// Makes the read transaction by which recovery reads the spare areas or the summary (list of a superblock's
    /// logical units) of a page row at power-up. Spare areas have an error-correcting code of their own and need no
    /// retries, however worn the page is.
    pub fn telling_read(&self, global: u32, read: RowRead) -> Transaction {
        let layout = &self.store.layout;
        let (row, bytes) = match read {
            RowRead::Spare(row) => (row, self.finding.as_ref().map_or(0, |finding| finding.spare_bytes)),
            RowRead::Summary(row) => (row, summary_bytes(layout, row)),
        };
        assert!(row < layout.rows, "the recovery method reads row {row} of {}", layout.rows);
        let whole = u64::MAX >> (64 - layout.row_units);
        let row = global * layout.rows + row;
        let mut transaction = self.read_of(row, whole, Origin::Map, Class::InternalRead, NONE);
        (transaction.bytes, transaction.slc) = (bytes, self.store.space.holds_one_bit(global as usize));
        transaction
    }
}
