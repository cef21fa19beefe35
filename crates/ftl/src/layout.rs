//! How mapping units lie on the flash, and how many of them the host may use.

use config::{ConfigError, Section, above};
use controller::ControllerConfig;
use nand::{Geometry, ProgramOrder};
use units::{Bytes, Lpn, Ppa, units_in};

/// Constant: size of a sector in bytes, 512.
pub(crate) const SECTOR: u64 = 512;
/// Returns the number of bytes of the sectors in a bit mask of sectors.
pub(crate) fn sector_bytes(mask: u64) -> u32 {
    mask.count_ones() * SECTOR as u32
}

/// Constant: number of mapping units on flash from which on 32-bit addresses are too few, so that the map takes an
/// additional byte for each logical unit.
const NARROW_UNITS: u64 = u32::MAX as u64;
/// Constant: limit of the number of mapping units on flash, set by 40-bit addresses; a drive must have fewer.
const UNITS_MOST: u64 = (1 << 40) - 1;
/// Constant: size in bytes of an entry of the logical-to-physical map on flash, 4; only the settings of the mapping
/// DFTL may give another size.
pub(crate) const ENTRY_BYTES: u64 = 4;

/// Record of the geometry of the drive in mapping units. A physical page address (PPA) is the number of a mapping unit
/// on flash, counted die after die, superblock after superblock, page row after page row (a page row: the pages of one
/// number on the planes that operate together), plane after plane, unit after unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Size of a mapping unit in bytes.
    pub unit: Bytes,
    /// Number of dies of the drive.
    pub dies: u32,
    /// List of four counts: channels of the drive, ways of a channel, dies of a way, and planes of a die that operate
    /// separately.
    pub shape: [u32; 4],
    /// Number of planes of a die that operate together.
    pub planes: u32,
    /// Number of mapping units in a page.
    pub units_per_page: u32,
    /// Number of mapping units in a page row (the pages of one number on the planes that operate together), at most 64.
    pub row_units: u32,
    /// Number of page rows in a superblock; a page row consists of the pages of one number on the planes that operate
    /// together.
    pub rows: u32,
    /// Number of page rows in a superblock in SLC mode (one bit per cell): one for each wordline.
    pub slc_rows: u32,
    /// Number of page rows that one program operation writes.
    pub program_rows: u32,
    /// Number of mapping units that one program operation writes.
    pub program_units: u32,
    /// Number of mapping units in a superblock.
    pub superblock_units: u32,
    /// Number of superblocks of a die, including those lost to bad blocks.
    pub superblocks_per_die: u32,
    /// Number of mapping units that the host can address.
    pub logical_units: u32,
    /// Number of mapping units, with logical numbers after the host's, for data that the drive itself stores on flash:
    /// the logical-to-physical map with the directory and log of its checkpoints, and the records of trims; 0 if it
    /// stores none of these.
    pub translation_units: u32,
    /// Number of mapping units at the end of a superblock that hold a summary (logical numbers and write numbers) of
    /// its other units, for recovery; a multiple of the program unit.
    pub summary_units: u32,
}

impl Layout {
    /// Returns the first page row of the wordline to which page row `row` belongs; the pages of a wordline have
    /// consecutive numbers.
    pub fn first_row_of_wordline(&self, row: u32) -> u32 {
        row - row % (self.rows / self.slc_rows)
    }

