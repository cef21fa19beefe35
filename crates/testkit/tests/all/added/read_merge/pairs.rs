//! At most two reads share an array read, and only before it begins.

use super::{MergeView, ReadMerge};
use config::{Card, ConfigError, Policy, Section};

/// Pairs of reads.
#[derive(Clone, Debug)]
pub struct Pairs;

impl Policy for Pairs {
    const CARD: Card = Card {
        name: "pairs",
        rule: "a read rides on a waiting read of the same page row, if no other rides on it",
        paper: "the worked example of docs/how-to/adding.md",
        not_modelled: "reads whose array read has begun",
    };

    fn read(_: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl ReadMerge for Pairs {
    fn merges(&self) -> bool {
        true
    }

    fn joins(&self, view: &MergeView) -> bool {
        view.riders == 0 && !view.begun
    }
}
