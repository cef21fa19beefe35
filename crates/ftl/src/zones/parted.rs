//! Which superblocks of a die are for zones, and which for the units of namespaces without zones: parted once, when the drive is
//! made, so that neither side takes the other's. Each gets what it needs, and what is over is parted by their sizes.

use super::ZoneMapped;
use nand::FlashArray;

/// Record of the numbers of superblocks that each die of a zoned drive needs for zones and for units outside of zones,
/// by which the die's good superblocks are divided between the two.
pub(super) struct Parting {
    /// Number of superblocks of each die that the zones need when all of them are full.
    pub of_zones: u32,
    /// Number of superblocks of each die that units outside of zones need to be overwritten without end: superblocks
    /// that the units fill, and superblocks that garbage collection keeps free, open or in hand.
    of_pages: u32,
    /// Number of logical units that are mapped one by one, outside of zones; 0 on a drive that has only zones.
    units_of_pages: u64,
    /// Number of logical units in zones.
    units_of_zones: u64,
    /// Number of superblocks of a die, lost ones among them.
    all: u32,
}

impl Parting {
    /// Makes the record of the numbers of superblocks that each die needs for zones and for units outside of zones.
    pub fn of(layer: &ZoneMapped) -> Self {
        let (parts, groups) = (layer.parts_of_zone(), layer.layout().dies / layer.zoning.width);
        let of_zones = match layer.rules.takes_all() {
            true => layer.zoning.count.div_ceil(groups) * parts,
            false => (layer.zoning.count * parts).div_ceil(groups),
        };
        let core = &layer.pages.media.core;
        let of_die = layer.zoning.beside.div_ceil(layer.layout().dies) + layer.layout().program_units;
        Self {
            of_zones,
            of_pages: of_die.div_ceil(core.useful_units().max(1)) + core.reserved_superblocks(),
            units_of_pages: u64::from(layer.zoning.beside),
            units_of_zones: u64::from(layer.zoning.count) * u64::from(layer.zoning.capacity),
            all: layer.layout().superblocks_per_die,
        }
    }

    /// Returns the number, within a die, of the first superblock that is for zones: those before it are for units that
    /// are mapped one by one.
    ///
    /// # Errors
    /// When the die has too few good superblocks for both; the string of the error message says what to change.
    pub fn first_of_zones(&self, array: &FlashArray, die: u32) -> Result<u32, String> {
        let Self { of_zones, of_pages, units_of_pages, units_of_zones, all } = *self;
        if units_of_pages == 0 {
            return Ok(0);
        }
        let good: Vec<u32> = (0..all).filter(|&at| array.is_whole(die, at)).collect();
        let Some(over) = (good.len() as u32).checked_sub(of_pages + of_zones) else {
            return Err(format!(
                "this drive cannot hold its zones beside {units_of_pages} other mapping units: of the {} good superblocks of \
                 a die zones need {of_zones}, and the other units {of_pages} with what garbage collection keeps free, open or \
                 in hand; give the drive more blocks, set ftl.op_ratio higher, or make namespaces smaller",
                good.len(),
            ));
        };
        let more = u64::from(over) * units_of_zones / (units_of_pages + units_of_zones);
        let first = good.len() - (of_zones + more as u32) as usize;
        Ok(good.get(first).copied().unwrap_or(all))
    }
}
