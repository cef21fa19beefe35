//! A page map in RAM that is rebuilt at power-up.

use super::{MappingKind, Misfit, Plan};
use crate::{Layout, recovery};
use config::{Card, ConfigError, Policy, Section, at_least};

/// Implementation of the mapping policy of Birrell and others: page mapping with a map in volatile RAM, which is
/// rebuilt at power-up from checkpoints and superblock summaries.
#[derive(Clone, Debug)]
pub struct Birrell {
    checkpoint_every: u32,
}

impl Policy for Birrell {
    const CARD: Card = Card {
        name: "birrell",
        rule: "one map entry per mapping unit, in volatile RAM; the last program unit of a superblock is a \
               summary of the others; the map is written to flash every `checkpoint_every` superblocks; at \
               power-up it is rebuilt from the last checkpoint, the later summaries and the spare areas of \
               open superblocks",
        paper: "Birrell, Isard, Thacker and Wobber, MSR-TR-2005-176; ACM Operating Systems Review 41(2), 2007",
        not_modelled: "finding the checkpoint, the superblocks closed since, and the erased ones: they are known",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let checkpoint_every = section.within(at_least(1u32)).or(
            "checkpoint_every",
            256u32,
            "superblocks closed between two checkpoints of the map",
        )?;
        Ok(Self { checkpoint_every })
    }
}

impl MappingKind for Birrell {
    fn fit(&self, layout: &mut Layout) -> Result<(), Misfit> {
        recovery::make_room(layout).map_err(|expected| ("name", expected))
    }

    fn bytes_beside(&self, layout: &Layout) -> u64 {
        recovery::checkpoint_bytes(layout)
    }

    fn plan(&self, layout: &Layout) -> Plan {
        Plan::Pages(Some(recovery::checkpointed(layout, self.checkpoint_every, None)))
    }
}
