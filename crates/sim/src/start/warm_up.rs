//! Requests before the measured ones, until the write buffer holds what the workload leaves in it.
//!
//! What preconditioning writes takes no time, and passes the buffer by. How full a buffer is that drains, and what a cache
//! keeps, follows from the workload and from time: copies of the workload run in time, unmeasured, until what the buffer
//! holds no longer changes from one window to the next. A window is as many units read or written as the buffer has slots.
//! Not for traces, of which a copy is the same again: the buffer would know what comes.

use crate::observe::Observer;
use crate::run::{Run, RunLimits};
use crate::start::precondition::Precondition;
use crate::start::precondition::PreconditionKind;
use crate::start::report::WarmedUp;
use crate::start::saturating::Saturating;
use crate::{Drive, Error, WorkloadSpec};
use ftl::Ftl;
use ftl::compatibility::Feature;
use host::Workload;
use host::later::Later;
use units::{Lpn, SimTime};

/// Constant: number of events of the warm-up between two samples of the write buffer's contents.
const EVENTS: u64 = 256;
/// Constant: greatest difference between the mean buffer contents of two spans of windows, as a fraction of the
/// buffer's slots, at which the warm-up counts as settled (the contents no longer change).
const TOLERANCE: f64 = 0.01;
/// Constant: range of the buffer's contents, as a fraction of the buffer's slots, above which the contents count as
/// fluctuating. Such a buffer remembers for many windows that it was full, so longer spans are then compared, once
/// there are `WINDOWS_WANDERING` windows, where copies of the workload are shorter than the spans.
const WANDERS: f64 = 0.02;
const WINDOWS_WANDERING: usize = 16;
/// Constant: fraction of the write buffer's slots: a buffer with fewer units not on flash does not count as full.
const FULL: f64 = 0.9;
/// Constant: fraction of the writes of untimed copies that the write buffer must have coalesced for its filling to
/// matter.
const COALESCED: f64 = 0.02;
/// Constant: greatest number of windows of a warm-up, unless the write buffer is small, for which more are allowed.
const WINDOWS_MOST: u64 = 16;
/// Constant: greatest number of windows of a warm-up on a small write buffer, even if `UNITS_MOST` units would fill
/// more windows.
const WINDOWS_MOST_SMALL: u64 = 128;
/// Constant: number of units read or written that limits a warm-up on a small write buffer: it has at most as many
/// windows as these units fill, and at most `WINDOWS_MOST_SMALL`.
const UNITS_MOST: u64 = 1 << 18;
/// Constant: greatest number of copies of the workload in a warm-up: a workload with very few requests never fills a
/// buffer.
const COPIES_MOST: u32 = 1 << 13;
/// Constant: number to which the count of copies is added to number the copies of a warm-up; passes of `--loop` are
/// numbered from 0.
const FIRST_COPY: u32 = 1 << 31;

/// State of a warm-up: copies of the workload that run with simulated time, unmeasured, one after the other, until the
/// write buffer is as the workload leaves it.
pub(crate) struct WarmUp {
    spec: WorkloadSpec,
    seed: u64,
    copies: u32,
    /// Number of units read or written that make a window of the warm-up (stretch over which the buffer's contents are
    /// averaged).
    window: u64,
    /// Number of units read or written before the present window of the warm-up.
    before: u64,
    /// Sums over the samples of the present window of the warm-up: of the number of units in the write buffer, and of
    /// the number of units in it that are not on flash.
    sums: [f64; 2],
    looks: u64,
    /// Two numbers: least and greatest number of units that the write buffer contained at any sample of the warm-up.
    ends: [f64; 2],
    /// List of the mean contents of the write buffer, in units, in each window of the warm-up so far: of all units, and
    /// of units not on flash.
    means: Vec<[f64; 2]>,
    settled: bool,
    written_before: u64,
    report: Option<WarmedUp>,
}

impl WarmUp {
    /// Makes a warm-up for a run of the workload `spec` if one is needed: after preconditioning to a steady or
    /// constructed state, with a write buffer that keeps units (write-back or cache; for a workload that only reads, a
    /// cache), without planned power cuts, die failures or snapshots, and not for traces.
    pub fn wanted(
        spec: &WorkloadSpec,
        drive: &Drive,
        ftl: &Ftl,
        seed: u64,
        before: &Precondition,
    ) -> Option<Self> {
        let is_settled = !matches!(before.kind(), PreconditionKind::None | PreconditionKind::Fill);
        let timed = [Feature::PowerCut, Feature::DieFault, Feature::Snapshots];
        let is_timed = timed.into_iter().any(|feature| drive.has(feature));
        let waits = ftl.buffer().is_write_back() || ftl.buffer().is_cache();
        let fills = if before.rests() { ftl.buffer().keeps_clean() } else { waits };
        let is_trace = matches!(spec, WorkloadSpec::Trace { .. });
        (is_settled && fills && !is_timed && !is_trace).then(|| Self {
            spec: spec.clone(),
            seed,
            copies: 0,
            window: u64::from(ftl.buffer().units()),
            before: 0,
            sums: [0.0; 2],
            looks: 0,
            ends: NO_ENDS,
            means: Vec::new(),
            settled: false,
            written_before: 0,
            report: None,
        })
    }

    /// Returns the workload that the warm-up begins with: writes of the units `waiting`, oldest first, which untimed
    /// writing left in the write buffer; else a copy of the workload. The drive accepts the writes faster than it
    /// programs, so that most units wait in the buffer at the end.
    ///
    /// # Errors
    /// When the workload cannot be opened.
    pub fn first(&mut self, drive: &Drive, waiting: Vec<Lpn>, unit: u32) -> Result<Box<dyn Workload>, Error> {
        if waiting.is_empty() {
            return self.copy(drive);
        }
        Ok(Box::new(Saturating::new(waiting.into_iter(), unit)))
    }

