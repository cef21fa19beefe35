//! The best of a few candidates drawn at random; among equals the one worn least.

use super::{VictimPolicy, VictimView};
use config::{Card, ConfigError, Policy, Section, at_least};
use units::SuperblockId;

/// Draws `d` candidates and takes the one with fewest valid units, then fewest cycles. A choice costs O(d).
#[derive(Clone, Debug)]
pub struct WornChoices {
    d: u32,
}

impl Policy for WornChoices {
    const CARD: Card = Card {
        name: "worn-choices",
        rule: "of `d` candidates drawn uniformly with replacement the one with fewest valid units; \
               among equals the one with fewest program/erase cycles, then the one drawn first",
        paper: "the worked example of docs/how-to/policies.md",
        not_modelled: "age of the blocks",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let limits = at_least(1u32).because("a choice needs a candidate");
        let d = section.within(limits).or("d", 10u32, "candidates drawn for each choice")?;
        Ok(Self { d })
    }
}

impl VictimPolicy for WornChoices {
    fn attach(&mut self, _superblocks: u32, _units_per_superblock: u32) {}

    fn pick(&mut self, view: &mut VictimView<'_>) -> Option<SuperblockId> {
        if view.candidates.is_empty() {
            return None;
        }
        let count = view.candidates.len() as u64;
        // `min_by_key` keeps the first among equals.
        (0..self.d)
            .map(|_| view.candidates[view.random.below(count) as usize])
            .min_by_key(|at| (view.blocks.valid_units[at.index()], view.blocks.pe_cycles[at.index()]))
    }
}
