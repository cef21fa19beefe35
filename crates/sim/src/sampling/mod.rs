//! A run of which parts are simulated in detail, and the rest is carried forward in the drive's state without a clock
//! (systematic sampling: Wunderlich et al., SMARTS, ISCA 2003).
//!
//! The first requests run in detail, as they are the run's own beginning; they show how long the drive takes to settle once it
//! goes on, and how far its collections run ahead of the host. Then windows follow each other at even distances: the drive
//! stands still, its state is carried forward with collections as far ahead as they were seen to be, so many requests run in
//! detail unmeasured, and a window is measured. All that is programmed and written is counted, in windows and between them.
//!
//! - `asked`: how well write amplification is to be known. `told`: what the result says.
//! - `forward`: the state carried forward. `skipped`: the workload's clock meanwhile.
//! - `estimate`: from the parts to the whole run.
//!
//! Not modelled: which die takes a unit depends on which is busy; what is carried forward takes them in turns.

mod asked;
mod estimate;
mod forward;
mod skipped;
mod told;

use crate::measure::STAGE_BUFFER;
use crate::observe::Observer;
use crate::run::Run;
use crate::run::pausing::{CountsAtPause, Pausing};
use crate::{Drive, Error};
pub(crate) use asked::AskedErrors;
use controller::Origin;
use estimate::{RunSo, SamplePart};
use forward::{ForwardPlan, Forwarded, Steps, WaitingIn, forward, passing_over};
use ftl::compatibility::{Feature, check_asked};
use ftl::{CollectionInTime, RunsAhead, Still};
use host::Effect;
use skipped::PassedOver;
pub(crate) use told::SampledRun;
use units::{Nanos, SimTime};

/// Constant: number of events of a sampled run between two checks whether its present stage is over.
const EVENTS: u64 = 64;
/// Constant: number of parts of a sampled run's beginning, by which it is seen when the drive has settled.
const PARTS: usize = 20;
/// Constant: least number of requests of a part of a sampled run's beginning.
const PART_LEAST: u64 = 200;
/// Constant: least number of requests of a measured window of a sampled run.
const WINDOW_LEAST: u64 = 1_000;
/// Constant: number of windows that a sampled run shall have where it is long enough.
const WINDOWS: u64 = 12;
/// Constant: requests carried forward for each request in detail where the length of the run is not known.
const FORWARD_PER_DETAIL: u64 = 19;

/// Kind of stage of a sampled run.
enum SamplingStage {
    /// Case of stage of a sampled run: its first requests run in detail, and are measured.
    Beginning,
    /// Case of stage of a sampled run: requests run in detail, unmeasured, until `until` of the run are answered.
    WarmUp { until: u64, pause: Box<CountsAtPause> },
    /// Case of stage of a sampled run: a window is measured, until `until` requests of the run are answered.
    Measuring { until: u64 },
    /// Case of stage of a sampled run: the run is over.
    Over,
}

/// Counts of a run's measured requests when a window of a sampled run begins or ends.
#[derive(Clone, Copy, Default)]
struct WindowCounts {
    /// Simulated time of the last answer to a measured request.
    time: SimTime,
    /// Number of measured requests answered.
    requests: u64,
    /// For requests of each effect, such as read or write: their number, and in ns the sum of their latencies and the
    /// sum of their waits for the write buffer.
    by_effect: [[u128; 3]; Effect::COUNT],
}

impl WindowCounts {
    /// Returns the counts of a run's measured requests until now.
    fn of<P: Observer>(run: &Run<P>) -> Self {
        let measure = &run.measure;
        Self {
            time: measure.last_completion,
            requests: measure.completed.iter().sum(),
            by_effect: std::array::from_fn(|at| {
                let op = &measure.ops[at];
                [u128::from(op.requests()), op.latency_sum_ns, measure.stages_ns[at][STAGE_BUFFER]]
            }),
        }
    }
}

/// Sums of times of requests over all measured windows of a sampled run so far.
#[derive(Clone, Copy, Default)]
struct TimesSeen {
    /// Sum of the windows' lengths in simulated time, in ns.
    ns: f64,
    /// For requests of each effect: number, sum of latencies, and sum of waits for the write buffer (both in ns).
    by_effect: [[f64; 3]; Effect::COUNT],
}

