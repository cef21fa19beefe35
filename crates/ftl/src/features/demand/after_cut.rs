//! A map that lies on flash, after a power cut: which translation units say something else than the data themselves.
//!
//! The spare areas tell where the newest copy of each unit is. The translation units are read as well, and compared with that:
//! one that differs, because what changed it was only in RAM or because data it points to were torn, is written anew.

use super::Demand;
use super::checkpoints::Checkpoints;
use crate::core::Core;
use crate::store::Places;
use units::Lpn;

/// State of a demand-paged map (stored on flash and cached in RAM), saved at the moment of a power cut until recovery
/// has found the newest data: the place of each logical unit, and the outdated translation units (mapping units that
/// hold a page of the map).
pub(super) struct Translations {
    /// For each logical unit, the place on flash that the map gave at the power cut, saved for recovery. The
    /// translation units (map pages) on flash give the same places, except the translation units listed in `outdated`.
    places: Places,
    /// Numbers of the translation units (pages of the map on flash) whose newest version was only in RAM at the power
    /// cut.
    outdated: Vec<u32>,
}

impl Demand {
    /// Drops the part of the map that is in RAM, at a power cut, and records which translation units (map pages) on
    /// flash are outdated or, for a map saved by checkpoints, which checkpoint survives.
    pub(super) fn end(&mut self, core: &mut Core) {
        core.store.stats.units_read_cut += self.tasks.units_awaited();
        self.checkpoints = self.checkpoints.take().map(Checkpoints::after_cut);
        if self.checkpoints.is_none() {
            let outdated = self.changed().into_iter().chain(self.on_their_way(core)).collect();
            self.left = Some(Translations { places: core.store.map.copied().0, outdated });
        }
    }

    /// Marks, when recovery has found the map, the translation units (map pages) on flash that differ from the map as
    /// outdated, so that they are rewritten.
    pub(super) fn compare(&mut self, core: &Core) {
        let Some(said) = self.left.take() else { return };
        for page in said.outdated {
            self.outdated.fall_behind(page);
        }
        for lpn in (0..core.store.layout.written_units() as u32).map(Lpn) {
            if said.places.get(lpn) != core.store.map.lookup(lpn)
                && let Some(page) = self.page_holding(lpn)
            {
                self.outdated.fall_behind(page);
            }
        }
    }
}

/// Restores, after a power cut, the state of the map on flash that survived. On a drive that accepts requests after
/// power-up before its map is in RAM, it also marks all translation units (map pages) as still to be read.
pub(super) fn take_back(demand: &mut Demand, before: Demand) {
    demand.left = before.left;
    if before.checkpoints.is_some() {
        demand.checkpoints = before.checkpoints;
        demand.begin_loading();
    }
}
