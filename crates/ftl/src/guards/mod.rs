//! What takes part in writes and reads of the flash without owning them: each is there only on a drive that has the
//! feature, keeps an account of its own, and is asked by `media` at its places.

pub(crate) mod demand;

use demand::Demand;

/// The guards of a drive.
pub(crate) struct Guards {
    /// Which entries of the map are in RAM, where not all are.
    pub demand: Option<Box<Demand>>,
}

impl Guards {
    /// Bytes of state.
    pub fn bytes(&self) -> usize {
        self.demand.as_ref().map_or(0, |demand| demand.bytes())
    }
}