    /// Reads `ftl.mapping_unit` and either `ftl.op_ratio` or `ftl.user_capacity`, and makes the layout.
    ///
    /// # Errors
    /// When the mapping unit does not divide the page or is too small, or the host would get no capacity or more than
    /// there is.
    pub fn read(
        ftl: &mut Section,
        geometry: &Geometry,
        controller: &ControllerConfig,
    ) -> Result<Self, ConfigError> {
        let unit: Bytes = ftl.or("mapping_unit", Bytes::new(4096), "bytes covered by one map entry")?;
        let page = geometry.page_size.get();
        if unit.get() < 512 || !unit.get().is_multiple_of(512) || !page.is_multiple_of(unit.get()) {
            let expected =
                format!("expected a multiple of 512 bytes that divides the page of {}", geometry.page_size);
            return Err(ftl.reject("mapping_unit", &expected));
        }
        let planes = if controller.multi_plane { geometry.planes } else { 1 };
        let units_per_page = (page / unit.get()) as u32;
        let row_units = units_per_page * planes;
        if row_units > 64 {
            let expected = format!(
                "expected at most 64 mapping units in a page row; {planes} planes of {} hold {row_units}",
                geometry.page_size
            );
            return Err(ftl.reject("mapping_unit", &expected));
        }
        let program_rows = match geometry.program {
            ProgramOrder::Page => 1,
            ProgramOrder::OneShot => geometry.cell.bits(),
        };
        let superblock_units = u64::from(row_units) * u64::from(geometry.pages_per_block);
        let superblocks_per_die = geometry.blocks_per_die() / planes;
        let physical = superblock_units * u64::from(superblocks_per_die) * u64::from(geometry.dies());
        let rows = physical / u64::from(row_units);
        if physical >= UNITS_MOST || rows >= u64::from(u32::MAX) {
            let expected = format!(
                "expected fewer than 2^40 - 1 physical mapping units in fewer than 2^32 - 1 page rows; there are {physical} in \
                 {rows}: use a larger unit, or larger pages"
            );
            return Err(ftl.reject("mapping_unit", &expected));
        }
        let logical = read_logical_units(ftl, physical, unit)?;
        Ok(Self {
            unit,
            dies: geometry.dies(),
            shape: [geometry.channels, geometry.ways, geometry.dies_per_way, geometry.planes / planes],
            planes,
            units_per_page,
            row_units,
            rows: geometry.pages_per_block,
            slc_rows: geometry.pages_per_block / geometry.cell.bits(),
            program_rows,
            program_units: program_rows * row_units,
            superblock_units: superblock_units as u32,
            superblocks_per_die,
            logical_units: logical as u32,
            translation_units: 0,
            summary_units: 0,
        })
    }

    /// Returns the capacity that the host sees, in bytes.
    pub fn capacity(&self) -> Bytes {
        Bytes::new(u64::from(self.logical_units) * self.unit.get())
    }

    /// Returns the number of logical mapping units that are ever written: units of the host, and units of the drive's
    /// own (its map and its records of trims on flash).
    pub fn written_units(&self) -> u64 {
        u64::from(self.logical_units) + u64::from(self.translation_units)
    }

    /// Returns the number of units of a superblock that count as usable space. The padding of a victim's last program
    /// is left out: then, as valid units never fill all usable space, some victim always frees more space than its
    /// relocation takes.
    pub fn useful_units(&self) -> u32 {
        self.data_units() - self.program_units + 1
    }

    /// Returns the greatest number of valid units that the dies of the drive can hold together in steady state if each
    /// die keeps `kept` superblocks free or open and no block is bad.
    pub(crate) fn sustainable_at_best(&self, kept: u32) -> u64 {
        let filled =
            u64::from(self.superblocks_per_die.saturating_sub(kept)) * u64::from(self.useful_units());
        (filled * u64::from(self.dies)).saturating_sub(u64::from(self.dies) * u64::from(self.program_units))
    }

    /// Returns the number of map entries that one mapping unit on flash holds.
    pub(crate) fn entries_per_unit(&self) -> u32 {
        (self.unit.get() / ENTRY_BYTES) as u32
    }

    /// Returns the number of mapping units that the whole map takes on flash.
    pub(crate) fn map_units(&self) -> u32 {
        self.logical_units.div_ceil(self.entries_per_unit())
    }

    /// Returns the number of mapping units of a directory that holds the physical addresses of the map's units.
    pub(crate) fn directory_units(&self) -> u32 {
        self.map_units().div_ceil(self.entries_per_unit())
    }

    /// Returns the number of mapping units in a superblock that hold data, without the summary.
    #[inline]
    pub fn data_units(&self) -> u32 {
        self.superblock_units - self.summary_units
    }

    /// Returns the number of mapping units in a superblock in SLC mode (one bit per cell).
    #[inline]
    pub fn slc_units(&self) -> u32 {
        self.slc_rows * self.row_units
    }

    /// Returns true if logical unit `lpn` holds host data, false if it holds data of the drive's own, such as a part of
    /// the map or a record of trims.
    #[inline]
    pub fn is_host_unit(&self, lpn: Lpn) -> bool {
        lpn.0 < self.logical_units
    }

