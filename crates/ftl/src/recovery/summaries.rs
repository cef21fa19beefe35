//! A full superblock says at its end what it holds.

use super::{FoundView, RecoveryMethod, RowRead};
use crate::Layout;
use config::{Card, ConfigError, Policy, Section};

/// Constant: number of bytes that a summary takes for each unit of the superblock: the unit's logical number, and the
/// number of the host's write of the data.
const ENTRY_BYTES: u64 = 8;

/// Implementation of the recovery method `summaries`: the last program units of each superblock hold a summary, a list
/// of the logical numbers and write numbers of its other units, which recovery reads instead of each page's spare area.
#[derive(Clone, Debug)]
pub struct Summaries;

impl Policy for Summaries {
    const CARD: Card = Card {
        name: "summaries",
        rule: "a superblock ends with a summary, 8 B for each unit: of full superblocks only that is read, of others, and of \
               those with one bit a cell, the spare area of every programmed page",
        paper: "Birrell, Isard, Thacker and Wobber, MSR-TR-2005-176; ACM Operating Systems Review 41(2), 2007",
        not_modelled: "summaries of superblocks with one bit a cell, packed entries",
    };

    fn read(_: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl RecoveryMethod for Summaries {
    fn fit(&self, layout: &mut Layout) -> Result<(), String> {
        let summary = summary_rows(layout) * layout.row_units;
        let summary_units = summary.next_multiple_of(layout.program_units);
        if layout.superblock_units < summary_units + layout.program_units {
            return Err(format!(
                "expected superblocks of at least {} mapping units: {summary_units} of them are the summary",
                summary_units + layout.program_units
            ));
        }
        layout.summary_units = summary_units;
        Ok(())
    }

    fn reads(&self, superblock: &FoundView) -> Vec<RowRead> {
        let FoundView { rows_programmed, rows, summary_rows, .. } = *superblock;
        if summary_rows > 0 && rows_programmed == rows {
            return (rows - summary_rows..rows).map(RowRead::Summary).collect();
        }
        (0..rows_programmed).map(RowRead::Spare).collect()
    }
}

/// Returns the number of page rows that a superblock's summary takes; the rest of its last program unit is padding.
pub(crate) fn summary_rows(layout: &Layout) -> u32 {
    summary_units(layout).div_ceil(layout.row_units)
}

/// Returns the number of bytes that a superblock's summary takes of page row `row`, numbered within the superblock, in
/// whole mapping units.
pub(crate) fn summary_bytes(layout: &Layout, row: u32) -> u32 {
    let before = row + summary_rows(layout) - layout.rows;
    let units = (summary_units(layout) - before * layout.row_units).min(layout.row_units);
    units * layout.unit.get() as u32
}

fn summary_units(layout: &Layout) -> u32 {
    (ENTRY_BYTES * u64::from(layout.superblock_units)).div_ceil(layout.unit.get()) as u32
}
