//! Log blocks shared by all groups, and one for sequential writes.

use super::bank::{BankView, BlockRules, HostWrite, Room, Step};
use super::span;
use config::{Card, ConfigError, Policy, Section, at_least};

/// Constant: special value of a log block's group number, for log blocks that take writes of any group of logical
/// units.
const SHARED: u32 = u32::MAX;

/// Implementation of the mapping policy FAST (fully associative sector translation): block mapping with log blocks
/// shared by all groups of logical units, and one log block for sequential writes.
#[derive(Clone, Debug)]
pub struct Fast {
    span: u32,
    log_blocks: u32,
}

impl Policy for Fast {
    const CARD: Card = Card {
        name: "fast",
        rule: "log blocks shared by all groups take writes in order of arrival; the oldest is reclaimed by \
               merging every group that has data in it; a write to the first unit of a group opens the one \
               sequential log block, which becomes the data block by a switch or partial merge",
        paper: "Lee, Park, Chung, Lee, Park and Song, ACM Trans. Embedded Computing Systems 6(3), 2007",
        not_modelled: "the map blocks on flash: the block map is in RAM, and found again from the spare areas after a power cut",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let span = span::read(section)?;
        let log_blocks = section
            .within(at_least(2u32).because("one for sequential writes, one for others"))
            .or("log_blocks", 8u32, "log blocks of each set of such dies, the sequential one included")?;
        Ok(Self { span, log_blocks })
    }
}

impl BlockRules for Fast {
    fn dies_per_block(&self) -> u32 {
        self.span
    }

    fn next(&self, view: &BankView<'_>, write: HostWrite) -> Step {
        let sequential = view.logs().iter().copied().find(|&log| view.block(log).owner != SHARED);
        let begins = write.complete && write.position == 0;
        match sequential {
            Some(log) if view.is_full(log) => return Step::Complete(log),
            Some(log) => {
                let block = view.block(log);
                if block.owner == write.group && write.complete && block.next == write.position {
                    return Step::Append(log);
                }
                if begins {
                    return Step::Complete(log);
                }
            }
            None if begins && view.room() == Room::Now => return Step::Open(Some(write.group)),
            None if begins && view.room() == Room::Soon => return Step::Wait,
            None => {}
        }
        let mut shared = view.logs().iter().copied().filter(|&log| view.block(log).owner == SHARED);
        let oldest = shared.next();
        let newest = shared.next_back().or(oldest);
        if let Some(log) = newest.filter(|&log| !view.is_full(log)) {
            return Step::Append(log);
        }
        let count = view.logs().len() as u32 - u32::from(sequential.is_some());
        let crowded = count + 1 >= self.log_blocks;
        match (crowded, view.room(), oldest, sequential) {
            (false, Room::Now, _, _) => Step::Open(None),
            (false, Room::Soon, _, _) => Step::Wait,
            (_, _, Some(log), _) => Step::Reclaim(log),
            (_, _, None, Some(log)) => Step::Complete(log),
            (_, _, None, None) => Step::Wait,
        }
    }

    fn logs_usual(&self) -> u32 {
        self.log_blocks
    }
}
