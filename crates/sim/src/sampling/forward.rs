//! Carrying a workload forward in the drive's state, without a clock: what it writes and trims takes effect by the same map,
//! policies and accounts as in time, and takes none.
//!
//! Rates and times of requests are by a nominal clock: a request takes as long as requests of its kind did in the windows so far,
//! and what comes at times of its own comes then. Dies have clocks, too (`ftl::RunsAhead`), so that they collect when they are
//! idle. Not modelled: what reads change beside the time of dies, and in which order several outstanding requests are answered.

use super::room::{RoomCounts, RoomGained};
use super::skipped::{PassedOver, Skipped};
use crate::namespaces::Namespaces;
use crate::observe::Observer;
use crate::requests::whole_units;
use crate::run::Run;
use crate::run::limits::{in_vain, no_room};
use crate::run::pausing::Pausing;
use crate::start::precondition::WaitingUnits;
use crate::{Drive, Error, embedding};
use ftl::{CollectionInTime, Ftl, RunsAhead, Still};
use host::{Completion, Effect, HostRequest, Poll, Workload, WorkloadError};
use units::{Lpn, Nanos, SimTime};

/// Constant: number of batches of requests carried forward between two checks whether the embedding program asks to
/// stop.
const LOOK_EVERY: u64 = 1 << 8;

/// Constant: greatest number of requests that are drawn from the workload before the first of them is carried forward,
/// so that what they need of the drive's state is asked for in advance.
const BATCH: u64 = 64;

/// Constant: greatest number of mapping units of a request that are asked for in advance.
const FORESEEN_UNITS: u32 = 8;

/// Constant: number of parts, each with counts of its own, of a stretch of requests that is carried forward.
const PARTS: u64 = 4;

/// Record of a part of a stretch of requests that was carried forward without simulated time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ForwardedPart {
    /// Number of requests in this part of a stretch that was carried forward.
    pub requests: u64,
    /// Number of bytes of the write requests in this part of a stretch that was carried forward.
    pub written: u64,
    /// Field of the record of a part that was carried forward: programs, and what garbage collection cost.
    pub room: RoomGained,
}

/// Record of a stretch of the workload's requests that was carried forward without simulated time.
#[derive(Clone, Debug, Default)]
pub(super) struct Forwarded {
    /// List of the parts of the stretch of requests that was carried forward, in order.
    pub parts: Vec<ForwardedPart>,
    /// True if the workload has said, in the stretch, that a request has an arrival time of its own, not only
    /// completions to follow.
    pub waits: bool,
    /// Time by the workload's clock that was carried forward, in ns.
    pub ns: u64,
    /// Time by which the first request of the stretch was late when the stretch began.
    pub late: Nanos,
    /// True if the workload came to its end, in the stretch that was carried forward or before.
    pub is_over: bool,
}

impl Forwarded {
    /// Returns the number of bytes of the write requests in the stretch that was carried forward.
    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.written).sum()
    }
}

/// Record of the contents of the drive's write buffer when simulated time stops, before a stretch is carried forward.
pub(super) struct WaitingIn {
    /// List of the units that wait in the write buffer, in the order in which they leave it.
    pub units: Vec<Lpn>,
    /// Mean number of units that waited in the write buffer in simulated time; the model of the buffer, without
    /// simulated time, has that many slots.
    pub slots: u32,
}

/// Type that takes requests of the host without simulated time: writes go through a model of the write buffer to the
/// flash.
struct ForwardWriter<'a> {
    /// Field: drive of the run, whose name error messages give.
    drive: &'a Drive,
    /// Field: flash translation layer that takes the writes which leave the model of the write buffer.
    ftl: &'a mut Ftl,
    /// Field: model of the write buffer; `None` where units do not wait in the buffer.
    waiting: Option<WaitingUnits>,
    /// Simulated time at which the stretch that is carried forward began.
    since: SimTime,
}