impl TimesSeen {
    /// Adds a window that began at `start` and ended at `end`.
    fn add(&mut self, start: &WindowCounts, end: &WindowCounts) {
        self.ns += end.time.since(start.time).ns() as f64;
        for (sum, (now, then)) in self.by_effect.iter_mut().zip(end.by_effect.iter().zip(&start.by_effect)) {
            for (sum, (now, then)) in sum.iter_mut().zip(now.iter().zip(then)) {
                *sum += (now - then) as f64;
            }
        }
    }

    /// Returns the times by which the nominal clocks of a sampled run (the workload's, and the host's for each kind of
    /// request) advance with each request that is carried forward without simulated time, as means over the measured
    /// windows so far; `waits` is true if requests have arrival times of their own (open loop).
    fn steps(&self, waits: bool) -> Steps {
        let since = &self.by_effect;
        let sum = |part: usize| since.iter().map(|of| of[part]).sum::<f64>();
        let (requests, latency) = (sum(0).max(1.0), sum(1).max(1.0));
        let apart = self.ns / requests;
        // What comes at times of its own must not fall behind them.
        let apart = if waits { apart.min(latency / requests) / 2.0 } else { apart };
        // In a closed loop, time passes as requests are answered: with each as much as its part of all latencies.
        let of_each = |of: [f64; 3]| match of[0] > 0.0 {
            true => (of[1] - of[2]) / of[0] * apart * requests / latency,
            false => apart,
        };
        let ns = |time: f64| Nanos::new(time as u64);
        Steps {
            all: ns(apart),
            latency: ns(latency / requests),
            by_effect: since.map(|of| ns(if waits { apart } else { of_each(of) })),
        }
    }
}

/// Record of the number of units that waited in the write buffer for a die, as a mean over answered requests.
#[derive(Clone, Copy, Default)]
struct WaitingSeen {
    /// Sum, over requests, of the number of units that waited in the write buffer.
    sum: u64,
    /// Number of requests over which the sum was taken.
    requests: u64,
    /// Number of requests of the run answered at the last look at the write buffer.
    before: u64,
}

impl WaitingSeen {
    /// Adds a look at the write buffer: `units` units wait, and `answered` requests of the run are answered.
    fn note(&mut self, units: usize, answered: u64) {
        let since = answered - self.before.min(answered);
        self.sum += units as u64 * since;
        self.requests += since;
        self.before = answered;
    }

    /// Returns the mean number of units that waited in the write buffer.
    fn mean(self) -> u32 {
        (self.sum as f64 / self.requests.max(1) as f64).round() as u32
    }
}

/// State of a sampled run.
pub(crate) struct Sampling {
    /// Error of write amplification that was asked for.
    asked: AskedErrors,
    /// Present stage of the sampled run.
    stage: SamplingStage,
    /// Lead of the workload's clock over the clock of the run; `None` before it has a clock of its own.
    passed: Option<PassedOver>,
    /// Number of passes of the workload (`--loop`) begun at the last look; each has a clock of its own.
    passes: u32,
    /// Counts when the present measured window began; `None` outside windows.
    start: Option<WindowCounts>,
    /// Sums of times of requests in the measured windows so far.
    times: TimesSeen,
    /// List of the parts of the run so far, in detail and carried forward, in order.
    parts: Vec<SamplePart>,
    /// Record of the first requests of the run, part by part.
    beginning: BeginningSeen,
    /// Lengths of warm-ups, windows and stretches to carry forward.
    lengths: SampleLengths,
    /// True if the workload said that a request comes at a time of its own.
    waits: bool,
    /// Numbers of requests by the way in which they were run.
    run_so: RunSo,
    /// Record of the number of units that waited in the write buffer.
    waiting: WaitingSeen,
    /// Two counts of collections: in the parts in detail so far, and of the drive when the present part began.
    collected: [CollectionInTime; 2],
    /// Two numbers of bytes, programmed and written, until the end of the last part of the run.
    before: [f64; 2],
    /// Two numbers of bytes: programmed only for the drive to come to rest, and counted by the drive as written beyond
    /// the bytes of requests that were carried forward.
    extra: [f64; 2],
}

/// Record of the first requests of a sampled run, by which it is seen when the drive has settled.
#[derive(Default)]
struct BeginningSeen {
    /// Number of requests answered before the sampled run, in a ramp of the workload.
    base: u64,
    /// List of pairs at the start of the first part and the end of each part: requests answered, simulated time.
    ends: Vec<(u64, SimTime)>,
    /// Number of requests of each part of the beginning.
    part: u64,
}

