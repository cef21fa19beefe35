//! A page map on flash, of which the entries last used are in RAM.

use super::{MappingKind, Misfit, Parts};
use crate::demand::{Demand, ENTRY_BYTES};
use crate::{Ftl, Layout, PageMapped};
use config::{Card, ConfigError, Policy, Section};
use units::Bytes;

/// Translation units read or changed at a time.
const IN_FLIGHT: u32 = 16;

/// Demand-based page mapping.
#[derive(Clone, Debug)]
pub struct Dftl {
    cache: Bytes,
}

impl Policy for Dftl {
    const CARD: Card = Card {
        name: "dftl",
        rule: "the page map lies on flash in translation units; a cache holds the entries last used (LRU); a miss reads \
               a translation unit, a changed entry that leaves the cache reads and writes one, with all changed \
               entries of that unit",
        paper: "Gupta, Kim and Urgaonkar, ASPLOS 2009",
        not_modelled: "the segmented LRU; blocks of their own for translation units, which here share the host's; \
                       the RAM for entries that garbage collection changed: they are written by unit, at most one \
                       unit for each the host writes",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let cache = section.or("cache", Bytes::new(64 << 10), "RAM for cached entries, 8 bytes each")?;
        if cache.get() < 512 {
            return Err(section.reject("cache", "expected at least 512B, room for 64 entries"));
        }
        Ok(Self { cache })
    }
}

impl MappingKind for Dftl {
    fn fit(&self, layout: &mut Layout) -> Result<(), Misfit> {
        let per_unit = (layout.unit.get() / ENTRY_BYTES) as u32;
        layout.translation_units = layout.logical_units.div_ceil(per_unit);
        Ok(())
    }

    fn build(&self, parts: Parts<'_>) -> Result<Ftl, String> {
        let layout = &parts.config.layout;
        let per_unit = (layout.unit.get() / ENTRY_BYTES) as u32;
        let slots = 2 * layout.program_units + IN_FLIGHT;
        let demand = Demand::new(layout.logical_units, per_unit, self.cache.get() / 8, IN_FLIGHT, slots);
        Ok(Ftl::Page(Box::new(PageMapped::with_map_on_flash(parts, demand)?)))
    }
}
