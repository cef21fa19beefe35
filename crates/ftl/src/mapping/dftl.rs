//! A page map on flash, of which the entries last used are in RAM.

use super::{MappingKind, Misfit, Plan};
use crate::Layout;
use crate::flash_map::{InRam, MapOnFlash, cached_bytes};
use crate::layout::ENTRY_BYTES;
use config::{Card, ConfigError, Limits, Policy, Section, at_least};
use units::Bytes;

/// Constant: default, for the mapping DFTL, of the greatest number of translation units (mapping units on flash that
/// hold map entries) that are read or changed at one time.
const IN_FLIGHT: u32 = 16;

/// Implementation of the mapping policy DFTL: demand-based page mapping: the page map is on flash, and RAM holds a
/// cache of its entries.
#[derive(Clone, Debug)]
pub struct Dftl {
    cache: Bytes,
    entry: Bytes,
    cached_entry: Bytes,
    stored: bool,
    in_flight: u32,
}

/// Returns the range of sizes that the settings of the mapping DFTL allow for a map entry: 1 to 512 bytes.
fn of_entry() -> Limits {
    at_least(Bytes::new(1)).at_most(Bytes::new(512))
}

impl Policy for Dftl {
    const CARD: Card = Card {
        name: "dftl",
        rule: "the page map is stored on flash in translation units; a cache holds the most recently used \
               entries (LRU); a miss reads a translation unit, and evicting a changed entry reads and writes \
               one, with all changed entries of that unit",
        paper: "Gupta, Kim and Urgaonkar, ASPLOS 2009",
        not_modelled: "the segmented LRU; separate blocks for translation units, which here share the host's; \
                       the RAM for entries that garbage collection changed: they are written by translation \
                       unit, at most one per host unit",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let cache = section.within(at_least(Bytes::new(512)).because("room for 64 entries")).or(
            "cache",
            Bytes::new(64 << 10),
            "RAM for cached entries",
        )?;
        let entry = section.within(of_entry()).or(
            "entry",
            Bytes::new(ENTRY_BYTES),
            "an entry of the map on flash",
        )?;
        let cached_entry =
            section.within(of_entry()).or("cached_entry", Bytes::new(8), "an entry in the cache")?;
        let stored = section.or("stored", false, "the whole map is on flash at the start")?;
        let in_flight = section.within(at_least(1u32).at_most(65_536u32)).or(
            "in_flight",
            IN_FLIGHT,
            "translation units read or changed at a time",
        )?;
        Ok(Self { cache, entry, cached_entry, stored, in_flight })
    }
}

impl Dftl {
    /// Returns the greatest number of map entries that DFTL's cache in RAM can hold: the size of the cache divided by
    /// the size of a cached entry.
    fn entries(&self) -> u64 {
        self.cache.get() / self.cached_entry.get()
    }
}

impl MappingKind for Dftl {
    fn fit(&self, layout: &mut Layout) -> Result<(), Misfit> {
        let per_unit = (layout.unit.get() / self.entry.get()) as u32;
        layout.translation_units = layout.logical_units.div_ceil(per_unit);
        Ok(())
    }

    fn bytes_beside(&self, layout: &Layout) -> u64 {
        cached_bytes(layout.logical_units, self.entries())
    }

    fn plan(&self, layout: &Layout) -> Plan {
        Plan::Pages(Some(MapOnFlash {
            entries_per_unit: (layout.unit.get() / self.entry.get()) as u32,
            in_flight: self.in_flight,
            slots: 2 * layout.program_units + IN_FLIGHT,
            in_ram: InRam::Cached { entries: self.entries(), stored: self.stored },
        }))
    }
}
