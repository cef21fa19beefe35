//! Before the workload: preconditioning by copies of it, and the copies that warm the buffer up.

use super::{FIRST_COPY, Session, SessionPhase};
use crate::observe::timeline::Timeline;
use crate::observe::{Observer, Observers, RequestRows};
use crate::run::{Run, RunLimits};
use crate::sampling::{self, AskedErrors, Sampling};
use crate::start::laying_out::LayingOut;
use crate::start::precondition::{Copies, Precondition};
use crate::start::warm_up::WarmUp;
use crate::{Drive, Error, PreconditionKind, RunOptions, WorkloadSpec};
use ftl::Ftl;
use host::Workload;
use units::SimTime;

impl Session {
    /// Does a part of what precedes a session's run, worth about `writes` writes of units, without simulated time:
    /// preconditioning, then writing the data that the workload expects on the drive. Returns true when both are done.
    ///
    /// # Errors
    /// When the workload is faulty, or the drive takes no more writes.
    pub(super) fn prepare(&mut self, writes: u64) -> Result<bool, Error> {
        let SessionPhase::Precondition(parts) = &mut self.phase else { return Ok(false) };
        let (ftl, source, translation) = &mut **parts;
        let was_done = self.preconditioned;
        match (translation, was_done) {
            (Some(log), true) => self.layout.lay_blocks(log, ftl, source.as_mut())?,
            (Some(log), false) => self.preconditioned = self.precondition.write_log(log, ftl, writes)?,
            (None, true) => return self.layout.advance(&self.drive, ftl, source.as_mut(), writes),
            (None, false) => {
                let seed = self.options.seed;
                self.preconditioned = self.precondition.advance(&self.drive, ftl, writes, seed)?;
            }
        }
        Ok(was_done)
    }

    /// Begins the workload of the session, once the warm-up (unmeasured copies of the workload that fill the write
    /// buffer) is over.
    pub(super) fn end_warm_up(&mut self) {
        let waiting = self.waiting.take();
        match &mut self.phase {
            SessionPhase::Plain(run) => take_up(run, waiting, &self.options, self.interrupted),
            SessionPhase::Observed(run) => {
                observe(&mut run.ctx.probe, &self.options, &self.drive, run.ctx.calendar.now());
                take_up(run, waiting, &self.options, self.interrupted);
            }
            SessionPhase::Precondition(_) | SessionPhase::Broken => {}
        }
    }

    /// Starts preconditioning over on a new drive if the warm-up found fewer units waiting in the write buffer than
    /// untimed writing had assumed; done at most once. Returns true if it starts over.
    pub(super) fn begin_anew(&mut self) -> Result<bool, Error> {
        let is_first = self.waiting_in_time.is_none() && !self.interrupted;
        let found = self.warm_up.as_ref().and_then(|warm_up| warm_up.waiting(&self.precondition));
        let (Some(found), Some(spec)) = (found.filter(|_| is_first), &self.spec) else { return Ok(false) };
        let Some(source) = self.waiting.take() else { return Ok(false) };
        self.waiting_in_time = Some(found);
        // One drive after the other: two at once may not fit.
        self.phase = SessionPhase::Broken;
        let copies = copies_of(spec, &self.drive, self.options.seed);
        let mut ftl = self.drive.make(self.options.seed)?;
        self.precondition = precondition_of(&self.options, &self.drive, &mut ftl, Some(copies), Some(found))?;
        self.layout = if self.layout.is_on() { LayingOut::new() } else { LayingOut::off() };
        (self.preconditioned, self.warm_up) = (false, None);
        let translation = self.drive.translation(self.options.seed)?;
        self.phase = SessionPhase::Precondition(Box::new((ftl, source, translation)));
        Ok(true)
    }
}

/// Makes the state of a sampled run (`--sample`); `None` where all of the run is simulated in detail.
///
/// # Errors
/// When drive, workload or options cannot be sampled.
pub(super) fn sampling_of(options: &RunOptions, drive: &Drive) -> Result<Option<Box<Sampling>>, Error> {
    let Some(text) = &options.sample else { return Ok(None) };
    sampling::check(drive)?;
    let refuse = |what: &str, why: &str| {
        Err(Error(format!("--sample {text}: with {what}: {why}; expected one of both")))
    };
    if options.check {
        return refuse(
            "--check",
            "the account follows every operation, and what is carried forward has none",
        );
    }
    if options.timeline || options.requests {
        return refuse("--timeline or --requests", "what is carried forward has no times");
    }
    if options.limit_ns.is_some() {
        return refuse("--limit-time", "what is carried forward takes a time that is not known exactly");
    }
    if options.passes.as_deref().is_some_and(|passes| passes.starts_with("until")) {
        return refuse("--loop until", "each would decide when the other has enough");
    }
    Ok(Some(Box::new(Sampling::new(AskedErrors::parse(text)?, options.seed))))
}

