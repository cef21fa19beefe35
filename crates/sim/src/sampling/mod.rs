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

/// Events between two looks at how far a window is.
const EVENTS: u64 = 64;
/// Parts of the beginning, by which it is seen when the drive has settled, and requests of each at least.
const PARTS: usize = 20;
const PART_LEAST: u64 = 200;
/// Requests of a window at least.
const WINDOW_LEAST: u64 = 1_000;
/// Windows that a run has, where it is long enough, and requests carried forward for each in detail at most, where it is not
/// known how many come.
const WINDOWS: u64 = 12;
const FORWARD_PER_DETAIL: u64 = 19;

/// How far a sampled run is.
enum SamplingStage {
    /// Its first requests run in detail.
    Beginning,
    /// Requests run unmeasured until so many are answered.
    WarmUp { until: u64, pause: Box<CountsAtPause> },
    /// A window is measured until so many requests are answered.
    Measuring { until: u64 },
    /// All is run.
    Over,
}

/// Counts when a window began.
#[derive(Clone, Copy, Default)]
struct WindowCounts {
    time: SimTime,
    requests: u64,
    /// For requests of each effect: their number, the sum of their latencies, and the part of it that they waited for the
    /// buffer, in ns.
    by_effect: [[u128; 3]; Effect::COUNT],
}

impl WindowCounts {
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

/// Sums of times of requests over all windows so far.
#[derive(Clone, Copy, Default)]
struct TimesSeen {
    /// Time of the windows, in ns.
    ns: f64,
    /// For requests of each effect: as in [`WindowCounts`].
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

    /// Returns the times of requests; `waits` is true if requests come at times of their own.
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

/// Units that waited in the buffer for a die, as requests found them: while the drive answers none, many or few may wait.
#[derive(Clone, Copy, Default)]
struct WaitingSeen {
    sum: u64,
    requests: u64,
    /// Requests answered when it was last looked.
    before: u64,
}

impl WaitingSeen {
    fn note(&mut self, units: usize, answered: u64) {
        let since = answered - self.before.min(answered);
        self.sum += units as u64 * since;
        self.requests += since;
        self.before = answered;
    }

    fn mean(self) -> u32 {
        (self.sum as f64 / self.requests.max(1) as f64).round() as u32
    }
}

/// A run that is sampled, on its way.
pub(crate) struct Sampling {
    asked: AskedErrors,
    stage: SamplingStage,
    passed: Option<PassedOver>,
    /// Passes of the workload (`--loop`) when its clock was put before it.
    passes: u32,
    start: Option<WindowCounts>,
    /// Times of requests in the windows so far.
    times: TimesSeen,
    parts: Vec<SamplePart>,
    /// Requests of a ramp that came before all.
    base: u64,
    /// Requests answered, and time, at the beginning of the first part of the beginning and at the end of each.
    beginning: Vec<(u64, SimTime)>,
    part: u64,
    warm_up: u64,
    window: u64,
    skip: u64,
    /// The workload says that something comes at a time of its own.
    waits: bool,
    run_so: RunSo,
    /// Units that waited in the buffer, as seen now and then.
    waiting: WaitingSeen,
    /// How collections went in the parts that ran in detail so far, and what was seen when the present one began.
    collected: CollectionInTime,
    collected_before: CollectionInTime,
    /// Bytes programmed and written until the end of the last window.
    before: [f64; 2],
    /// What was programmed only for the drive to come to rest, and what the drive counted as written beyond the bytes of
    /// requests that were carried forward.
    extra: [f64; 2],
}

/// Refuses what cannot be sampled.
///
/// # Errors
/// Names it and why.
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
    /// Nothing is run yet.
    pub fn new(asked: AskedErrors) -> Self {
        Self {
            asked,
            stage: SamplingStage::Beginning,
            passed: None,
            passes: 0,
            start: None,
            times: TimesSeen::default(),
            parts: Vec::new(),
            base: 0,
            beginning: Vec::new(),
            part: PART_LEAST,
            warm_up: 0,
            window: WINDOW_LEAST,
            skip: 0,
            waits: false,
            run_so: RunSo::default(),
            waiting: WaitingSeen::default(),
            collected: CollectionInTime::default(),
            collected_before: CollectionInTime::default(),
            before: [0.0; 2],
            extra: [0.0; 2],
        }
    }

    /// Lets the run go on for about so many events; `passes` of its workload have begun, of `of_passes`.
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

    fn begin<P: Observer>(&mut self, run: &mut Run<P>) {
        let buffer = u64::from(run.ftl.buffer().units());
        self.part = PART_LEAST.max(buffer.div_ceil(PARTS as u64 / 2));
        self.before = self.totals(run);
        self.base = run.host_requests;
        self.waiting.before = self.base;
        self.collected_before = seen_by(run);
        self.beginning.push((self.base, run.ctx.calendar.now()));
        self.start = Some(WindowCounts::of(run));
    }

    /// Bytes programmed and written so far.
    fn totals<P: Observer>(&self, run: &Run<P>) -> [f64; 2] {
        let stats = run.ftl.stats();
        let programmed = stats.bytes_programmed(run.ftl.layout().unit) as f64;
        [programmed - self.extra[0], stats.bytes_written as f64 - self.extra[1]]
    }

