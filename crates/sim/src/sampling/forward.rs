//! Carrying a workload forward in the drive's state, without a clock: what it writes and trims takes effect by the same map,
//! policies and accounts as in time, and takes none.
//!
//! Rates and times of requests are by a nominal clock: a request takes as long as requests of its kind did in the windows so far,
//! and what comes at times of its own comes then. Dies have clocks, too (`ftl::RunsAhead`), so that they collect when they are
//! idle. Not modelled: what reads change beside the time of dies, and in which order several outstanding requests are answered.

use super::skipped::{PassedOver, Skipped};
use crate::observe::Observer;
use crate::requests::whole_units;
use crate::run::Run;
use crate::run::limits::{in_vain, no_room};
use crate::run::pausing::Pausing;
use crate::start::precondition::WaitingUnits;
use crate::{Drive, Error, embedding};
use ftl::{CollectionInTime, Ftl, RunsAhead, Still};
use host::{Completion, Effect, HostRequest, Poll, Workload, WorkloadError};
use units::{Bytes, Lpn, Nanos};

/// Number of requests between two looks whether to go on.
const LOOK_EVERY: u64 = 1 << 14;

/// Number of parts of a stretch that are counted by themselves.
const PARTS: u64 = 4;

/// Record of a part of what was carried forward.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ForwardedPart {
    /// Number of requests of the part.
    pub requests: u64,
    /// Number of bytes of write requests of the part.
    pub bytes: u64,
    /// Number of bytes that the drive programmed in the part.
    pub programmed: u64,
}

/// Record of a stretch of the workload that was carried forward.
#[derive(Clone, Debug, Default)]
pub(super) struct Forwarded {
    /// Parts of the stretch, in order.
    pub parts: Vec<ForwardedPart>,
    /// True if the workload said that a request comes at a time of its own.
    pub waits: bool,
    /// True if the workload came to its end.
    pub is_over: bool,
}

impl Forwarded {
    /// Returns the number of requests carried forward.
    pub fn requests(&self) -> u64 {
        self.parts.iter().map(|part| part.requests).sum()
    }

    /// Returns the number of bytes of write requests carried forward.
    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.bytes).sum()
    }
}

/// Content of the write buffer when simulated time stops.
pub(super) struct WaitingIn {
    /// Units that wait, the first to leave first.
    pub units: Vec<Lpn>,
    /// Mean number of units that wait.
    pub slots: u32,
}

/// Path of writes without simulated time, by the buffer to the flash.
struct ForwardWriter<'a> {
    /// The drive, for messages.
    drive: &'a Drive,
    /// Translation layer that takes the writes.
    ftl: &'a mut Ftl,
    /// Model of the write buffer; none where it keeps nothing.
    waiting: Option<WaitingUnits>,
}

impl ForwardWriter<'_> {
    /// Writes a unit to the flash.
    fn put(&mut self, lpn: Lpn) -> Result<(), Error> {
        match self.ftl.try_write_untimed(lpn) {
            true => Ok(()),
            false => Err(in_vain(self.ftl).unwrap_or_else(|| no_room(self.ftl))),
        }
    }

    /// Writes a unit of the host to the buffer, and the unit that leaves it to the flash.
    fn write(&mut self, lpn: Lpn) -> Result<(), Error> {
        let leaves = match &mut self.waiting {
            Some(waiting) => waiting.push(lpn),
            None => Some(lpn),
        };
        leaves.map_or(Ok(()), |lpn| self.put(lpn))
    }

    /// Lets time pass on the clocks of host and dies.
    fn pass(&mut self, step: Nanos) {
        if let Some(pages) = self.ftl.as_page_mapped() {
            RunsAhead(pages).pass(step);
        }
    }

    /// Lets a request take effect.
    fn take(&mut self, request: &HostRequest, unit: u64) -> Result<(), Error> {
        let end = request.offset + u64::from(request.bytes);
        match request.op.effect() {
            Effect::Write => {
                let units = (request.offset / unit) as u32..end.div_ceil(unit) as u32;
                units.map(Lpn).try_for_each(|lpn| self.write(lpn))
            }
            Effect::Trim => {
                let (first, units) = whole_units(request, unit);
                for lpn in (first.0..first.0 + units).map(Lpn) {
                    _ = self.waiting.as_mut().is_some_and(|waiting| waiting.take(lpn));
                    self.ftl.trim_untimed(lpn);
                }
                Ok(())
            }
            Effect::Read => {
                for lpn in ((request.offset / unit) as u32..end.div_ceil(unit) as u32).map(Lpn) {
                    let waits = self.waiting.as_ref().is_some_and(|waiting| waiting.holds(lpn));
                    if !waits && let Some(pages) = self.ftl.as_page_mapped() {
                        RunsAhead(pages).read(lpn);
                    }
                }
                Ok(())
            }
            Effect::Flush | Effect::Manage => Ok(()),
        }
    }

    /// Ends writing without simulated time; units that wait in the buffer stay there.
    fn end(mut self) -> Result<(), Error> {
        let waiting = self.waiting.take().map_or_else(Vec::new, |waiting| waiting.units());
        let beyond = self.ftl.as_page_mapped().map_or_else(Vec::new, |pages| {
            RunsAhead(pages).run_ahead(None);
            Still(pages).move_again(waiting)
        });
        beyond.into_iter().try_for_each(|lpn| self.put(lpn))?;
        let name = &self.drive.name;
        let worn_out = || Error(format!("{name}: it wore out while it was carried forward"));
        if self.ftl.is_read_only() { Err(worn_out()) } else { Ok(()) }
    }
}

