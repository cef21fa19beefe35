//! The superblock whose cells lose their charge quickest.

use super::{RefreshOrder, RefreshView};
use config::{Card, ConfigError, Policy, Section};
use std::cmp::Reverse;
use units::SuperblockId;

/// Implementation of the refresh order policy `most-worn`: refreshes the superblock with the most program/erase cycles
/// first. A choice costs O(candidates).
#[derive(Clone, Debug)]
pub struct MostWorn;

impl Policy for MostWorn {
    const CARD: Card = Card {
        name: "most-worn",
        rule: "the superblock with the most program/erase cycles; among equals the one that fell due first",
        paper: "follows Cai et al., ICCD 2012 (flash correct-and-refresh): worn cells need refresh more often",
        not_modelled: "a period of its own for each state of wear: a superblock still falls due by ftl.refresh.age",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl RefreshOrder for MostWorn {
    fn next(&mut self, view: &mut RefreshView<'_>) -> SuperblockId {
        let cycles = |at: &&SuperblockId| Reverse(view.blocks.pe_cycles[at.index()]);
        *view.candidates.iter().min_by_key(cycles).expect("a die is asked when superblocks wait")
    }
}
