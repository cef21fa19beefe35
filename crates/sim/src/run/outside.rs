//! A run whose requests come from outside: their source says how far its time goes.

use super::Run;
use super::run_host::RunHost;
use super::stepped_host::NumberedRequest;
use crate::Error;
use crate::namespaces::Namespaces;
use crate::observe::Observer;
use crate::observe::answers::SteppedAnswers;
use units::SimTime;

/// Kind of contents of the source of a stepped run's requests when it was last asked: nothing, or requests that were
/// not drawn yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceHolds {
    /// Case of the contents of the source: it contained no request when it was last asked.
    Nothing,
    /// Case of the contents of the source: it contained requests that were not drawn yet when it was last asked.
    Requests,
}

/// Interface (trait) of a run whose requests come from outside the simulator; the same for runs with and without
/// observers.
pub(crate) trait OutsideRun {
    /// Begins the run's simulated time, if it has not begun yet.
    fn wake(&mut self);

    /// Announces that the source has a request that arrives at the time `at`; a request with an arrival time not after
    /// the present is drawn now. If, by `holds`, the source still contains other requests, it is asked when the first
    /// of them is due, or when a queue has a free entry, as in a run with a workload.
    fn offer(&mut self, at: SimTime, holds: SourceHolds);

    /// Processes the next simulation event, if its time is not after `until`; returns false if there is none to handle.
    ///
    /// # Errors
    /// When the source of the requests is faulty.
    fn step(&mut self, until: SimTime) -> Result<bool, Error>;

    /// Submits the requests `new` of a stepped run, of which the first is due at `first`, and processes simulation
    /// events up to the time `until`, or until `answers` completions wait to be taken. Returns the completions that
    /// wait, and the time of the next event; `None` without one.
    ///
    /// # Errors
    /// When a request is refused, or no request makes progress.
    fn run_on(
        &mut self,
        new: &mut Vec<NumberedRequest>,
        first: Option<SimTime>,
        until: SimTime,
        answers: usize,
    ) -> Result<(&mut SteppedAnswers, Option<SimTime>), Error>;

    /// Returns the simulated time of the event handled last, and of the next event; `None` without a next one.
    fn times(&self) -> (SimTime, Option<SimTime>);

    /// Returns the namespaces of the drive, in which requests must lie.
    fn namespaces(&mut self) -> &mut Namespaces;

    /// Returns the completions of a stepped run that the caller has not taken.
    ///
    /// # Panics
    /// When the run is not stepped.
    fn stepped_answers(&mut self) -> &mut SteppedAnswers;

    /// Ends the requests of the run's source; requests in flight are still answered.
    fn end(&mut self);
}

impl<P: Observer> Run<P> {
    /// Processes the next simulation event, if its time is not after `until`; returns false if there is none to handle.
    #[inline(always)]
    fn handle_next(&mut self, until: SimTime) -> bool {
        if let Some((now, event)) = self.ctx.calendar.pop_until(until) {
            self.handle(now, event);
            return true;
        }
        if self.requests.outstanding == 0 || !self.ctx.calendar.is_empty() {
            return false;
        }
        // Requests wait and nothing will happen: a drive that wore out answers them with an error.
        self.give_up();
        true
    }
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

    fn step(&mut self, until: SimTime) -> Result<bool, Error> {
        // Asked at every event: taking writes.
        if self.error.is_some() {
            return self.error.take().map_or(Ok(false), Err);
        }
        Ok(self.handle_next(until))
    }

    fn run_on(
        &mut self,
        new: &mut Vec<NumberedRequest>,
        first: Option<SimTime>,
        until: SimTime,
        answers: usize,
    ) -> Result<(&mut SteppedAnswers, Option<SimTime>), Error> {
        if let (Some(first), RunHost::Stepped(host)) = (first, &mut self.host) {
            let holds = host.submit(new);
            self.offer(first, holds);
        }
        let mut is_short = self.stepped_answers().untaken() < answers;
        while is_short && self.error.is_none() {
            let answered = self.host_requests;
            if !self.handle_next(until) {
                break;
            }
            self.watch.left -= 1;
            if self.watch.left == 0 {
                self.look()?;
            }
            is_short = self.host_requests == answered || self.stepped_answers().untaken() < answers;
        }
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let next = self.ctx.calendar.next_time();
        Ok((self.stepped_answers(), next))
    }

    fn times(&self) -> (SimTime, Option<SimTime>) {
        (self.ctx.calendar.now(), self.ctx.calendar.next_time())
    }

    fn namespaces(&mut self) -> &mut Namespaces {
        &mut self.namespaces
    }

    #[inline]
    fn stepped_answers(&mut self) -> &mut SteppedAnswers {
        let RunHost::Stepped(host) = &mut self.host else { unreachable!("the run is stepped") };
        &mut host.answers
    }

    fn end(&mut self) {
        self.stop();
    }
}