/// Lengths of warm-ups, windows and stretches to carry forward of a sampled run, in requests.
struct SampleLengths {
    /// Number of requests that run in detail, unmeasured, before each window.
    warm_up: u64,
    /// Number of requests of each measured window.
    window: u64,
    /// Number of requests that are carried forward between two windows.
    skip: u64,
}

/// Checks that the state of a drive can be carried forward without simulated time.
///
/// # Errors
/// When it cannot; the message names the feature and the reason.
pub(crate) fn check(drive: &Drive) -> Result<(), Error> {
    check_asked(Feature::Sampled, &drive.features)?;
    if drive.keeps_in_buffer()? {
        return Err(Error(
            "--sample: which units a buffer keeps depends on reads, which are not carried forward; expected ftl.buffer.keep_ratio = 0".into(),
        ));
    }
    if drive.space().handles > 0 {
        return Err(Error("--sample: what is carried forward names no placement handles; expected another ftl.streams.name than fdp".into()));
    }
    Ok(())
}

impl Sampling {
    /// Makes the state of a sampled run before its first request; `asked` is the error asked for.
    pub fn new(asked: AskedErrors) -> Self {
        Self {
            asked,
            stage: SamplingStage::Beginning,
            passed: None,
            passes: 0,
            start: None,
            times: TimesSeen::default(),
            parts: Vec::new(),
            beginning: BeginningSeen { part: PART_LEAST, ..BeginningSeen::default() },
            lengths: SampleLengths { warm_up: 0, window: WINDOW_LEAST, skip: 0 },
            waits: false,
            run_so: RunSo::default(),
            waiting: WaitingSeen::default(),
            collected: [CollectionInTime::default(); 2],
            before: [0.0; 2],
            extra: [0.0; 2],
        }
    }