/// Makes the source of copies of a workload (the workload opened again and again) that preconditioning writes to the
/// drive before the run.
pub(super) fn copies_of(workload: &WorkloadSpec, drive: &Drive, seed: u64) -> Copies {
    let (spec, reach) = (workload.clone(), drive.reach_of_host());
    let recorded = matches!(spec, WorkloadSpec::Trace { .. });
    let copies = move |copy: u64| {
        // Popular data are where the measured run has them; all else is drawn anew.
        let number = FIRST_COPY + (copy as u32) % FIRST_COPY;
        spec.open_on(&reach, seed, number)
    };
    if recorded { Copies::recorded(copies) } else { Copies::drawn(copies) }
}

/// Makes the preconditioning that `options` ask for. `waiting` is the number of units that wait in the write buffer
/// while this workload runs; none where unknown.
pub(super) fn precondition_of(
    options: &RunOptions,
    drive: &Drive,
    ftl: &mut Ftl,
    copies: Option<Copies>,
    waiting: Option<u32>,
) -> Result<Precondition, Error> {
    let precondition = Precondition::new(options.precondition, ftl, options.fill, options.seed)
        .with_pilots(options.pilots.clone())
        .with_waiting(waiting);
    let precondition = match drive.namespaces().blocks_kept() {
        Some((bytes, _)) => precondition.of_blocks((bytes / ftl.layout().unit.get()) as u32, options.fill),
        None => precondition,
    };
    match (options.precondition, copies) {
        (PreconditionKind::Workload, Some(copies)) => {
            precondition.with_copies(copies, drive, ftl, options.seed)
        }
        (PreconditionKind::Workload, None) => {
            Err(Error("precondition = workload: expected a workload that can be opened again".into()))
        }
        (PreconditionKind::Instant | PreconditionKind::Steady, Some(copies)) => {
            Ok(precondition.before(copies, ftl))
        }
        _ => Ok(precondition),
    }
}

pub(super) fn advance_warm_up<P: Observer>(
    warm_up: Option<&mut WarmUp>,
    run: &mut Run<P>,
    drive: &Drive,
    events: u64,
) -> Result<bool, Error> {
    warm_up.map_or(Ok(true), |warm_up| warm_up.advance(run, drive, events))
}

/// Begins the workload once preconditioning and warm-up have brought the drive into the state in which it is measured.
/// If the user stopped the run before, the workload issues no request.
fn take_up<P: Observer>(
    run: &mut Run<P>,
    workload: Option<Box<dyn Workload>>,
    options: &RunOptions,
    is_stopped: bool,
) {
    let Some(workload) = workload else { return };
    let limits = if is_stopped { RunLimits { requests: Some(0), ns: None } } else { limits_of(options) };
    run.take_up(workload, &limits);
}

/// Refuses saved states (the options in `asked`) of a drive on whose zones the host keeps blocks, as no file has the
/// host's log.
pub(super) fn check_untranslated(drive: &Drive, asked: &str) -> Result<(), Error> {
    if !drive.is_translated() {
        return Ok(());
    }
    Err(Error(format!(
        "{}: {asked}: the log of a host that keeps blocks on zones is not kept; expected host.translation.name = none",
        drive.name
    )))
}

/// Refuses preconditioning by random overwrites on a drive with zones, which cannot be overwritten, unless a host keeps
/// blocks on them.
pub(super) fn check_zones(drive: &Drive, precondition: PreconditionKind) -> Result<(), Error> {
    match precondition {
        PreconditionKind::Steady | PreconditionKind::Workload if drive.is_translated() => Ok(()),
        PreconditionKind::Steady | PreconditionKind::Workload => Err(Error(format!(
            "{}: --precondition steady and workload overwrite at random, which zones do not take; expected none or fill",
            drive.name
        ))),
        PreconditionKind::None | PreconditionKind::Fill | PreconditionKind::Instant => Ok(()),
    }
}

/// Returns the limits of a run, on requests and simulated time, by its options.
pub(super) fn limits_of(options: &RunOptions) -> RunLimits {
    RunLimits { requests: options.limit_requests, ns: options.limit_ns }
}

/// Begins to record rows of requests and the timeline, if `options` ask for them, with the time `origin`, when the
/// workload begins, as their time zero.
pub(super) fn observe(observers: &mut Observers, options: &RunOptions, drive: &Drive, origin: SimTime) {
    let geometry = drive.geometry();
    let shown = || Timeline::new(options.timeline_detail, geometry.channels, geometry.dies());
    observers.timeline = options.timeline.then(shown);
    observers.rows = options.requests.then(|| RequestRows::since(origin));
    observers.origin = origin;
}
