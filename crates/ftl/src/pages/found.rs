//! The power is back: a fresh layer finds out what the flash holds.
//!
//! What is found follows from the spare areas alone: of each logical unit the readable copy with the newest number. Open
//! superblocks are gone on with behind what was torn. Not modelled: pages that can be read once after a cut and not again.

use crate::contents::FlashContents;
use crate::lapse::Lapse;
use crate::pages::PageMapped;
use crate::store::Mark;
use crate::store::spare::{BEFORE, NOTHING, SpareAreas};
use crate::store::{Frontier, NONE, SuperblockState};
use units::{Lpn, Ppa};

impl PageMapped {
    /// Rebuilds the map of a drive that was just built, without data, from the flash of a drive whose power was cut.
    /// The flash reads that this takes in simulated time are submitted later, by `begin_finding`.
    ///
    /// # Panics
    /// When the drive was not made for power cuts, or the flash belongs to another drive.
    pub(super) fn find_map(&mut self, mut contents: FlashContents) {
        (self.host.risk, self.upkeep.turnover) =
            (contents.counted.risk, std::mem::take(&mut contents.counted.turnover));
        let (spare, marks) = self.media.take_back(contents);
        self.place_newest(&spare, &marks);
        let (map, stamps) = (&self.media.core.store.map, &spare.stamps);
        self.media.core.lost.go_on(|lpn| match map.lookup(lpn) {
            Ppa::NONE => NOTHING,
            home => stamps[home.index()],
        });
        let last = self.media.features.find_versions(&mut self.media.core, &spare, &marks);
        self.media.core.store.spare.as_mut().expect("made for power cuts").go_on(spare, last);
        self.sort_superblocks(&marks);
        for die in 0..self.media.core.store.layout.dies as usize {
            self.media.core.update_quota(die);
            self.media.update_eligible(die);
        }
        self.media.core.note_lost_room();
    }

    /// Sets the stamp (number of the host's write, in the spare area) of all data that exist when simulated time begins
    /// to the value for writes before the run or, with snapshots, to a number by which the right snapshots see the
    /// data; does nothing where writes have been numbered already.
    pub(super) fn stamp_beginning(&mut self) {
        let Some(numbers) = self.media.core.store.spare.as_mut().filter(|numbers| numbers.is_fresh()) else {
            return;
        };
        let (map, features) = (&self.media.core.store.map, &mut self.media.features);
        if let Some(last) = features.number_beginning(BEFORE) {
            numbers.begin_at(last);
        }
        let superblocks = (0..self.media.core.store.layout.superblocks())
            .filter(|&at| self.media.core.store.space.valid[at] > 0);
        for superblock in superblocks {
            let first = self.media.core.store.layout.first_ppa(superblock as u32);
            for ppa in (first..first + u64::from(self.media.core.store.layout.superblock_units)).map(Ppa) {
                if map.is_valid(ppa) {
                    let seen = features.number_of(map.holder(ppa), ppa, BEFORE);
                    numbers.begin_with(ppa.index(), seen.unwrap_or(BEFORE));
                }
            }
        }
    }

    /// Sets the map entry of each logical unit to the unit's newest copy that recovery after a power cut found on
    /// flash.
    pub(crate) fn place_newest(&mut self, spare: &SpareAreas, marks: &[Mark]) {
        let SpareAreas { holders, stamps, .. } = spare;
        let written = self.media.core.rules.mapped_units as usize;
        let mut newest = vec![Ppa::NONE; written];
        let wrong = self.media.core.rules.lapses.has(Lapse::OlderCopy);
        for ppa in self.media.core.programmed_units(marks).into_iter().flatten().map(Ppa) {
            let (holder, stamp) = (holders[ppa.index()], stamps[ppa.index()]);
            self.media.core.store.map.assign(ppa, Lpn(holder));
            let Some(best) = newest.get_mut(holder as usize) else { continue };
            let is_undone = self.media.core.store.layout.is_host_unit(Lpn(holder)) && spare.is_undone(stamp);
            let is_newer = *best == Ppa::NONE || (stamp > stamps[best.index()]) != wrong;
            if stamp != NOTHING && !is_undone && is_newer {
                *best = ppa;
            }
        }
        self.media.features.found(&mut self.media.core, &mut newest, stamps);
        for (lpn, &ppa) in newest.iter().enumerate().filter(|(_, ppa)| **ppa != Ppa::NONE) {
            self.media.core.store.map.set(Lpn(lpn as u32), ppa);
            self.media.core.count_live(ppa);
        }
    }

