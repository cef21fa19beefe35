//! What tells a die that it has had nothing to do for a while.

use engine::{Calendar, Event};
use units::{Nanos, SimTime};

/// Since when a die has been idle, and which timer events are scheduled for that.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Idle {
    /// Time at which the die last ended its work.
    pub since: SimTime,
    /// Events that are scheduled, by kind: one bit each.
    armed: u64,
}

impl Idle {
    /// True if an event of this kind will come.
    #[inline]
    pub fn is_armed(&self, kind: u8) -> bool {
        self.armed >> kind & 1 == 1
    }

    /// Schedules an event at a time, unless one of its kind will come already.
    #[inline]
    pub fn arm(&mut self, at: SimTime, event: Event, calendar: &mut Calendar) {
        if !self.is_armed(event.kind) {
            self.armed |= 1 << event.kind;
            calendar.schedule_timer(at, event);
        }
    }

    /// Notes that an event of this kind has come. A die that is at work schedules the next one when its work
    /// ends.
    pub fn disarm(&mut self, kind: u8) {
        self.armed &= !(1 << kind);
    }

    /// Called at `event`, while the die is idle: true when the die has been idle for `wait`. Else schedules the event
    /// again, for the end of that time.
    pub fn has_lasted(&mut self, wait: Nanos, event: Event, calendar: &mut Calendar) -> bool {
        let due = self.since + wait;
        if due > calendar.now() {
            self.arm(due, event, calendar);
        }
        due <= calendar.now()
    }
}
