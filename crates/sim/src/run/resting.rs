//! A drive after its last request, or without its host: it goes on until it has come to rest.

use super::{Run, events, page_operations};
use crate::observe::Observer;

impl<P: Observer> Run<P> {
    /// Lets the drive empty its write buffer after the last request.
    pub fn drain(&mut self) {
        self.end_host();
        self.pass_while(|run| run.ftl.buffer().is_draining());
    }

    /// Ends the host's part of a run: no timer-driven work falls due any more, and the write buffer is sent to the
    /// flash.
    pub(super) fn end_host(&mut self) {
        self.ftl.end_upkeep();
        self.ftl.send_out(&mut self.ctx);
    }

    /// Processes simulation events of the run, without requests of a host, while `reason` returns true and an event is
    /// left; panics if the events exceed the run's limit on events without progress.
    pub(super) fn pass_while(&mut self, reason: impl Fn(&mut Self) -> bool) {
        let mut left = self.watch.events_most();
        while reason(self) && self.pass() {
            left -= 1;
            assert!(left > 0, "the drive does not come to rest: {}", self.ftl.explain_stall());
        }
    }

    /// Processes simulation events of the run until no flash operation is in flight.
    pub fn come_to_rest(&mut self) {
        self.pass_while(|run| run.ftl.controller().in_flight() > 0);
    }

    /// Empties the write buffer and ends the flash operations of the run as [`Self::drain`] and [`Self::come_to_rest`]
    /// do, but gives up after `page_operations_most` page operations, because a large drive short of space may go on
    /// with garbage collection far longer than a short run lasts.
    pub fn come_to_rest_within(&mut self, page_operations_most: u64) {
        self.end_host();
        let last = page_operations(self.ftl.stats()).saturating_add(page_operations_most);
        self.pass_while(|run| {
            let is_at_work = run.ftl.buffer().is_draining() || run.ftl.controller().in_flight() > 0;
            is_at_work && page_operations(run.ftl.stats()) < last
        });
    }

    /// Empties the write buffer as [`Self::drain`] does, until nothing is in flight and no unit waits for further units
    /// to fill its program.
    pub fn settle_down(&mut self) {
        self.drain();
        loop {
            self.come_to_rest();
            if !self.ftl.pad_all(&mut self.ctx) {
                return;
            }
        }
    }

    /// Processes the next simulation event of the run without requests of a host; returns false if there is none.
    pub fn pass(&mut self) -> bool {
        let Some((_, event)) = self.ctx.calendar.pop() else { return false };
        if event.kind < events::COMMAND {
            self.ftl.handle(event, &mut self.ctx);
            while self.ftl.take_output().is_some() {}
        }
        true
    }
}
