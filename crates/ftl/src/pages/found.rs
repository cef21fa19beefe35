//! The power is back: a fresh layer finds out what the flash holds.
//!
//! What is found follows from the spare areas alone: of each logical unit the readable copy with the newest number. Open
//! superblocks are gone on with behind what was torn. Not modelled: pages that can be read once after a cut and not again.

use crate::guards::power::{BEFORE, NOTHING, SpareAreas};
use crate::guards::trims::Trims;
use crate::lapse::Lapse;
use crate::medium::{Mark, Medium};
use crate::pages::PageMapped;
use crate::store::{Frontier, NONE, SuperblockState};
use std::ops::Range;
use units::{Lpn, Ppa};

impl PageMapped {
    /// What is there when time begins has the number of what came before the run.
    pub(super) fn stamp_beginning(&mut self) {
        let Some(power) = self.media.guards.power.as_mut().filter(|power| power.is_fresh()) else { return };
        let (map, mut snapshots) = (&self.media.store.map, self.media.guards.snapshots.as_mut());
        if let Some(snapshots) = &mut snapshots {
            power.begin_at(snapshots.number_first(BEFORE));
        }
        let superblocks =
            (0..self.media.store.layout.superblocks()).filter(|&at| self.media.store.space.valid[at] > 0);
        for superblock in superblocks {
            let first = self.media.store.layout.first_ppa(superblock as u32);
            for ppa in (first..first + u64::from(self.media.store.layout.superblock_units)).map(Ppa) {
                if map.is_valid(ppa) {
                    let seen =
                        snapshots.as_ref().map(|snapshots| snapshots.number_of(map.holder(ppa), ppa, BEFORE));
                    power.begin_with(ppa.index(), seen.unwrap_or(BEFORE));
                }
            }
        }
    }

    /// Takes over what the flash holds, in a layer that was made fresh. What it takes to find that out is still to be read:
    /// `begin_finding`.
    ///
    /// # Panics
    /// When the drive was not made for power cuts, or is another than the one whose flash it is.
    pub fn take_over(&mut self, mut medium: Medium) {
        let checkpoints = medium.checkpoints.take();
        let (translations, trims) = (medium.translations.take(), medium.trims.take());
        let records = medium.listed.snapshots.take();
        (self.host.risk, self.upkeep.turnover) =
            (medium.counted.risk, std::mem::take(&mut medium.counted.turnover));
        let (spare, marks) = self.media.take_back(medium);
        if let (Some(demand), Some(checkpoints)) = (&mut self.media.guards.demand, checkpoints) {
            demand.checkpoints = Some(checkpoints);
            demand.begin_loading();
        }
        self.place_newest(&spare, &marks, trims.as_deref());
        self.compare_translations(translations);
        let last = self.go_on_with_snapshots(&spare, &marks, records);
        self.media.guards.power.as_mut().expect("made for power cuts").go_on(spare, last);
        self.sort_superblocks(&marks);
        for die in 0..self.media.store.layout.dies as usize {
            self.media.update_quota(die);
            self.media.update_eligible(die);
        }
        self.media.note_lost_room();
    }

    /// Page rows of a superblock that hold something, and all that it has.
    pub(super) fn rows_of(&self, global: usize, mark: &Mark) -> (u32, u32) {
        let layout = &self.media.store.layout;
        let rows = if mark.one_bit { layout.slc_rows } else { layout.rows };
        let programmed = if mark.half_erased { 0 } else { self.media.store.array.next_row(global) };
        (programmed, rows)
    }

    /// The units of each superblock that were programmed.
    pub(super) fn programmed_units(&self, marks: &[Mark]) -> Vec<Range<u64>> {
        let layout = &self.media.store.layout;
        let units = |(global, mark): (usize, &Mark)| {
            let first = layout.first_ppa(global as u32);
            first..first + u64::from(self.rows_of(global, mark).0 * layout.row_units)
        };
        marks.iter().enumerate().map(units).collect()
    }

    /// What lies at a place counts.
    pub(super) fn count_live(&mut self, place: Ppa) {
        let superblock = self.media.store.layout.superblock_of(place);
        let (die, _) = self.media.store.space.place_of(superblock);
        self.media.store.space.valid[superblock as usize] += 1;
        self.media.store.space.dies[die].live += 1;
    }

