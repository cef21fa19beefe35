//! What a page map stores and where: the map, the superblocks of each die, programs in flight, the flash itself.
//!
//! Nothing here knows why data is written or moved, nor any feature that a drive may have beside.

mod dead;
mod frontiers;
pub(crate) mod labels;
mod map;
mod marks;
mod mover;
mod programs;
mod saved;
mod space;
pub(crate) mod spare;
mod zone_space;
pub(crate) mod zones_kept;

pub(crate) use dead::DeadDies;
pub(crate) use frontiers::{Frontier, NONE};
pub use map::Beginning;
pub(crate) use map::{Ground, Map, Places};
pub(crate) use marks::Mark;
pub(crate) use mover::{CREDIT_PROGRAMS, Mover, PENDING_MAX, Pace};
pub(crate) use programs::{Programs, Source};
pub(crate) use saved::{FAILING, STATES};
pub use space::SuperblockState;
pub(crate) use space::{DieSpace, Space};
pub(crate) use zone_space::ZonedDie;

use crate::gc::victim;
use crate::wear;
use crate::{FtlStats, Layout};
use controller::{Controller, Transaction};
use nand::FlashArray;
use spare::Spare;
use std::ops::Range;
use units::Ppa;

/// Core state of a drive's translation layer: layout, map, superblocks, programs in flight, flash array, flash
/// controller and statistics.
pub(crate) struct Store {
    pub layout: Layout,
    pub map: Map,
    pub space: Space,
    pub programs: Programs,
    pub array: FlashArray,
    pub controller: Controller,
    pub stats: FtlStats,
    /// List of the superblocks, numbered over the drive, that may have lost their last valid unit while being
    /// reclaimed, and are to be checked for that.
    pub emptied: Vec<u32>,
    /// Set of the dies that have failed as a whole and answer no command.
    pub dead: DeadDies,
    /// Field of the drive's core state: contents of the spare areas apart from the logical unit numbers (such as write
    /// numbers), on a drive whose power may be cut; else `None`.
    pub spare: Option<Box<Spare>>,
}

/// Returns the physical addresses of the mapping units that the bits of `units` select in the page row (pages of one
/// number on all planes) whose first unit is `first`.
#[inline]
pub(crate) fn places(first: u64, units: u64) -> impl Iterator<Item = Ppa> {
    let mut left = units;
    std::iter::from_fn(move || {
        let unit = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        (unit < u64::BITS).then(|| Ppa(first + u64::from(unit)))
    })
}

impl Store {
    /// Makes the store (map, superblocks, flash array) of a drive with nothing written and no superblock free yet;
    /// `streams` is the number of write streams that use all bits per cell.
    pub fn new(
        layout: Layout,
        (victim, wear): (&victim::Maker, &wear::Maker),
        array: FlashArray,
        controller: Controller,
        streams: usize,
        seed: u64,
    ) -> Self {
        Self {
            map: Map::new(&layout),
            space: Space::new(&layout, (victim, wear), streams, seed),
            programs: Programs::new(layout.program_units),
            array,
            controller,
            stats: FtlStats::default(),
            emptied: Vec::new(),
            dead: DeadDies::new(NONE),
            spare: None,
            layout,
        }
    }

    /// Adds `units` whole mapping units, which the host wrote with one request, to the counts of units and bytes
    /// written.
    #[inline]
    pub fn count_written(&mut self, units: u32) {
        self.stats.units_written += u64::from(units);
        self.stats.bytes_written += u64::from(units) * self.layout.unit.get();
    }

    /// Returns the number of mapping units of one program of stream `stream`: a page row in SLC mode, else a full
    /// program.
    #[inline]
    pub fn program_units_of(&self, stream: usize) -> u32 {
        if self.space.is_one_bit(stream) { self.layout.row_units } else { self.layout.program_units }
    }

    /// Returns the physical number of the first mapping unit of the page row (pages of one number on all planes) that
    /// flash operation `of` addresses.
    #[inline]
    pub fn first_unit(&self, of: &Transaction) -> u64 {
        let superblock = self.space.global(of.die.index(), of.superblock) as u32;
        self.layout.first_ppa(superblock) + u64::from(of.row * self.layout.row_units)
    }

    /// Returns the physical addresses of the mapping units that flash read `read` asks for.
    #[inline]
    pub fn units_of(&self, read: &Transaction) -> impl Iterator<Item = Ppa> + use<> {
        places(self.first_unit(read), read.mask)
    }

    /// Returns the first page row (pages of one number on all planes) of `rows` (numbered over the drive) that holds a
    /// valid unit, with the mask of its valid units.
    #[inline]
    pub fn first_row(&self, rows: Range<u32>) -> Option<(u32, u64)> {
        let units = self.layout.row_units;
        for row in rows {
            let mask = self.map.valid_mask(self.layout.first_of_row(row), units);
            if mask != 0 {
                return Some((row, mask));
            }
        }
        None
    }

    /// Clears, for a superblock that is erased, the old addresses in it from the sources of programs in flight, which
    /// move units out of it: otherwise a unit that is written there next could be taken for the moved one.
    pub fn forget_copies(&mut self, superblock: usize) {
        if std::mem::take(&mut self.space.overtaken[superblock]) {
            let first = self.layout.first_ppa(superblock as u32);
            self.programs.forget_from(first, self.layout.superblock_units);
        }
    }

    /// Adds `times` times the program/erase cycles in `worn` to the wear of every block, without erasing, and updates
    /// the superblocks' cycle counts: as if a series of erases were repeated.
    pub fn wear_on(&mut self, worn: &[u32], times: u32) {
        self.array.wear_on(worn, times);
        for (global, cycles) in self.space.pe_cycles.iter_mut().enumerate() {
            let (die, superblock) = (global as u32 / self.space.per_die, global as u32 % self.space.per_die);
            *cycles = self.array.pe_cycles(die, superblock);
        }
    }

    /// Returns the number of bytes of the simulator's memory that the core state of the translation layer takes: map,
    /// superblock states, flash array and spare areas.
    pub fn bytes(&self) -> usize {
        let spare = self.spare.as_ref().map_or(0, |spare| spare.bytes());
        self.map.bytes() + self.space.bytes() + self.array.bytes() + spare
    }
}
