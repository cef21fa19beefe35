//! No superblock: every cell takes all its bits.

use super::{CacheShape, CacheView, Folding, SlcCachePolicy};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the SLC cache policy `none`: the drive has no SLC cache.
#[derive(Clone, Debug)]
pub struct NoCache;

impl Policy for NoCache {
    const CARD: Card = Card {
        name: "none",
        rule: "no cache: every cell is programmed with all its bits",
        paper: "baseline of every comparison",
        not_modelled: "nothing is left out",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl SlcCachePolicy for NoCache {
    fn reserved(&self, _shape: &CacheShape) -> u32 {
        0
    }

    fn most(&self, _view: &CacheView) -> u32 {
        0
    }

    fn folding(&self) -> Option<Folding> {
        None
    }
}
