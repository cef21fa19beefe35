//! Replacement blocks: as many as there is room for, one chain for each data block.

use super::bank::{BankView, BlockRules, HostWrite, Room, Step};
use super::bast::{continued, merge_log};
use super::span;
use config::{Card, ConfigError, Policy, Section, at_least};

/// Implementation of the mapping policy `replacement`: block mapping with replacement blocks in the manner of NFTL: a
/// chain of log blocks for each data block.
#[derive(Clone, Debug)]
pub struct Replacement {
    span: u32,
    chain: u32,
}

impl Policy for Replacement {
    const CARD: Card = Card {
        name: "replacement",
        rule: "a group's primary block is written once, in order; later writes go to replacement blocks of the \
               group, in order of arrival, up to `chain` of them while the drive has free blocks; then the \
               chain is merged into a new primary block",
        paper: "Ban, US patent 5,937,425 (1999), the NFTL of M-Systems; for NAND as described by Choudhuri and \
                Givargis, CODES+ISSS 2007",
        not_modelled: "writing a page of a primary block before the pages in front of it; searching the chain \
                       by reading spare areas: the locations of all pages are known",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let span = span::read(section)?;
        let chain =
            section.within(at_least(1u32)).or("chain", 1u32, "replacement blocks that a group may have")?;
        Ok(Self { span, chain })
    }
}

impl BlockRules for Replacement {
    fn dies_per_block(&self) -> u32 {
        self.span
    }

    fn next(&self, view: &BankView<'_>, write: HostWrite) -> Step {
        if let Some(log) = view.log_of(write.group) {
            if !view.is_full(log) {
                return Step::Append(log);
            }
            let length = view.logs().iter().filter(|&&log| view.block(log).owner == write.group).count();
            let longer = (length as u32) < self.chain && !view.block(log).in_place;
            return if longer && view.room() == Room::Now {
                Step::Open(Some(write.group))
            } else if length == 1 {
                merge_log(view, log)
            } else {
                Step::Merge(write.group)
            };
        }
        if let Some(data) = continued(view, write) {
            return Step::Append(data);
        }
        match (view.room(), view.idlest_log()) {
            (Room::Now, _) => Step::Open(Some(write.group)),
            (Room::Soon, _) | (_, None) => Step::Wait,
            (Room::Never, Some(log)) => {
                let owner = view.block(log).owner;
                let alone =
                    view.logs().iter().filter(|&&other| view.block(other).owner == owner).count() == 1;
                if alone { merge_log(view, log) } else { Step::Merge(owner) }
            }
        }
    }

    fn logs_usual(&self) -> u32 {
        8
    }
}
