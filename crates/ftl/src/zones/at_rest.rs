//! A zoned drive at rest, taken and put back: which superblocks each zone has, how far it is written, and which of its units
//! wait in the write buffer until their program unit is full. Whether a zone is open is not known here: a zone that is
//! partly written counts as closed.

use super::{FlashZone, ZoneMapped};
use crate::SavedState;
use crate::buffer::{Coverage, SlotState};
use crate::pages::CollectsDies;
use crate::saved::Untaken;
use crate::store::spare::BEFORE;
use crate::store::{NONE, SuperblockState};
use units::Lpn;

/// Constant: number of 32-bit words that a saved state has for each zone, five: units written, program units
/// programmed, program units up to which a finish padded the zone (`NONE` for a zone that was not finished),
/// superblocks of the zone, and units of the zone that wait in the write buffer.
const ZONE_WORDS: usize = 5;

impl ZoneMapped {
    /// Returns the state of the zoned drive, for a file.
    ///
    /// # Errors
    /// When an operation is in flight, or the drive has other work left for the flash.
    pub(super) fn saved(&self) -> Result<SavedState, String> {
        let (core, features) = (&self.pages.media.core, &self.pages.media.features);
        let waiting: usize = self.zones.iter().map(|zone| zone.waiting.len()).sum();
        let is_at_rest = core.buffer.dirty_slots() as usize == waiting
            && core.store.controller.in_flight() == 0
            && core.store.programs.in_use() == 0
            && self.busy.is_empty();
        if !is_at_rest || features.is_busy() || features.bars_saving() {
            return Err("the state can be saved only while nothing is in flight".into());
        }
        let mut saved = SavedState::default();
        core.store.save(&mut saved);
        if self.zoning.has_pages() {
            self.pages.save_dies(&mut saved);
        }
        core.lost.save(&mut saved);
        features.save(core, &mut saved);
        let words = |zone: &FlashZone| {
            let (members, waiting) = (zone.members.len() as u32, zone.waiting.len() as u32);
            [zone.written, zone.next, zone.end.unwrap_or(NONE), members, waiting]
        };
        saved.words.push(self.zones.iter().flat_map(words).collect());
        saved.words.push(self.zones.iter().flat_map(|zone| zone.members.iter().copied()).collect());
        saved.words.extend(core.store.array.save());
        Ok(saved)
    }

    /// Loads a saved state into this zoned drive, which was just built and holds no data.
    ///
    /// # Errors
    /// When the state is of a drive of another geometry, contradicts itself, or has more active zones than this drive
    /// may have.
    pub(super) fn put_back(&mut self, saved: &SavedState) -> Result<(), String> {
        let mut untaken = Untaken::of(saved);
        self.pages.media.core.store.load(&mut untaken)?;
        let pages = if self.zoning.has_pages() { self.pages.take_dies(&mut untaken)? } else { Vec::new() };
        let logical_units = self.layout().logical_units;
        self.pages.media.core.lost.load(&mut untaken, logical_units)?;
        self.pages.media.features.load(&mut self.pages.media.core, &mut untaken)?;
        let words = untaken.words_for(ZONE_WORDS * self.zones.len())?;
        let mut members = untaken.words()?;
        untaken.load_array(&mut self.pages.media.core.store.array)?;
        self.pages.load_dies(pages)?;
        for (zone, words) in (0..).zip(words.chunks_exact(ZONE_WORDS)) {
            let of_zone = members.split_at_checked(words[3] as usize).ok_or_else(Untaken::misfit)?;
            members = of_zone.1;
            self.load_zone(zone, words, of_zone.0)?;
        }
        if !members.is_empty() {
            return Err(Untaken::misfit());
        }
        let active = self.zones.iter().filter(|zone| self.is_active(zone)).count();
        if active > self.zoning.active_most as usize {
            return Err(format!(
                "the saved state has {active} active zones, which are partly written and not finished: expected a drive \
                 with a ftl.mapping.max_active of {active} or more, which here is {}",
                self.zoning.active_most
            ));
        }
        if self.zoning.has_pages() {
            self.pages.media.core.note_lost_room();
        }
        for zone in 0..self.zoning.count {
            let ZoneWaiting { first, count } = self.waiting_of(zone);
            (first..first + count).for_each(|lpn| self.wait_again(zone, Lpn(lpn), BEFORE));
        }
        Ok(())
    }

