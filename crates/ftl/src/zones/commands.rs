//! What the host asks: reads, writes that come in order, zones that are finished and reset.

use super::{FlashZone, ZoneMapped};
use crate::buffer::SlotState;
use crate::host_side::{Host, Reads, Serves};
use crate::media::Media;
use crate::store::{NONE, SuperblockState};
use crate::{Output, Probe};
use controller::Context;
use units::{Lpn, Ppa, SimTime};

impl Reads for ZoneMapped {
    fn parts(&mut self) -> (&mut Media, &mut Host) {
        self.pages.parts()
    }

    /// Returns the number of the die that the logical address of unit `lpn` determines: on this die a read of the unit
    /// takes place while it is not on flash.
    fn home_die(&self, lpn: Lpn) -> u32 {
        if self.zoning.is_paged(lpn) {
            return self.pages.home_die(lpn);
        }
        self.zoning.split(lpn).1 / self.layout().program_units % self.layout().dies
    }
}

impl Serves for ZoneMapped {
    /// Submits programs for the units that are mapped one by one, as far as dies can take them, and then for the zones
    /// that have pending work (data for a whole program unit, or a finish), in turns, until none of the zones can
    /// submit another program.
    fn pump<P: Probe>(&mut self, ctx: &mut Context<P>) {
        if self.zoning.has_pages() {
            self.pages.pump(ctx);
        }
        if self.is_failing {
            return;
        }
        let mut idle = 0;
        while idle < self.busy.len() {
            let Some(zone) = self.busy.pop_front() else { return };
            let is_moving = self.program_next(zone, ctx);
            idle = if is_moving { 0 } else { idle + 1 };
            if self.has_work(zone) {
                self.busy.push_back(zone);
            } else {
                self.zones[zone as usize].is_busy = false;
            }
        }
    }

    /// Releases the physical address of a unit in a zone that is being reset, or of a unit outside of zones that the
    /// host trimmed.
    fn vacate<P: Probe>(&mut self, home: Ppa, ctx: &mut Context<P>) {
        if !self.pages.media.core.store.space.is_of_zones(self.layout().superblock_of(home) as usize) {
            return self.pages.vacate(home, ctx);
        }
        self.pages.media.core.store.map.invalidate(home);
        let superblock = self.layout().superblock_of(home);
        self.pages.media.core.store.space.valid[superblock as usize] -= 1;
    }

    fn is_untimed(&self) -> bool {
        self.is_untimed
    }

    /// Overwrites the data of a unit outside of zones in the write buffer; data of a zone, which is written at its
    /// pointer, are never replaced there.
    fn take_over(&mut self, slot: u32, request: u32, now: SimTime) -> bool {
        let lpn = self.pages.media.core.buffer.slot(slot).lpn;
        assert!(self.zoning.is_paged(lpn), "a zone is written at its pointer");
        self.pages.take_over(slot, request, now)
    }

    fn admit(&mut self, slot: u32, now: SimTime) {
        if self.zoning.is_paged(self.pages.media.core.buffer.slot(slot).lpn) {
            return self.pages.admit(slot, now);
        }
        self.pages.media.core.buffer.set_state(slot, SlotState::Queued);
        let (zone, at) = self.zoning.split(self.pages.media.core.buffer.slot(slot).lpn);
        let state = &mut self.zones[zone as usize];
        assert_eq!(state.written, at, "zone {zone} is written at its pointer");
        state.written += 1;
        state.waiting.push_back(slot);
        if self.has_work(zone) {
            self.touch(zone);
        }
    }

    /// Submits programs for the data in the write buffer that make full program units. Data that do not fill a program
    /// unit stay in the buffer, which survives a power cut.
    fn send_out<P: Probe>(&mut self, ctx: &mut Context<P>) {
        self.pages.media.core.buffer.send_out_held();
        self.pump(ctx);
    }
}

impl ZoneMapped {
    /// Adds a zone with pending work to the queue of busy zones.
    pub(super) fn touch(&mut self, zone: u32) {
        if !std::mem::replace(&mut self.zones[zone as usize].is_busy, true) {
            self.busy.push_back(zone);
        }
    }

    /// Finishes a zone for the host (NVMe ZNS Zone Finish): pads the rest of the zone as far as needed, and answers
    /// `request` when the padding has reached the flash.
    pub(crate) fn finish<P: Probe>(&mut self, request: u32, zone: u32, ctx: &mut Context<P>) {
        let end = self.end_of(zone);
        let state = &mut self.zones[zone as usize];
        (state.end, state.finisher) = (Some(end), request);
        self.counts.units_in_finished += u64::from(state.written);
        self.touch(zone);
        self.answer_finisher(zone);
        self.pump(ctx);
    }

    /// Returns the number of program units up to which a finish pads the zone: the end of the last part of the zone
    /// with data (a part is one superblock on each die of a group), or the whole zone where the zone rules take all
    /// superblocks at once.
    pub(super) fn end_of(&self, zone: u32) -> u32 {
        let written = self.zones[zone as usize].written;
        let programs = written.div_ceil(self.layout().program_units);
        if written > 0 && self.rules.takes_all() {
            return self.zone_programs();
        }
        programs.next_multiple_of(self.part_programs()).min(self.zone_programs())
    }

    /// Answers the request that finished a zone once nothing is left to program for it.
    pub(super) fn answer_finisher(&mut self, zone: u32) {
        let state = &mut self.zones[zone as usize];
        if state.finisher != NONE && state.in_flight == 0 && Some(state.next) == state.end {
            let request = std::mem::replace(&mut state.finisher, NONE);
            self.pages.host.outputs.push(Output::Flushed { request });
        }
    }

    /// Resets a zone for the host: forgets its data, and erases its superblocks once no program to them is in flight.
    pub(crate) fn reset<P: Probe>(&mut self, zone: u32, ctx: &mut Context<P>) {
        self.note_reset(zone);
        let is_busy = self.zones[zone as usize].is_busy;
        let former =
            std::mem::replace(&mut self.zones[zone as usize], FlashZone { is_busy, ..FlashZone::EMPTY });
        if former.finisher != NONE {
            self.pages.host.outputs.push(Output::Flushed { request: former.finisher });
        }
        for &superblock in &former.members {
            self.zone_of[superblock as usize] = NONE;
            self.pages.media.core.store.space.state[superblock as usize] = SuperblockState::Closed;
        }
        self.trim(self.zoning.unit_of(zone, 0), former.written, ctx);
        for slot in former.waiting {
            self.pages.media.release_slot(slot);
        }
        for superblock in former.members {
            self.erase_if_left(superblock, ctx);
        }
        self.pump(ctx);
    }
}
