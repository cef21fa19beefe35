//! The least worn free superblock is opened next; data never moves to level wear.

use super::WearPolicy;
use config::{Card, ConfigError, Policy, Section};
use units::SuperblockId;

/// Implementation of the wear levelling policy `dynamic`: opens the least worn free superblock next, and never
/// relocates data to level wear.
#[derive(Clone, Debug)]
pub struct Dynamic;

impl Policy for Dynamic {
    const CARD: Card = Card {
        name: "dynamic",
        rule: "the free superblock with the fewest program/erase cycles is opened next",
        paper: "common practice; Gal and Toledo, ACM Computing Surveys 37(2), 2005",
        not_modelled: "blocks that hold cold data keep their low wear",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl WearPolicy for Dynamic {
    fn relocates(&self) -> bool {
        false
    }

    fn free_rank(&self, _superblock: SuperblockId, pe_cycles: u32, _erases: u64) -> u64 {
        u64::from(pe_cycles)
    }
}
