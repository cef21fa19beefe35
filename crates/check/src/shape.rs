//! Where units lie on the flash, by numbers alone.

use units::{Lpn, Ppa};

/// A drive in mapping units. Places count units: die after die, superblock after superblock, page row after page row.
#[derive(Clone, Debug)]
pub struct FlashShape {
    /// Bytes of a mapping unit.
    pub unit_bytes: u64,
    /// Dies of the drive, and superblocks of each.
    pub dies: u32,
    /// See `dies`.
    pub superblocks_per_die: u32,
    /// Page rows of a superblock, and of one whose cells hold one bit each: one for each wordline.
    pub rows: u32,
    /// See `rows`.
    pub one_bit_rows: u32,
    /// Mapping units of a page row, and mapping units of each page in the row.
    pub row_units: u32,
    /// See `row_units`.
    pub page_units: u32,
    /// Planes that operate together.
    pub planes: u32,
    /// Units that the host sees, and units beyond those, which hold the map where it lies on flash.
    pub logical_units: u32,
    /// See `logical_units`.
    pub map_units: u32,
}

impl FlashShape {
    /// Returns the number of superblocks of the drive.
    pub(crate) fn superblocks(&self) -> usize {
        self.dies as usize * self.superblocks_per_die as usize
    }

    /// Returns the number of units of a superblock.
    pub(crate) fn superblock_units(&self) -> u32 {
        self.rows * self.row_units
    }

    /// Returns the number of units on the flash, bad blocks included.
    pub(crate) fn physical_units(&self) -> usize {
        self.superblocks() * self.superblock_units() as usize
    }

    /// Returns the number of units that are ever written.
    pub(crate) fn written_units(&self) -> u64 {
        u64::from(self.logical_units) + u64::from(self.map_units)
    }

    /// True for a unit of the host's, false for one that the drive keeps for itself.
    pub(crate) fn is_host_unit(&self, lpn: Lpn) -> bool {
        lpn.0 < self.logical_units
    }

    /// Returns the superblock that holds a place, numbered over the drive.
    pub(crate) fn superblock_of(&self, ppa: Ppa) -> usize {
        (ppa.0 / u64::from(self.superblock_units())) as usize
    }

    /// Returns the page row of a place within its superblock.
    pub(crate) fn row_of(&self, ppa: Ppa) -> u32 {
        (ppa.0 % u64::from(self.superblock_units())) as u32 / self.row_units
    }

    /// Returns the first place of a superblock numbered over the drive.
    pub(crate) fn first_ppa(&self, superblock: usize) -> u64 {
        superblock as u64 * u64::from(self.superblock_units())
    }

    /// Returns the first page row of the wordline that a row lies on: pages of a wordline are numbered one
    /// after the other.
    pub(crate) fn first_row_of_wordline(&self, row: u32) -> u32 {
        row - row % (self.rows / self.one_bit_rows)
    }
}
