//! The die with the least to do.

use super::{PlacementPolicy, PlacementView};
use config::{Card, ConfigError, Policy, Section};
use units::DieId;

/// Implementation of the placement policy `shortest-queue`: takes the die with the fewest host programs that were
/// assigned to it and have not ended, in turns among equals. A choice costs O(dies).
#[derive(Clone, Debug, Default)]
pub struct ShortestQueue {
    next: u32,
}

impl Policy for ShortestQueue {
    const CARD: Card = Card {
        name: "shortest-queue",
        rule: "of the dies that can take a program now, the one with the fewest queued programs; among equals \
               the next in round-robin order",
        paper: "common practice: join the shortest queue",
        not_modelled: "reads and erases queued at the die; the load of its channel",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self::default())
    }
}

impl PlacementPolicy for ShortestQueue {
    fn choose(&mut self, view: &PlacementView<'_>) -> Option<DieId> {
        // `min_by_key` keeps the first among equals, counted from where the last choice left off.
        let die = (self.next..view.dies)
            .chain(0..self.next)
            .map(DieId)
            .filter(|&die| view.is_eligible(die))
            .min_by_key(|die| view.programs[die.index()])?;
        self.next = if die.0 + 1 == view.dies { 0 } else { die.0 + 1 };
        Some(die)
    }
}
