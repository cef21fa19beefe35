//! Where units lie on the flash, by numbers alone.

use units::{Lpn, Ppa};

/// Record that is the checker's description of a drive's flash: its sizes in mapping units. Physical addresses (PPA)
/// count mapping units die after die, superblock after superblock, page row after page row.
#[derive(Clone, Debug)]
pub struct FlashShape {
    /// Size of a mapping unit in bytes, in the checker's description of the drive's flash.
    pub unit_bytes: u64,
    /// Number of dies of the drive.
    pub dies: u32,
    /// Number of superblocks of each die, in the checker's description of the drive's flash.
    pub superblocks_per_die: u32,
    /// Number of page rows of a superblock, in the checker's description of the flash; a page row has one page on each
    /// of the planes that operate together.
    pub rows: u32,
    /// Number of page rows of a superblock in SLC mode, which is its number of wordlines.
    pub one_bit_rows: u32,
    /// Number of mapping units in a page row (multi-plane page), in the checker's description of the drive's flash.
    pub row_units: u32,
    /// Number of mapping units in a flash page, in the checker's description of the drive's flash.
    pub page_units: u32,
    /// Number of planes that operate together in multi-plane operations, in the checker's description of the drive's
    /// flash.
    pub planes: u32,
    /// Number of mapping units that the host can address, in the checker's description of the drive.
    pub logical_units: u32,
    /// Number of mapping units, beyond the host's, that hold the mapping table where the table lies on flash; in the
    /// checker's description of the drive.
    pub map_units: u32,
}

impl FlashShape {
    /// Returns the number of superblocks of the drive, by the checker's description of its flash.
    pub(crate) fn superblocks(&self) -> usize {
        self.dies as usize * self.superblocks_per_die as usize
    }

    /// Returns the number of mapping units that a superblock holds.
    pub(crate) fn superblock_units(&self) -> u32 {
        self.rows * self.row_units
    }

    /// Returns the number of mapping units that all superblocks of the drive hold, bad blocks included, by the
    /// checker's description of the flash.
    pub(crate) fn physical_units(&self) -> usize {
        self.superblocks() * self.superblock_units() as usize
    }

    /// Returns the number of logical units that can be written, by the checker's description of the drive: units of the
    /// host and units of the mapping table.
    pub(crate) fn written_units(&self) -> u64 {
        u64::from(self.logical_units) + u64::from(self.map_units)
    }

    /// Returns true if `lpn` is a unit that the host can address, false if it is a unit of the drive's mapping table on
    /// flash.
    pub(crate) fn is_host_unit(&self, lpn: Lpn) -> bool {
        lpn.0 < self.logical_units
    }

    /// Returns the superblock that contains physical address `ppa`, by the checker's description of the flash;
    /// superblocks are numbered over the whole drive.
    pub(crate) fn superblock_of(&self, ppa: Ppa) -> usize {
        (ppa.0 / u64::from(self.superblock_units())) as usize
    }

    /// Returns the page row (multi-plane page), within its superblock, of physical address `ppa`, by the checker's
    /// description of the flash.
    pub(crate) fn row_of(&self, ppa: Ppa) -> u32 {
        (ppa.0 % u64::from(self.superblock_units())) as u32 / self.row_units
    }

    /// Returns the first physical address in `superblock`, numbered over the whole drive, by the checker's description
    /// of the flash.
    pub(crate) fn first_ppa(&self, superblock: usize) -> u64 {
        superblock as u64 * u64::from(self.superblock_units())
    }

    /// Returns the first page row on the wordline of page row `row` in a superblock that is not in SLC mode. The pages
    /// of a wordline have consecutive rows.
    pub(crate) fn first_row_of_wordline(&self, row: u32) -> u32 {
        row - row % (self.rows / self.one_bit_rows)
    }
}
