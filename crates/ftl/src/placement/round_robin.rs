//! The next die in order that can take it: channels first, then ways.

use super::{PlacementPolicy, PlacementView};
use config::{Card, ConfigError, Policy, Section};
use units::DieId;

/// Implementation of the placement policy `round-robin`: takes the next die in order, channels first, then ways, and
/// skips dies that cannot take a program now.
#[derive(Clone, Debug, Default)]
pub struct RoundRobin {
    next: u32,
}

impl Policy for RoundRobin {
    const CARD: Card = Card {
        name: "round-robin",
        rule: "the next die that can take a program now, in order, channels first",
        paper: "common practice; the dynamic allocation of Hu et al., ICS 2011",
        not_modelled: "which placement later reads would prefer",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self::default())
    }
}

impl PlacementPolicy for RoundRobin {
    #[inline]
    fn choose(&mut self, view: &PlacementView<'_>) -> Option<DieId> {
        let die = view.next_eligible(self.next)?;
        self.next = if die.0 + 1 == view.dies { 0 } else { die.0 + 1 };
        Some(die)
    }
}
