//! A map that lies on flash, after a power cut: which translation units say something else than the data themselves.
//!
//! The spare areas tell where the newest copy of each unit is. The translation units are read as well, and compared with that:
//! one that differs, because what changed it was only in RAM or because data it points to were torn, is written anew.

use crate::medium::Translations;
use crate::pages::PageMapped;
use units::Lpn;

impl PageMapped {
    /// What the flash has of the map; none where all of it is in RAM.
    pub(super) fn translations(&self) -> Option<Translations> {
        let demand = self.media.guards.demand.as_ref().filter(|demand| demand.checkpoints.is_none())?;
        let is_buffered = |page: &u32| self.media.core.buffer.find(demand.unit_of(*page)).is_some();
        let buffered = (0..demand.outdated.pages()).filter(is_buffered);
        let outdated = demand.changed().into_iter().chain(demand.tasks.updated()).chain(buffered).collect();
        Some(Translations { places: self.media.core.store.map.copied().0, outdated })
    }

    /// Notes which translation units must be written anew, for they do not say what was found.
    pub(super) fn compare_translations(&mut self, said: Option<Translations>) {
        let (Some(said), Some(demand)) = (said, &mut self.media.guards.demand) else { return };
        for page in said.outdated {
            demand.outdated.fall_behind(page);
        }
        for lpn in (0..self.media.core.store.layout.written_units() as u32).map(Lpn) {
            if said.places.get(lpn) != self.media.core.store.map.lookup(lpn)
                && let Some(page) = demand.page_holding(lpn)
            {
                demand.outdated.fall_behind(page);
            }
        }
    }
}
