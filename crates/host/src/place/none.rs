//! What the workload names.

use super::{PlacePolicy, PlaceView};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the placement policy `none` of `host.place`: writes keep the placement handles that the workload
/// itself names.
#[derive(Clone, Debug)]
pub struct AsNamed;

impl Policy for AsNamed {
    const CARD: Card = Card {
        name: "none",
        rule: "a write carries what its workload names, such as a fio job by `plids`, or nothing",
        paper: "a host that leaves placement to its programs",
        not_modelled: "nothing",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl PlacePolicy for AsNamed {
    fn keeps(&self) -> bool {
        true
    }

    fn place(&mut self, write: &PlaceView) -> Option<u16> {
        write.named
    }
}
