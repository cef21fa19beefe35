//! Any candidate, each with the same probability: the baseline that knows nothing.

use super::{VictimPolicy, VictimView};
use config::{Card, ConfigError, Policy, Section};
use units::SuperblockId;

/// Implementation of the victim policy random: picks any candidate with the same probability. A choice costs O(1), and
/// no state is stored.
#[derive(Clone, Debug)]
pub struct Random;

impl Policy for Random {
    const CARD: Card = Card {
        name: "random",
        rule: "any candidate, each with the same probability",
        paper: "Van Houdt, SIGMETRICS 2013 (d-choices with d = 1)",
        not_modelled: "valid data, age and wear",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl VictimPolicy for Random {
    fn attach(&mut self, _superblocks: u32, _units_per_superblock: u32) {}

    fn pick(&mut self, view: &mut VictimView<'_>) -> Option<SuperblockId> {
        if view.candidates.is_empty() {
            return None;
        }
        Some(view.candidates[view.random.below(view.candidates.len() as u64) as usize])
    }
}
