//! What takes part in writes and reads of the flash without owning them: each is there only on a drive that has the
//! feature, keeps an account of its own, and is asked by `media` at its places.

pub(crate) mod demand;
mod rebuilds;
pub(crate) mod regulation;
mod scars;
pub(crate) mod slc_cache;
mod stripes;

pub(crate) use rebuilds::{Rebuild, Rebuilds};
pub(crate) use scars::Remains;
pub use stripes::Stripes;
pub(crate) use stripes::{Phase, members};

use demand::Demand;
use regulation::Regulation;
use slc_cache::SlcCache;

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
    /// Superblocks with one bit a cell, where there can be some.
    pub slc_cache: Option<Box<SlcCache>>,
}

impl Guards {
    /// Bytes of state.
    pub fn bytes(&self) -> usize {
        self.regulation.as_ref().map_or(0, |regulation| regulation.bytes())
            + self.parity.as_ref().map_or(0, |stripes| stripes.bytes())
            + self.demand.as_ref().map_or(0, |demand| demand.bytes())
    }
}
