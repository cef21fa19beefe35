//! How a map on flash comes about: the kind of mapping, or how the map is found again, has said what is needed.

use super::checkpoints::Checkpoints;
use super::entry_cache::EntryCache;
use super::outdated::Outdated;
use super::tasks::Tasks;
use super::{Demand, after_cut};
use crate::Layout;
use crate::features::{Made, Making, Said};
use crate::flash_map::{InRam, MapOnFlash};
use config::{ConfigError, Section};
use ecc::Ladder;
use std::collections::VecDeque;

impl Said for Demand {
    /// Type of the settings of the feature for a map on flash: none, because the configuration keys of the map belong
    /// to mapping and recovery.
    type Settings = ();
}

impl Made for Demand {
    fn read(_: &mut Section, _: &mut Layout) -> Result<(), ConfigError> {
        Ok(())
    }

    /// Returns zero as the memory of the feature for a map on flash, because the simulator's memory for such a map is
    /// counted with the mapping or recovery that needs the map.
    fn bytes_most((): &(), _: &Layout, _: Option<&Ladder>) -> u64 {
        0
    }

    fn new((): &(), making: &mut Making<'_>) -> Result<Option<Box<Self>>, String> {
        Ok(making.map.map(|map| Box::new(Self::of(making.layout, &map))))
    }

    fn take_back(&mut self, before: Self) {
        after_cut::take_back(self, before);
    }
}

impl Demand {
    /// Makes the state of a map on flash, as the mapping or recovery described it in `map`, with an empty cache.
    fn of(layout: &Layout, map: &MapOnFlash) -> Self {
        let logical = layout.logical_units;
        let &MapOnFlash { entries_per_unit, in_flight, slots, in_ram } = map;
        let (cached_entries, stored, checkpoints) = match in_ram {
            InRam::Cached { entries, stored } => (entries, stored, None),
            InRam::Whole { checkpoint_every, on_demand } => {
                let every = u64::from(checkpoint_every);
                (1, false, Some(Checkpoints::new(every, on_demand, layout)))
            }
        };
        let directory_units = checkpoints.as_ref().map_or(0, Checkpoints::directory_units);
        let capacity = cached_entries.min(u64::from(logical)).max(1) as usize;
        Self {
            first: logical,
            entries_per_unit,
            cache: EntryCache::new(capacity, logical, entries_per_unit),
            tasks: Tasks::new(in_flight),
            answered: VecDeque::new(),
            outdated: Outdated::new(logical.div_ceil(entries_per_unit) + directory_units),
            stored,
            checkpoints,
            slots,
            used_slots: 0,
            left: None,
        }
    }
}
