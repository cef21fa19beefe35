//! Power cuts of a drive that is zones: what capacitors keep, and how zones and pointers are found again.
//!
//! When the power fails, capacitors let the programs in flight end, and keep what the buffer holds beside: the units that the
//! flash lacks, how often each zone was reset, which zones were finished. Spare areas say which zone a superblock belongs to,
//! and since which reset. A zone's pointer follows: behind the last programmed page, and behind what was kept of it.
//!
//! Not modelled: where capacitors keep it, and the time that this and reading it takes.

use super::{FlashZone, ZoneMapped, ZonedTotals};
use crate::Probe;
use crate::contents::FlashContents;
use crate::host_side::Serves;
use crate::lapse::Lapse;
use crate::recovery::RowRead;
use crate::store::spare::{BEFORE, NOTHING, SpareAreas};
use crate::store::zones_kept::ZonesKept;
use crate::store::{Mark, SuperblockState};
use controller::Context;
use units::{Lpn, Ppa};

impl ZoneMapped {
    /// Returns the record of a zoned drive's zones that outlasts power cuts; `None` on a drive without power cuts.
    fn record(&mut self) -> Option<&mut ZonesKept> {
        self.pages.media.core.store.spare.as_mut().and_then(|numbers| numbers.zones.as_deref_mut())
    }

    /// Writes into the spare areas of a superblock's pages (those not yet programmed, too) which zone it belongs to, as
    /// number `member` of the zone's superblocks; does nothing on a drive without power cuts.
    pub(super) fn label(&mut self, superblock: u32, zone: u32, member: u32) {
        if let Some(record) = self.record() {
            record.label(superblock, zone, member);
        }
    }

    /// Records that a zone is reset, so that after a power cut what its superblocks hold does not belong to it; does
    /// nothing on a drive without power cuts.
    pub(super) fn note_reset(&mut self, zone: u32) {
        let is_forgotten = self.pages.media.core.rules.lapses.has(Lapse::ForgetsReset);
        if let Some(record) = self.record().filter(|_| !is_forgotten) {
            record.resets[zone as usize] += 1;
        }
    }

    /// Begins simulated time on a zoned drive with power cuts, or resumes it after one: gives data that were written
    /// before simulated time a write number, erases superblocks with data that belong to no zone, and goes on with
    /// zones that have programs to submit.
    pub(super) fn begin_found<P: Probe>(&mut self, ctx: &mut Context<P>) {
        self.stamp_beginning();
        for superblock in (0..self.zone_of.len() as u32)
            .filter(|&at| self.pages.media.core.store.space.is_of_zones(at as usize))
            .collect::<Vec<_>>()
        {
            if self.pages.media.core.store.space.state[superblock as usize] == SuperblockState::Closed {
                self.erase_if_left(superblock, ctx);
            }
        }
        for zone in 0..self.zoning.count {
            if self.has_work(zone) {
                self.touch(zone);
            }
        }
        self.pump(ctx);
    }

    /// Gives the data that were written before simulated time began their write number, in the spare areas.
    fn stamp_beginning(&mut self) {
        let store = &mut self.pages.media.core.store;
        let Some(numbers) = store.spare.as_mut().filter(|numbers| numbers.is_fresh()) else { return };
        for ppa in (0..store.map.physical_units() as u64).map(Ppa) {
            if store.map.is_valid(ppa) {
                numbers.begin_with(ppa.index(), BEFORE);
            }
        }
    }

    /// Records what capacitors keep when the power fails: which zones were finished, and the units in the write buffer
    /// that the flash lacks; also the statistics of zones.
    pub(super) fn keep_buffer(&mut self) {
        let Some(mut record) =
            self.pages.media.core.store.spare.as_mut().and_then(|numbers| numbers.zones.take())
        else {
            return;
        };
        let ZonedTotals { units_filled_up, units_in_finished, superblocks_taken } = self.counts;
        record.counted = [units_filled_up, units_in_finished, superblocks_taken];
        record.ends = self.zones.iter().map(|zone| zone.end).collect();
        let slots = self.zones.iter().flat_map(|zone| zone.waiting.iter().copied());
        let numbers = self.pages.media.core.store.spare.as_mut().expect("it holds the record");
        let buffer = &self.pages.media.core.buffer;
        record.waiting = slots.map(|slot| (buffer.slot(slot).lpn, numbers.of_slot(slot))).collect();
        if self.pages.media.core.rules.lapses.has(Lapse::ForgetsBuffer) {
            record.waiting.clear();
        }
        numbers.zones = Some(record);
    }

