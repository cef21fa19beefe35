//! What a die does when it has had nothing to do for a while.

use super::Media;
use engine::{Calendar, Event};
use units::{DieId, Nanos, SimTime};

/// A timer that goes off when a die has been idle for long enough.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IdleTimer {
    is_set: bool,
}

impl IdleTimer {
    pub fn is_set(self) -> bool {
        self.is_set
    }

    /// The die has nothing to do from now on.
    pub fn set(&mut self, wait: Nanos, event: Event, calendar: &mut Calendar) {
        if !std::mem::replace(&mut self.is_set, true) {
            calendar.schedule_timer(calendar.now() + wait, event);
        }
    }

    /// It went off: true when the die has been idle for long enough. One that is idle for a shorter time, `since` then, has
    /// it set again; one that is at work sets it when it comes to its end.
    pub fn has_lasted(
        &mut self,
        since: Option<SimTime>,
        wait: Nanos,
        event: Event,
        calendar: &mut Calendar,
    ) -> bool {
        self.is_set = false;
        let Some(since) = since else { return false };
        let due = since + wait;
        if due > calendar.now() {
            self.is_set = true;
            calendar.schedule_timer(due, event);
        }
        !self.is_set
    }
}

impl Media {
    /// Since when a die has nothing to do; none while it is at work.
    pub(crate) fn idle_since(&self, die: usize) -> Option<SimTime> {
        self.store.controller.is_idle(DieId(die as u32)).then_some(self.movers[die].idle_since)
    }
}
