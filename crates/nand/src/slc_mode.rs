//! Blocks of a chip with several bits a cell, used with one bit a cell: what the chip's file says of it.
//!
//! Not modelled: that such a block keeps its data longer, how its erase may be shorter, and what changing between the
//! modes does to a block beyond its cycles.

use crate::{Cell, Geometry};
use config::{ConfigError, Section, at_least};
use units::Nanos;

/// Parameters of a block that is used in SLC mode (one bit per cell) on a chip with several bits per cell: times of the
/// operations, and wear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlcMode {
    /// Array read time of a page in SLC mode.
    pub t_r: Nanos,
    /// Program time of a page (on each plane that takes part) in SLC mode.
    pub t_prog: Nanos,
    /// Number of erases of a block in SLC mode (one bit per cell) that wear it as much as one program/erase cycle with
    /// all bits per cell.
    pub erases_per_cycle: u32,
    /// True if the chip can move data from SLC blocks to full-density blocks inside the die, without the flash
    /// interface: the pages of as many SLC wordlines as a cell has bits go into one wordline with all bits (folding).
    pub folds_in_die: bool,
}

impl SlcMode {
    /// Reads the times and wear of SLC mode (one bit per cell) from `[nand.slc_mode]`; returns `None` when the chip's
    /// file has no such section: its blocks then have no SLC mode.
    ///
    /// # Errors
    /// When the cells hold one bit anyway, or a value is missing or wrong.
    pub fn read(nand: &mut Section, geometry: &Geometry) -> Result<Option<Self>, ConfigError> {
        let written = nand.has("slc_mode");
        let mut section = nand.child("slc_mode")?;
        if !written {
            return Ok(None);
        }
        let mode = Self {
            t_r: section.required("t_r", "array read time of a page with one bit a cell")?,
            t_prog: section.required("t_prog", "program time of a page with one bit a cell")?,
            erases_per_cycle: section.within(at_least(1u32)).or(
                "erases_per_cycle",
                1u32,
                "erases in this mode that wear a block as much as one program/erase cycle",
            )?,
            folds_in_die: section.or(
                "folds_in_die",
                false,
                "the chip moves pages with one bit a cell to a wordline with all bits without the bus",
            )?,
        };
        if geometry.cell == Cell::Slc {
            return Err(section.reject(
                "t_prog",
                "expected cells of several bits: with `cell = slc` every block \
                                                 holds one bit a cell",
            ));
        }
        section.finish()?;
        Ok(Some(mode))
    }
}
