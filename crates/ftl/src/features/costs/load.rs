//! What is known of a die's load, and what waits there to be written.

use crate::regulator::{Candidate, WriteView};
use crate::streams::STREAMS_MOST;
use controller::Origin;
use std::collections::VecDeque;
use units::{Lpn, Nanos, SimTime};

/// Constant: special value, in place of a write cost (way to program a page), of a stream for whose next program no
/// write cost has been chosen yet. A stream is a write frontier: the open superblock for one kind of data.
pub(super) const NO_COST: u8 = u8::MAX;

/// State of one die for the cost regulator: the times between host operations on the die, the queue of mapping units to
/// be rewritten for faster reads, and the write cost (way to program a page) chosen for each stream's next program.
#[derive(Clone, Debug)]
pub(super) struct DieLoad {
    last: SimTime,
    /// Number of host operations on the die so far, counted only up to two: from two on there is a mean time between
    /// operations.
    seen: u8,
    gap_ns: u64,
    /// Queue of the die's mapping units that the cost regulator wants to be programmed again with another write cost
    /// (way to program a page), so that later reads take less time.
    pub rewrites: VecDeque<Lpn>,
    /// For each stream (write frontier of the die), the index of the finest (most precise) write cost chosen for the
    /// units collected for the stream's next program; `NO_COST` if none was chosen yet.
    pub pending: [u8; STREAMS_MOST],
}

impl DieLoad {
    /// Constant: initial value of a die's state for the cost regulator: the load of a die that has had no host
    /// operation and on which no unit waits to be programmed again for faster reads.
    pub const IDLE: Self = Self {
        last: SimTime::ZERO,
        seen: 0,
        gap_ns: 0,
        rewrites: VecDeque::new(),
        pending: [NO_COST; STREAMS_MOST],
    };

    /// Makes the view that the cost regulator gets when a unit is written to the die: origin, candidate write costs
    /// (ways to program a page) and the die's host load. The facts about the unit itself are still unknown; the caller
    /// fills them in.
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

    /// Updates the die's moving average of the time between host operations, on which the cost regulator bases its
    /// choices, when the host sends an operation to the die at time `now`.
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
