//! How units join the open superblock of a stream, fill program units and go to the flash.

use super::Core;
use crate::events;
use crate::store::{HOST, NONE};
use engine::{Calendar, Event};
use units::Nanos;

impl Core {
    /// True when some die has a part of a program unit of host data.
    #[inline]
    pub fn is_assembling(&self) -> bool {
        self.assembly.current != NONE
    }

    /// True when the host's data fill a program unit of the die that folded data share.
    pub fn is_host_filling(&self, die: usize) -> bool {
        self.assembly.current == die as u32 && self.assembly.host_stream == HOST
    }

    /// The program unit that is being filled waits for company no longer than `patience` from now on.
    pub fn arm_flush(&mut self, patience: Nanos, calendar: &mut Calendar) {
        let due = calendar.now() + patience;
        if due < self.assembly.flush_due {
            self.assembly.flush_due = due;
            calendar.schedule_timer(due, Event { kind: events::FLUSH, index: 0 });
        }
    }
}
