//! A full superblock says at its end what it holds.

use super::{FoundView, RecoveryMethod, RowRead};
use crate::Layout;
use config::{Card, ConfigError, Policy, Section};

/// The last program unit of a superblock is a summary of the others.
#[derive(Clone, Debug)]
pub struct Summaries;

impl Policy for Summaries {
    const CARD: Card = Card {
        name: "summaries",
        rule: "the last program unit of a superblock says what the others hold: of full superblocks only that is read, of \
               others, and of those with one bit a cell, the spare area of every programmed page",
        paper: "Birrell, Isard, Thacker and Wobber, MSR-TR-2005-176; ACM Operating Systems Review 41(2), 2007",
        not_modelled: "summaries too long for one program unit",
    };

    fn read(_: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl RecoveryMethod for Summaries {
    fn fit(&self, layout: &mut Layout) -> Result<(), String> {
        if layout.superblock_units < 2 * layout.program_units {
            return Err("expected superblocks of at least two program units: one is the summary".to_owned());
        }
        layout.summary_units = layout.program_units;
        Ok(())
    }

    fn reads(&self, superblock: &FoundView) -> Vec<RowRead> {
        let FoundView { rows_programmed, rows, summary_rows, .. } = *superblock;
        if summary_rows > 0 && rows_programmed == rows {
            return (rows - summary_rows..rows).map(RowRead::Whole).collect();
        }
        (0..rows_programmed).map(RowRead::Spare).collect()
    }
}
