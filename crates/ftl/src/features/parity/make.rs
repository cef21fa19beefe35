//! How parity comes about, and what a saved state has of it.

use super::{Group, Stripes};
use crate::core::Core;
use crate::features::{Made, Making, Said};
use crate::saved::Untaken;
use crate::{Layout, SavedState, parity};
use config::{ConfigError, Section};
use ecc::Ladder;

impl Said for Stripes {
    /// Type of the setting of parity across dies: number of superblocks with data that share one superblock of parity;
    /// `None`: no parity.
    type Settings = Option<u32>;
}

impl Made for Stripes {
    fn read(ftl: &mut Section, layout: &mut Layout) -> Result<Option<u32>, ConfigError> {
        let mut section = ftl.child("parity")?;
        let scheme = parity::read(&mut section)?();
        let stripe = scheme.stripe(layout).map_err(|(key, expected)| section.reject(key, &expected))?;
        section.finish()?;
        Ok(stripe)
    }

    fn works_in_step(stripe: &Option<u32>) -> bool {
        stripe.is_some()
    }

    fn bytes_most(stripe: &Option<u32>, layout: &Layout, _: Option<&Ladder>) -> u64 {
        let superblocks = layout.superblocks() as u64;
        let of =
            |stripe: u32| superblocks / u64::from(stripe + 1) * size_of::<Group>() as u64 + 4 * superblocks;
        stripe.map_or(0, of)
    }

    fn new(stripe: &Option<u32>, making: &mut Making<'_>) -> Result<Option<Box<Self>>, String> {
        let (layout, array, apart) = (making.layout, making.array, making.apart);
        Ok(stripe.map(|stripe| Box::new(Self::of_stripe(layout, array, stripe, apart))))
    }

    fn take_back(&mut self, before: Self) {
        *self = before;
        self.rebuilds = super::Rebuilds::default();
    }

    fn save(stripes: Option<&Self>, _: &Core, saved: &mut SavedState) {
        if let Some(stripes) = stripes {
            stripes.put_into(saved);
        }
    }

    fn load(stripes: Option<&mut Self>, core: &mut Core, saved: &mut Untaken<'_>) -> Result<(), String> {
        let layout = &core.store.layout;
        stripes.map_or(Ok(()), |it| it.take_from(saved, layout.superblock_units / layout.program_units))
    }
}