    /// Rebuilds the zones of a zoned drive that was just built, without data, from the flash of a drive whose power was
    /// cut, and from what its capacitors kept.
    ///
    /// # Panics
    /// When the drive was not made for power cuts, the flash belongs to another drive, or what was found contradicts
    /// itself.
    pub(super) fn find_zones(&mut self, mut contents: FlashContents) {
        (self.pages.host.risk, self.pages.upkeep.turnover) =
            (contents.counted.risk, std::mem::take(&mut contents.counted.turnover));
        let (mut spare, marks) = self.pages.media.take_back(contents);
        if self.zoning.has_pages() {
            self.pages.place_newest(&spare, &marks);
        }
        let mut record = spare.zones.take().expect("a zoned drive whose power is cut labels superblocks");
        let [units_filled_up, units_in_finished, superblocks_taken] = record.counted;
        self.counts = ZonedTotals { units_filled_up, units_in_finished, superblocks_taken };
        let mut found = self.sort_superblocks(&marks, &record);
        for (zone, members) in (0..).zip(&mut found) {
            members.sort_unstable();
            self.find_zone(zone, members, record.ends[zone as usize]);
            self.place_units(zone, &spare);
        }
        let waiting = std::mem::take(&mut record.waiting);
        let last = waiting.iter().map(|(_, stamp)| *stamp).max().unwrap_or(NOTHING);
        spare.zones = Some(record);
        let (map, stamps) = (&self.pages.media.core.store.map, &spare.stamps);
        self.pages.media.core.lost.go_on(|lpn| match map.lookup(lpn) {
            Ppa::NONE => NOTHING,
            home => stamps[home.index()],
        });
        self.pages.media.core.store.spare.as_mut().expect("made for power cuts").go_on(spare, last);
        if self.zoning.has_pages() {
            self.pages.sort_superblocks(&marks);
            for die in 0..self.layout().dies as usize {
                self.pages.media.core.update_quota(die);
                self.pages.media.update_eligible(die);
            }
            self.pages.media.core.note_lost_room();
        }
        for (lpn, stamp) in waiting {
            let (zone, at) = self.zoning.split(lpn);
            let state = &mut self.zones[zone as usize];
            assert_eq!(state.written, at, "zone {zone}: what was kept of it goes on where the flash ends");
            state.written += 1;
            self.wait_again(zone, lpn, stamp);
        }
        self.finish_surplus();
        // Only now are all labels there again, those of superblocks that hold nothing yet left out.
        for zone in 0..self.zoning.count {
            for member in 0..self.zones[zone as usize].members.len() {
                self.label(self.zones[zone as usize].members[member], zone, member as u32);
            }
        }
    }

    /// Gives erased superblocks back to their dies after a power cut, and returns for each zone the superblocks with
    /// data that belong to it: index among the zone's superblocks, and number over the drive. Other superblocks with
    /// data are marked to be erased.
    fn sort_superblocks(&mut self, marks: &[Mark], record: &ZonesKept) -> Vec<Vec<(u32, u32)>> {
        let mut found = vec![Vec::new(); self.zones.len()];
        for (at, mark) in marks.iter().enumerate() {
            if !self.pages.media.core.store.space.is_of_zones(at) {
                continue;
            }
            let (die, within) = self.place_of(at as u32);
            let store = &mut self.pages.media.core.store;
            store.space.state[at] = SuperblockState::Lost;
            store.space.pe_cycles[at] = store.array.pe_cycles(die, within);
            if !store.array.is_whole(die, within) {
                continue;
            }
            store.space.zoned[die as usize].usable += 1;
            store.space.closed_at[at] = mark.closed_at;
            if store.array.next_row(at) == 0 && !mark.half_erased {
                self.push_free(at as u32);
                continue;
            }
            store.space.state[at] = SuperblockState::Closed;
            if let Some(label) = record.of(at).filter(|_| !mark.half_erased) {
                found[label.zone as usize].push((label.member, at as u32));
            }
        }
        found
    }

