//! The same number at all times, however full the drive is.

use super::{CacheShape, CacheView, Folding, SlcCachePolicy};
use config::{Card, ConfigError, Policy, Section, above};
use units::Bytes;

/// Implementation of the SLC cache policy `static`: the cache has a constant size, for which superblocks are reserved.
#[derive(Clone, Debug)]
pub struct StaticSize {
    size: Bytes,
    folding: Folding,
}

impl Policy for StaticSize {
    const CARD: Card = Card {
        name: "static",
        rule: "as many superblocks as hold `size` in SLC mode, however full the drive is; they are taken from \
               over-provisioning",
        paper: "common practice: Samsung's TurboWrite of 2013",
        not_modelled: "permanently reserved blocks: any erased superblock can be used, so that all wear alike",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let size: Bytes = section
            .within(above(Bytes::new(0)).because("without a cache set its name to none"))
            .or("size", Bytes::new(6_000_000_000), "size, for the whole drive")?;
        Ok(Self { size, folding: Folding::read(section)? })
    }
}

impl SlcCachePolicy for StaticSize {
    fn reserved(&self, shape: &CacheShape) -> u32 {
        shape.superblocks_for(self.size)
    }

    fn most(&self, view: &CacheView) -> u32 {
        self.reserved(&view.shape)
    }

    fn folding(&self) -> Option<Folding> {
        Some(self.folding)
    }
}
