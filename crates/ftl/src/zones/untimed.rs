//! The layer without time, and at rest. Without time a zone is only ever written in order, as when data are laid out.

use super::{FlashZone, ZoneMapped};
use crate::contents::FlashContents;
use crate::layer::{Outlasts, Untimed};
use crate::media::Media;
use crate::parts::Whole;
use crate::upkeep::{KeepsUp, Upkeep};
use crate::{Probe, SavedState};
use controller::{Context, Origin};
use std::ops::Range;
use units::{Lpn, Ppa};

impl ZoneMapped {
    /// Writes the next unit of a zone without simulated time; returns false if no superblock is free for it.
    fn lay_next(&mut self, zone: u32) -> bool {
        let units = self.layout().program_units;
        let at = self.zones[zone as usize].written;
        let part = at / units / self.part_programs();
        if !self.has_part(zone, part) && !self.take_parts(zone, part) {
            return false;
        }
        self.lay_waiting(zone);
        self.lay_at(zone, at, self.zoning.unit_of(zone, at));
        self.pages.media.core.store.count_written(1);
        let state = &mut self.zones[zone as usize];
        state.written += 1;
        state.next = state.written / units;
        true
    }

    /// Programs unit `at` of a zone (its number within the zone), which is logical unit `lpn`, without simulated time;
    /// the zone must have the superblocks for it.
    pub(super) fn lay_at(&mut self, zone: u32, at: u32, lpn: Lpn) {
        let units = self.layout().program_units;
        let (position, within) = (at / units, at % units);
        let ppa = Ppa(self.ppa_at(zone, position).0 + u64::from(within));
        let superblock = self.layout().superblock_of(ppa) as usize;
        let store = &mut self.pages.media.core.store;
        store.map.assign(ppa, lpn);
        store.map.set(lpn, ppa);
        store.space.valid[superblock] += 1;
        store.stats.units_programmed[Origin::Host as usize] += 1;
        if within + 1 == units {
            let (rows, pages) = (store.layout.program_rows, store.layout.planes * store.layout.program_rows);
            let row = store.array.next_row(superblock);
            store.array.program(superblock, row, rows);
            store.stats.pages_programmed[Origin::Host as usize] += u64::from(pages);
        }
    }
}

impl Untimed for ZoneMapped {
    fn write_untimed(&mut self, lpn: Lpn) {
        let is_there = self.try_write_untimed(lpn);
        assert!(is_there, "no superblock is free: {}", crate::layer::Layer::explain_stall(self));
    }

    /// Writes the zone of `lpn` up to this unit without simulated time, so that all earlier units of the zone hold
    /// data, too; returns false if no superblock is free. A finished zone takes no more: its rest reads as unwritten.
    fn try_write_untimed(&mut self, lpn: Lpn) -> bool {
        if self.zoning.is_paged(lpn) {
            return self.pages.try_write_untimed(lpn);
        }
        let (zone, at) = self.zoning.split(lpn);
        if self.zones[zone as usize].end.is_some() {
            return true;
        }
        self.is_untimed = true;
        while self.zones[zone as usize].written <= at {
            if !self.lay_next(zone) {
                return false;
            }
        }
        true
    }

    /// Trims a unit outside of zones; does nothing for a unit of a zone, which is reset as a whole, in simulated time
    /// only.
    fn trim_untimed(&mut self, lpn: Lpn) {
        if self.zoning.is_paged(lpn) {
            self.pages.trim_untimed(lpn);
        }
    }

    fn erased_in_vain(&self) -> Option<u64> {
        self.pages.erased_in_vain()
    }

    /// Completes partly filled program units with further host data of their zones, before simulated time begins,
    /// except where units of the zone wait in the write buffer, as in a loaded state, and in finished zones.
    fn settle(&mut self) {
        let units = self.layout().program_units;
        for zone in 0..self.zoning.count {
            let FlashZone { waiting, end, .. } = &self.zones[zone as usize];
            if !waiting.is_empty() || end.is_some() {
                continue;
            }
            while !self.zones[zone as usize].written.is_multiple_of(units) {
                let is_there = self.lay_next(zone);
                assert!(is_there, "the part of a program unit that was begun is taken");
            }
        }
        self.is_untimed = false;
        if self.zoning.has_pages() {
            return self.pages.settle();
        }
        self.pages.media.features.settled(&self.pages.media.core);
    }
}

impl KeepsUp for ZoneMapped {
    fn keeping(&mut self) -> (&mut Media, &mut Upkeep) {
        self.pages.keeping()
    }

    fn is_stuck(&self) -> bool {
        if self.zoning.has_pages() {
            return self.pages.is_stuck();
        }
        self.pages.media.core.buffer.dirty_slots() > 0
            && self.pages.media.core.store.controller.in_flight() == 0
    }

    fn is_moving(&self, _die: usize) -> bool {
        false
    }

    fn burden_of(&self, _superblock: u32) -> (Range<usize>, u32) {
        (0..0, 0)
    }

    /// Returns false, because a zoned drive moves no superblock's data for upkeep such as refresh or scrub.
    fn write_superblock_anew<P: Probe>(&mut self, _: u32, _: Origin, _: &mut Context<P>) -> bool {
        false
    }
}

impl Outlasts for ZoneMapped {
    fn pad_all<P: Probe>(&mut self, ctx: &mut Context<P>) -> bool {
        self.zoning.has_pages() && self.pages.pad_all(ctx)
    }

    fn save(&self) -> Result<SavedState, String> {
        self.saved()
    }

    fn load(&mut self, saved: &SavedState) -> Result<(), String> {
        self.put_back(saved)
    }

    fn go_on_from(&mut self, contents: FlashContents) {
        self.find_zones(contents);
    }

    fn into_base(mut self) -> Whole {
        self.keep_buffer();
        self.pages.into_base()
    }
}