/// Puts the workload of a run behind a clock of its own, where it is not there yet.
pub(super) fn passing_over<P: Observer>(run: &mut Run<P>) -> PassedOver {
    let passed = PassedOver::default();
    let inner = std::mem::replace(&mut run.workload, Box::new(Nothing));
    run.workload = Box::new(Skipped { inner, passed: passed.clone() });
    passed
}

/// Times of requests as the window before found them, by which the clocks of host and dies go on.
#[derive(Clone, Copy, Default)]
pub(super) struct Steps {
    /// Mean time from one request to the next.
    pub all: Nanos,
    /// Mean latency of a request.
    pub latency: Nanos,
    /// For requests of each effect, the time that passes with one on the host's clock, waits for the buffer left out.
    pub by_effect: [Nanos; Effect::COUNT],
}

/// Plan of how a drive is carried forward.
pub(super) struct ForwardPlan {
    /// Number of requests to carry forward.
    pub count: u64,
    /// Times that requests take.
    pub steps: Steps,
    /// True if requests come at times of their own.
    pub waits: bool,
    /// Counts of how collections and the host shared dies in simulated time.
    pub seen: CollectionInTime,
}

/// Carries a drive that stands still forward along the requests of the run's workload.
///
/// # Errors
/// When the workload is faulty, or the drive has no room.
pub(super) fn forward<P: Observer>(
    run: &mut Run<P>,
    drive: &Drive,
    passed: &PassedOver,
    waits_in: WaitingIn,
    plan: &ForwardPlan,
) -> Result<Forwarded, Error> {
    let (unit, now) = (run.ftl.layout().unit, run.ctx.calendar.now());
    let keeps = run.ftl.buffer().is_write_back() && waits_in.slots > 0;
    let waiting = keeps.then(|| WaitingUnits::new(waits_in.slots, run.ftl.layout().logical_units));
    let held = if keeps {
        u64::from(run.ftl.buffer().units()) * plan.steps.all.ns()
    } else {
        plan.steps.latency.ns()
    };
    if let Some(pages) = run.ftl.as_page_mapped() {
        RunsAhead(pages).run_ahead(Some((plan.seen, Nanos::new(held))));
    }
    let mut done = Forwarded { waits: plan.waits, ..Forwarded::default() };
    let count = plan.count.min(Pausing(run).requests_left());
    let mut programmed = run.ftl.stats().bytes_programmed(unit);
    let mut writer = ForwardWriter { drive, ftl: &mut run.ftl, waiting };
    waits_in.units.into_iter().try_for_each(|lpn| writer.write(lpn))?;
    let mut part = ForwardedPart::default();
    let mut requests = 0;
    while requests < count && !done.is_over {
        match run.workload.poll(now)? {
            Poll::Ready(request) => {
                run.namespaces.admit(&request, || run.workload.report().name)?;
                let effect = request.op.effect();
                writer.pass(plan.steps.by_effect[effect as usize]);
                writer.take(&request, unit.get())?;
                part.count(&request);
                requests += 1;
                passed.add(plan.steps.all.ns());
                run.workload.complete(&request, &Completion::success(now));
                look_at_times(requests)?;
            }
            Poll::At(time) => {
                done.waits = true;
                let gap = time.since(now);
                writer.pass(gap);
                passed.add(gap.ns());
            }
            Poll::Done => done.is_over = true,
            Poll::Blocked => return Err(never(run.workload.as_ref())),
        }
        if part.requests == count.div_ceil(PARTS) {
            done.parts.push(part.until(writer.ftl, unit, &mut programmed));
            part = ForwardedPart::default();
        }
    }
    writer.end()?;
    if part.requests > 0 {
        done.parts.push(part.until(&run.ftl, unit, &mut programmed));
    }
    Pausing(run).count_forwarded(requests);
    Ok(done)
}

impl ForwardedPart {
    /// Counts a request.
    fn count(&mut self, request: &HostRequest) {
        self.requests += 1;
        if request.op.effect() == Effect::Write {
            self.bytes += u64::from(request.bytes);
        }
    }

    /// Returns the part, which ends now, `before` bytes having been programmed when it began.
    fn until(self, ftl: &Ftl, unit: Bytes, before: &mut u64) -> Self {
        let now = ftl.stats().bytes_programmed(unit);
        Self { programmed: now - std::mem::replace(before, now), ..self }
    }
}

/// Looks now and then whether to go on.
fn look_at_times(requests: u64) -> Result<(), Error> {
    if requests.is_multiple_of(LOOK_EVERY) { embedding::look() } else { Ok(()) }
}

/// Makes the error for a workload that waits for an answer it already has.
fn never(workload: &dyn Workload) -> Error {
    let name = workload.report().name;
    WorkloadError::of(name, "it waits for a request that was answered", "one that goes on").into()
}

/// Empty workload, in the place of one that is elsewhere for a moment.
struct Nothing;

impl Workload for Nothing {
    fn poll(&mut self, _: units::SimTime) -> Result<Poll, WorkloadError> {
        Ok(Poll::Done)
    }

    fn complete(&mut self, _: &HostRequest, _: &Completion) {}

    fn fraction_done(&self, _: units::SimTime) -> Option<f64> {
        None
    }

    fn report(&self) -> host::WorkloadReport {
        host::WorkloadReport::default()
    }
}
