//! Units drawn a little before they are written: the memory that a write needs, some of it in two steps, is fetched while those
//! before it are written. Which units are written, and in which order, stays the same.

use ftl::Ftl;
use units::Lpn;

/// Constant: number of writes by which an ageing run draws logical units before it writes them, so that the units'
/// entries of the logical-to-physical map are in the processor's cache in time.
const DISTANCE: usize = 32;

/// Queue of the logical units that an ageing run will write next, drawn at random in advance so that their entries of
/// the logical-to-physical map can be prefetched.
pub(crate) struct UnitsAhead {
    units: [Lpn; DISTANCE],
    at: usize,
}

impl UnitsAhead {
    /// Makes, for an ageing run, the queue of the logical units to be written next, and fills it with units from
    /// `draw`.
    pub fn new(mut draw: impl FnMut() -> Lpn) -> Self {
        Self { units: std::array::from_fn(|_| draw()), at: 0 }
    }

    /// Returns the logical unit to write next, puts a newly drawn unit in its place, and prefetches entries of the
    /// logical-to-physical map of units later in the queue.
    #[inline]
    pub fn next(&mut self, ftl: &Ftl, draw: impl FnOnce() -> Lpn) -> Lpn {
        let next = std::mem::replace(&mut self.units[self.at], draw());
        ftl.prefetch(self.units[self.at]);
        ftl.prefetch_home(self.units[(self.at + DISTANCE / 2) % DISTANCE]);
        self.at = (self.at + 1) % DISTANCE;
        next
    }
}