    /// Returns the number of mapping units on the flash, including the units in bad blocks.
    pub fn physical_units(&self) -> usize {
        self.physical_units_reckoned() as usize
    }

    /// Returns the number of mapping units on the flash as 64 bits, also for a drive that is too large for the memory
    /// of this machine.
    pub fn physical_units_reckoned(&self) -> u64 {
        u64::from(self.dies) * u64::from(self.superblocks_per_die) * u64::from(self.superblock_units)
    }

    /// Returns the number of superblocks of the drive.
    pub fn superblocks(&self) -> usize {
        self.dies as usize * self.superblocks_per_die as usize
    }

    /// Returns the superblock, numbered over the drive, that holds `ppa`.
    #[inline]
    pub fn superblock_of(&self, ppa: Ppa) -> u32 {
        (ppa.0 / u64::from(self.superblock_units)) as u32
    }

    /// Returns the page row of a physical address, numbered over the drive, and the bit of the unit in a mask of that
    /// row's units.
    #[inline]
    pub fn row_of(&self, ppa: Ppa) -> (u32, u64) {
        let units = u64::from(self.row_units);
        ((ppa.0 / units) as u32, 1 << (ppa.0 % units))
    }

    /// Returns the first physical address (PPA) of a superblock, numbered over the drive.
    #[inline]
    pub fn first_ppa(&self, superblock: u32) -> u64 {
        u64::from(superblock) * u64::from(self.superblock_units)
    }

    /// Returns the first physical address (PPA) of a page row, numbered over the drive.
    #[inline]
    pub fn first_of_row(&self, row: u32) -> u64 {
        u64::from(row) * u64::from(self.row_units)
    }

    /// Returns the page row (the pages of one number on the planes that operate together), numbered over the drive,
    /// that holds `ppa`.
    #[inline]
    pub fn row_number(&self, ppa: Ppa) -> u32 {
        (ppa.0 / u64::from(self.row_units)) as u32
    }

    /// Returns true if 32 bits are too few to number the mapping units on flash.
    pub fn is_wide(&self) -> bool {
        self.physical_units() as u64 >= NARROW_UNITS
    }

    /// Returns the number of flash pages that hold the units in `mask`, a bit mask of units of one page row.
    #[inline]
    pub fn pages_touched(&self, mask: u64) -> u32 {
        if self.units_per_page == 1 || mask.is_power_of_two() {
            return units_in(mask);
        }
        self.units_of_pages(mask).count_ones() / self.units_per_page
    }

    /// Returns the bit mask of all units of the pages that hold the units in `mask`, a bit mask of units of one page
    /// row.
    #[inline]
    pub fn units_of_pages(&self, mask: u64) -> u64 {
        let page = 1u64.checked_shl(self.units_per_page).unwrap_or(0).wrapping_sub(1);
        let (mut rest, mut units) = (mask, 0);
        while rest != 0 {
            let first = rest.trailing_zeros() / self.units_per_page * self.units_per_page;
            units |= page << first;
            rest &= !units;
        }
        units
    }
}

fn read_logical_units(ftl: &mut Section, physical: u64, unit: Bytes) -> Result<u64, ConfigError> {
    let capacity: Option<Bytes> = ftl.optional("user_capacity", "bytes the host sees; or give op_ratio")?;
    let (key, logical) = match capacity {
        Some(capacity) => {
            if ftl.has("op_ratio") {
                return Err(ftl.reject("op_ratio", "expected either op_ratio or user_capacity, not both"));
            }
            ("user_capacity", capacity.get() / unit.get())
        }
        None => {
            let op: f64 = ftl.unit("ratio").within(above(0.0).below(100.0)).or(
                "op_ratio",
                0.07,
                "over-provisioning: (physical - logical) / logical",
            )?;
            ("op_ratio", (physical as f64 / (1.0 + op)) as u64)
        }
    };
    let most = physical.min(NARROW_UNITS - 1);
    if logical == 0 || logical > most {
        let expected = format!(
            "expected 1 to {most} mapping units for the host, {} bytes; this gives {logical}",
            most * unit.get()
        );
        return Err(ftl.reject(key, &expected));
    }
    Ok(logical)
}
