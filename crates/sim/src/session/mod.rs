//! One run from beginning to end: precondition, run in slices, result.

mod before;
pub(crate) mod options;
mod outcome;
mod outside;
pub(crate) mod passes;
mod stepped;

use crate::drive::memory::Checking;
use crate::observe::account::{Account, Shown};
use crate::observe::{Observer, Observers};
use crate::requests::link::LinkAtWork;
use crate::run::failure::Failures;
use crate::run::on_zones::BlockHost;
use crate::run::power_cut::Cuts;
use crate::run::run_host::RunHost;
use crate::run::{Run, page_operations};
use crate::session::passes::WorkloadPasses;
use crate::start::laying_out::LayingOut;
use crate::start::precondition::{Copies, Precondition};
use crate::start::state_file;
use crate::start::state_file::About;
use crate::start::warm_up::WarmUp;
use crate::translation::HostTranslation;
use crate::{Drive, Error, PreconditionKind, RunOptions, WorkloadSpec};
use before::{
    advance_warm_up, check_untranslated, check_zones, copies_of, limits_of, observe, precondition_of,
    sampling_of,
};
use check::Measured;
use ftl::Ftl;
use ftl::compatibility::{Feature, check_asked};
use host::Workload;
use outside::OutsideHost;
use serde::Serialize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::time::{Duration, Instant};
use units::SimTime;

/// Record of the progress of a run: phase, fraction done, and counts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// Flag of the progress record: true once the run is over (all requests are answered, or an error ended it).
    pub done: bool,
    /// Name of the run's phase: `precondition` (warm-up included), `layout` (writing the data that the workload
    /// expects), or `run`.
    pub phase: &'static str,
    /// Fraction (0 to 1) of the present phase that is done; none where that is unknown.
    pub fraction: Option<f64>,
    /// Simulated time in nanoseconds since the workload began; 0 during preconditioning and warm-up.
    pub simulated_ns: u64,
    /// Number of host requests completed so far, those of a warm-up left out.
    pub host_requests: u64,
    /// Number of page operations so far (in the phase `run`, since the run began without its warm-up), as one sum:
    /// flash pages read, flash pages programmed and blocks erased.
    pub page_operations: u64,
}

/// Constant: base of the numbers of workload copies in preconditioning: number = base + index of the copy; random
/// requests follow from it. Copies of a warm-up have a higher base, passes of `--loop` start at 0.
const FIRST_COPY: u32 = 1 << 30;

/// Constant: least number of page operations granted to a checked drive to come to rest after a run, so that the
/// checker's own record (account) of the contents of a small drive is always compared with no operation in flight.
const SHORT_REST: u64 = 1 << 16;

/// Constant: greatest number of mapping units on flash with which a drive's map is compared with the checker's own
/// record (account) of it also at the end of a run with operations in flight.
const WALKED_TWICE: usize = 1 << 22;

/// Constant: number of unit writes of preconditioning for each event that a call of [`Session::advance`] asks for.
const WRITES_PER_EVENT: u64 = 2;

enum SessionPhase {
    /// Case of the session's phase: preconditioning; with the drive, the workload, and the translation of a host that
    /// keeps blocks on the drive's zones.
    Precondition(Box<(Ftl, Box<dyn Workload>, Option<HostTranslation>)>),
    /// Case of the session's phase: the run, without observers; a type of its own spares the run their cost.
    Plain(Box<Run<()>>),
    Observed(Box<Run<Observers>>),
    Broken,
}

/// State of one run of a workload on a drive, from preconditioning to the result.
pub struct Session {
    drive: Drive,
    options: RunOptions,
    precondition: Precondition,
    passes: WorkloadPasses,
    /// Field of a session: description of the workload, which `--loop` repeats, and preconditioning and warm-up copy;
    /// `None` where the session has only a source of requests.
    spec: Option<WorkloadSpec>,
    warm_up: Option<WarmUp>,
    /// Field of a session: workload, already open, that waits until the warm-up is over; none otherwise.
    waiting: Option<Box<dyn Workload>>,
    /// Number of units that wait in the write buffer while the workload runs, as a warm-up measured it; `None` before.
    waiting_in_time: Option<u32>,
    cuts: Cuts,
    failures: Failures,
    preconditioned: bool,
    layout: LayingOut,
    phase: SessionPhase,
    /// Field: kind of request source: the workload, the clients of a served drive, or the caller of a stepped drive.
    outside: OutsideHost,
    interrupted: bool,
    wall: Duration,
    precondition_wall: Duration,
    build_wall: Duration,
    /// Field: wall-clock time of expanding the logical-to-physical map into flat arrays before the workload began.
    map_made_before: Duration,
}

