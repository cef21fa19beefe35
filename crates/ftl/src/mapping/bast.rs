//! Log blocks, each for one data block.

use super::bank::{BankView, BlockRules, HostWrite, Room, Step};
use super::span;
use config::{Card, ConfigError, Policy, Section, at_least};

/// Implementation of the mapping policy BAST (block-associative sector translation): block mapping in which each log
/// block takes the writes of one group of logical units.
#[derive(Clone, Debug)]
pub struct Bast {
    span: u32,
    log_blocks: u32,
}

impl Policy for Bast {
    const CARD: Card = Card {
        name: "bast",
        rule: "a few log blocks, each of which takes the writes of one group in order of arrival; when it is \
               full, or another group needs one, it becomes the data block if it was written in order (switch \
               merge, or partial merge after copying the rest), otherwise both are copied into a new block \
               (full merge)",
        paper: "Kim, Kim, Noh, Min and Cho, IEEE Trans. Consumer Electronics 48(2), 2002",
        not_modelled: "the map blocks on flash: the block map is in RAM, and found again from the spare areas after a power cut",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let span = span::read(section)?;
        let log_blocks =
            section.within(at_least(1u32)).or("log_blocks", 8u32, "log blocks of each set of such dies")?;
        Ok(Self { span, log_blocks })
    }
}

/// Returns the step that merges log block `log`: completing it if it was filled in place, else a full merge of its
/// group.
pub(super) fn merge_log(view: &BankView<'_>, log: u32) -> Step {
    let block = view.block(log);
    if block.in_place { Step::Complete(log) } else { Step::Merge(block.owner) }
}

/// Returns the number of the data block of the group that `write` addresses, if the write is a complete program unit at
/// the block's next free position and can be appended there; else `None`.
pub(super) fn continued(view: &BankView<'_>, write: HostWrite) -> Option<u32> {
    let next = |data: &u32| {
        let block = view.block(*data);
        write.complete && block.in_place && block.next == write.position
    };
    view.data_of(write.group).filter(next)
}

impl BlockRules for Bast {
    fn dies_per_block(&self) -> u32 {
        self.span
    }

    fn next(&self, view: &BankView<'_>, write: HostWrite) -> Step {
        if let Some(log) = view.log_of(write.group) {
            return if view.is_full(log) { merge_log(view, log) } else { Step::Append(log) };
        }
        if let Some(data) = continued(view, write) {
            return Step::Append(data);
        }
        let crowded = view.logs().len() as u32 >= self.log_blocks;
        match (crowded, view.room(), view.idlest_log()) {
            (false, Room::Now, _) => Step::Open(Some(write.group)),
            (false, Room::Soon, _) => Step::Wait,
            (_, _, Some(log)) => merge_log(view, log),
            (_, _, None) => Step::Wait,
        }
    }

    fn logs_usual(&self) -> u32 {
        self.log_blocks
    }
}
