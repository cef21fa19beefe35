//! A block number for each group of units: a write in the middle copies the block.

use super::bank::{BankView, BlockRules, HostWrite, Room, Step};
use super::span;
use config::{Card, ConfigError, Policy, Section, at_least};

/// Implementation of the mapping policy `block`: block mapping without log blocks, in which a write in the middle of a
/// group of logical units copies the group's whole data block to a new block.
#[derive(Clone, Debug)]
pub struct BlockCopy {
    span: u32,
    open_blocks: u32,
}

impl Policy for BlockCopy {
    const CARD: Card = Card {
        name: "block",
        rule: "each group of units has one block, and each unit a fixed position in it; a write goes to its \
               position in a new block, after the units before it have been copied there, and the rest is \
               copied when another group is written: a random write copies a whole block, a sequential one \
               nothing",
        paper: "common practice of early flash disks; Birrell et al., MSR-TR-2005-176; Gray and Fitzgerald, \
                ACM Queue 6(4), 2008, measure what it does to random writes",
        not_modelled: "skipping pages of a block: unwritten pages before the one to be written are programmed empty",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let span = span::read(section)?;
        let open_blocks = section.within(at_least(1u32)).or(
            "open_blocks",
            1u32,
            "blocks that can be written at a time, by each set of such dies",
        )?;
        Ok(Self { span, open_blocks })
    }
}

impl BlockRules for BlockCopy {
    fn dies_per_block(&self) -> u32 {
        self.span
    }

    fn next(&self, view: &BankView<'_>, write: HostWrite) -> Step {
        if let Some(log) = view.log_of(write.group) {
            let ahead = write.position >= view.block(log).next;
            return if ahead { Step::Fill(log) } else { Step::Complete(log) };
        }
        let ahead = |data: &u32| write.position >= view.block(*data).next;
        if let Some(data) = view.data_of(write.group).filter(ahead) {
            return Step::Fill(data);
        }
        let crowded = view.logs().len() as u32 >= self.open_blocks;
        match (crowded, view.room(), view.idlest_log()) {
            (false, Room::Now, _) => Step::Open(Some(write.group)),
            (false, Room::Soon, _) => Step::Wait,
            (_, _, Some(log)) => Step::Complete(log),
            (_, _, None) => Step::Wait,
        }
    }

    fn logs_usual(&self) -> u32 {
        self.open_blocks
    }

    fn units_absorbed(&self, _group_units: u32) -> u32 {
        1
    }
}
