//! A run whose requests come from outside: their source says how far its time goes.

use super::Run;
use crate::Error;
use crate::observe::Observer;
use units::SimTime;

impl<P: Observer> Run<P> {
    /// Begins simulated time, where it has not begun.
    pub fn wake(&mut self) {
        if !std::mem::replace(&mut self.begun, true) {
            self.ftl.begin(&mut self.ctx);
        }
    }

    /// Notes that the workload has a request that arrives at `at`; one that arrived in the past is taken now.
    pub fn offer(&mut self, at: SimTime) {
        let now = self.ctx.calendar.now();
        if at <= now { self.draw(now) } else { self.await_arrival(at, now) }
    }

    /// Handles one event, if the next is not after `until`. False when there is none to handle.
    ///
    /// # Errors
    /// When the workload's source turned out to be faulty.
    pub fn step(&mut self, until: SimTime) -> Result<bool, Error> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        match self.ctx.calendar.next_time() {
            Some(next) if next > until => Ok(false),
            None if self.requests.outstanding == 0 => Ok(false),
            // Requests wait and nothing will happen: a drive that wore out answers them with an error.
            None => {
                self.give_up();
                Ok(true)
            }
            Some(_) => {
                if let Some((now, event)) = self.ctx.calendar.pop() {
                    self.handle(now, event);
                }
                Ok(true)
            }
        }
    }
}
