//! One open superblock for all.

use super::{ByOrigin, StreamPolicy, StreamSpec, Takes};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the stream policy `mixed`: relocated data join the same open superblock as host data.
#[derive(Clone, Debug)]
pub struct Mixed;

impl Policy for Mixed {
    const CARD: Card = Card {
        name: "mixed",
        rule: "all units join one stream",
        paper: "the single write frontier of most closed forms: Desnoyers, SYSTOR 2012",
        not_modelled: "any difference between units",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl StreamPolicy for Mixed {
    fn streams(&self) -> Vec<StreamSpec> {
        vec![StreamSpec::new("all", Takes::Both)]
    }

    fn by_origin(&self) -> Option<ByOrigin> {
        Some(ByOrigin { host: 0, moved: 0 })
    }
}