    /// Gives a zone its superblocks after a power cut: the superblocks `found`, which hold data of the zone, and free
    /// superblocks for missing members of a part (one superblock on each die of a group) that was begun. Sets the
    /// number of programmed program units, and the end of the padding, `end`, of a finished zone.
    fn find_zone(&mut self, zone: u32, found: &[(u32, u32)], end: Option<u32>) {
        let rows = self.layout().program_rows;
        let programs =
            |superblock: u32| self.pages.media.core.store.array.next_row(superblock as usize) / rows;
        let next: u32 = found.iter().map(|(_, superblock)| programs(*superblock)).sum();
        let width = self.zoning.width;
        let members = next.div_ceil(self.part_programs()) * width;
        let mut there = found.iter().peekable();
        for member in 0..members {
            let of_flash = there.next_if(|(index, _)| *index == member).map(|(_, superblock)| *superblock);
            let superblock = of_flash.unwrap_or_else(|| self.free_member(found, member));
            self.pages.media.core.store.space.state[superblock as usize] = SuperblockState::Open;
            self.zone_of[superblock as usize] = zone;
            self.zones[zone as usize].members.push(superblock);
        }
        assert!(there.next().is_none(), "zone {zone}: {found:?} have {next} program units");
        let state = &mut self.zones[zone as usize];
        (state.next, state.end) = (next, end);
    }

    /// Finishes the fullest zones, after a power cut, while more zones are active than the drive allows: a zone is
    /// active again if the cut lost the write that had filled it, and another zone may have been opened meanwhile.
    fn finish_surplus(&mut self) {
        let count = |layer: &Self| layer.zones.iter().filter(|zone| layer.is_active(zone)).count();
        while count(self) > self.zoning.active_most as usize {
            let active = (0..self.zoning.count).filter(|zone| self.is_active(&self.zones[*zone as usize]));
            let written = |zone: &u32| (self.zones[*zone as usize].written, std::cmp::Reverse(*zone));
            let fullest = active.max_by_key(written).expect("several are active");
            self.zones[fullest as usize].end = Some(self.end_of(fullest));
            self.counts.units_in_finished += u64::from(self.zones[fullest as usize].written);
        }
    }

    /// Takes a free superblock for a zone after a power cut, in place of superblock number `member` of the zone, which
    /// held no data. `found` are the zone's superblocks with data, at least one of which is in the same part of the
    /// zone.
    fn free_member(&mut self, found: &[(u32, u32)], member: u32) -> u32 {
        let width = self.zoning.width;
        let beside = found.iter().find(|(index, _)| index / width == member / width);
        let (_, beside) = beside.expect("a part that was begun has data");
        let die = self.place_of(*beside).0 / width * width + member % width;
        let space = &mut self.pages.media.core.store.space;
        let within = space.take_free_of_zones(die as usize).expect("what the zone had there is free now");
        space.global(die as usize, within) as u32
    }

    /// Maps the units of a zone that were found on flash after a power cut; padding names no unit.
    fn place_units(&mut self, zone: u32, spare: &SpareAreas) {
        let units = self.layout().program_units;
        for at in 0..self.zones[zone as usize].next * units {
            let ppa = Ppa(self.ppa_at(zone, at / units).0 + u64::from(at % units));
            let lpn = Lpn(spare.holders[ppa.index()]);
            if spare.stamps[ppa.index()] == NOTHING {
                continue;
            }
            assert_eq!(lpn, self.zoning.unit_of(zone, at), "zone {zone}: {ppa} names another unit");
            assert_eq!(self.zones[zone as usize].written, at, "zone {zone} has a gap before {lpn}");
            self.zones[zone as usize].written += 1;
            let superblock = self.layout().superblock_of(ppa);
            let store = &mut self.pages.media.core.store;
            store.map.assign(ppa, lpn);
            store.map.set(lpn, ppa);
            store.space.valid[superblock as usize] += 1;
        }
    }

    /// Returns the page rows, each with its superblock, whose spare areas are read to find the zones after a power cut:
    /// the first row of each superblock with data, and all programmed rows of a superblock that belongs to a zone and
    /// is not full.
    pub(super) fn rows_to_find(&self) -> Vec<(usize, RowRead)> {
        let (store, rows) = (&self.pages.media.core.store, self.layout().rows);
        let mut reads = Vec::new();
        for superblock in
            (0..self.zone_of.len()).filter(|&at| self.pages.media.core.store.space.is_of_zones(at))
        {
            let programmed = store.array.next_row(superblock);
            let is_there = programmed > 0 && store.space.state[superblock] != SuperblockState::Lost;
            let is_open = self.zone_of[superblock] != super::NONE && programmed < rows;
            let end = if is_open { programmed } else { u32::from(is_there) };
            reads.extend((0..end).map(|row| (superblock, RowRead::Spare(row))));
        }
        reads
    }

    /// Returns the number of units of all zones that wait in the write buffer until their program units are full.
    pub(super) fn units_waiting(&self) -> u64 {
        self.zones.iter().map(|FlashZone { waiting, .. }| waiting.len() as u64).sum()
    }
}
