//! What tells a die that it has had nothing to do for a while.

use engine::{Calendar, Event};
use units::{Nanos, SimTime};

/// State of a die's idleness: the time since which the die has been idle, and the idle timers that are scheduled for
/// the die.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Idle {
    /// Time at which the die last became idle: it ended an operation and no other one was left.
    pub since: SimTime,
    /// Bit set of the kinds of idle timer events that are scheduled for the die: one bit for each kind.
    armed: u64,
}

impl Idle {
    /// Returns true if an idle timer event of this kind is scheduled for the die.
    #[inline]
    pub fn is_armed(&self, kind: u8) -> bool {
        self.armed >> kind & 1 == 1
    }

    /// Schedules an idle timer event of the die at time `at`, unless an event of the same kind is already scheduled.
    #[inline]
    pub fn arm(&mut self, at: SimTime, event: Event, calendar: &mut Calendar) {
        if !self.is_armed(event.kind) {
            self.armed |= 1 << event.kind;
            calendar.schedule_timer(at, event);
        }
    }

    /// Notes that the idle timer event of this kind has fired. The die schedules the next one when it becomes idle
    /// again.
    pub fn disarm(&mut self, kind: u8) {
        self.armed &= !(1 << kind);
    }

    /// Checks, when the idle timer event `event` fires, whether the die has been idle for the time `wait`: returns true
    /// if so, and otherwise schedules the event again for the end of that time.
    pub fn has_lasted(&mut self, wait: Nanos, event: Event, calendar: &mut Calendar) -> bool {
        let due = self.since + wait;
        if due > calendar.now() {
            self.arm(due, event, calendar);
        }
        due <= calendar.now()
    }
}