impl ForwardWriter<'_> {
    /// Writes a unit to the flash without simulated time.
    ///
    /// # Errors
    /// When the drive has no room for the unit.
    fn put(&mut self, lpn: Lpn) -> Result<(), Error> {
        match self.ftl.try_write_untimed(lpn) {
            true => Ok(()),
            false => Err(in_vain(self.ftl).unwrap_or_else(|| no_room(self.ftl))),
        }
    }

    /// Writes a unit of the host to the model of the write buffer, and the unit that has to leave the buffer for it to
    /// the flash.
    fn write(&mut self, lpn: Lpn) -> Result<(), Error> {
        let leaves = match &mut self.waiting {
            Some(waiting) => waiting.push(lpn),
            None => Some(lpn),
        };
        leaves.map_or(Ok(()), |lpn| self.put(lpn))
    }

    /// Advances the nominal clock of the host by `step` while requests are carried forward.
    fn pass(&mut self, step: Nanos) {
        if let Some(pages) = self.ftl.as_page_mapped() {
            RunsAhead(pages).pass(step, self.since);
        }
    }

    /// Prefetches what carrying out a request will read of the drive's state: what a read finds in the map, and whether
    /// units wait in the buffer.
    fn foresee(&self, request: &HostRequest, unit: u64) {
        let first = (request.offset / unit) as u32;
        let end = (request.offset + u64::from(request.bytes)).div_ceil(unit) as u32;
        let units = (first..end.min(first + FORESEEN_UNITS)).map(Lpn);
        let is_read = request.op.effect() == Effect::Read;
        for lpn in units {
            if let Some(waiting) = &self.waiting {
                waiting.prefetch(lpn);
            }
            if is_read {
                self.ftl.prefetch(lpn);
            }
        }
    }

    /// Carries out a request without simulated time: a write or trim changes the drive's state, a read only takes time
    /// on the clocks of dies, and other requests do nothing. `unit` is the size of a mapping unit in bytes.
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
                let mut row = None;
                for lpn in ((request.offset / unit) as u32..end.div_ceil(unit) as u32).map(Lpn) {
                    let waits = self.waiting.as_ref().is_some_and(|waiting| waiting.holds(lpn));
                    if !waits && let Some(pages) = self.ftl.as_page_mapped() {
                        row = RunsAhead(pages).read(lpn, row);
                    }
                }
                Ok(())
            }
            Effect::Flush => self.flush(),
            Effect::Manage => Ok(()),
        }
    }

    /// Writes all units in the model of the write buffer to the flash, and pads open program units, unless the buffer
    /// survives a power cut.
    fn flush(&mut self) -> Result<(), Error> {
        if self.ftl.buffer().is_protected() {
            return Ok(());
        }
        while let Some(lpn) = self.waiting.as_mut().and_then(WaitingUnits::pop) {
            self.put(lpn)?;
        }
        if let Some(pages) = self.ftl.as_page_mapped() {
            RunsAhead(pages).pad_hosts();
        }
        Ok(())
    }

    /// Ends writing without simulated time: units in the model of the write buffer go to the buffer itself, as far as
    /// it has room, and others to the flash.
    ///
    /// # Errors
    /// When the drive has no room for a unit, or has worn out.
    fn end(mut self) -> Result<(), Error> {
        let waiting = self.waiting.take().map_or_else(Vec::new, |waiting| waiting.units());
        let beyond = self.ftl.as_page_mapped().map_or_else(Vec::new, |pages| {
            RunsAhead(pages).run_ahead(None, 0.0);
            Still(pages).move_again(waiting)
        });
        beyond.into_iter().try_for_each(|lpn| self.put(lpn))?;
        let name = &self.drive.name;
        let worn_out = || Error(format!("{name}: it wore out while it was carried forward"));
        if self.ftl.is_read_only() { Err(worn_out()) } else { Ok(()) }
    }
}

