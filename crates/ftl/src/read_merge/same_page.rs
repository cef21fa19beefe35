//! Reads that wait at the same time: the page is sensed once and sent for all of them.

use super::{MergeView, ReadMerge};
use config::{Card, ConfigError, Policy, Section, at_least};

/// Implementation of the read merge policy `same-page`: a read uses the array read (sense) of an earlier read of its
/// page row that waits, is being sensed, or is in the page register.
#[derive(Clone, Debug)]
pub struct SamePage {
    most: u32,
    begun: bool,
}

impl Policy for SamePage {
    const CARD: Card = Card {
        name: "same-page",
        rule: "a host read rides on the newest read of the same page row whose data-out has not begun, if \
               fewer than `most` share it; if the array read has begun (`begun`), only if its pages are among \
               those sensed. All complete with the data-out, in which each unit crosses the channel once",
        paper: "common practice: the page register of the ONFI specification, which holds a page until the next array \
                read",
        not_modelled: "reads that ride on those of garbage collection; the command cycles to change the \
                       column; a page kept in the register after its data-out",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let most = section.within(at_least(2u32).because("with one read there is nothing to share")).or(
            "most",
            64u32,
            "reads that share an array read at most, the first included",
        )?;
        let begun = section.or("begun", true, "reads also share an array read that has begun")?;
        Ok(Self { most, begun })
    }
}

impl ReadMerge for SamePage {
    fn merges(&self) -> bool {
        true
    }

    fn joins(&self, view: &MergeView) -> bool {
        view.riders + 1 < self.most && (self.begun || !view.begun)
    }
}