    /// Returns true if a zone counts against the limit on active zones: it is partly written and not finished.
    pub(super) fn is_active(&self, zone: &FlashZone) -> bool {
        zone.written > 0 && zone.written < self.zoning.capacity && zone.end.is_none()
    }

    /// Loads a zone of a saved state from its words and the numbers of its superblocks.
    ///
    /// # Errors
    /// When words and superblocks contradict each other or this drive.
    fn load_zone(&mut self, zone: u32, words: &[u32], members: &[u32]) -> Result<(), String> {
        let &[written, next, end, _, waiting] = words else { return Err(Untaken::misfit()) };
        let end = (end != NONE).then_some(end);
        let units = self.layout().program_units;
        let (width, most) = (self.zoning.width as usize, self.zone_programs());
        let parts = next.div_ceil(self.part_programs()) as usize;
        let is_programmed = match end {
            None => {
                waiting < units && next.checked_mul(units).map(|on_flash| on_flash + waiting) == Some(written)
            }
            Some(end) => waiting == 0 && next == end && written.div_ceil(units) <= end,
        };
        let fits = written <= self.zoning.capacity
            && next <= most
            && is_programmed
            && members.len().is_multiple_of(width)
            && (parts * width..=self.parts_of_zone() as usize * width).contains(&members.len());
        let is_own = |(at, &superblock): (usize, &u32)| {
            self.zone_of.get(superblock as usize).is_some_and(|zone| *zone == NONE)
                && self.pages.media.core.store.space.is_of_zones(superblock as usize)
                && self.place_of(superblock).0 as usize % width == at % width
                && self.pages.media.core.store.space.state[superblock as usize] == SuperblockState::Open
        };
        let is_twice = (1..members.len()).any(|at| members[..at].contains(&members[at]));
        if !fits || is_twice || !members.iter().enumerate().all(is_own) {
            return Err("the saved state's zones contradict each other".into());
        }
        for (member, &superblock) in (0..).zip(members) {
            self.zone_of[superblock as usize] = zone;
            self.label(superblock, zone, member);
        }
        self.zones[zone as usize] =
            FlashZone { members: members.to_vec(), written, next, end, ..FlashZone::EMPTY };
        Ok(())
    }

    /// Returns which units of a zone are written but not programmed, so that they wait in the write buffer: those from
    /// the first program unit on that is not programmed. A finished zone has none.
    pub(super) fn waiting_of(&self, zone: u32) -> ZoneWaiting {
        let FlashZone { written, next, .. } = self.zones[zone as usize];
        let on_flash = (next * self.layout().program_units).min(written);
        ZoneWaiting { first: self.zoning.unit_of(zone, on_flash).0, count: written - on_flash }
    }

    /// Puts a unit that the host wrote earlier into the write buffer, where it waits for its program unit: when a saved
    /// state is loaded, or after a power cut. `stamp` is the number of the host's write of the unit.
    pub(super) fn wait_again(&mut self, zone: u32, lpn: Lpn, stamp: u64) {
        let unit = self.layout().unit.get();
        let core = &mut self.pages.media.core;
        let slot = core.buffer.insert(lpn, u32::MAX, SlotState::Queued);
        core.buffer.note_carried(slot, Coverage::Whole, unit);
        if let Some(numbers) = &mut core.store.spare {
            numbers.put_in_slot(slot, stamp);
        }
        self.zones[zone as usize].waiting.push_back(slot);
    }

    /// Programs, without simulated time, the units of a zone that wait in the write buffer, before further units of the
    /// zone are written behind them. The zone must have superblocks for these units.
    pub(super) fn lay_waiting(&mut self, zone: u32) {
        let units = self.layout().program_units;
        while let Some(slot) = self.zones[zone as usize].waiting.pop_front() {
            let lpn = self.pages.media.core.buffer.slot(slot).lpn;
            let at = self.zoning.split(lpn).1;
            self.lay_at(zone, at, lpn);
            self.pages.media.core.buffer.release_newest(slot);
            debug_assert!(!(at + 1).is_multiple_of(units), "a full program unit does not wait");
        }
    }
}

/// Record of the units of a zone that wait in the write buffer until their program unit is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ZoneWaiting {
    /// Number of the first logical unit of a zone that waits in the write buffer.
    pub first: u32,
    /// Number of units of a zone, consecutive from the first, that wait in the write buffer.
    pub count: u32,
}
