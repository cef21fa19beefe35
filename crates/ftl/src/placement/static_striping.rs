//! The die follows from the logical address.

use super::{PlacementPolicy, PlacementView};
use config::{Card, ConfigError, Policy, Section};
use units::DieId;

/// Logical addresses striped over the dies. A choice costs O(1) for up to 64 dies.
#[derive(Clone, Debug)]
pub struct StaticStriping;

impl Policy for StaticStriping {
    const CARD: Card = Card {
        name: "static",
        rule: "die = (lpn / program_units) mod dies; if that die cannot take a program now, the next that can, \
               because waiting for a die full of valid data could block the drive for ever",
        paper: "static allocation: Hu et al., ICS 2011; Tavakkol, Arjomand and Sarbazi-Azad, ACM TOMPECS 1(3), 2016",
        not_modelled: "an address bound to one die for ever: under load some units land beside their stripe",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl PlacementPolicy for StaticStriping {
    #[inline]
    fn choose(&mut self, view: &PlacementView<'_>) -> Option<DieId> {
        view.next_eligible(view.lpn.0 / view.program_units % view.dies)
    }
}
