//! What is known of a die's load, and what waits there to be written.

use crate::regulator::{Candidate, WriteView};
use crate::streams::STREAMS_MOST;
use controller::Origin;
use std::collections::VecDeque;
use units::{Lpn, Nanos, SimTime};

/// No unit has asked for a cost yet.
pub(super) const NO_COST: u8 = u8::MAX;

/// The load of a die as a regulator sees it.
#[derive(Clone, Debug)]
pub(super) struct DieLoad {
    last: SimTime,
    /// Host operations so far, up to two.
    seen: u8,
    gap_ns: u64,
    /// Units that wait to be written anew.
    pub rewrites: VecDeque<Lpn>,
    /// Finest cost asked for by the units collected for each stream's next program.
    pub pending: [u8; STREAMS_MOST],
}

impl DieLoad {
    /// The load of a die on which nothing has happened yet.
    pub const IDLE: Self = Self {
        last: SimTime::ZERO,
        seen: 0,
        gap_ns: 0,
        rewrites: VecDeque::new(),
        pending: [NO_COST; STREAMS_MOST],
    };

    /// Returns the view that a regulator gets of a unit of which nothing is known.
    pub fn view<'a>(&self, origin: Origin, now: SimTime, costs: &'a [Candidate]) -> WriteView<'a> {
        WriteView {
            origin,
            first: true,
            previous: None,
            age: None,
            waiting: 0,
            gap: (self.seen > 1).then_some(Nanos::new(self.gap_ns)),
            quiet: now.since(self.last),
            costs,
        }
    }

    /// Notes that an operation of the host goes to the die.
    #[inline]
    pub fn note_host_operation(&mut self, now: SimTime) {
        let gap = now.since(self.last).ns();
        match self.seen {
            0 => self.seen = 1,
            1 => (self.seen, self.gap_ns) = (2, gap),
            _ => self.gap_ns = self.gap_ns - self.gap_ns / 8 + gap / 8,
        }
        self.last = now;
    }
}
