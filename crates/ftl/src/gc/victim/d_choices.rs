//! The best of a few candidates drawn at random: nearly greedy, without an index.

use super::{VictimPolicy, VictimView};
use config::{Card, ConfigError, Policy, Section, at_least};
use units::SuperblockId;

/// Implementation of the victim policy d-choices: draws `d` candidates at random and picks the one with the fewest
/// valid units. A choice costs O(d).
#[derive(Clone, Debug)]
pub struct DChoices {
    d: u32,
}

impl Policy for DChoices {
    const CARD: Card = Card {
        name: "d-choices",
        rule: "the one with the fewest valid units of `d` candidates drawn uniformly with replacement; among \
               equals the one drawn first",
        paper: "Van Houdt, SIGMETRICS 2013; Li, Lee and Lui, SIGMETRICS 2013",
        not_modelled: "age and wear of the blocks",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let d = section.within(at_least(1u32).because("a choice needs a candidate")).or(
            "d",
            10u32,
            "candidates drawn for each choice",
        )?;
        Ok(Self { d })
    }
}

impl VictimPolicy for DChoices {
    fn attach(&mut self, _superblocks: u32, _units_per_superblock: u32) {}

    fn pick(&mut self, view: &mut VictimView<'_>) -> Option<SuperblockId> {
        if view.candidates.is_empty() {
            return None;
        }
        let count = view.candidates.len() as u64;
        // `min_by_key` keeps the first among equals.
        (0..self.d)
            .map(|_| view.candidates[view.random.below(count) as usize])
            .min_by_key(|superblock| view.blocks.valid_units[superblock.index()])
    }
}
