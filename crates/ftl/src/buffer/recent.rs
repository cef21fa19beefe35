//! Which units were written lately: units that are written again are worth keeping.
//!
//! The set is emptied when its time is over, as MQSim empties its filter; a unit is new when it is not in it.

use crate::Layout;
use engine::large_array;
use units::{Lpn, Nanos, SimTime};

/// Type of the set of the logical units that were written since the set was last emptied. With `keep_rewritten`, the
/// write buffer caches only units that are in the set when they are written again.
pub(crate) struct Recent {
    period: Nanos,
    /// For each logical unit, the number of the period in which the host last wrote the unit, counted from 1; 0 if it
    /// was never written. A period ends when the set of recently written units is emptied.
    rounds: Vec<u32>,
    round: u32,
    until: SimTime,
}

impl Recent {
    pub fn new(period: Nanos, layout: &Layout) -> Option<Box<Self>> {
        (period > Nanos::ZERO).then(|| {
            let rounds = large_array(layout.logical_units as usize, 0);
            Box::new(Self { period, rounds, round: 1, until: SimTime::ZERO })
        })
    }

    /// Returns the size of the set of recently written units in the simulator's memory, in bytes.
    pub fn bytes(&self) -> usize {
        4 * self.rounds.len()
    }

    /// Adds `lpn`, which is being written, to the write buffer's set of recently written units, and returns true when
    /// the unit was not in the set.
    pub fn is_new(&mut self, lpn: Lpn, now: SimTime) -> bool {
        let new = self.rounds[lpn.index()] != self.round;
        self.rounds[lpn.index()] = self.round;
        if now > self.until {
            self.round += 1;
            self.until = now + self.period;
        }
        new
    }
}
