//! What tells a die that it has had nothing to do for a while.

use engine::{Calendar, Event};
use units::{Nanos, SimTime};

/// Since when a die has nothing to do, and which events are to come when that lasts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Idle {
    /// When it had last come to the end of its work.
    pub since: SimTime,
    /// By kind of event, a bit each.
    armed: u64,
}

impl Idle {
    /// An event of this kind will come.
    #[inline]
    pub fn is_armed(&self, kind: u8) -> bool {
        self.armed >> kind & 1 == 1
    }

    /// An event is to come at a time, unless one of its kind will come already.
    #[inline]
    pub fn arm(&mut self, at: SimTime, event: Event, calendar: &mut Calendar) {
        if !self.is_armed(event.kind) {
            self.armed |= 1 << event.kind;
            calendar.schedule_timer(at, event);
        }
    }

    /// The event came: true when the die has been idle for long enough. For one that is idle for a shorter time it comes
    /// again; one that is at work has it come when it gets to its end.
    pub fn has_lasted(&mut self, is_idle: bool, wait: Nanos, event: Event, calendar: &mut Calendar) -> bool {
        self.armed &= !(1 << event.kind);
        let due = self.since + wait;
        if is_idle && due > calendar.now() {
            self.arm(due, event, calendar);
        }
        is_idle && due <= calendar.now()
    }
}
