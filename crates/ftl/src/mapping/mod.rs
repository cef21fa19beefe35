//! How does the drive find a logical unit on the flash, and at what grain?
//!
//! A kind of mapping decides what a write costs: which unit the map knows, what is copied when it changes, what
//! must be read before it can be looked up. All kinds use the same controller, dies, bus, blocks and buffer.

use crate::{Ftl, FtlConfig, Layout, RegulationParts};
use controller::Controller;
use nand::FlashArray;

/// What a translation layer is built from.
pub struct Parts<'a> {
    /// `[ftl]`, read.
    pub config: &'a FtlConfig,
    /// The blocks.
    pub array: FlashArray,
    /// Dies and channels.
    pub controller: Controller,
    /// Programs that may wait at a die.
    pub program_queue: u32,
    /// Data may move inside a plane.
    pub copyback: bool,
    /// Code, error model and what costs are reckoned from; a kind that does not heed them must refuse a code.
    pub regulation: RegulationParts,
    /// Everything random follows from it.
    pub seed: u64,
}

/// Why a kind of mapping does not fit a drive: its parameter and what was expected.
pub type Misfit = (&'static str, String);

/// A kind of mapping: says whether a drive can have it, and builds the translation layer.
pub trait MappingKind: Send {
    /// Looks at the drive's layout, and takes from it the room that the map itself needs on flash.
    ///
    /// # Errors
    /// When the kind cannot work on this layout, with the parameter to blame.
    fn fit(&self, _layout: &mut Layout) -> Result<(), Misfit> {
        Ok(())
    }

    /// True when the layer can have superblocks with one bit a cell.
    fn can_have_slc_cache(&self) -> bool {
        false
    }

    /// True when the layer can keep what was overwritten, for snapshots of the logical drive.
    fn can_snapshot(&self) -> bool {
        false
    }

    /// Bytes of state that the kind takes beside two arrays of places and the validity of each unit.
    fn bytes_beside(&self, _layout: &Layout) -> u64 {
        0
    }

    /// A fresh translation layer.
    ///
    /// # Errors
    /// When the drive could not sustain writes; the text says why and what would help.
    fn build(&self, parts: Parts<'_>) -> Result<Ftl, String>;
}

mod span;

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
}