impl Session {
    /// Makes a session: builds the drive and opens the workload.
    ///
    /// # Errors
    /// When the drive cannot sustain writes or needs too much memory, the workload is faulty or does not fit, an option
    /// does not fit the drive, or a saved state to load is damaged.
    pub fn new(drive: Drive, workload: &WorkloadSpec, options: RunOptions) -> Result<Self, Error> {
        let source = workload.open(drive.space(), options.seed)?;
        Self::with_source(drive, workload, source, options)
    }

    /// Makes a session as [`Self::new`] does, with a `source` that the caller has opened from `workload` itself.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn with_source(
        drive: Drive,
        workload: &WorkloadSpec,
        source: Box<dyn Workload>,
        options: RunOptions,
    ) -> Result<Self, Error> {
        let copies = copies_of(workload, &drive, options.seed);
        let source = workload.foreseen(source, &drive.reach_of_host(), options.seed, 0)?;
        let session = Self::begin(drive, source, Some(copies), options)?;
        Ok(session.repeating(workload.clone()))
    }

    /// Makes a session as [`Self::new`] does, for a source of requests that can be opened again.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn with_copies(drive: Drive, mut copies: Copies, options: RunOptions) -> Result<Self, Error> {
        let source = copies.open(0)?;
        Self::begin(drive, source, Some(copies), options)
    }

    /// Makes a session as [`Self::new`] does, for a source of requests that can be opened only once.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn with_workload(
        drive: Drive,
        source: Box<dyn Workload>,
        options: RunOptions,
    ) -> Result<Self, Error> {
        Self::begin(drive, source, None, options)
    }

    fn begin(
        drive: Drive,
        source: Box<dyn Workload>,
        copies: Option<Copies>,
        options: RunOptions,
    ) -> Result<Self, Error> {
        let begin = Instant::now();
        drive.link().place.check(source.as_ref())?;
        if options.precondition == PreconditionKind::Instant {
            check_asked(Feature::Instant, &drive.features)?;
        }
        if drive.has(Feature::Zones) {
            check_zones(&drive, options.precondition)?;
        }
        if options.save_state.is_some() || options.load_state.is_some() {
            check_asked(Feature::SavedState, &drive.features)?;
            check_untranslated(&drive, "--save-state and --load-state")?;
        }
        let mut passes = WorkloadPasses::new(options.passes.as_deref())?;
        passes.sampling = sampling_of(&options, &drive)?;
        drive
            .needs()
            .check(options.memory_limit, if options.check { Checking::On } else { Checking::Off })?;
        let mut ftl = drive.make(options.seed)?;
        if let Some(path) = &options.load_state {
            let most = drive.needs().state_most();
            state_file::load(&mut ftl, Path::new(path), most, options.seed, drive.namespaces())?;
        }
        let keeps_snapshots =
            ftl.feature::<ftl::snapshots::Snapshots>().is_some_and(|snapshots| snapshots.kept().len() > 0);
        let precondition = precondition_of(&options, &drive, &mut ftl, copies, None)?;
        let translation = drive.translation(options.seed)?;
        Ok(Self {
            cuts: Cuts::new(&drive.cuts, options.seed),
            failures: Failures::new(&drive.failures),
            drive,
            // Writing without time knows of no snapshots: what they see stays where it is.
            layout: if options.layout && !keeps_snapshots { LayingOut::new() } else { LayingOut::off() },
            options,
            precondition,
            passes,
            spec: None,
            warm_up: None,
            waiting: None,
            waiting_in_time: None,
            preconditioned: false,
            phase: SessionPhase::Precondition(Box::new((ftl, source, translation))),
            outside: OutsideHost::None,
            interrupted: false,
            wall: Duration::ZERO,
            precondition_wall: Duration::ZERO,
            build_wall: begin.elapsed(),
            map_made_before: Duration::ZERO,
        })
    }

    /// Returns the session with `workload` set as the workload that further passes repeat.
    pub fn repeating(mut self, workload: WorkloadSpec) -> Self {
        self.spec = Some(workload.clone());
        self.passes.repeat(workload);
        self
    }

    /// Returns the description of the drive on which the session's run takes place.
    pub fn drive(&self) -> &Drive {
        &self.drive
    }

    /// Returns the seed from which all random choices in the run follow.
    pub fn seed(&self) -> u64 {
        self.options.seed
    }

    /// Simulates a slice of this session, about `events` events, and returns the progress of the run.
    ///
    /// # Errors
    /// When the workload turns out to be faulty, or a saved state cannot be written.
    pub fn advance(&mut self, events: u64) -> Result<Progress, Error> {
        self.telling_cut(|session| session.work(events))
    }

    fn work(&mut self, events: u64) -> Result<Progress, Error> {
        let begin = Instant::now();
        match &mut self.phase {
            SessionPhase::Precondition(_) => {
                let ready = self.prepare(events * WRITES_PER_EVENT)?;
                self.precondition_wall += begin.elapsed();
                if ready {
                    self.begin_run()?;
                }
            }
            SessionPhase::Plain(run) if self.waiting.is_some() => {
                let is_over = advance_warm_up(self.warm_up.as_mut(), run, &self.drive, events)?;
                self.map_made_before = run.ftl.map_made_in();
                if is_over && !self.begin_anew()? {
                    self.end_warm_up();
                }
                self.precondition_wall += begin.elapsed();
            }
            SessionPhase::Observed(run) if self.waiting.is_some() => {
                let is_over = advance_warm_up(self.warm_up.as_mut(), run, &self.drive, events)?;
                self.map_made_before = run.ftl.map_made_in();
                if is_over && !self.begin_anew()? {
                    self.end_warm_up();
                }
                self.precondition_wall += begin.elapsed();
            }
            SessionPhase::Plain(run) => {
                let counts = self.passes.counts();
                match self.passes.sampling.as_mut().filter(|_| !self.interrupted) {
                    Some(sampling) => sampling.advance(run, &self.drive, events, counts)?,
                    None => _ = self.failures.advance(&mut self.cuts, run, &self.drive, events)?,
                }
                if !self.interrupted {
                    self.passes.go_on(run, &self.drive, self.options.seed)?;
                }
                self.wall += begin.elapsed();
            }
            SessionPhase::Observed(run) => {
                self.failures.advance(&mut self.cuts, run, &self.drive, events)?;
                if !self.interrupted {
                    self.passes.go_on(run, &self.drive, self.options.seed)?;
                }
                self.wall += begin.elapsed();
            }
            SessionPhase::Broken => return Err(Error("the run ended with an error before".into())),
        }
        Ok(self.progress())
    }

    /// Performs `work` of this session; if it panics, the panic's text gets the number of the last power cut added.
    fn telling_cut<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        catch_unwind(AssertUnwindSafe(|| work(self))).unwrap_or_else(|cause| {
            let text = cause.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| cause.downcast_ref::<&str>().copied());
            match text.and_then(|text| self.cuts.place_of(text)) {
                Some(text) => resume_unwind(Box::new(text)),
                None => resume_unwind(cause),
            }
        })
    }

    /// Runs the session to its end.
    ///
    /// # Errors
    /// As for [`Self::advance`].
    pub fn finish(&mut self) -> Result<(), Error> {
        while !self.advance(1 << 20)?.done {}
        Ok(())
    }

    /// Returns the origin (drive and seed) of a saved state of this run.
    fn about(&self) -> About<'_> {
        About::new(&self.drive, self.options.seed)
    }

    fn begin_run(&mut self) -> Result<(), Error> {
        let SessionPhase::Precondition(parts) = std::mem::replace(&mut self.phase, SessionPhase::Broken)
        else {
            return Ok(());
        };
        let (mut ftl, source, translation) = *parts;
        self.map_made_before = ftl.map_made_in();
        if let Some(path) = self.options.save_state.as_ref().filter(|_| !self.interrupted) {
            state_file::save(&ftl, &self.about(), Path::new(path))?;
        }
        let link = LinkAtWork::new(self.drive.link().clone(), &self.drive.reach());
        let t_decode = self.drive.t_decode();
        let options = &self.options;
        let spec =
            self.spec.as_ref().filter(|_| !self.interrupted && matches!(self.outside, OutsideHost::None));
        let mut warm_up =
            spec.and_then(|spec| WarmUp::wanted(spec, &self.drive, &ftl, options.seed, &self.precondition));
        let (source, limits) = match &mut warm_up {
            None => (source, limits_of(options)),
            Some(warm_up) => {
                self.waiting = Some(source);
                let (waiting, unit) = (self.precondition.take_waiting(), ftl.layout().unit.get() as u32);
                (warm_up.first(&self.drive, waiting, unit)?, WarmUp::limits())
            }
        };
        let is_stepped = matches!(self.outside, OutsideHost::Stepped);
        let host = match translation {
            Some(translation) => RunHost::Blocks(Box::new(BlockHost::new(translation))),
            None if is_stepped => RunHost::Stepped(Box::default()),
            None => RunHost::Workload,
        };
        let is_held = matches!(self.outside, OutsideHost::Held(_));
        let observed = options.check || options.timeline || options.requests || is_held;
        self.phase = if observed {
            let is_later = warm_up.is_some() || source.in_ramp(SimTime::ZERO);
            let measured = if is_later { Measured::AfterRamp } else { Measured::AtOnce };
            let account = || Account::new(&Shown::at_first(&self.drive, &ftl), measured);
            let check = options.check.then(account).transpose()?;
            if options.check {
                // The account ends with what has changed: a map with arrays would be compared whole.
                ftl.keep_rule();
            }
            let mut observers = Observers { check: check.map(Box::new), ..Observers::default() };
            if let OutsideHost::Held(holder) = std::mem::take(&mut self.outside) {
                observers.holder = Some(holder);
            }
            if warm_up.is_none() {
                observe(&mut observers, options, &self.drive, SimTime::ZERO);
            }
            let mut run = Run::new(ftl, link, source, t_decode, &limits, observers);
            set_out(&mut run, &self.drive, host, warm_up.as_ref());
            SessionPhase::Observed(Box::new(run))
        } else {
            let mut run = Run::new(ftl, link, source, t_decode, &limits, ());
            set_out(&mut run, &self.drive, host, warm_up.as_ref());
            SessionPhase::Plain(Box::new(run))
        };
        self.warm_up = warm_up;
        Ok(())
    }

    /// Returns the progress of the run: phase, fraction done, and counts.
    pub fn progress(&self) -> Progress {
        match &self.phase {
            SessionPhase::Precondition(parts) => Progress {
                done: false,
                phase: if self.preconditioned { "layout" } else { "precondition" },
                fraction: if self.preconditioned {
                    Some(self.layout.fraction())
                } else {
                    self.precondition.fraction()
                },
                simulated_ns: 0,
                host_requests: 0,
                page_operations: page_operations(parts.0.stats()),
            },
            SessionPhase::Plain(run) => run_progress(run, &self.passes, self.waiting.is_some()),
            SessionPhase::Observed(run) => run_progress(run, &self.passes, self.waiting.is_some()),
            SessionPhase::Broken => Progress {
                done: true,
                phase: "run",
                fraction: None,
                simulated_ns: 0,
                host_requests: 0,
                page_operations: 0,
            },
        }
    }

    /// Ends the run early because the user stopped it; requests in flight are still answered.
    ///
    /// # Errors
    /// As for [`Self::advance`].
    pub fn interrupt(&mut self) -> Result<(), Error> {
        self.interrupted = true;
        match &mut self.phase {
            SessionPhase::Precondition(_) => {
                self.begin_run()?;
                return self.interrupt();
            }
            SessionPhase::Plain(run) => run.stop(),
            SessionPhase::Observed(run) => run.stop(),
            SessionPhase::Broken => {}
        }
        if let Some(warm_up) = &mut self.warm_up {
            warm_up.end_early();
        }
        self.finish()
    }

    /// Saves the state of the drive after the run; data in the write buffer are programmed first.
    ///
    /// # Errors
    /// When the drive's state cannot be saved, an operation of the drive is in flight, or the file cannot be written.
    pub fn save_state(&mut self, path: &Path) -> Result<(), Error> {
        check_asked(Feature::SavedState, &self.drive.features)?;
        check_untranslated(&self.drive, "a saved state")?;
        let about = About::new(&self.drive, self.options.seed);
        match &mut self.phase {
            SessionPhase::Precondition(parts) => state_file::save(&parts.0, &about, path),
            SessionPhase::Plain(run) => {
                run.settle_down();
                state_file::save(&run.ftl, &about, path)
            }
            SessionPhase::Observed(run) => {
                run.settle_down();
                state_file::save(&run.ftl, &about, path)
            }
            SessionPhase::Broken => Err(Error("the run ended with an error before".into())),
        }
    }

    /// Returns the drive's flash translation layer, whose state the caller may read; `None` after an error.
    pub fn ftl(&self) -> Option<&Ftl> {
        match &self.phase {
            SessionPhase::Precondition(parts) => Some(&parts.0),
            SessionPhase::Plain(run) => Some(&run.ftl),
            SessionPhase::Observed(run) => Some(&run.ftl),
            SessionPhase::Broken => None,
        }
    }
}

/// Sets up a new run for its session: host side, namespaces, whether policies come from the user, and warm-up.
fn set_out<P: Observer>(run: &mut Run<P>, drive: &Drive, host: RunHost, warm_up: Option<&WarmUp>) {
    run.host = host;
    run.live_in(drive.namespaces());
    run.has_own_policies = drive.has_foreign_policies();
    warm_up.iter().for_each(|_| run.warm_up());
}

fn run_progress<P: Observer>(run: &Run<P>, passes: &WorkloadPasses, warms_up: bool) -> Progress {
    let now = run.ctx.calendar.now().since(run.origin);
    if warms_up {
        let page_operations = page_operations(run.ftl.stats());
        let (phase, fraction) = ("precondition", Some(0.99));
        return Progress { done: false, phase, fraction, simulated_ns: 0, host_requests: 0, page_operations };
    }
    Progress {
        done: run.is_done(),
        phase: "run",
        fraction: if run.is_done() { Some(1.0) } else { passes.fraction(run.fraction_done()) },
        simulated_ns: now.ns(),
        host_requests: run.host_requests,
        page_operations: run.operations(),
    }
}
