//! The least worn free superblock is opened next, and now and then the least worn data is moved.

use super::{WearPolicy, WearView};
use config::{Card, ConfigError, Policy, Section, at_least};
use units::SuperblockId;

/// Implementation of the wear levelling policy `static`: dynamic wear levelling, and relocation of cold data. A look at
/// all candidates every `period` erases costs O(candidates / period) per erase.
#[derive(Clone, Debug)]
pub struct StaticLevelling {
    period: u64,
    threshold: u32,
}

impl Policy for StaticLevelling {
    const CARD: Card = Card {
        name: "static",
        rule: "like dynamic; in addition, every `period` erases of a die, if its most worn superblock has over \
               `threshold` cycles more than its least worn candidate, the data of that candidate is moved; \
               among equals the oldest",
        paper: "common practice; Gal and Toledo, ACM Computing Surveys 37(2), 2005; Chang, SAC 2007",
        not_modelled: "how cold data is: moved data goes to the same superblocks as that of garbage \
                       collection; a check moves one superblock, so with much cold data the difference exceeds \
                       `threshold` by up to some 3 `period`",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let period = section.within(at_least(1u64)).or(
            "period",
            8u64,
            "erases of a die between two checks of its wear",
        )?;
        let threshold =
            section.or("threshold", 20u32, "program/erase cycles of difference above which data moves")?;
        Ok(Self { period, threshold })
    }
}

impl WearPolicy for StaticLevelling {
    fn free_rank(&self, _superblock: SuperblockId, pe_cycles: u32, _erases: u64) -> u64 {
        u64::from(pe_cycles)
    }

    fn relocate(&mut self, view: &mut WearView<'_>) -> Option<SuperblockId> {
        if !view.erases.is_multiple_of(self.period) {
            return None;
        }
        let most = *view.blocks.pe_cycles.iter().max()?;
        let key =
            |at: &SuperblockId| (view.blocks.pe_cycles[at.index()], view.blocks.closed_at[at.index()], at.0);
        let least = *view.candidates.iter().min_by_key(|at| key(at))?;
        (most - view.blocks.pe_cycles[least.index()] > self.threshold).then_some(least)
    }
}
