//! The clock of a sampled run's workload, which is ahead of the clock of the run by all that was carried forward.

use super::forward::{Forwarded, pass_over};
use super::plan::{WINDOWS, WINDOWS_OPEN};
use super::skipped::{KindCounts, PassedOver};
use crate::observe::Observer;
use crate::run::Run;
use units::SimTime;

/// Constant: share of the simulated time of windows by which requests of an open loop may wait for the drive to take
/// them, for the drive to count as keeping up.
const LATE_MOST: f64 = 0.02;

/// State of the clock of a sampled run's workload.
#[derive(Default)]
pub(super) struct SampledClock {
    /// Lead of the clock of the workload's present pass over the clock of the run, with counts of all requests.
    pub lead: PassedOver,
    /// Number of passes of the workload (`--loop`) begun at the last look; each has a clock of its own.
    passes: u32,
    /// True if the workload's requests arrive at times of their own, none after the completion of another (open loop).
    pub is_open: bool,
    /// Field of the clock's state: counts of reads and writes that were answered before the sampled run, in a ramp of
    /// the workload.
    before: KindCounts,
    /// Simulated time at which the sampled run began, after a ramp of the workload.
    begin: SimTime,
    /// Time of the run that was simulated in detail, in ns; zero before the run is over.
    detailed_ns: u64,
    /// Sum of the time by the workload's clock, in ns, that was carried forward.
    forwarded_ns: u64,
    /// Sum, over the stretches carried forward, of how late the first request was at the drive, in ns; `None` before the
    /// first stretch.
    late_ns: Option<u64>,
}

impl SampledClock {
    /// Returns the number of windows of a run that is long enough.
    pub fn windows(&self) -> u64 {
        if self.is_open { WINDOWS_OPEN } else { WINDOWS }
    }

    /// Begins a sampled run at the present time.
    pub fn begin<P: Observer>(&mut self, run: &Run<P>) {
        (self.begin, self.is_open) = (run.ctx.calendar.now(), run.workload.is_open_loop());
        self.before = self.lead.kinds();
    }

    /// Gives each pass of the workload a clock of its own; `passes` is the number of passes begun. Returns true at the
    /// beginning of a pass.
    pub fn look<P: Observer>(&mut self, run: &mut Run<P>, passes: u32) -> bool {
        if self.passes == passes {
            return false;
        }
        self.passes = passes;
        self.lead = PassedOver::after(&self.lead);
        pass_over(run, &self.lead);
        true
    }

    /// Returns the counts of the reads (first) and writes of the sampled run that were answered: requests, and their
    /// bytes.
    pub fn kinds(&self) -> KindCounts {
        let (now, before) = (self.lead.kinds(), &self.before);
        std::array::from_fn(|kind| std::array::from_fn(|at| now[kind][at] - before[kind][at]))
    }

    /// Adds a stretch that was carried forward.
    pub fn note(&mut self, done: &Forwarded) {
        self.forwarded_ns += done.ns;
        self.late_ns = Some(self.late_ns.unwrap_or(0) + done.late.ns());
    }

    /// Notes the last answer of a sampled run that is over.
    pub fn end<P: Observer>(&mut self, run: &Run<P>) {
        self.detailed_ns = run.measure.last_completion.ns().saturating_sub(self.begin.ns());
    }

    /// Returns the time from the beginning of the sampled run until the last answer, by the workload's clock, in ns;
    /// `None` in a closed loop, whose clock is an estimate.
    pub fn elapsed_ns(&self) -> Option<f64> {
        self.is_open.then_some((self.detailed_ns + self.forwarded_ns) as f64)
    }

    /// Returns true if the drive takes the requests of an open loop about as fast as they come; `None` in a closed loop,
    /// and where all requests ran in detail. `ns` is the simulated time of all windows.
    pub fn keeps_up(&self, ns: f64) -> Option<bool> {
        self.late_ns.filter(|_| self.is_open).map(|late_ns| late_ns as f64 <= LATE_MOST * ns)
    }
}
