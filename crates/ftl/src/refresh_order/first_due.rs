//! The superblock that has waited longest.

use super::{RefreshOrder, RefreshView};
use config::{Card, ConfigError, Policy, Section};
use units::SuperblockId;

/// Implementation of the refresh order policy `first-due`: refreshes the superblock first whose refresh fell due first.
/// A choice costs O(1).
#[derive(Clone, Debug)]
pub struct FirstDue;

impl Policy for FirstDue {
    const CARD: Card = Card {
        name: "first-due",
        rule: "the superblock that fell due first",
        paper: "common practice; the same period for all data: Cai et al., ICCD 2012 (flash correct-and-refresh)",
        not_modelled: "how near to being lost the data of each are",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl RefreshOrder for FirstDue {
    fn is_first_due(&self) -> bool {
        true
    }

    fn next(&mut self, view: &mut RefreshView<'_>) -> SuperblockId {
        view.candidates[0]
    }
}
