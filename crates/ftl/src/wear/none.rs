//! Wear is ignored: free superblocks are used in the order they became free.

use super::WearPolicy;
use config::{Card, ConfigError, Policy, Section};
use units::SuperblockId;

/// Implementation of the wear levelling policy `none`: opens free superblocks in the order in which they became free.
#[derive(Clone, Debug)]
pub struct NoLevelling;

impl Policy for NoLevelling {
    const CARD: Card = Card {
        name: "none",
        rule: "the superblock that has been free the longest is opened next; data is never moved to level wear",
        paper: "common practice: the free list as a queue",
        not_modelled: "wear: only garbage collection itself evens it out",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl WearPolicy for NoLevelling {
    fn relocates(&self) -> bool {
        false
    }

    fn free_rank(&self, _superblock: SuperblockId, _pe_cycles: u32, erases: u64) -> u64 {
        erases
    }
}
