//! A run whose requests come from outside: their source says how far its time goes.

use super::Run;
use crate::Error;
use crate::observe::{Observer, Observers};
use units::SimTime;

/// What the source of a stepped run held when it was asked last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceHolds {
    /// No request.
    Nothing,
    /// Requests that were not drawn.
    Requests,
}

impl<P: Observer> Run<P> {
    /// Begins simulated time, where it has not begun.
    pub fn wake(&mut self) {
        if !std::mem::replace(&mut self.begun, true) {
            self.ftl.begin(&mut self.ctx);
        }
    }

    /// The source has a request that arrives at `at`; a request that arrived in the past is taken now. A source that still
    /// `holds` other requests is asked when the first of them is due, or there is a place for it: as the run of a workload asks.
    pub fn offer(&mut self, at: SimTime, holds: SourceHolds) {
        let is_first = self.next_arrival != SimTime::NEVER && at < self.next_arrival;
        if holds == SourceHolds::Requests && !is_first {
            return;
        }
        let now = self.ctx.calendar.now();
        if at > now {
            return self.await_arrival(at, now);
        }
        self.ctx.calendar.give_up_turn();
        self.draw(now);
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

impl Run<Observers> {
    /// Handles events up to `until`, or until so many answers wait to be taken.
    ///
    /// # Errors
    /// When a request is refused, or none gets on.
    pub fn run_on(&mut self, until: SimTime, answers: usize) -> Result<(), Error> {
        while self.error.is_none() && self.ctx.probe.untaken() < answers {
            if let Some((now, event)) = self.ctx.calendar.pop_until(until) {
                self.handle(now, event);
                self.watch.left -= 1;
                if self.watch.left == 0 {
                    self.look()?;
                }
            } else if self.requests.outstanding > 0 && self.ctx.calendar.is_empty() {
                // Requests wait and nothing will happen: a drive that wore out answers them with an error.
                self.give_up();
            } else {
                break;
            }
        }
        self.error.take().map_or(Ok(()), Err)
    }
}
