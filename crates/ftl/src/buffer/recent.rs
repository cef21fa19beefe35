//! Which units were written lately: units that are written again are worth keeping.
//!
//! The set is emptied when its time is over, as MQSim empties its filter; a unit is new when it is not in it.

use crate::Layout;
use engine::large_array;
use units::{Lpn, Nanos, SimTime};

/// The units written since the set was last emptied.
pub(crate) struct Recent {
    period: Nanos,
    /// The round in which each unit was written last; rounds count from 1.
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

    /// Returns the number of bytes of state.
    pub fn bytes(&self) -> usize {
        4 * self.rounds.len()
    }

    /// True when `lpn`, which is being written, was not written lately.
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
