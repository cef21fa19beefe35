//! What a sampled run sees of its requests in simulated time: their numbers and times, and how many units wait in the write buffer.

use super::forward::Steps;
use crate::measure::STAGE_BUFFER;
use crate::observe::Observer;
use crate::run::Run;
use host::Effect;
use units::{Nanos, SimTime};

/// Record of the counts of a run's measured requests at a moment: the beginning or end of a measured window, or of a
/// slice of it.
#[derive(Clone, Copy, Default)]
pub(super) struct WindowCounts {
    /// Simulated time of the last answer to a measured request.
    pub time: SimTime,
    /// Number of measured requests answered.
    pub requests: u64,
    /// Number of bytes of the measured reads and writes that were answered.
    pub bytes: u64,
    /// List, by effect of a request (such as read or write), of three numbers: requests, sum of their latencies in ns,
    /// and sum of their waits for the write buffer in ns.
    pub by_effect: [[u128; 3]; Effect::COUNT],
}

impl WindowCounts {
    /// Returns the counts of a run's measured requests until now.
    pub fn of<P: Observer>(run: &Run<P>) -> Self {
        let measure = &run.measure;
        Self {
            time: measure.last_completion,
            requests: measure.completed.iter().sum(),
            bytes: [Effect::Read, Effect::Write]
                .map(|effect| measure.ops[effect as usize].bytes)
                .iter()
                .sum(),
            by_effect: std::array::from_fn(|at| {
                let op = &measure.ops[at];
                [u128::from(op.requests()), op.latency_sum_ns, measure.stages_ns[at][STAGE_BUFFER]]
            }),
        }
    }
}

/// Record of sums of times of requests over all measured windows of a sampled run so far.
#[derive(Clone, Copy, Default)]
pub(super) struct TimesSeen {
    /// Sum of the windows' lengths in simulated time, in ns.
    ns: f64,
    /// List, by effect of a request (such as read or write), of three numbers: requests, sum of latencies, and sum of
    /// waits for the write buffer (both in ns).
    pub by_effect: [[f64; 3]; Effect::COUNT],
    /// True if the workload said that a request has an arrival time of its own (open loop).
    pub waits: bool,
}

impl TimesSeen {
    /// Adds the times and counts of a window, between the counts `start` and `end`, to these sums.
    pub fn add(&mut self, start: &WindowCounts, end: &WindowCounts) {
        self.ns += end.time.since(start.time).ns() as f64;
        for (sum, (now, then)) in self.by_effect.iter_mut().zip(end.by_effect.iter().zip(&start.by_effect)) {
            for (sum, (now, then)) in sum.iter_mut().zip(now.iter().zip(then)) {
                *sum += (now - then) as f64;
            }
        }
    }

    /// Returns the simulated time of all measured windows so far, in ns.
    pub fn ns(&self) -> f64 {
        self.ns
    }

    /// Returns the times by which the nominal clocks of a sampled run (the workload's, and the host's for each kind of
    /// request) advance with each request that is carried forward without simulated time, as means over the measured
    /// windows so far.
    pub fn steps(&self) -> Steps {
        let since = &self.by_effect;
        let sum = |part: usize| since.iter().map(|of| of[part]).sum::<f64>();
        let (requests, latency) = (sum(0).max(1.0), sum(1).max(1.0));
        let apart = self.ns / requests;
        // What comes at times of its own must not fall behind them.
        let apart = if self.waits { apart.min(latency / requests) / 2.0 } else { apart };
        // In a closed loop, time passes as requests are answered: with each as much as its part of all latencies.
        let of_each = |of: [f64; 3]| match of[0] > 0.0 {
            true => (of[1] - of[2]) / of[0] * apart * requests / latency,
            false => apart,
        };
        let ns = |time: f64| Nanos::new(time as u64);
        let (apart, latency_mean) = (ns(apart), ns(latency / requests));
        Steps {
            all: apart,
            apart,
            latency: latency_mean,
            by_effect: since.map(|of| if self.waits { apart } else { ns(of_each(of)) }),
        }
    }

    /// Returns the steps for an open loop, whose clocks advance with arrival times alone.
    pub fn steps_of_arrivals(&self) -> Steps {
        let Steps { apart, latency, .. } = self.steps();
        Steps { apart, latency, ..Steps::default() }
    }
}

/// Record of the number of units that waited in the write buffer for a die, as a mean over answered requests.
#[derive(Clone, Copy, Default)]
pub(super) struct WaitingSeen {
    /// Sum, over requests, of the number of units that waited in the write buffer.
    sum: u64,
    /// Number of requests over which the sum was taken.
    pub requests: u64,
    /// Number of requests of the run answered at the last look at the write buffer.
    pub before: u64,
}

impl WaitingSeen {
    /// Adds a sample of the write buffer to the mean: `units` units wait, and `answered` requests of the run are
    /// answered; the sample counts for the requests since the last one.
    pub fn note(&mut self, units: usize, answered: u64) {
        let since = answered - self.before.min(answered);
        self.sum += units as u64 * since;
        self.requests += since;
        self.before = answered;
    }

    /// Returns the mean, over answered requests, of the number of units that waited in the write buffer, rounded.
    pub fn mean(self) -> u32 {
        (self.sum as f64 / self.requests.max(1) as f64).round() as u32
    }
}

/// Record of how many places on flash programs could take at moments of the measured windows of a sampled run.
#[derive(Clone, Copy, Default)]
pub(super) struct PlacesSeen {
    /// Sum of the numbers of free places.
    sum: f64,
    /// Number of moments at which free places were counted.
    count: f64,
}

impl PlacesSeen {
    /// Adds a moment at which there were `places` free places.
    pub fn note(&mut self, places: u64) {
        self.sum += places as f64;
        self.count += 1.0;
    }

    /// Returns the mean number of free places; zero before the first moment.
    pub fn mean(&self) -> f64 {
        self.sum / self.count.max(1.0)
    }
}
