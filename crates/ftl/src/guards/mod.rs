//! What takes part in writes and reads of the flash without owning them: each is there only on a drive that has the
//! feature, keeps an account of its own, and is asked by `media` at its places.

mod dead_dies;
pub(crate) mod demand;
pub(crate) mod labels;
pub(crate) mod ordering;
pub(crate) mod power;
mod rebuilds;
pub(crate) mod regulation;
mod scars;
pub(crate) mod sectors;
pub(crate) mod slc_cache;
pub(crate) mod snapshots;
mod stripes;
pub(crate) mod trims;

pub(crate) use dead_dies::DeadDies;
pub(crate) use rebuilds::{Rebuild, Rebuilds};
pub(crate) use scars::Remains;
pub use stripes::Stripes;
pub(crate) use stripes::{Phase, members};

use demand::Demand;
use ordering::Ordering;
use power::Power;
use regulation::Regulation;
use sectors::Sectors;
use slc_cache::SlcCache;
use snapshots::Snapshots;
use trims::Trims;

/// The guards of a drive.
pub(crate) struct Guards {
    /// Costs of writes and reads, where the drive has a code.
    pub regulation: Option<Box<Regulation>>,
    /// Which entries of the map are in RAM, where not all are.
    pub demand: Option<Box<Demand>>,
    /// Which superblocks protect each other, where any do.
    pub parity: Option<Box<Stripes>>,
    /// What could not be read, and what is being done about it.
    pub rebuilds: Rebuilds,
    /// Snapshots of the logical drive, where they may be taken.
    pub snapshots: Option<Box<Snapshots>>,
    /// Which open superblock a program goes to, where that is a question.
    pub ordering: Option<Box<Ordering>>,
    /// What is known of sectors, where it is.
    pub sectors: Option<Box<Sectors>>,
    /// Superblocks with one bit a cell, where there can be some.
    pub slc_cache: Option<Box<SlcCache>>,
    /// What is found again after a power cut, where there are such.
    pub power: Option<Box<Power>>,
    /// Records of trims, where no power cut may bring back what was trimmed.
    pub trims: Option<Box<Trims>>,
    /// A die that is dead, or `NONE`: then the drive is read-only, and moves nothing any more.
    pub failed_die: u32,
    /// Dies that have failed since.
    pub dead: DeadDies,
}

impl Guards {
    /// Bytes of state.
    pub fn bytes(&self) -> usize {
        self.regulation.as_ref().map_or(0, |regulation| regulation.bytes())
            + self.parity.as_ref().map_or(0, |stripes| stripes.bytes())
            + self.snapshots.as_ref().map_or(0, |snapshots| snapshots.bytes())
            + self.demand.as_ref().map_or(0, |demand| demand.bytes())
            + self.sectors.as_ref().map_or(0, |sectors| sectors.bytes())
            + self.power.as_ref().map_or(0, |power| power.bytes())
            + self.trims.as_ref().map_or(0, |trims| trims.bytes())
    }
}