    /// Notes a part of the beginning; when that is over, says how long windows and the way to them are.
    fn look_at_beginning<P: Observer>(
        &mut self,
        run: &mut Run<P>,
        drive: &Drive,
        passes: [u32; 2],
    ) -> Result<(), Error> {
        let Some((last, _)) = self.beginning.last().copied() else { return Ok(()) };
        if run.host_requests < last + self.part {
            return Ok(());
        }
        self.beginning.push((run.host_requests, run.ctx.calendar.now()));
        if self.beginning.len() <= PARTS {
            return Ok(());
        }
        self.warm_up = self.beginning[settled_after(&self.beginning) + 1].0 - self.beginning[0].0;
        self.window = WINDOW_LEAST.max(self.warm_up);
        let detail = self.warm_up + self.window;
        let part = run.fraction_done().filter(|part| *part > 0.0);
        let by_limit = (Pausing(run).requests_left() < u64::MAX / 2).then(|| Pausing(run).requests_left());
        let by_part = part.map(|part| {
            let pass = run.host_requests as f64 / part;
            (pass * f64::from(passes[1]) - run.host_requests as f64).max(0.0) as u64
        });
        let left = [by_limit, by_part].into_iter().flatten().min();
        self.skip = left.map_or(FORWARD_PER_DETAIL * detail, |left| (left / WINDOWS).saturating_sub(detail));
        self.end_window(run);
        self.go_forward(run, drive)
    }

    /// The drive comes to rest, its state is carried forward, and requests come again.
    fn go_forward<P: Observer>(&mut self, run: &mut Run<P>, drive: &Drive) -> Result<(), Error> {
        if self.skip == 0 {
            // Too few requests to leave any out: windows follow each other.
            self.start = Some(WindowCounts::of(run));
            self.stage = SamplingStage::Measuring { until: run.host_requests + self.window };
            return Ok(());
        }
        let pause = Box::new(Pausing(run).pause_measuring());
        self.collected = self.collected.and(seen_by(run).since(self.collected_before));
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
            let (count, steps, waits, seen) = (self.skip, self.times.steps(self.waits), self.waits, self.collected);
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
        self.collected_before = seen_by(run);
        Pausing(run).go_on(!done.is_over);
        self.stage = SamplingStage::WarmUp { until: run.host_requests + self.warm_up, pause };
        Ok(())
    }

    /// Adds the parts that were carried forward; what the drive programmed before, to stand still, belongs to the first.
    fn note_forwarded<P: Observer>(&mut self, run: &Run<P>, done: &Forwarded, settled: f64) {
        let mut first_request = run.host_requests - self.base - done.requests();
        for (at, part) in done.parts.iter().enumerate() {
            let programmed = part.programmed as f64 + if at == 0 { settled } else { 0.0 };
            let (requests, written) = (part.requests, part.bytes as f64);
            self.parts.push(SamplePart { first_request, requests, is_forwarded: true, programmed, written });
            first_request += requests;
        }
        self.before = self.totals(run);
    }

    fn begin_window<P: Observer>(&mut self, run: &mut Run<P>) {
        let stage = SamplingStage::Measuring { until: run.host_requests + self.window };
        if let SamplingStage::WarmUp { pause, .. } = std::mem::replace(&mut self.stage, stage) {
            Pausing(run).go_on_measuring(&pause);
        }
        self.waiting.before = run.host_requests;
        self.start = Some(WindowCounts::of(run));
    }

    /// A window is over, and with it a part in detail.
    fn end_window<P: Observer>(&mut self, run: &Run<P>) {
        let Some(start) = self.start.take() else { return };
        let now = WindowCounts::of(run);
        let requests = now.requests - start.requests;
        self.run_so.measured += requests;
        self.times.add(&start, &now);
        self.end_detail(run);
    }

    /// Adds what ran in detail since the end of the last part.
    fn end_detail<P: Observer>(&mut self, run: &Run<P>) {
        let first_request = self.parts.last().map_or(0, |last| last.first_request + last.requests);
        let requests = run.host_requests - self.base - first_request;
        let now = self.totals(run);
        let [programmed, written] = [now[0] - self.before[0], now[1] - self.before[1]];
        self.parts.push(SamplePart { first_request, requests, is_forwarded: false, programmed, written });
        self.before = now;
    }

    /// The run is over: what is measured is closed.
    pub fn finish<P: Observer>(&mut self, run: &mut Run<P>) {
        match std::mem::replace(&mut self.stage, SamplingStage::Over) {
            SamplingStage::WarmUp { pause, .. } => {
                Pausing(run).go_on_measuring(&pause);
                self.end_detail(run);
            }
            SamplingStage::Measuring { .. } | SamplingStage::Beginning => self.end_window(run),
            SamplingStage::Over => {}
        }
        self.run_so.all = run.host_requests - self.base;
    }

    /// What it comes to, once it is over.
    pub fn report(&self) -> SampledRun {
        estimate::of(&self.parts, self.run_so, [self.warm_up, self.window], &self.asked)
    }
}

fn seen_by<P: Observer>(run: &mut Run<P>) -> CollectionInTime {
    run.ftl.as_page_mapped().map(|pages| RunsAhead(pages).seen_in_time()).unwrap_or_default()
}

/// The first part of the beginning after which all parts take as long, as far as their differences tell: the one for which the
/// standard error of the mean of the rest is least (MSER: White 1997), looked for in the first half.
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

    /// Parts of ten requests that take so many nanoseconds each.
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
        let noise = |at: u64| 1_000 + at * 37 % 11;
        assert_eq!(settled_after(&parts((0..4).map(|at| 100 + 200 * at).chain((0..16).map(noise)))), 4);
        assert!(settled_after(&parts((0..20).map(noise))) < 10);
    }
}