/// Gives the workload of a run a clock of its own, which is ahead of the clock of the run by `lead`, and counts its
/// requests there.
pub(super) fn pass_over<P: Observer>(run: &mut Run<P>, lead: &PassedOver) {
    let inner = std::mem::replace(&mut run.workload, Box::new(Nothing));
    run.workload = Box::new(Skipped { inner, passed: lead.clone() });
}

/// Record of the times by which the nominal clocks advance with each request that is carried forward, as measured in
/// the windows so far.
#[derive(Clone, Copy, Default)]
pub(super) struct Steps {
    /// Time by which the workload's clock advances with each request carried forward: the mean time from one request to
    /// the next, or less where requests have arrival times of their own.
    pub all: Nanos,
    /// Mean time from one request to the next in the measured windows so far.
    pub apart: Nanos,
    /// Mean latency of a request in the measured windows so far.
    pub latency: Nanos,
    /// List, by effect of a request (such as read or write), of the times by which the host's nominal clock advances
    /// with such a request, without waits for the write buffer.
    pub by_effect: [Nanos; Effect::COUNT],
}

/// Record of the plan by which a stretch of requests is carried forward without simulated time.
pub(super) struct ForwardPlan {
    /// Number of requests that the plan carries forward.
    pub count: u64,
    /// Field of a plan: times by which the nominal clocks of workload and host advance with each request carried
    /// forward.
    pub steps: Steps,
    /// Counts, in the parts of the run in simulated time, of how garbage collection and the host shared dies.
    pub seen: CollectionInTime,
    /// Mean number of free places of a die in the measured windows so far ([`RunsAhead::free_places`]).
    pub places: f64,
}

/// Carries the state of a drive at rest forward, without simulated time, along the next requests of the run's workload,
/// as `plan` says, and returns a record of the stretch. `passed` is the lead of the workload's clock, which grows;
/// `waits_in` is the content of the write buffer.
///
/// # Errors
/// When the workload is faulty, the drive has no room or wears out, or the embedding program asks to stop.
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
        u64::from(run.ftl.buffer().units()) * plan.steps.apart.ns()
    } else {
        plan.steps.latency.ns()
    };
    if let Some(pages) = run.ftl.as_page_mapped() {
        RunsAhead(pages).run_ahead(Some((plan.seen, Nanos::new(held))), plan.places);
    }
    let (mut done, passed_before) = (Forwarded::default(), passed.ns());
    let count = plan.count.min(Pausing(run).requests_left());
    let mut edge = RoomCounts::of(&mut run.ftl);
    let mut writer = ForwardWriter { drive, ftl: &mut run.ftl, waiting, since: now };
    waits_in.units.into_iter().try_for_each(|lpn| writer.write(lpn))?;
    let mut part = ForwardedPart::default();
    let (mut requests, mut batches) = (0, 0);
    let part_requests = count.div_ceil(PARTS);
    let mut drawn = DrawnBatch::new(now, passed, &plan.steps);
    while requests < count && !done.is_over {
        let most = BATCH.min(count - requests).min(part_requests - part.requests);
        drawn.draw(most as usize, run.workload.as_mut(), &run.namespaces)?;
        done.waits |= drawn.waits;
        if requests == 0 {
            done.late = drawn.late();
        }
        done.is_over |= drawn.is_over;
        drawn.requests.iter().for_each(|(_, request)| writer.foresee(request, unit.get()));
        for (gap, request) in &drawn.requests {
            writer.pass(*gap + plan.steps.by_effect[request.op.effect() as usize]);
            writer.take(request, unit.get())?;
            part.count(request);
        }
        writer.pass(drawn.gap);
        requests += drawn.requests.len() as u64;
        batches += 1;
        look_at_times(batches)?;
        if part.requests == part_requests {
            done.parts.push(part.until(writer.ftl, &mut edge));
            part = ForwardedPart::default();
        }
    }
    writer.end()?;
    done.ns = passed.ns() - passed_before;
    // The end of writing without time belongs to the last part.
    let last = if part.requests > 0 { Some(part) } else { done.parts.pop() };
    done.parts.extend(last.map(|last| last.until(&mut run.ftl, &mut edge)));
    Pausing(run).count_forwarded(requests);
    Ok(done)
}

