//! What takes part in writes and reads of the flash without owning them: each is there only on a drive that has the
//! feature, keeps an account of its own, and is asked by `media` at its places.

pub(crate) mod demand;
pub(crate) mod regulation;

use demand::Demand;
use regulation::Regulation;

/// The guards of a drive.
pub(crate) struct Guards {
    /// Costs of writes and reads, where the drive has a code.
    pub regulation: Option<Box<Regulation>>,
    /// Which entries of the map are in RAM, where not all are.
    pub demand: Option<Box<Demand>>,
}

impl Guards {
    /// Bytes of state.
    pub fn bytes(&self) -> usize {
        self.regulation.as_ref().map_or(0, |regulation| regulation.bytes())
            + self.demand.as_ref().map_or(0, |demand| demand.bytes())
    }
}
