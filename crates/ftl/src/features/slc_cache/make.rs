//! How the cache comes about.

use super::{CacheDie, SlcCache};
use crate::core::Core;
use crate::features::{Made, Making, Said};
use crate::saved::Untaken;
use crate::slc_cache::{self, CacheShape};
use crate::{Layout, SavedState};
use config::{ConfigError, Section};
use ecc::Ladder;
use units::Bytes;

fn shape_of(layout: &Layout) -> CacheShape {
    let units = u64::from(layout.slc_rows) * u64::from(layout.row_units);
    CacheShape {
        dies: layout.dies,
        superblocks: layout.superblocks_per_die,
        superblock: Bytes::new(units * layout.unit.get()),
    }
}

impl Said for SlcCache {
    type Settings = slc_cache::Maker;
}

impl Made for SlcCache {
    fn read(ftl: &mut Section, _: &mut Layout) -> Result<slc_cache::Maker, ConfigError> {
        let mut section = ftl.child("slc_cache")?;
        let maker = slc_cache::read(&mut section)?;
        section.finish()?;
        Ok(maker)
    }

    fn apart(maker: &slc_cache::Maker, layout: &Layout) -> u32 {
        let policy = maker();
        policy.folding().map_or(0, |_| policy.reserved(&shape_of(layout)))
    }

    fn bytes_most(_: &slc_cache::Maker, _: &Layout, _: Option<&Ladder>) -> u64 {
        0
    }

    /// Makes the SLC cache that the settings ask for; `None` for a drive without SLC cache.
    fn new(maker: &slc_cache::Maker, making: &mut Making<'_>) -> Result<Option<Box<Self>>, String> {
        let policy = maker();
        let Some(folding) = policy.folding() else { return Ok(None) };
        let Some(mode) = making.controller.slc_mode() else {
            return Err("ftl.slc_cache: the chip's file does not say what its blocks are with one bit a cell: expected \
                        nand.slc_mode with t_r and t_prog"
                .into());
        };
        let (shape, dies) = (shape_of(making.layout), making.layout.dies as usize);
        let reserved = policy.reserved(&shape);
        Ok(Some(Box::new(Self {
            policy,
            shape,
            when_full: folding.when_full,
            idle_after: folding.idle_after,
            // What is made of several superblocks passes the controller.
            in_die: mode.folds_in_die && !making.in_step,
            own: making.in_step.then(|| vec![Vec::new(); dies]),
            reserved,
            dies: (0..dies).map(|_| CacheDie::default()).collect(),
            in_use: 0,
        })))
    }

    /// Clears, after a power cut, the free superblocks reserved for the SLC cache; recovery then finds which
    /// superblocks are in SLC mode or free.
    fn take_back(&mut self, _: Self) {
        self.own.iter_mut().flatten().for_each(Vec::clear);
    }

    fn save(cache: Option<&Self>, core: &Core, saved: &mut SavedState) {
        if let Some(cache) = cache {
            cache.put_into(core, saved);
        }
    }

    fn load(cache: Option<&mut Self>, core: &mut Core, saved: &mut Untaken<'_>) -> Result<(), String> {
        let units = core.store.layout.slc_units();
        cache.map_or(Ok(()), |cache| cache.take_from(&mut core.store.space, saved, units))
    }
}
