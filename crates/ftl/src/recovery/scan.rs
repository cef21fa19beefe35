//! Every spare area is read.

use super::{FoundView, RecoveryMethod, RowRead};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the recovery method `scan`: at power-up, rebuilds the map by reading the spare area of every
/// programmed page.
#[derive(Clone, Debug)]
pub struct Scan;

impl Policy for Scan {
    const CARD: Card = Card {
        name: "scan",
        rule: "the spare area of every programmed page is read; of each logical unit the copy with the newest write \
               number counts",
        paper: "Birrell, Isard, Thacker and Wobber, MSR-TR-2005-176, as what it avoids",
        not_modelled: "a second check of pages that could be read once and not again",
    };

    fn read(_: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl RecoveryMethod for Scan {
    fn reads(&self, superblock: &FoundView) -> Vec<RowRead> {
        (0..superblock.rows_programmed).map(RowRead::Spare).collect()
    }
}
