//! The power is back: a fresh layer finds out what the flash holds.
//!
//! What is found follows from the spare areas alone: of each logical unit the readable copy with the newest number. Open
//! superblocks are gone on with behind what was torn. Not modelled: pages that can be read once after a cut and not again.

use super::power::{Mark, Medium, SpareAreas};
use crate::Probe;
use crate::guards::power::{BEFORE, NOTHING};
use crate::guards::trims::Trims;
use crate::lapse::Lapse;
use crate::pages::PageMapped;
use crate::recovery::{FoundView, RowRead, summary_bytes, summary_rows};
use crate::store::{Frontier, NONE, SuperblockState};
use controller::{Class, Context, Origin, Transaction};
use engine::Event;
use std::collections::BTreeMap;
use units::{Lpn, Ppa};

/// What a drive read to find its map again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Flash pages read.
    pub pages_read: u64,
    /// Superblocks in which something was programmed.
    pub superblocks: u64,
    /// Logical units found.
    pub units: u64,
}

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
    /// [`Self::begin_finding`].
    ///
    /// # Panics
    /// When the drive was not made for power cuts, or is another than the one whose flash it is.
    pub fn take_over(&mut self, medium: Medium) {
        let Medium { array, controller, counted, spare, marks, .. } = medium;
        let store = &mut self.media.store;
        assert_eq!(spare.holders.len(), store.map.physical_units(), "the flash of another drive");
        (store.array, store.controller, store.stats) = (array, controller, counted.stats);
        self.media.guards.regulation = medium.regulation;
        self.media.guards.rebuilds = medium.rebuilds;
        self.media.guards.parity = medium.parity;
        if let (Some(demand), Some(checkpoints)) = (&mut self.media.guards.demand, medium.checkpoints) {
            demand.checkpoints = Some(checkpoints);
            demand.begin_loading();
        }
        self.media.read_only |= medium.listed.read_only;
        (self.host.risk, self.upkeep.turnover) = (counted.risk, counted.turnover);
        if let (Some(agenda), Some(counts)) = (&mut self.media.agenda, counted.upkeep) {
            agenda.counts = counts;
        }
        if let (Some(sectors), Some(old)) = (&mut self.media.guards.sectors, medium.sectors) {
            sectors.written = old.written;
        }
        for (die, (clock, erases)) in counted.clocks.into_iter().enumerate() {
            let space = &mut self.media.store.space.dies[die];
            (space.clock, space.erases, space.usable, space.live) = (clock, erases, 0, 0);
            space.free.clear();
        }
        if let Some(own) = self.media.guards.slc_cache.as_mut().and_then(|cache| cache.own.as_mut()) {
            own.iter_mut().for_each(Vec::clear);
        }
        self.place_newest(&spare, &marks, medium.trims.as_deref());
        self.compare_translations(medium.translations);
        let last = self.go_on_with_snapshots(&spare, &marks, medium.listed.snapshots);
        let SpareAreas { stamps, undone, .. } = spare;
        self.media.guards.power.as_mut().expect("made for power cuts").go_on(stamps, undone, last);
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

    /// Makes the newest copy of each logical unit its home.
    fn place_newest(&mut self, spare: &SpareAreas, marks: &[Mark], trims: Option<&Trims>) {
        let SpareAreas { holders, stamps, .. } = spare;
        let written = self.media.store.layout.written_units() as usize;
        let mut newest = vec![Ppa::NONE; written];
        let wrong = self.media.rules.lapses.has(Lapse::OlderCopy);
        for (global, mark) in marks.iter().enumerate() {
            let (programmed, _) = self.rows_of(global, mark);
            let layout = &self.media.store.layout;
            let first = layout.first_ppa(global as u32);
            for ppa in (first..first + u64::from(programmed * layout.row_units)).map(Ppa) {
                let (holder, stamp) = (holders[ppa.index()], stamps[ppa.index()]);
                self.media.store.map.assign(ppa, Lpn(holder));
                let Some(best) = newest.get_mut(holder as usize) else { continue };
                let is_undone = layout.is_host_unit(Lpn(holder)) && spare.is_undone(stamp);
                let is_newer = *best == Ppa::NONE || (stamp > stamps[best.index()]) != wrong;
                if stamp != NOTHING && !is_undone && is_newer {
                    *best = ppa;
                }
            }
        }
        if let Some(trims) = trims {
            self.apply_records(trims, &mut newest, stamps);
        }
        for (lpn, &ppa) in newest.iter().enumerate().filter(|(_, ppa)| **ppa != Ppa::NONE) {
            let superblock = self.media.store.layout.superblock_of(ppa) as usize;
            self.media.store.map.set(Lpn(lpn as u32), ppa);
            self.media.store.space.valid[superblock] += 1;
            let (die, _) = self.media.store.space.place_of(superblock as u32);
            self.media.store.space.dies[die].live += 1;
        }
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
            if !self.media.store.array.is_whole(die as u32, superblock) || !self.takes_data(global, mark) {
                continue;
            }
            let counts = !self.is_cache_own(superblock);
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

    /// Begins the reads by which the method at hand finds the map.
    ///
    /// # Panics
    /// When the drive was not made for power cuts.
    pub fn begin_finding<P: Probe>(&mut self, ctx: &mut Context<P>) -> Found {
        let units = (0..self.media.store.layout.logical_units).map(Lpn);
        let units = units.filter(|&lpn| self.media.store.map.lookup(lpn) != Ppa::NONE).count() as u64;
        let mut found = Found { units, ..Found::default() };
        let mut reads = self.own_reads();
        reads.extend(self.sum_reads());
        for global in 0..self.media.store.layout.superblocks() {
            let view = self.found_view(global);
            if view.rows_programmed > 0 && self.media.store.space.state[global] != SuperblockState::Lost {
                found.superblocks += 1;
                let power = self.media.guards.power.as_ref().expect("made for power cuts");
                let asked = power.method.reads(&view);
                reads.extend(asked.into_iter().map(|read| self.telling_read(global as u32, read)));
            }
        }
        self.media.guards.power.as_mut().expect("made for power cuts").reading = reads.len() as u32;
        for transaction in reads {
            found.pages_read += u64::from(transaction.pages);
            self.media.store.controller.submit(transaction, ctx);
        }
        found
    }

    /// The reads of the last checkpoint of the map and of the records of trims, where there are such.
    fn own_reads(&self) -> Vec<Transaction> {
        let (guards, layout) = (&self.media.guards, &self.media.store.layout);
        let map = guards.demand.iter().flat_map(|demand| demand.read_first());
        let units = map.chain(guards.trims.iter().flat_map(|trims| trims.units()));
        let homes = units.map(|unit| self.media.store.map.lookup(unit));
        let mut rows: BTreeMap<u32, u64> = BTreeMap::new();
        for (row, unit) in homes.filter(|home| *home != Ppa::NONE).map(|home| layout.row_of(home)) {
            *rows.entry(row).or_default() |= unit;
        }
        let read = |(row, mask)| {
            let mut read = self.media.read_of(row, mask, Origin::Map, Class::InternalRead, NONE);
            read.slc = self.media.holds_one_bit((row / layout.rows) as usize);
            read
        };
        rows.into_iter().map(read).collect()
    }

    /// What is known of a superblock before its data are looked at.
    fn found_view(&self, global: usize) -> FoundView {
        let layout = &self.media.store.layout;
        let one_bit = self.media.holds_one_bit(global);
        let checkpoints = self.media.guards.demand.as_ref().and_then(|demand| demand.checkpoints.as_ref());
        let rows_programmed = self.media.store.array.next_row(global);
        let rows = if one_bit { layout.slc_rows } else { layout.rows };
        FoundView {
            rows_programmed,
            rows,
            summary_rows: if one_bit || layout.summary_units == 0 { 0 } else { summary_rows(layout) },
            is_in_checkpoint: rows_programmed == rows
                && checkpoints.is_some_and(|known| known.covers(global)),
            rows_told: match checkpoints.and_then(|known| known.log.as_ref()) {
                Some(log) => self.rows_surely_told(log.rows_told(global), rows_programmed, one_bit),
                None => 0,
            },
        }
    }

    /// Page rows of which a log tells what they hold and that cannot have been torn since.
    fn rows_surely_told(&self, told: u32, programmed: u32, one_bit: bool) -> u32 {
        if told >= programmed || one_bit {
            return told.min(programmed);
        }
        told.min(self.media.store.layout.first_row_of_wordline(programmed - 1))
    }

    /// An event while the map is looked for: nothing else is done until it is found. True when it is.
    pub fn find_on<P: Probe>(&mut self, event: Event, ctx: &mut Context<P>) -> bool {
        self.media.store.controller.handle(event, ctx);
        while let Some(id) = self.media.store.controller.take_finished() {
            let read = *self.media.store.controller.transaction(id);
            self.media.store.controller.release(id);
            self.media.store.stats.pages_read[read.origin as usize] += u64::from(read.pages);
            self.media.guards.power.as_mut().expect("made for power cuts").reading -= 1;
        }
        self.recovering() == 0
    }

    /// A read at power-up. Spare areas have a code of their own, so that they are read at once however worn the page is.
    fn telling_read(&self, global: u32, read: RowRead) -> Transaction {
        let layout = &self.media.store.layout;
        let (row, bytes) = match read {
            RowRead::Spare(row) => {
                (row, self.media.guards.power.as_ref().map_or(0, |power| power.spare_bytes))
            }
            RowRead::Summary(row) => (row, summary_bytes(layout, row)),
        };
        assert!(row < layout.rows, "the recovery method reads row {row} of {}", layout.rows);
        let whole = u64::MAX >> (64 - layout.row_units);
        let row = global * layout.rows + row;
        let mut transaction = self.media.read_of(row, whole, Origin::Map, Class::InternalRead, NONE);
        (transaction.bytes, transaction.slc) = (bytes, self.media.holds_one_bit(global as usize));
        transaction
    }
}
