//! Each stream fills its own open superblock.

use super::{OrderView, ProgramOrder};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the program order policy `in-order`: each write stream programs the next page of its own open
/// superblock.
#[derive(Clone, Debug)]
pub struct InOrder;

impl Policy for InOrder {
    const CARD: Card = Card {
        name: "in-order",
        rule: "each stream programs the next page of its own open superblock",
        paper: "usual practice",
        not_modelled: "nothing",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl ProgramOrder for InOrder {
    fn trades(&mut self, _view: &OrderView) -> bool {
        false
    }

    fn never(&self) -> bool {
        true
    }
}
