//! The superblock that is moved quickest.

use super::{RefreshOrder, RefreshView};
use config::{Card, ConfigError, Policy, Section};
use units::SuperblockId;

/// Implementation of the refresh order policy `least-valid`: refreshes the superblock with the fewest valid units
/// first. A choice costs O(candidates).
#[derive(Clone, Debug)]
pub struct LeastValid;

impl Policy for LeastValid {
    const CARD: Card = Card {
        name: "least-valid",
        rule: "the superblock with the fewest valid units; among equals the one that fell due first",
        paper: "none: the shortest job first, as schedulers do to shorten the queue",
        not_modelled: "how near to being lost the data of each are: full superblocks may wait long",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl RefreshOrder for LeastValid {
    fn next(&mut self, view: &mut RefreshView<'_>) -> SuperblockId {
        let valid = |at: &&SuperblockId| view.blocks.valid_units[at.index()];
        *view.candidates.iter().min_by_key(valid).expect("a die is asked when superblocks wait")
    }
}