/// Record of the next requests of a workload, drawn before they are carried forward, by a clock that advances with each
/// request and with the time for which the workload waits.
struct DrawnBatch {
    /// Simulated time at which the stretch that is carried forward began.
    now: SimTime,
    /// Field of the record of drawn requests: lead of the workload's clock.
    passed: PassedOver,
    /// Time by which the workload's clock advances with each request.
    step: Nanos,
    /// List of the requests, in order, each with the time for which the workload waited before it.
    requests: Vec<(Nanos, HostRequest)>,
    /// Time for which the workload waited after the last request.
    gap: Nanos,
    /// True if the workload waited for a time to come.
    waits: bool,
    /// True if the workload has ended.
    is_over: bool,
}

impl DrawnBatch {
    /// Makes the record without requests, for a stretch that begins at simulated time `now`.
    fn new(now: SimTime, passed: &PassedOver, steps: &Steps) -> Self {
        Self {
            now,
            passed: passed.clone(),
            step: steps.all,
            requests: Vec::with_capacity(BATCH as usize),
            gap: Nanos::ZERO,
            waits: false,
            is_over: false,
        }
    }

    /// Returns how late the first of the drawn requests is; zero without requests.
    fn late(&self) -> Nanos {
        let late = |(_, request): &(Nanos, HostRequest)| self.now.ns().saturating_sub(request.arrive.ns());
        Nanos::new(self.requests.first().map_or(0, late))
    }

    /// Draws up to `most` requests from `workload` in place of those drawn before; all are answered at once.
    ///
    /// # Errors
    /// When the workload is faulty, or waits for an answer although all its requests are answered.
    fn draw(
        &mut self,
        most: usize,
        workload: &mut dyn Workload,
        namespaces: &Namespaces,
    ) -> Result<(), Error> {
        self.requests.clear();
        self.gap = Nanos::ZERO;
        while self.requests.len() < most && !self.is_over {
            match workload.poll(self.now)? {
                Poll::Ready(request) => {
                    namespaces.admit(&request, || workload.report().name)?;
                    self.requests.push((std::mem::take(&mut self.gap), request));
                    self.passed.add(self.step.ns());
                    workload.complete(&request, &Completion::success(self.now));
                }
                Poll::At(time) => {
                    self.waits = true;
                    let gap = time.since(self.now);
                    self.gap += gap;
                    self.passed.add(gap.ns());
                }
                Poll::Done => self.is_over = true,
                Poll::Blocked => return Err(never(workload)),
            }
        }
        Ok(())
    }
}

impl ForwardedPart {
    /// Adds a request to the counts of this part of a stretch that is carried forward.
    fn count(&mut self, request: &HostRequest) {
        self.requests += 1;
        if request.op.effect() == Effect::Write {
            self.written += u64::from(request.bytes);
        }
    }

    /// Returns this part of a stretch carried forward, at its end, with what the drive programmed since `edge` added.
    /// `edge` has the drive's counts at the end of the part before, and is set to the present counts.
    fn until(mut self, ftl: &mut Ftl, edge: &mut RoomCounts) -> Self {
        let before = std::mem::replace(edge, RoomCounts::of(ftl));
        self.room += edge.since(&before);
        self
    }
}

/// Asks, after each [`LOOK_EVERY`] batches of requests carried forward, whether the embedding program (such as Python)
/// wants the run to stop.
fn look_at_times(batches: u64) -> Result<(), Error> {
    if batches.is_multiple_of(LOOK_EVERY) { embedding::look() } else { Ok(()) }
}

/// Makes the error for a workload that waits for an answer although all its requests are answered.
fn never(workload: &dyn Workload) -> Error {
    let name = workload.report().name;
    WorkloadError::of(name, "it waits for a request that was answered", "one that goes on").into()
}

/// Type of a workload without requests: a stand-in while the run's own workload is taken out to be given another clock.
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
