//! A superblock is used again and again until it fails; what is fresh waits its turn.

use super::WearPolicy;
use config::{Card, ConfigError, Policy, Section, at_least};
use units::SuperblockId;

/// Implementation of the wear levelling policy `wear-out`: concentrates program/erase cycles on as few superblocks as
/// the drive needs, and leaves others unworn.
#[derive(Clone, Debug)]
pub struct WearOut {
    held_back: f64,
}

impl Policy for WearOut {
    const CARD: Card = Card {
        name: "wear-out",
        rule: "the free superblock with the most program/erase cycles is opened next; `held_back` of the \
               superblocks not needed for the host's data stay free, so that only the rest are used; data is \
               never moved to level wear",
        paper: "Desnoyers, HotStorage 2009, section 4: reusing blocks until they fail, if erase latency can be hidden",
        not_modelled: "where superblocks of several dies are reclaimed together nothing is held back",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let help = "part of the superblocks beyond need that stay free while others wear";
        let held_back = section
            .unit("ratio")
            .within(at_least(0.0).at_most(0.9).because("garbage collection needs room to gain from"))
            .or("held_back", 0.5, help)?;
        Ok(Self { held_back })
    }
}

impl WearPolicy for WearOut {
    fn relocates(&self) -> bool {
        false
    }

    fn spreads(&self) -> bool {
        false
    }

    fn held_back(&self) -> f64 {
        self.held_back
    }

    fn free_rank(&self, _superblock: SuperblockId, pe_cycles: u32, _erases: u64) -> u64 {
        u64::from(u32::MAX - pe_cycles)
    }
}