    /// Lets a sampled run go on for about `events` events; `passes` are its workload's passes begun, and planned.
    ///
    /// # Errors
    /// When the workload is faulty, or the drive has no room.
    pub fn advance<P: Observer>(
        &mut self,
        run: &mut Run<P>,
        drive: &Drive,
        events: u64,
        passes: [u32; 2],
    ) -> Result<(), Error> {
        for _ in 0..events.div_ceil(EVENTS) {
            if self.start.is_none()
                && matches!(self.stage, SamplingStage::Beginning)
                && !Pausing(run).is_ramping()
            {
                self.begin(run);
            }
            if self.passes != passes[0] {
                // A further pass of the workload has a clock of its own.
                (self.passed, self.passes) = (None, passes[0]);
            }
            if run.advance(EVENTS)? {
                return Ok(());
            }
            let done = run.host_requests;
            if !matches!(self.stage, SamplingStage::WarmUp { .. })
                && let Some(pages) = run.ftl.as_page_mapped()
            {
                self.waiting.note(Still(pages).units_waiting(), done);
            }
            match self.stage {
                SamplingStage::Beginning => self.look_at_beginning(run, drive, passes)?,
                SamplingStage::WarmUp { until, .. } if done >= until => self.begin_window(run),
                SamplingStage::Measuring { until } if done >= until => {
                    self.end_window(run);
                    self.go_forward(run, drive)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Begins to measure the first requests of a sampled run, after a ramp of the workload.
    fn begin<P: Observer>(&mut self, run: &mut Run<P>) {
        let buffer = u64::from(run.ftl.buffer().units());
        self.beginning.part = PART_LEAST.max(buffer.div_ceil(PARTS as u64 / 2));
        self.before = self.totals(run);
        self.beginning.base = run.host_requests;
        self.waiting.before = self.beginning.base;
        self.collected[1] = seen_by(run);
        self.beginning.ends.push((self.beginning.base, run.ctx.calendar.now()));
        self.start = Some(WindowCounts::of(run));
    }

    /// Returns the bytes programmed and written so far, without bytes that only sampling caused.
    fn totals<P: Observer>(&self, run: &Run<P>) -> [f64; 2] {
        let stats = run.ftl.stats();
        let programmed = stats.bytes_programmed(run.ftl.layout().unit) as f64;
        [programmed - self.extra[0], stats.bytes_written as f64 - self.extra[1]]
    }

    /// Notes the end of a part of a sampled run's beginning (its first requests, which run in detail) once enough
    /// requests are answered. After the last part, sets the numbers of requests of warm-up, of measured window and of
    /// the stretch carried forward between windows, ends the first window, and carries the drive's state forward.
    fn look_at_beginning<P: Observer>(
        &mut self,
        run: &mut Run<P>,
        drive: &Drive,
        passes: [u32; 2],
    ) -> Result<(), Error> {
        let Some((last, _)) = self.beginning.ends.last().copied() else { return Ok(()) };
        if run.host_requests < last + self.beginning.part {
            return Ok(());
        }
        self.beginning.ends.push((run.host_requests, run.ctx.calendar.now()));
        if self.beginning.ends.len() <= PARTS {
            return Ok(());
        }
        self.lengths.warm_up =
            self.beginning.ends[settled_after(&self.beginning.ends) + 1].0 - self.beginning.ends[0].0;
        self.lengths.window = WINDOW_LEAST.max(self.lengths.warm_up);
        let detail = self.lengths.warm_up + self.lengths.window;
        let part = run.fraction_done().filter(|part| *part > 0.0);
        let by_limit = (Pausing(run).requests_left() < u64::MAX / 2).then(|| Pausing(run).requests_left());
        let by_part = part.map(|part| {
            let pass = run.host_requests as f64 / part;
            (pass * f64::from(passes[1]) - run.host_requests as f64).max(0.0) as u64
        });
        let left = [by_limit, by_part].into_iter().flatten().min();
        self.lengths.skip =
            left.map_or(FORWARD_PER_DETAIL * detail, |left| (left / WINDOWS).saturating_sub(detail));
        self.end_window(run);
        self.go_forward(run, drive)
    }

    /// Lets the drive come to rest, carries its state forward, and begins the warm-up of the next window.
    fn go_forward<P: Observer>(&mut self, run: &mut Run<P>, drive: &Drive) -> Result<(), Error> {
        if self.lengths.skip == 0 {
            // Too few requests to leave any out: windows follow each other.
            self.start = Some(WindowCounts::of(run));
            self.stage = SamplingStage::Measuring { until: run.host_requests + self.lengths.window };
            return Ok(());
        }
        let pause = Box::new(Pausing(run).pause_measuring());
        self.collected[0] = self.collected[0].and(seen_by(run).since(self.collected[1]));
        let comes = Pausing(run).hold();
        while !run.advance(EVENTS)? {}
        let padded = |run: &Run<P>| run.ftl.stats().units_programmed[Origin::Padding as usize];
        let before = padded(run);
        let mut buffered = Pausing(run).stand_still();
        let unit = run.ftl.layout().unit.get();
        self.extra[0] += ((padded(run) - before) * unit) as f64;
        let mut done = Forwarded { is_over: !comes, ..Forwarded::default() };
        let settled = self.totals(run)[0] - self.before[0];
        if comes {
            let passed = self.passed.get_or_insert_with(|| passing_over(run)).clone();
            let counted = run.ftl.stats().bytes_written;
            let keeps = WaitingIn { units: std::mem::take(&mut buffered), slots: self.waiting.mean() };
            let (count, steps, waits, seen) =
                (self.lengths.skip, self.times.steps(self.waits), self.waits, self.collected[0]);
            done = forward(run, drive, &passed, keeps, &ForwardPlan { count, steps, waits, seen })?;
            // What a later write took the place of in the buffer was written, too, and counts by the bytes of its request.
            self.extra[1] += (run.ftl.stats().bytes_written - counted) as f64 - done.bytes() as f64;
            self.note_forwarded(run, &done, settled);
        }
        self.waits |= done.waits;
        self.run_so.forwarded += done.requests();
        if !comes && let Some(pages) = run.ftl.as_page_mapped() {
            Still(pages).move_again(buffered);
        }
        self.collected[1] = seen_by(run);
        Pausing(run).go_on();
        if !done.is_over {
            Pausing(run).draw_again();
        }
        self.stage = SamplingStage::WarmUp { until: run.host_requests + self.lengths.warm_up, pause };
        Ok(())
    }

    /// Adds the parts that were carried forward; what the drive programmed to come to rest belongs to the first.
    fn note_forwarded<P: Observer>(&mut self, run: &Run<P>, done: &Forwarded, settled: f64) {
        // Requests in flight when the part in detail ended were answered while the drive came to rest.
        let mut first_request = self.parts.last().map_or(0, |last| last.first_request + last.requests);
        let answered = run.host_requests - self.beginning.base - done.requests() - first_request;
        for (at, part) in done.parts.iter().enumerate() {
            let programmed = part.programmed as f64 + if at == 0 { settled } else { 0.0 };
            let requests = part.requests + if at == 0 { answered } else { 0 };
            let written = part.bytes as f64;
            self.parts.push(SamplePart { first_request, requests, is_forwarded: true, programmed, written });
            first_request += requests;
        }
        self.before = self.totals(run);
    }

    /// Begins a measured window at the end of its warm-up.
    fn begin_window<P: Observer>(&mut self, run: &mut Run<P>) {
        let stage = SamplingStage::Measuring { until: run.host_requests + self.lengths.window };
        if let SamplingStage::WarmUp { pause, .. } = std::mem::replace(&mut self.stage, stage) {
            Pausing(run).go_on_measuring(&pause);
        }
        self.waiting.before = run.host_requests;
        self.start = Some(WindowCounts::of(run));
    }

    /// Ends a measured window, and with it a part of the run in detail.
    fn end_window<P: Observer>(&mut self, run: &Run<P>) {
        let Some(start) = self.start.take() else { return };
        let now = WindowCounts::of(run);
        let requests = now.requests - start.requests;
        self.run_so.measured += requests;
        self.times.add(&start, &now);
        self.end_detail(run);
    }

    /// Adds, as a part of the run, the requests that ran in detail since the end of the last part.
    fn end_detail<P: Observer>(&mut self, run: &Run<P>) {
        let first_request = self.parts.last().map_or(0, |last| last.first_request + last.requests);
        let requests = run.host_requests - self.beginning.base - first_request;
        let now = self.totals(run);
        let [programmed, written] = [now[0] - self.before[0], now[1] - self.before[1]];
        self.parts.push(SamplePart { first_request, requests, is_forwarded: false, programmed, written });
        self.before = now;
    }

    /// Ends the present window or warm-up when the run is over.
    pub fn finish<P: Observer>(&mut self, run: &mut Run<P>) {
        match std::mem::replace(&mut self.stage, SamplingStage::Over) {
            SamplingStage::WarmUp { pause, .. } => {
                Pausing(run).go_on_measuring(&pause);
                self.end_detail(run);
            }
            SamplingStage::Measuring { .. } | SamplingStage::Beginning => self.end_window(run),
            SamplingStage::Over => {}
        }
        self.run_so.all = run.host_requests - self.beginning.base;
    }

    /// Returns the report of a sampled run that is over.
    pub fn report(&self) -> SampledRun {
        estimate::of(&self.parts, self.run_so, [self.lengths.warm_up, self.lengths.window], &self.asked)
    }
}

/// Returns the drive's counts of how collection and the host shared dies; all zero if it is not page-mapped.
fn seen_by<P: Observer>(run: &mut Run<P>) -> CollectionInTime {
    run.ftl.as_page_mapped().map(|pages| RunsAhead(pages).seen_in_time()).unwrap_or_default()
}

/// Returns the index of the first part of a sampled run's beginning from which on parts take equally long: where the
/// standard error of the mean of the rest is least, looked for in the first half (MSER: White 1997).
fn settled_after(parts: &[(u64, SimTime)]) -> usize {
    let pairs = parts.iter().zip(&parts[1..]);
    let times: Vec<f64> =
        pairs.map(|(from, to)| to.1.since(from.1).ns() as f64 / (to.0 - from.0).max(1) as f64).collect();
    let error = |from: &usize| {
        let rest = &times[*from..];
        let mean = rest.iter().sum::<f64>() / rest.len() as f64;
        let squares: f64 = rest.iter().map(|time| (time - mean).powi(2)).sum();
        squares / (rest.len() as f64).powi(2)
    };
    (0..times.len() / 2).min_by(|a, b| error(a).total_cmp(&error(b))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::settled_after;
    use units::SimTime;

    /// Makes the ends of parts of ten requests each; `times` are the nanoseconds that each part takes.
    fn parts(times: impl IntoIterator<Item = u64>) -> Vec<(u64, SimTime)> {
        let mut parts = vec![(0, SimTime::ZERO)];
        for time in times {
            let (requests, before) = parts[parts.len() - 1];
            parts.push((requests + 10, SimTime::from_ns(before.ns() + time)));
        }
        parts
    }

    #[test]
    fn a_drive_has_settled_when_its_parts_are_alike() {
        let noise = |at: u64| 1_000 + at % 2 * 10;
        assert_eq!(settled_after(&parts((0..4).map(|at| 100 + 200 * at).chain((0..16).map(noise)))), 4);
        assert!(settled_after(&parts((0..20).map(noise))) < 10);
    }
}