    /// Makes the newest copy of each logical unit its home.
    fn place_newest(&mut self, spare: &SpareAreas, marks: &[Mark], trims: Option<&Trims>) {
        let SpareAreas { holders, stamps, .. } = spare;
        let written = self.media.store.layout.written_units() as usize;
        let mut newest = vec![Ppa::NONE; written];
        let wrong = self.media.rules.lapses.has(Lapse::OlderCopy);
        for ppa in self.programmed_units(marks).into_iter().flatten().map(Ppa) {
            let (holder, stamp) = (holders[ppa.index()], stamps[ppa.index()]);
            self.media.store.map.assign(ppa, Lpn(holder));
            let Some(best) = newest.get_mut(holder as usize) else { continue };
            let is_undone = self.media.store.layout.is_host_unit(Lpn(holder)) && spare.is_undone(stamp);
            let is_newer = *best == Ppa::NONE || (stamp > stamps[best.index()]) != wrong;
            if stamp != NOTHING && !is_undone && is_newer {
                *best = ppa;
            }
        }
        if let Some(trims) = trims {
            self.apply_records(trims, &mut newest, stamps);
        }
        for (lpn, &ppa) in newest.iter().enumerate().filter(|(_, ppa)| **ppa != Ppa::NONE) {
            self.media.store.map.set(Lpn(lpn as u32), ppa);
            self.count_live(ppa);
        }
        self.media.guards.rebuilds.go_on(|lpn| match newest[lpn.index()] {
            Ppa::NONE => NOTHING,
            home => stamps[home.index()],
        });
    }

    /// What each superblock is from now on: free, open as it was, or closed; in the order in which they were closed, as
    /// policies expect to be told.
    fn sort_superblocks(&mut self, marks: &[Mark]) {
        let mut closed = Vec::new();
        for (global, mark) in marks.iter().enumerate() {
            let (die, superblock) = self.media.store.space.place_of(global as u32);
            let space = &mut self.media.store.space;
            space.state[global] = SuperblockState::Lost;
            space.pe_cycles[global] = self.media.store.array.pe_cycles(die as u32, superblock);
            let is_dead = self.media.guards.dead.has(die);
            if is_dead
                || !self.media.store.array.is_whole(die as u32, superblock)
                || !self.takes_data(global, mark)
            {
                continue;
            }
            let counts = !self.media.is_cache_own(superblock);
            let space = &mut self.media.store.space;
            space.dies[die].usable += u32::from(counts);
            space.failing[global] = mark.failing;
            let (programmed, rows) = self.rows_of(global, mark);
            let goes_on = !mark.failing && !mark.half_erased && self.may_go_on(global);
            if programmed == 0 && goes_on {
                self.free_found(die, superblock);
                continue;
            }
            if let (true, Some(cache)) = (mark.one_bit, &mut self.media.guards.slc_cache) {
                cache.holds_one_bit[global] = true;
                cache.dies[die].superblocks += 1;
                cache.in_use += 1;
            }
            if goes_on && mark.stream != NONE && programmed < rows {
                let next_unit = programmed * self.media.store.layout.row_units;
                let space = &mut self.media.store.space;
                space.state[global] = SuperblockState::Open;
                space.dies[die].frontiers[mark.stream as usize] =
                    Frontier { superblock, next_unit, ..Frontier::CLOSED };
            } else {
                // One that was open was closed last.
                let was_open = mark.stream != NONE;
                self.end_found(global);
                closed.push((was_open, mark.closed_at, die, superblock));
            }
        }
        self.free_found_groups();
        closed.sort_unstable();
        for (was_open, closed_at, die, superblock) in closed {
            let clock = self.media.store.space.dies[die].clock;
            let global = self.media.store.space.global(die, superblock);
            self.media.store.space.dies[die].clock = if was_open { clock } else { closed_at };
            self.media.store.space.state[global] = SuperblockState::Closed;
            self.media.settle_superblock(die, superblock);
            self.media.store.space.dies[die].clock = clock;
        }
    }
}
