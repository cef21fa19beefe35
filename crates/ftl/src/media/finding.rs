//! The power is back: what a fresh layer takes over from the flash whatever its map, and what it reads to find that map.

use super::Media;
use crate::Probe;
use crate::guards::power::SpareAreas;
use crate::medium::{Mark, Medium};
use crate::recovery::{FoundView, RowRead, summary_bytes, summary_rows};
use crate::store::{NONE, SuperblockState};
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

impl Media {
    /// Takes over what the flash holds and what was counted, but for the map and what each superblock is: gives what those
    /// are found from.
    ///
    /// # Panics
    /// When the drive is another than the one whose flash it is.
    pub fn take_back(&mut self, medium: Medium) -> (SpareAreas, Vec<Mark>) {
        let Medium { array, controller, counted, spare, marks, .. } = medium;
        let store = &mut self.store;
        assert_eq!(spare.holders.len(), store.map.physical_units(), "the flash of another drive");
        (store.array, store.controller, store.stats) = (array, controller, counted.stats);
        self.guards.regulation = medium.regulation;
        self.guards.rebuilds = medium.rebuilds;
        self.guards.parity = medium.parity;
        self.read_only |= medium.listed.read_only;
        self.guards.dead = medium.listed.dead;
        if let (Some(agenda), Some(counts)) = (&mut self.agenda, counted.upkeep) {
            (agenda.counts, agenda.moments) = (counts, medium.listed.moments);
        }
        if let (Some(sectors), Some(old)) = (&mut self.guards.sectors, medium.sectors) {
            sectors.written = old.written;
        }
        for (die, (clock, erases)) in counted.clocks.into_iter().enumerate() {
            let space = &mut self.store.space.dies[die];
            (space.clock, space.erases, space.usable, space.live) = (clock, erases, 0, 0);
            space.free.clear();
        }
        if let Some(own) = self.guards.slc_cache.as_mut().and_then(|cache| cache.own.as_mut()) {
            own.iter_mut().for_each(Vec::clear);
        }
        (spare, marks)
    }

    /// Begins the reads by which the method at hand finds the map.
    ///
    /// # Panics
    /// When the drive was not made for power cuts.
    pub fn begin_finding<P: Probe>(&mut self, ctx: &mut Context<P>) -> Found {
        let units = (0..self.store.layout.logical_units).map(Lpn);
        let units = units.filter(|&lpn| self.store.map.lookup(lpn) != Ppa::NONE).count() as u64;
        let mut found = Found { units, ..Found::default() };
        let mut reads = self.own_reads();
        reads.extend(self.sum_reads());
        for global in 0..self.store.layout.superblocks() {
            let view = self.found_view(global);
            if view.rows_programmed > 0 && self.store.space.state[global] != SuperblockState::Lost {
                found.superblocks += 1;
                let power = self.guards.power.as_ref().expect("made for power cuts");
                let asked = power.method.reads(&view);
                reads.extend(asked.into_iter().map(|read| self.telling_read(global as u32, read)));
            }
        }
        self.guards.power.as_mut().expect("made for power cuts").reading = reads.len() as u32;
        for transaction in reads {
            found.pages_read += u64::from(transaction.pages);
            self.store.controller.submit(transaction, ctx);
        }
        found
    }

    /// The reads of the last checkpoint of the map and of the records of trims, where there are such.
    fn own_reads(&self) -> Vec<Transaction> {
        let (guards, layout) = (&self.guards, &self.store.layout);
        let map = guards.demand.iter().flat_map(|demand| demand.read_first());
        let units = map.chain(guards.trims.iter().flat_map(|trims| trims.units()));
        let homes = units.map(|unit| self.store.map.lookup(unit));
        let mut rows: BTreeMap<u32, u64> = BTreeMap::new();
        for (row, unit) in homes.filter(|home| *home != Ppa::NONE).map(|home| layout.row_of(home)) {
            for row in self.rows_for(row) {
                *rows.entry(row).or_default() |= unit;
            }
        }
        let read = |(row, mask)| {
            let mut read = self.read_of(row, mask, Origin::Map, Class::InternalRead, NONE);
            read.slc = self.holds_one_bit((row / layout.rows) as usize);
            read
        };
        rows.into_iter().map(read).collect()
    }

    /// The page rows to read for one: those that give it back where its die has failed.
    pub fn rows_for(&self, row: u32) -> Vec<u32> {
        let superblock = row / self.store.layout.rows;
        let (die, _) = self.store.space.place_of(superblock);
        match self.guards.dead.has(die) {
            true => self.rows_beside(superblock, row % self.store.layout.rows).unwrap_or_default(),
            false => vec![row],
        }
    }

    /// What is known of a superblock before its data are looked at.
    fn found_view(&self, global: usize) -> FoundView {
        let layout = &self.store.layout;
        let one_bit = self.holds_one_bit(global);
        let checkpoints = self.guards.demand.as_ref().and_then(|demand| demand.checkpoints.as_ref());
        let rows_programmed = self.store.array.next_row(global);
        let rows = if one_bit { layout.slc_rows } else { layout.rows };
        FoundView {
            rows_programmed,
            rows,
            summary_rows: if one_bit || layout.summary_units == 0 { 0 } else { summary_rows(layout) },
            is_in_checkpoint: rows_programmed == rows
                && checkpoints.is_some_and(|known| known.covers(global)),
            rows_told: match checkpoints {
                Some(known) => self.rows_surely_told(known.rows_told(global), rows_programmed, one_bit),
                None => 0,
            },
        }
    }

    /// Page rows of which a log tells what they hold and that cannot have been torn since.
    fn rows_surely_told(&self, told: u32, programmed: u32, one_bit: bool) -> u32 {
        if told >= programmed || one_bit {
            return told.min(programmed);
        }
        told.min(self.store.layout.first_row_of_wordline(programmed - 1))
    }

    /// An event while the map is looked for: nothing else is done until it is found. True when it is.
    pub fn find_on<P: Probe>(&mut self, event: Event, ctx: &mut Context<P>) -> bool {
        self.store.controller.handle(event, ctx);
        while let Some(id) = self.store.controller.take_finished() {
            let read = *self.store.controller.transaction(id);
            self.store.controller.release(id);
            self.store.stats.pages_read[read.origin as usize] += u64::from(read.pages);
            self.guards.power.as_mut().expect("made for power cuts").reading -= 1;
        }
        self.guards.power.as_ref().is_none_or(|power| power.reading == 0)
    }

    /// A read at power-up. Spare areas have a code of their own, so that they are read at once however worn the page is.
    fn telling_read(&self, global: u32, read: RowRead) -> Transaction {
        let layout = &self.store.layout;
        let (row, bytes) = match read {
            RowRead::Spare(row) => (row, self.guards.power.as_ref().map_or(0, |power| power.spare_bytes)),
            RowRead::Summary(row) => (row, summary_bytes(layout, row)),
        };
        assert!(row < layout.rows, "the recovery method reads row {row} of {}", layout.rows);
        let whole = u64::MAX >> (64 - layout.row_units);
        let row = global * layout.rows + row;
        let mut transaction = self.read_of(row, whole, Origin::Map, Class::InternalRead, NONE);
        (transaction.bytes, transaction.slc) = (bytes, self.holds_one_bit(global as usize));
        transaction
    }
}
