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
mod beginning;
mod clock;
mod estimate;
mod forward;
mod plan;
mod rates;
mod room;
mod seen;
mod skipped;
mod told;
mod windows;

use crate::observe::Observer;
use crate::run::Run;
use crate::run::pausing::{CountsAtPause, Pausing};
use crate::{Drive, Error};
pub(crate) use asked::AskedErrors;
use beginning::{BeginningSeen, is_changing};
use clock::SampledClock;
use controller::Origin;
use estimate::{MeasuredWindows, RunSo, SamplePart};
use forward::{ForwardPlan, Forwarded, WaitingIn, forward};
use ftl::compatibility::{Feature, check_asked};
use ftl::{CollectionInTime, RunsAhead, Still};
use plan::SampleLengths;
use room::RoomCounts;
use seen::{PlacesSeen, WaitingSeen};
pub(crate) use told::SampledRun;
use windows::WindowsSeen;

/// Constant: number of events of a sampled run between two checks whether its present stage is over.
const EVENTS: u64 = 64;
/// Constant: number of parts of a sampled run's beginning, by which it is seen when the drive has settled.
const PARTS: usize = 20;
/// Constant: number of times as many requests that must be left of a sampled run as its beginning has, for the
/// beginning to become twice as long where the drive still changes at its end.
const BEGINNINGS_LEFT: u64 = 10;
/// Constant: least number of requests of a part of a sampled run's beginning.
const PART_LEAST: u64 = 200;

/// Kind of stage of a sampled run.
enum SamplingStage {
    /// Case of stage of a sampled run: its first requests run in detail, and are measured.
    Beginning,
    /// Case of stage of a sampled run: requests run in detail, unmeasured, until `until` of the run are answered.
    WarmUp { until: u64, pause: Box<CountsAtPause> },
    /// Case of stage of a sampled run: a pass of the workload ended while requests were carried forward; `left` more are
    /// carried forward in the next pass.
    BetweenPasses { left: u64, pause: Box<CountsAtPause> },
    /// Case of stage of a sampled run: a window is measured, until `until` requests of the run are answered.
    Measuring { until: u64 },
    /// Case of stage of a sampled run: the run is over.
    Over,
}

