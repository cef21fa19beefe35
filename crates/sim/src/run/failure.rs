//! A die or a channel that fails in the middle of a run.

use crate::drive::fault::{FailureMoment, FailurePlan};
use crate::observe::Observer;
use crate::run::power_cut::Cuts;
use crate::run::{MOMENT, Run};
use crate::{Drive, Error};
use ftl::DiesFailed;
use units::SimTime;

/// Record of a planned failure of dies that happened in a run: time, dies and lost data.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub at: SimTime,
    /// Number of flash operations (each page read, page programmed or block erased counts as one) done from the
    /// beginning of the run, without its warm-up, to the failure of the dies.
    pub operations: u64,
    pub dies: Vec<u32>,
    pub failed: DiesFailed,
}

/// State of the planned failure of dies in a run: the plan, and the failure's outcome once it has happened.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    plan: FailurePlan,
    pub done: Option<Failure>,
}

impl Failures {
    pub fn new(plan: &FailurePlan) -> Self {
        Self { plan: plan.clone(), done: None }
    }

    /// Returns true if a failure of dies is planned for the run and has not happened yet.
    pub fn is_to_come(&self) -> bool {
        self.plan.moment.is_some() && self.done.is_none()
    }

    /// Returns true if a failure of dies is planned for the run.
    pub fn are_planned(&self) -> bool {
        self.plan.moment.is_some()
    }

    /// Advances a run by about `count` events, as [`Cuts::advance`] does, on a drive for which a failure of dies may be
    /// planned; returns true when the run is over.
    ///
    /// # Errors
    /// As for [`Cuts::advance`].
    pub fn advance<P: Observer>(
        &mut self,
        cuts: &mut Cuts,
        run: &mut Run<P>,
        drive: &Drive,
        count: u64,
    ) -> Result<bool, Error> {
        for _ in 0..count {
            if !self.is_to_come() {
                return cuts.advance(run, drive, count);
            }
            if let Some(at) = self.due(run).filter(|at| cuts.next_time().is_none_or(|cut| cut > *at)) {
                self.fail(run, at);
            } else if cuts.advance(run, drive, 1)? {
                return Ok(true);
            }
        }
        Ok(run.is_done())
    }

    /// Returns the simulated time of the planned failure of dies if no event comes before or at it; `None` otherwise,
    /// while flash operations are missing that the plan waits for, before the run begins, and in recovery.
    fn due<P: Observer>(&self, run: &Run<P>) -> Option<SimTime> {
        if run.dark {
            return None;
        }
        let now = run.ctx.calendar.now();
        let at = match self.plan.moment? {
            FailureMoment::At(at) => at.max(now),
            FailureMoment::After(operations) => (operations <= run.operations()).then_some(now)?,
        };
        let is_next = run.ctx.calendar.next_time().is_none_or(|next| next >= at + MOMENT);
        (run.has_begun() && is_next).then_some(at)
    }

    fn fail<P: Observer>(&mut self, run: &mut Run<P>, at: SimTime) {
        let dies = self.plan.dies.clone();
        run.ctx.calendar.pass_to(at);
        run.ctx.probe.on_dies_failed(&dies);
        let operations = run.operations();
        let ftl = run.ftl.as_page_mapped().expect("dies fail on a page map: checked when the drive was read");
        let failed = ftl.fail_dies(&dies, &mut run.ctx);
        self.done = Some(Failure { at, operations, dies, failed });
    }
}