    /// Opens the workload once more, for the next unmeasured repetition that warms up the write buffer.
    ///
    /// # Errors
    /// When the workload cannot be opened.
    pub fn copy(&mut self, drive: &Drive) -> Result<Box<dyn Workload>, Error> {
        self.copies += 1;
        self.spec.open_on(&drive.reach_of_host(), self.seed, FIRST_COPY + self.copies)
    }

    /// Advances the warm-up by about `events` events, opening copies of the workload as needed; returns true when the
    /// warm-up is over.
    ///
    /// # Errors
    /// When the workload is faulty.
    pub fn advance<P: Observer>(
        &mut self,
        run: &mut Run<P>,
        drive: &Drive,
        events: u64,
    ) -> Result<bool, Error> {
        for _ in 0..events.div_ceil(EVENTS) {
            run.advance(EVENTS)?;
            if self.copies > 0 {
                self.look(run);
            }
            if self.settled {
                run.stop();
            }
            if run.is_done() {
                if self.settled || self.copies >= COPIES_MOST || run.ftl.is_read_only() {
                    self.end(run);
                    return Ok(true);
                }
                let copy = self.copy(drive)?;
                let now = run.ctx.calendar.now();
                run.go_on_with(Box::new(Later::new(copy, now)));
            }
        }
        Ok(false)
    }

    /// Samples the number of units in the write buffer, and ends the present window of the warm-up if enough units were
    /// read or written.
    fn look<P: Observer>(&mut self, run: &Run<P>) {
        let stats = run.ftl.stats();
        let handled = stats.units_written + stats.units_read();
        if self.before == 0 {
            (self.before, self.written_before) = (handled, stats.units_written);
        }
        let held = run.ftl.buffer().units_held().map(f64::from);
        self.sums = [0, 1].map(|at| self.sums[at] + held[at]);
        self.ends = [self.ends[0].min(held[0]), self.ends[1].max(held[0])];
        self.looks += 1;
        if handled - self.before < self.window {
            return;
        }
        self.means.push(self.sums.map(|sum| sum / self.looks as f64));
        let varies = self.ends[1] - self.ends[0] > WANDERS * self.window as f64;
        let windows = self.means.len() as f64;
        // What ends within a longer copy would leave the drive where the workload is not at its beginning.
        let is_short = self.copies > 1
            || run.fraction_done().is_some_and(|part| part * WINDOWS_WANDERING as f64 > windows);
        let wanders = varies && is_short;
        let most = (UNITS_MOST / self.window).clamp(WINDOWS_MOST, WINDOWS_MOST_SMALL);
        self.settled =
            is_settled(&self.means, wanders, self.window as f64) || self.means.len() as u64 >= most;
        (self.before, self.sums, self.looks) = (handled, [0.0; 2], 0);
    }

    /// Returns the number of units not on flash that wait in the write buffer under this workload, as the warm-up
    /// measured it, if that is clearly less than the full buffer that untimed writing assumed, and the buffer coalesces
    /// writes; `None` otherwise.
    pub fn waiting(&self, before: &Precondition) -> Option<u32> {
        let later = &self.means[self.means.len() / 2..];
        let [_, lacking] = (!later.is_empty()).then(|| mean_of(later))?;
        let is_full = lacking >= FULL * self.window as f64;
        (!is_full && before.coalesced() >= COALESCED).then(|| lacking.round() as u32)
    }

    /// Ends the warm-up early, as the user asked.
    pub fn end_early(&mut self) {
        self.settled = true;
    }

    fn end<P: Observer>(&mut self, run: &Run<P>) {
        self.report = Some(WarmedUp {
            requests: run.host_requests,
            units_written: run.ftl.stats().units_written - self.written_before,
            t_ns: run.ctx.calendar.now().since(SimTime::ZERO).ns(),
            buffer_units: run.ftl.buffer().units_held()[0],
        });
    }

    /// Returns the section of the result about the warm-up (copies of the workload that run after preconditioning in
    /// simulated time, unmeasured, until the write buffer's contents no longer change); `None` until the warm-up is
    /// over.
    pub fn report(&self) -> Option<WarmedUp> {
        self.report.clone()
    }

    /// Returns the limits of a warm-up run: no limits, so that each copy of the workload runs to its end.
    pub fn limits() -> RunLimits {
        RunLimits { requests: None, ns: None }
    }
}

/// Constant: initial value for the least and the greatest number of units in the write buffer: plus and minus infinity,
/// before the first sample.
const NO_ENDS: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];

fn mean_of(means: &[[f64; 2]]) -> [f64; 2] {
    let sums = means.iter().fold([0.0; 2], |sums, mean| [sums[0] + mean[0], sums[1] + mean[1]]);
    sums.map(|sum| sum / means.len() as f64)
}

/// Returns true if the contents of a write buffer of `slots` slots no longer change, by the means of the windows: the
/// last two are compared. For fluctuating contents (`wanders`) the later half of the windows is compared with the
/// quarter before it, whenever the number of windows is a power of two, at least `WINDOWS_WANDERING`.
fn is_settled(means: &[[f64; 2]], wanders: bool, slots: f64) -> bool {
    let count = means.len();
    let (middle, first) = match wanders {
        false if count >= 2 => (count - 1, count - 2),
        true if count >= WINDOWS_WANDERING && count.is_power_of_two() => (count / 2, count / 4),
        _ => return false,
    };
    let (before, after) = (mean_of(&means[first..middle]), mean_of(&means[middle..]));
    (0..2).all(|at| (after[at] - before[at]).abs() <= TOLERANCE * slots)
}
