//! None: each request's read of a page is an array read.

use super::{MergeView, ReadMerge};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the read merge policy `none`: each read has an array read (sense) of its own.
#[derive(Clone, Debug)]
pub struct NoMerge;

impl Policy for NoMerge {
    const CARD: Card = Card {
        name: "none",
        rule: "the units of one request in a page row share one array read; each request has its own",
        paper: "what most simulators of drives do",
        not_modelled: "joining an array read of another request",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl ReadMerge for NoMerge {
    fn merges(&self) -> bool {
        false
    }

    fn joins(&self, _view: &MergeView) -> bool {
        false
    }
}
