//! How does the drive find a logical unit on the flash, and at what grain?
//!
//! A kind of mapping decides what a write costs: which unit the map knows, what is copied when it changes, what
//! must be read before it can be looked up. All kinds use the same controller, dies, bus, blocks and buffer.

use crate::Layout;
use crate::flash_map::MapOnFlash;
use bank::BlockRules;
use zoning::{ZoneRules, Zoning};

/// Type of the reason why a kind of mapping does not fit a drive: the configuration key at fault, and a text with the
/// expected value.
pub type Misfit = (&'static str, String);

/// Kind of flash translation layer that a drive's mapping needs: page-mapped, block-mapped or zoned.
pub enum Plan {
    /// Case of flash translation layer: page-mapped, with an entry for each mapping unit; the map is wholly in RAM
    /// unless a map on flash is given.
    Pages(Option<MapOnFlash>),
    /// Case of flash translation layer: block-mapped, with rules that choose log blocks and merges.
    Blocks(Box<dyn BlockRules>),
    /// Case of flash translation layer: zoned, with the zones of the drive, and the rules that place them on the dies.
    Zones(Zoning, Box<dyn ZoneRules>),
}

/// Trait of a kind of mapping (`ftl.mapping`): checks that a drive can have the mapping, and chooses the flash
/// translation layer.
pub trait MappingKind: Send {
    /// Checks that the mapping fits the drive's layout, and adapts the layout: reserves the flash space that the map
    /// itself needs or, for zones, cuts the logical units to whole zones.
    ///
    /// # Errors
    /// When the kind cannot work on this layout, with the parameter to blame.
    fn fit(&self, _layout: &mut Layout) -> Result<(), Misfit> {
        Ok(())
    }

    /// Returns the number of bytes of simulator memory that the mapping takes beside the forward map, the backward map
    /// and the validity bits.
    fn bytes_beside(&self, _layout: &Layout) -> u64 {
        0
    }

    /// Returns the plan of the flash translation layer for a drive of this layout: the kind of layer that the mapping
    /// needs (page-mapped, block-mapped or zoned), with the settings and rules of that kind.
    fn plan(&self, layout: &Layout) -> Plan;
}

pub(crate) mod bank;
mod span;
pub(crate) mod zoning;

config::policies! {
    seam: "ftl.mapping",
    question: "How does the drive find a logical unit on the flash, and at what grain?",
    default: "page",
    dyn MappingKind;
    bast::Bast,
    birrell::Birrell,
    block::BlockCopy,
    dftl::Dftl,
    fast::Fast,
    page::Page,
    replacement::Replacement,
    zoned_all::ZonedAll,
    zoned_on_write::ZonedOnWrite,
    zoned_width::ZonedWidth,
}
