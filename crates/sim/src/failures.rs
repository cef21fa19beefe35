//! `[fault]`: a die or a channel that fails in the middle of a run.

use crate::observers::Observer;
use crate::power::Cuts;
use crate::run::{MOMENT, Run};
use crate::{Drive, Error};
use config::{ConfigError, Section};
use ftl::DiesFailed;
use nand::Geometry;
use units::{Nanos, SimTime};

/// When something fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    At(SimTime),
    /// After so many operations of the flash.
    After(u64),
}

/// What fails, as the drive's file says.
#[derive(Clone, Debug, Default)]
pub(crate) struct FailurePlan {
    dies: Vec<u32>,
    moment: Option<Moment>,
}

/// What failed.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub at: SimTime,
    /// Operations of the flash since the run began.
    pub operations: u64,
    pub dies: Vec<u32>,
    pub failed: DiesFailed,
}

/// The failure of a run, before and after it came.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    plan: FailurePlan,
    pub done: Option<Failure>,
}

impl FailurePlan {
    /// Reads `[fault]`.
    ///
    /// # Errors
    /// When a key is unknown, there is no such die or channel, or it is not said when it fails.
    pub fn read(root: &mut Section, geometry: &Geometry) -> Result<Self, ConfigError> {
        let mut fault = root.child("fault")?;
        let die: Option<u32> = fault.optional("die", "a die that fails in the middle of a run")?;
        let channel: Option<u32> =
            fault.optional("channel", "a channel that fails in the middle of a run, with all its dies")?;
        let at: Option<Nanos> = fault.optional("at", "when it fails, since the run began")?;
        let help = "number of flash operations since the run began after which it fails";
        let after: Option<u64> = fault.optional("after", help)?;
        fault.clone().finish()?;
        let key = if die.is_some() { "die" } else { "channel" };
        let numbers = if die.is_some() { geometry.dies() } else { geometry.channels };
        if die.or(channel).is_some_and(|number| number >= numbers) {
            let expected = format!("expected the number of a {key}, 0 to {}", numbers - 1);
            return Err(fault.reject(key, &expected));
        }
        if die.is_some() && channel.is_some() {
            return Err(fault.reject("channel", "expected either fault.die or fault.channel, not both"));
        }
        let moment = match (at, after) {
            (Some(_), Some(_)) => {
                return Err(fault.reject("after", "expected either fault.at or fault.after, not both"));
            }
            (Some(at), None) => Some(Moment::At(SimTime::ZERO + at)),
            (None, after) => after.map(Moment::After),
        };
        let fails = die.or(channel).is_some();
        if fails && moment.is_none() {
            return Err(fault.reject(key, "expected fault.at or fault.after beside it, which says when"));
        }
        if let (false, Some(moment)) = (fails, moment) {
            let key = if matches!(moment, Moment::At(_)) { "at" } else { "after" };
            return Err(fault.reject(key, "expected fault.die or fault.channel beside it, which says what"));
        }
        let of_channel = |die: &u32| Some(die % geometry.channels) == channel;
        let dies = match die {
            Some(die) => vec![die],
            None => (0..geometry.dies()).filter(of_channel).collect(),
        };
        Ok(Self { dies, moment })
    }
}

impl Failures {
    pub fn new(plan: &FailurePlan) -> Self {
        Self { plan: plan.clone(), done: None }
    }

    /// What was planned and did not come yet.
    pub fn is_to_come(&self) -> bool {
        self.plan.moment.is_some() && self.done.is_none()
    }

    /// True where something is planned.
    pub fn are_planned(&self) -> bool {
        self.plan.moment.is_some()
    }

    /// As [`Cuts::advance`], where a die may fail.
    ///
    /// # Errors
    /// As there.
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

    /// When it fails, if nothing happens before that. A drive that looks for its map does so first.
    fn due<P: Observer>(&self, run: &Run<P>) -> Option<SimTime> {
        if run.dark {
            return None;
        }
        let now = run.ctx.calendar.now();
        let at = match self.plan.moment? {
            Moment::At(at) => at.max(now),
            Moment::After(operations) => (operations <= run.operations()).then_some(now)?,
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
