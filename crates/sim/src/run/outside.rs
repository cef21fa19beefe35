//! A run whose requests come from outside: their source says how far its time goes.

use super::Run;
use crate::Error;
use crate::namespaces::Namespaces;
use crate::observe::Observer;
use crate::observe::answers::SteppedAnswers;
use units::SimTime;

/// What the source of a stepped run held when it was asked last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceHolds {
    /// No request.
    Nothing,
    /// Requests that were not drawn.
    Requests,
}

/// A run whose requests come from outside, observed or not.
pub(crate) trait OutsideRun {
    /// Begins simulated time, where it has not begun.
    fn wake(&mut self);

    /// The source has a request that arrives at `at`; a request that arrived in the past is taken now. A source that still
    /// `holds` other requests is asked when the first of them is due, or there is a place for it: as the run of a workload asks.
    fn offer(&mut self, at: SimTime, holds: SourceHolds);

    /// Handles one event, if the next is not after `until`. False when there is none to handle.
    ///
    /// # Errors
    /// When the workload's source turned out to be faulty.
    fn step(&mut self, until: SimTime) -> Result<bool, Error>;

    /// Handles events up to `until`, or until so many answers wait to be taken.
    ///
    /// # Errors
    /// When a request is refused, or none gets on.
    fn run_on(&mut self, until: SimTime, answers: usize) -> Result<(), Error>;

    /// Returns the time of the event handled last, and of the next.
    fn times(&self) -> (SimTime, Option<SimTime>);

    /// Returns the namespaces that requests must lie in.
    fn namespaces(&mut self) -> &mut Namespaces;

    /// Returns the answers that were not taken, of a stepped run.
    fn answers(&mut self) -> Option<&mut SteppedAnswers>;

    /// Ends the requests of the source.
    fn end(&mut self);
}

impl<P: Observer> OutsideRun for Run<P> {
    fn wake(&mut self) {
        if !std::mem::replace(&mut self.begun, true) {
            self.ftl.begin(&mut self.ctx);
        }
    }

    fn offer(&mut self, at: SimTime, holds: SourceHolds) {
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

    #[inline]
    fn step(&mut self, until: SimTime) -> Result<bool, Error> {
        // Asked at every event: taking writes.
        if self.error.is_some() {
            return self.error.take().map_or(Ok(false), Err);
        }
        if let Some((now, event)) = self.ctx.calendar.pop_until(until) {
            self.handle(now, event);
            return Ok(true);
        }
        if self.requests.outstanding == 0 || !self.ctx.calendar.is_empty() {
            return Ok(false);
        }
        // Requests wait and nothing will happen: a drive that wore out answers them with an error.
        self.give_up();
        Ok(true)
    }

    fn run_on(&mut self, until: SimTime, answers: usize) -> Result<(), Error> {
        while self.answers.as_ref().map_or(0, SteppedAnswers::untaken) < answers && self.step(until)? {
            self.watch.left -= 1;
            if self.watch.left == 0 {
                self.look()?;
            }
        }
        self.error.take().map_or(Ok(()), Err)
    }

    fn times(&self) -> (SimTime, Option<SimTime>) {
        (self.ctx.calendar.now(), self.ctx.calendar.next_time())
    }

    fn namespaces(&mut self) -> &mut Namespaces {
        &mut self.namespaces
    }

    fn answers(&mut self) -> Option<&mut SteppedAnswers> {
        self.answers.as_mut()
    }

    fn end(&mut self) {
        self.stop();
    }
}
