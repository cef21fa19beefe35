//! Units drawn a little before they are written: the memory that a write needs, some of it in two steps, is fetched while those
//! before it are written. Which units are written, and in which order, stays the same.

use ftl::Ftl;
use units::Lpn;

/// Writes by which memory is prefetched ahead: it answers within this number of them.
const DISTANCE: usize = 32;

/// The next units to be written.
pub(crate) struct UnitsAhead {
    units: [Lpn; DISTANCE],
    at: usize,
}

impl UnitsAhead {
    /// Returns the first requests that `draw` gives.
    pub fn new(mut draw: impl FnMut() -> Lpn) -> Self {
        Self { units: std::array::from_fn(|_| draw()), at: 0 }
    }

    /// Returns the next request, for which another is drawn.
    #[inline]
    pub fn next(&mut self, ftl: &Ftl, draw: impl FnOnce() -> Lpn) -> Lpn {
        let next = std::mem::replace(&mut self.units[self.at], draw());
        ftl.prefetch(self.units[self.at]);
        ftl.prefetch_home(self.units[(self.at + DISTANCE / 2) % DISTANCE]);
        self.at = (self.at + 1) % DISTANCE;
        next
    }
}
