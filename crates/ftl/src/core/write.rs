//! How units join the open superblock of a stream, fill program units and go to the flash.

use super::Core;
use crate::events;
use engine::{Calendar, Event};
use units::Nanos;

impl Core {
    /// Returns true if the program unit of any die is partly filled with host data.
    #[inline]
    pub fn is_assembling(&self) -> bool {
        self.assembly.is_filling()
    }

    /// Returns true if host data are filling a program unit of the die in the same stream that folded data (moved out
    /// of SLC mode) join.
    pub fn is_host_filling(&self, die: usize) -> bool {
        let host = self.assembly.streams.of_host();
        self.assembly.lanes.iter().any(|lane| lane.current == die as u32 && lane.stream == host)
    }

    /// Sets the flush timer of a lane (collector of one stream's host data), so that the lane's partial program unit is
    /// padded and programmed at the latest `flush_after` from now; an earlier time that is already set stays.
    pub fn arm_flush(&mut self, lane: usize, flush_after: Nanos, calendar: &mut Calendar) {
        let due = calendar.now() + flush_after;
        let lane = &mut self.assembly.lanes[lane];
        if due < lane.flush_due {
            lane.flush_due = due;
            calendar.schedule_timer(due, Event { kind: events::FLUSH, index: 0 });
        }
    }
}