    /// Sets the state of each superblock that recovery found: free, open as before, closed, or lost. The victim
    /// policies are informed of closed superblocks in the order in which these were closed.
    pub(crate) fn sort_superblocks(&mut self, marks: &[Mark]) {
        let mut closed = Vec::new();
        for (global, mark) in marks.iter().enumerate() {
            if self.media.core.store.space.is_of_zones(global) {
                continue;
            }
            let (die, superblock) = self.media.core.store.space.place_of(global as u32);
            let space = &mut self.media.core.store.space;
            space.state[global] = SuperblockState::Lost;
            space.pe_cycles[global] = self.media.core.store.array.pe_cycles(die as u32, superblock);
            let is_dead = self.media.core.store.dead.has(die);
            if is_dead
                || !self.media.core.store.array.is_whole(die as u32, superblock)
                || !self.takes_data(global, mark)
            {
                continue;
            }
            let counts = !self.media.core.stands_apart(superblock);
            let space = &mut self.media.core.store.space;
            space.dies[die].usable += u32::from(counts);
            space.failing[global] = mark.failing;
            space.stream[global] = mark.filled_by;
            let (programmed, rows) = self.media.core.rows_found(global, mark);
            let goes_on = !mark.failing && !mark.half_erased && self.may_go_on(global);
            if programmed == 0 && goes_on {
                self.free_found(die, superblock);
                continue;
            }
            if mark.one_bit {
                self.media.features.found_one_bit(&mut self.media.core, die, global);
            }
            if goes_on && mark.stream != NONE && programmed < rows {
                let next_unit = programmed * self.media.core.store.layout.row_units;
                let space = &mut self.media.core.store.space;
                space.state[global] = SuperblockState::Open;
                space.dies[die].frontiers[mark.stream as usize] =
                    Frontier { superblock, next_unit, ..Frontier::CLOSED };
            } else {
                // One that was open was closed last.
                let was_open = mark.stream != NONE;
                if was_open && programmed < rows {
                    self.media.core.assembly.streams.note_cut(mark.stream as usize);
                }
                self.end_found(global);
                closed.push((was_open, mark.closed_at, die, superblock));
            }
        }
        self.media.features.all_told(&mut self.media.core);
        closed.sort_unstable();
        for (was_open, closed_at, die, superblock) in closed {
            let clock = self.media.core.store.space.dies[die].clock;
            let global = self.media.core.store.space.global(die, superblock);
            self.media.core.store.space.dies[die].clock = if was_open { clock } else { closed_at };
            self.media.core.store.space.state[global] = SuperblockState::Closed;
            self.media.settle_superblock(die, superblock);
            self.media.core.store.space.dies[die].clock = clock;
        }
    }

    /// Returns true if a superblock that recovery found holds data, may take data, or is one of the superblocks
    /// reserved for the SLC cache.
    fn takes_data(&mut self, global: usize, mark: &Mark) -> bool {
        let (_, within) = self.media.core.store.space.place_of(global as u32);
        self.media.core.stands_apart(within)
            || self.media.features.holds_data(&mut self.media.core, global as u32, mark)
    }

    /// Returns true if more data may be written to the pages of a superblock that were not programmed before the power
    /// cut.
    fn may_go_on(&self, global: usize) -> bool {
        let (_, within) = self.media.core.store.space.place_of(global as u32);
        self.media.core.stands_apart(within) || self.media.features.takes_more(global as u32)
    }

    /// Puts an erased superblock that recovery found on the free list of its die. If superblocks are reclaimed together
    /// (parity groups), the superblock is only marked as free until all superblocks of the drive are known.
    fn free_found(&mut self, die: usize, superblock: u32) {
        if self.media.core.stands_apart(superblock) {
            self.media.features.keeps_own(&mut self.media.core, die, superblock);
        } else if self.media.core.rules.in_step {
            let global = self.media.core.store.space.global(die, superblock);
            self.media.core.store.space.state[global] = SuperblockState::Free;
        } else {
            self.media.core.store.space.push_free(die, superblock);
        }
    }

    /// Informs the drive's features, during recovery after a power cut, that a superblock takes no more data. Does
    /// nothing if all pages of the superblock are programmed, or if it is reserved for the SLC cache.
    fn end_found(&mut self, global: usize) {
        let (_, within) = self.media.core.store.space.place_of(global as u32);
        let is_full = self.media.core.store.array.next_row(global) == self.media.core.store.layout.rows;
        if !self.media.core.stands_apart(within) && !is_full {
            self.media.features.takes_no_more(global as u32);
        }
    }
}
