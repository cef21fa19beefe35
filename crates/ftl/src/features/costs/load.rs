//! What is known of a die's load, and what waits there to be written.

use crate::regulator::{Candidate, WriteView};
use crate::streams::STREAMS_MOST;
use controller::Origin;
use std::collections::VecDeque;
use units::{Lpn, Nanos, SimTime};

/// Value of a stream's pending write cost while no cost has been chosen yet for a unit of the stream's next program.
pub(super) const NO_COST: u8 = u8::MAX;

/// Host load of one die as the cost regulator sees it, with the units that wait on the die to be rewritten.
#[derive(Clone, Debug)]
pub(super) struct DieLoad {
    last: SimTime,
    /// Number of host operations on the die so far, counted up to two.
    seen: u8,
    gap_ns: u64,
    /// Mapping units that wait on the die to be rewritten because the cost regulator asked for that.
    pub rewrites: VecDeque<Lpn>,
    /// For each stream, the finest write cost chosen for the units collected for the stream's next program; `NO_COST`
    /// if none was chosen yet.
    pub pending: [u8; STREAMS_MOST],
}

impl DieLoad {
    /// Load of a die that has had no host operation yet.
    pub const IDLE: Self = Self {
        last: SimTime::ZERO,
        seen: 0,
        gap_ns: 0,
        rewrites: VecDeque::new(),
        pending: [NO_COST; STREAMS_MOST],
    };

    /// Makes the view that the cost regulator gets of the die's load and of a unit about which nothing is known yet.
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

    /// Updates the die's mean gap between host operations for an operation that the host sends to the die now.
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
