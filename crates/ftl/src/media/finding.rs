//! The power is back: what a fresh layer takes over from the flash with any kind of map, and what it reads to find that map.

use super::Media;
use crate::Probe;
use crate::contents::FlashContents;
use crate::recovery::{FoundView, RowRead, summary_rows};
use crate::store::Mark;
use crate::store::spare::SpareAreas;
use crate::store::{NONE, SuperblockState};
use controller::{Class, Context, Origin, Transaction};
use std::collections::BTreeMap;
use units::{Lpn, Ppa};

/// Record of the counts of a recovery of the map after a power cut: flash pages read, superblocks with at least one
/// programmed page, and logical units found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Number of flash pages that recovery read.
    pub pages_read: u64,
    /// Number of superblocks in which recovery found at least one programmed page.
    pub superblocks: u64,
    /// Number of logical units of which recovery found a version on flash.
    pub units: u64,
}

impl Media {
    /// Gives this drive the flash and the statistics that a drive had after a power cut, without its map and states of
    /// superblocks, which the cut destroyed. Returns the spare areas of the units and the marks of the superblocks,
    /// from which recovery rebuilds the map and these states.
    ///
    /// # Panics
    /// When the flash belongs to another drive.
    pub fn take_back(&mut self, contents: FlashContents) -> (SpareAreas, Vec<Mark>) {
        let FlashContents { array, controller, counted, spare, marks, .. } = contents;
        let store = &mut self.core.store;
        assert_eq!(spare.holders.len(), store.map.physical_units(), "the flash of another drive");
        (store.array, store.controller, store.stats) = (array, controller, counted.stats);
        self.core.lost = contents.lost;
        self.core.read_only |= contents.listed.read_only;
        self.core.store.dead.go_on_with(contents.listed.dead);
        self.features.take_back(contents.features);
        if let (Some(agenda), Some(counts)) = (&mut self.core.agenda, counted.upkeep) {
            agenda.counts = counts;
        }
        if let (Some(handles), Some(before)) = (&mut self.core.assembly.streams.handles, counted.handles) {
            handles.take_back(*before);
        }
        for (die, (clock, erases)) in counted.clocks.into_iter().enumerate() {
            let space = &mut self.core.store.space.dies[die];
            (space.clock, space.erases, space.usable, space.live) = (clock, erases, 0, 0);
            space.free.clear();
        }
        for zoned in &mut self.core.store.space.zoned {
            zoned.free.clear();
            zoned.usable = 0;
        }
        (spare, marks)
    }

    /// Submits the flash reads by which the recovery method rebuilds the logical-to-physical map at power-up, and
    /// returns the numbers of pages to read, of superblocks with programmed pages, and of logical units found. `rows`
    /// are the page rows to be read, each with its superblock, where the flash translation layer chooses them in place
    /// of the recovery method; on a drive with zones, those of the zones.
    ///
    /// # Panics
    /// When the drive was not made for power cuts.
    pub fn begin_finding<P: Probe>(
        &mut self,
        rows: Option<&[(usize, RowRead)]>,
        ctx: &mut Context<P>,
    ) -> Found {
        let units = (0..self.core.store.layout.logical_units).map(Lpn);
        let units = units.filter(|&lpn| self.core.store.map.lookup(lpn) != Ppa::NONE).count() as u64;
        let mut found = Found { units, ..Found::default() };
        let mut reads = self.own_reads();
        reads.extend(self.reads_for_features());
        for global in 0..self.core.store.layout.superblocks() {
            let view = self.found_view(global);
            if view.rows_programmed > 0 && self.core.store.space.state[global] != SuperblockState::Lost {
                found.superblocks += 1;
                let finding = self.core.finding.as_ref().expect("made for power cuts");
                let space = &self.core.store.space;
                let is_chosen = rows.is_some() && (space.zoned.is_empty() || space.is_of_zones(global));
                let asked = if is_chosen { Vec::new() } else { finding.method.reads(&view) };
                reads.extend(asked.into_iter().map(|read| self.core.telling_read(global as u32, read)));
            }
        }
        let rows = rows.unwrap_or_default();
        reads.extend(rows.iter().map(|(global, read)| self.core.telling_read(*global as u32, *read)));
        self.core.finding.as_mut().expect("made for power cuts").reading = reads.len() as u32;
        for transaction in reads {
            found.pages_read += u64::from(transaction.pages);
            self.core.store.controller.submit(transaction, ctx);
        }
        found
    }

    /// Returns the flash reads, which recovery does first, of units with data of the drive's own features, not of the
    /// host.
    fn own_reads(&self) -> Vec<Transaction> {
        let layout = &self.core.store.layout;
        let mut units: Vec<Lpn> = Vec::new();
        self.features.reads_first(&mut units);
        let homes = units.into_iter().map(|unit| self.core.store.map.lookup(unit));
        let mut rows: BTreeMap<u32, u64> = BTreeMap::new();
        for (row, unit) in homes.filter(|home| *home != Ppa::NONE).map(|home| layout.row_of(home)) {
            for row in self.rows_for(row) {
                *rows.entry(row).or_default() |= unit;
            }
        }
        let read = |(row, mask)| {
            let mut read = self.core.read_of(row, mask, Origin::Map, Class::InternalRead, NONE);
            read.slc = self.core.store.space.holds_one_bit((row / layout.rows) as usize);
            read
        };
        rows.into_iter().map(read).collect()
    }

    /// Returns the flash reads of page rows that the drive's features need during recovery.
    fn reads_for_features(&self) -> Vec<Transaction> {
        let layout = &self.core.store.layout;
        let mut rows = Vec::new();
        self.features.rows_to_read(&self.core, &mut rows);
        let whole = u64::MAX >> (64 - layout.row_units);
        let read = |(superblock, row): (u32, u32)| {
            let row = superblock * layout.rows + row;
            self.core.read_of(row, whole, Origin::Map, Class::InternalRead, NONE)
        };
        rows.into_iter().map(read).collect()
    }

    /// Returns the page rows that recovery has to read for the content of page row `row` (all numbered over the drive):
    /// the row itself or, if its die has failed, the other rows of its parity stripe.
    pub fn rows_for(&self, row: u32) -> Vec<u32> {
        let superblock = row / self.core.store.layout.rows;
        let (die, _) = self.core.store.space.place_of(superblock);
        match self.core.store.dead.has(die) {
            true => self
                .features
                .rows_beside(&self.core, superblock, row % self.core.store.layout.rows)
                .unwrap_or_default(),
            false => vec![row],
        }
    }

    /// Returns the facts about a superblock (numbered over the drive) that recovery knows before it reads the data
    /// there, such as its number of programmed page rows.
    fn found_view(&self, global: usize) -> FoundView {
        let layout = &self.core.store.layout;
        let one_bit = self.core.store.space.holds_one_bit(global);
        let told = self.features.told_of(global).unwrap_or_default();
        let rows_programmed = self.core.store.array.next_row(global);
        let rows = if one_bit { layout.slc_rows } else { layout.rows };
        FoundView {
            rows_programmed,
            rows,
            summary_rows: if one_bit || layout.summary_units == 0 { 0 } else { summary_rows(layout) },
            is_in_checkpoint: rows_programmed == rows && told.all,
            rows_told: self.core.rows_surely_told(told.rows, global),
        }
    }
}