/// State of a sampled run.
pub(crate) struct Sampling {
    /// Field: bounds that the option `--sample` sets on the errors of estimates.
    asked: AskedErrors,
    /// Field of a sampled run's state: its present stage (beginning, warm-up, measured window, or over).
    stage: SamplingStage,
    /// Field of a sampled run's state: clock of the workload, which is ahead of the clock of the run.
    clock: SampledClock,
    /// The record of the measured windows so far, kept in the state of a sampled run.
    windows: WindowsSeen,
    /// List of the parts of the run so far, in detail and carried forward, in order.
    parts: Vec<SamplePart>,
    /// The record of the first requests of the sampled run, which run in detail, part by part; kept in the state of the
    /// run.
    beginning: BeginningSeen,
    /// Field of a sampled run's state: lengths, in requests, of warm-ups, measured windows, and stretches to carry
    /// forward.
    lengths: SampleLengths,
    /// Field of a sampled run's state: counts of its requests (all, measured, and carried forward).
    run_so: RunSo,
    /// Field of a sampled run's state: mean, over the run's answered requests, of the number of units that waited in
    /// the write buffer, warm-ups left out.
    waiting: WaitingSeen,
    /// Field of a sampled run's state: mean, over the slices of measured windows, of the number of places on flash that
    /// programs could take.
    places: PlacesSeen,
    /// Two counts of how garbage collection and the host shared dies: in the parts in detail so far, and of the drive
    /// when the present part began.
    collected: [CollectionInTime; 2],
    /// Two numbers of bytes at the end of the last part of the sampled run: programmed to flash, and written by the
    /// host.
    before: [f64; 2],
    /// Field of a sampled run's state: counts of programs, and of room for them, when the present part in detail began.
    room_before: RoomCounts,
    /// Two numbers of bytes that only sampling caused: programmed for the drive to come to rest, and counted by the
    /// drive as written beyond the bytes of the requests that were carried forward.
    extra: [f64; 2],
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
    /// Makes the state of a sampled run before its first request; `asked` holds the bounds that `--sample` sets on
    /// errors, and `seed` is the seed of the run.
    pub fn new(asked: AskedErrors, seed: u64) -> Self {
        Self {
            asked,
            stage: SamplingStage::Beginning,
            clock: SampledClock::default(),
            windows: WindowsSeen::default(),
            parts: Vec::new(),
            beginning: BeginningSeen { part: PART_LEAST, ..BeginningSeen::default() },
            lengths: SampleLengths::unknown(seed),
            run_so: RunSo::default(),
            waiting: WaitingSeen::default(),
            places: PlacesSeen::default(),
            collected: [CollectionInTime::default(); 2],
            before: [0.0; 2],
            room_before: RoomCounts::default(),
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
            if !self.windows.is_open()
                && matches!(self.stage, SamplingStage::Beginning)
                && !Pausing(run).is_ramping()
            {
                self.begin(run);
            }
            if self.clock.look(run, passes[0]) {
                self.go_on_in_pass(run, drive)?;
            }
            if run.advance(EVENTS)? {
                return Ok(());
            }
            let done = run.host_requests;
            if self.windows.look(run, self.totals(run)[0])
                && let Some(pages) = run.ftl.as_page_mapped()
            {
                self.places.note(RunsAhead(pages).free_places());
            }
            if matches!(self.stage, SamplingStage::Beginning | SamplingStage::Measuring { .. })
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
        self.clock.begin(run);
        self.before = self.totals(run);
        self.room_before = RoomCounts::of(&mut run.ftl);
        self.beginning.base = run.host_requests;
        self.waiting.before = self.beginning.base;
        self.collected[1] = seen_by(run);
        self.beginning.ends.push((self.beginning.base, run.ctx.calendar.now()));
        self.windows.begin(run, self.before[0], self.beginning.part * PARTS as u64);
    }

    /// Returns two numbers of bytes so far: programmed to flash, and written by the host, both without bytes that only
    /// sampling caused.
    fn totals<P: Observer>(&self, run: &Run<P>) -> [f64; 2] {
        let stats = run.ftl.stats();
        let programmed = stats.bytes_programmed(run.ftl.layout().unit) as f64;
        [programmed - self.extra[0], stats.bytes_written as f64 - self.extra[1]]
    }

    /// Returns the number of requests of the run's beginning in which the drive programmed as many bytes as one
    /// superblock of each die holds; 0 where it programmed none.
    fn turn<P: Observer>(&self, run: &Run<P>) -> f64 {
        let layout = run.ftl.layout();
        let superblocks =
            f64::from(layout.superblock_units) * f64::from(layout.dies) * layout.unit.get() as f64;
        let programmed = self.totals(run)[0] - self.before[0];
        if programmed > 0.0 {
            superblocks * (run.host_requests - self.beginning.base) as f64 / programmed
        } else {
            0.0
        }
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
        let left = requests_left(run, passes[1]);
        // How far apart requests of an open loop come says nothing of the drive.
        let settled = if self.clock.is_open { 0 } else { self.beginning.settled() };
        let requests = run.host_requests - self.beginning.base;
        if !self.clock.is_open
            && is_changing(&self.beginning.ends)
            && left.is_none_or(|left| left > BEGINNINGS_LEFT * requests)
        {
            // It may settle later: collections that were due before the run take long beside reads.
            self.beginning.lengthen();
            return Ok(());
        }
        let turn = if self.asked.tells_times() { self.turn(run) } else { 0.0 };
        self.lengths.plan(settled, turn, left, self.clock.windows());
        self.end_window(run);
        self.go_forward(run, drive)
    }

    /// Lets the drive come to rest, carries its state forward, and begins the warm-up of the next window; where no
    /// request is to be carried forward, begins the next window at once.
    fn go_forward<P: Observer>(&mut self, run: &mut Run<P>, drive: &Drive) -> Result<(), Error> {
        if !self.lengths.carries_forward() {
            // Too few requests to leave any out: windows follow each other.
            self.windows.begin(run, self.totals(run)[0], self.lengths.window);
            self.stage = SamplingStage::Measuring { until: run.host_requests + self.lengths.window };
            self.end_detail(run);
            return Ok(());
        }
        let pause = Box::new(Pausing(run).pause_measuring());
        let count = self.lengths.next_skip();
        self.carry_forward(run, drive, count, pause)
    }

    /// Carries the state of the drive further forward where a pass of the workload ended meanwhile.
    fn go_on_in_pass<P: Observer>(&mut self, run: &mut Run<P>, drive: &Drive) -> Result<(), Error> {
        match std::mem::replace(&mut self.stage, SamplingStage::Over) {
            SamplingStage::BetweenPasses { left, pause } => self.carry_forward(run, drive, left, pause),
            stage => {
                self.stage = stage;
                Ok(())
            }
        }
    }

    /// Lets the drive come to rest, carries its state forward by `count` requests, and begins the warm-up of the next
    /// window, unless the pass of the workload ends before. `pause` has the counts at the end of the last window.
    fn carry_forward<P: Observer>(
        &mut self,
        run: &mut Run<P>,
        drive: &Drive,
        count: u64,
        pause: Box<CountsAtPause>,
    ) -> Result<(), Error> {
        self.collected[0] = self.collected[0].and(seen_by(run).since(self.collected[1]));
        let comes = Pausing(run).hold();
        while !run.advance(EVENTS)? {}
        let padded = |run: &Run<P>| run.ftl.stats().units_programmed[Origin::Padding as usize];
        let before = padded(run);
        let mut buffered = Pausing(run).stand_still();
        let unit = run.ftl.layout().unit.get();
        self.extra[0] += ((padded(run) - before) * unit) as f64;
        self.end_detail(run);
        let mut done = Forwarded { is_over: !comes, ..Forwarded::default() };
        if comes {
            let passed = self.clock.lead.clone();
            let counted = run.ftl.stats().bytes_written;
            let keeps = WaitingIn { units: std::mem::take(&mut buffered), slots: self.waiting.mean() };
            let times = &self.windows.times;
            let steps = if self.clock.is_open { times.steps_of_arrivals() } else { times.steps() };
            let places = self.places.mean() / f64::from(run.ftl.layout().dies);
            let plan = ForwardPlan { count, steps, seen: self.collected[0], places };
            done = forward(run, drive, &passed, keeps, &plan)?;
            self.clock.note(&done);
            // What a later write took the place of in the buffer was written, too, and counts by the bytes of its request.
            self.extra[1] += (run.ftl.stats().bytes_written - counted) as f64 - done.bytes() as f64;
            self.note_forwarded(run, &done);
        }
        self.windows.times.waits |= done.waits && !self.clock.is_open;
        self.check_times(run)?;
        self.run_so.add(&done.parts);
        if !comes && let Some(pages) = run.ftl.as_page_mapped() {
            Still(pages).move_again(buffered);
        }
        self.collected[1] = seen_by(run);
        Pausing(run).go_on();
        self.room_before = RoomCounts::of(&mut run.ftl);
        if !done.is_over {
            Pausing(run).draw_again();
        }
        let left = count - done.parts.iter().map(|part| part.requests).sum::<u64>().min(count);
        self.stage = match done.is_over && left > 0 {
            true => SamplingStage::BetweenPasses { left, pause },
            false => SamplingStage::WarmUp { until: run.host_requests + self.lengths.warm_up, pause },
        };
        Ok(())
    }

    /// Refuses bounds on the errors of rates and latencies (`--sample`) for a workload some of whose requests have
    /// arrival times of their own, while others follow completions.
    ///
    /// # Errors
    /// When an error of a rate or of a latency was asked for, and a request of such a workload has come at a time of its
    /// own.
    fn check_times<P: Observer>(&self, run: &Run<P>) -> Result<(), Error> {
        if !self.windows.times.waits || !self.asked.has_times() {
            return Ok(());
        }
        let (text, name) = (&self.asked.text, run.workload.report().name);
        Err(Error(format!(
            "--sample {text}: requests of {name} wait for times and for completions, so that rates and latencies decide when they come, and are not carried forward exactly; expected an error of waf alone"
        )))
    }

    /// Adds the parts of a stretch that was carried forward to the sampled run's list of parts.
    fn note_forwarded<P: Observer>(&mut self, run: &Run<P>, done: &Forwarded) {
        let mut first_request = self.parts.last().map_or(0, |last| last.first_request + last.requests);
        for part in &done.parts {
            self.parts.push(SamplePart {
                first_request,
                requests: part.requests,
                is_forwarded: true,
                programmed: part.room.programmed,
                written: part.written as f64,
                room: part.room,
            });
            first_request += part.requests;
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
        self.windows.begin(run, self.totals(run)[0], self.lengths.window);
    }

    /// Ends a measured window; returns false if none was open.
    fn end_window<P: Observer>(&mut self, run: &Run<P>) -> bool {
        let measured = self.windows.end(run, self.totals(run)[0]);
        self.run_so.measured += measured.unwrap_or(0);
        measured.is_some()
    }

    /// Adds the requests that ran in detail since the end of the last part to the sampled run's list of parts, as one
    /// part. Requests that were answered while the drive came to rest belong to it.
    fn end_detail<P: Observer>(&mut self, run: &mut Run<P>) {
        let first_request = self.parts.last().map_or(0, |last| last.first_request + last.requests);
        let requests = run.host_requests - self.beginning.base - first_request;
        let now = self.totals(run);
        let [programmed, written] = [now[0] - self.before[0], now[1] - self.before[1]];
        let counts = RoomCounts::of(&mut run.ftl);
        let room = counts.since(&std::mem::replace(&mut self.room_before, counts));
        self.parts.push(SamplePart {
            first_request,
            requests,
            is_forwarded: false,
            programmed,
            written,
            room,
        });
        self.before = now;
    }

    /// Ends the present measured window or warm-up of a sampled run when the run is over.
    pub fn finish<P: Observer>(&mut self, run: &mut Run<P>) {
        match std::mem::replace(&mut self.stage, SamplingStage::Over) {
            SamplingStage::WarmUp { pause, .. } | SamplingStage::BetweenPasses { pause, .. } => {
                Pausing(run).go_on_measuring(&pause);
                self.end_detail(run);
            }
            SamplingStage::Measuring { .. } | SamplingStage::Beginning if self.end_window(run) => {
                self.end_detail(run);
            }
            _ => {}
        }
        self.clock.end(run);
        self.run_so.all = run.host_requests - self.beginning.base;
    }

    /// Returns the report of a sampled run that is over.
    pub fn report(&self) -> SampledRun {
        let keeps_up = self.clock.keeps_up(self.windows.times.ns());
        let tells_times = self.asked.tells_times() && !self.windows.times.waits && keeps_up != Some(false);
        let windows = tells_times.then(|| MeasuredWindows {
            slices: &self.windows.slices,
            kinds: self.clock.kinds(),
            elapsed_ns: self.clock.elapsed_ns(),
        });
        let lengths = [self.lengths.warm_up, self.lengths.window];
        let report = estimate::of(&self.parts, self.run_so, lengths, &self.asked, windows);
        SampledRun { keeps_up, ..report }
    }
}

/// Returns the number of requests that are left of a run, of `passes` passes of its workload; `None` where unknown.
fn requests_left<P: Observer>(run: &mut Run<P>, passes: u32) -> Option<u64> {
    let part = run.fraction_done().filter(|part| *part > 0.0);
    let by_limit = Some(Pausing(run).requests_left()).filter(|left| *left < u64::MAX / 2);
    let by_part = part.map(|part| {
        let pass = run.host_requests as f64 / part;
        (pass * f64::from(passes) - run.host_requests as f64).max(0.0) as u64
    });
    [by_limit, by_part].into_iter().flatten().min()
}

/// Returns the drive's counts of how garbage collection and the host shared dies in simulated time; all zero if the
/// drive is not page-mapped.
fn seen_by<P: Observer>(run: &mut Run<P>) -> CollectionInTime {
    run.ftl.as_page_mapped().map(|pages| RunsAhead(pages).seen_in_time()).unwrap_or_default()
}
