//! A drive after its last request, or without its host: it goes on until it has come to rest.

use super::{Run, events, page_operations};
use crate::observe::Observer;

impl<P: Observer> Run<P> {
    /// Lets the drive finish what it holds, after the last request.
    pub fn drain(&mut self) {
        self.end_host();
        self.pass_while(|run| run.ftl.buffer().is_draining());
    }

    /// Ends the host's part: no timer-driven work falls due any more, and the buffer's data go to the flash.
    pub(super) fn end_host(&mut self) {
        self.ftl.end_upkeep();
        self.ftl.send_out(&mut self.ctx);
    }

    /// Handles events while `reason` holds, with the host gone.
    pub(super) fn pass_while(&mut self, reason: impl Fn(&mut Self) -> bool) {
        let mut left = self.watch.events_most();
        while reason(self) && self.pass() {
            left -= 1;
            assert!(left > 0, "the drive does not come to rest: {}", self.ftl.explain_stall());
        }
    }

    /// Lets all operations of the flash end that are in flight.
    pub fn come_to_rest(&mut self) {
        self.pass_while(|run| run.ftl.controller().in_flight() > 0);
    }

    /// As [`Self::drain`] and [`Self::come_to_rest`], for at most `page_operations_most` page operations: a large drive
    /// short of space collects far longer than a short run.
    pub fn come_to_rest_within(&mut self, page_operations_most: u64) {
        self.end_host();
        let last = page_operations(self.ftl.stats()).saturating_add(page_operations_most);
        self.pass_while(|run| {
            let is_at_work = run.ftl.buffer().is_draining() || run.ftl.controller().in_flight() > 0;
            is_at_work && page_operations(run.ftl.stats()) < last
        });
    }

    /// As [`Self::drain`], until nothing is in flight and no unit waits for the rest of its program.
    pub fn settle_down(&mut self) {
        self.drain();
        loop {
            self.come_to_rest();
            if !self.ftl.pad_all(&mut self.ctx) {
                return;
            }
        }
    }

    /// Handles the next event with the host gone; false when there is none.
    pub fn pass(&mut self) -> bool {
        let Some((_, event)) = self.ctx.calendar.pop() else { return false };
        if event.kind < events::COMMAND {
            self.ftl.handle(event, &mut self.ctx);
            while self.ftl.take_output().is_some() {}
        }
        true
    }
}
