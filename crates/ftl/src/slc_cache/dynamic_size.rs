//! As much as the drive's data leave, and a little for certain.

use super::{CacheShape, CacheView, Folding, SlcCachePolicy};
use config::{Card, ConfigError, Policy, Section};
use units::Bytes;

/// Implementation of the SLC cache policy `dynamic`: the greatest number of superblocks in SLC mode falls as the drive
/// fills with data.
#[derive(Clone, Debug)]
pub struct DynamicSize {
    least: Bytes,
    most: Option<Bytes>,
    folding: Folding,
}

impl Policy for DynamicSize {
    const CARD: Card = Card {
        name: "dynamic",
        rule: "the superblocks not needed for data, up to `most`, and never fewer than hold `least` in SLC \
               mode; these are taken from over-provisioning",
        paper: "common practice: Samsung's Intelligent TurboWrite, Intel's 660p",
        not_modelled: "the discrete steps in which real drives shrink theirs; data kept for reads",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let least = section.or("least", Bytes::new(0), "minimum size, however full the drive is")?;
        let most: Option<Bytes> = section.optional("most", "maximum size, while the drive has free space")?;
        if most.is_some_and(|most| most.get() == 0 || most.get() < least.get()) {
            return Err(section.reject("most", "expected more than 0B and at least `least`"));
        }
        Ok(Self { least, most, folding: Folding::read(section)? })
    }
}

impl SlcCachePolicy for DynamicSize {
    fn reserved(&self, shape: &CacheShape) -> u32 {
        shape.superblocks_for(self.least)
    }

    fn most(&self, view: &CacheView) -> u32 {
        let reserved = self.reserved(&view.shape);
        let wished = self.most.map_or(u32::MAX, |most| view.shape.superblocks_for(most));
        reserved.saturating_add(view.spare).min(wished.max(reserved))
    }

    fn folding(&self) -> Option<Folding> {
        Some(self.folding)
    }
}
