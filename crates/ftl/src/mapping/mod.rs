//! How does the drive find a logical unit on the flash, and at what grain?
//!
//! A kind of mapping decides what a write costs: which unit the map knows, what is copied when it changes, what
//! must be read before it can be looked up. All kinds use the same controller, dies, bus, blocks and buffer.

use crate::Layout;
use crate::flash_map::MapOnFlash;
use bank::BlockRules;
use zoning::{ZoneRules, Zoning};

/// Why a kind of mapping does not fit a drive: its parameter and what was expected.
pub type Misfit = (&'static str, String);

/// The kind of translation layer to be built.
pub enum Plan {
    /// A map of mapping units, all of it in RAM unless a map on flash is given.
    Pages(Option<MapOnFlash>),
    /// Map of blocks, with log blocks that follow these rules.
    Blocks(Box<dyn BlockRules>),
    /// Zones, which these rules place on the flash.
    Zones(Zoning, Box<dyn ZoneRules>),
}

/// A kind of mapping: checks that a drive can have it, and gives the translation layer that it needs.
pub trait MappingKind: Send {
    /// Looks at the drive's layout, and takes from it the room that the map itself needs on flash.
    ///
    /// # Errors
    /// When the kind cannot work on this layout, with the parameter to blame.
    fn fit(&self, _layout: &mut Layout) -> Result<(), Misfit> {
        Ok(())
    }

    /// Returns the number of bytes of simulator state that the kind takes beside two arrays of places and the
    /// validity of each unit.
    fn bytes_beside(&self, _layout: &Layout) -> u64 {
        0
    }

    /// Returns the translation layer that the kind needs on a drive of this layout.
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
