//! A session that a caller steps: its requests come one by one, and its answers are taken as they come.

use super::outside::OutsideHost;
use super::{Session, SessionPhase};
use crate::observe::answers::SteppedCompletion;
use crate::run::SourceHolds;
use crate::run::stepped_host::{NumberedRequest, SteppedWorkload};
use crate::{Drive, Error, RunOptions};
use ftl::compatibility::Feature;
use host::HostRequest;
use host::command::refused;
use std::collections::VecDeque;
use units::SimTime;

impl Session {
    /// Makes a session for a drive whose caller submits the requests ([`Self::go_on`]); simulated time begins.
    ///
    /// # Errors
    /// As for [`Self::new`], and for options that only a run with a known end can have.
    pub fn stepped(drive: Drive, options: RunOptions) -> Result<Self, Error> {
        check_stepped(&drive, &options)?;
        let options = RunOptions { layout: false, ..options };
        let mut session = Self::with_workload(drive, Box::new(SteppedWorkload), options)?;
        session.outside = OutsideHost::Stepped;
        while matches!(session.phase, SessionPhase::Precondition(_)) {
            session.advance(1 << 20)?;
        }
        let run = session.outside()?;
        run.wake();
        // As a run asks for its first request.
        run.offer(SimTime::ZERO, SourceHolds::Nothing);
        Ok(session)
    }

    /// Submits the requests `new`, in the order of their submission, of which the first to arrive does so at `first`,
    /// and processes simulation events up to the time `until`, or until `answers` completions wait to be taken. Leaves
    /// `new` empty, and returns the queue of completions, and the time of the next event (`None` without one). Each
    /// request must have been admitted ([`Self::admit`]).
    ///
    /// # Errors
    /// When a request is refused, or no request makes progress any more.
    pub fn go_on(
        &mut self,
        new: &mut Vec<NumberedRequest>,
        first: Option<SimTime>,
        until: SimTime,
        answers: usize,
    ) -> Result<(&mut VecDeque<SteppedCompletion>, Option<SimTime>), Error> {
        let (answers, next) = self.outside()?.run_on(new, first, until, answers)?;
        Ok((answers.waiting(), next))
    }

    /// Checks that the drive would accept `request`; messages call its origin `name`.
    ///
    /// # Errors
    /// When the request is not within its namespace, or no operation of its command set.
    #[inline]
    pub fn admit(&mut self, request: &HostRequest, name: &str) -> Result<(), Error> {
        let namespaces = self.outside()?.namespaces();
        namespaces.admit(request, || name.to_owned())?;
        namespaces.refusal(request).map_or(Ok(()), |refusal| Err(refused(name, refusal).into()))
    }

    /// Returns the completions that the caller has not taken yet, in order of time; the caller removes them from the
    /// queue.
    ///
    /// # Errors
    /// When the run ended before.
    pub fn answers(&mut self) -> Result<&mut VecDeque<SteppedCompletion>, Error> {
        Ok(self.outside()?.stepped_answers().waiting())
    }
}

/// Refuses drive and run options that a stepped drive, whose run does not end by itself, cannot have.
fn check_stepped(drive: &Drive, options: &RunOptions) -> Result<(), Error> {
    if drive.is_translated() {
        return Err(Error(
            "host.translation.name: the caller of a drive that is stepped is its host, and asks the zones: expected none".into(),
        ));
    }
    if drive.cuts.has_cuts() {
        return Err(Error(
            "power.cut: a drive that is stepped has no requests that a run could lose: expected no cuts"
                .into(),
        ));
    }
    if let Some(found) = drive.features.iter().find(|found| found.feature == Feature::DieFault) {
        let (place, key, value) = (&found.entry.place, &found.entry.key, &found.entry.value);
        return Err(Error(format!(
            "{place}: {key} = {value}: failures of a drive that is stepped are not modelled: expected none"
        )));
    }
    let given = [
        ("loop", options.passes.is_some()),
        ("limit_requests", options.limit_requests.is_some()),
        ("limit_ns", options.limit_ns.is_some()),
        ("timeline", options.timeline),
        ("requests", options.requests),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(Error(format!(
            "options: {name}: the caller of a drive that is stepped says how far it goes and sees each request: expected none"
        ))),
        None => Ok(()),
    }
}
