//! The one interface through which the simulator pulls requests.
//!
//! The simulator asks only when it has room for one more request. An open-loop source (a trace) hands out
//! requests whose `arrive` has come, or says when the next will; a backlog therefore stays in the source and
//! needs no memory. A closed-loop source (fio jobs) hands out as many as its queue depth allows and is then
//! `Blocked` until a completion.

use crate::command::Completion;
use crate::request::HostRequest;
use crate::workload_error::WorkloadError;
use schemars::JsonSchema;
use serde::Serialize;
use units::SimTime;

/// The answer to "is there a request now?".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Poll {
    /// A request for the drive; its `arrive` is not after the time of the call.
    Ready(HostRequest),
    /// None before this instant, which is after the time of the call, unless a request completes first.
    At(SimTime),
    /// None until an outstanding request completes.
    Blocked,
    /// None ever again, after any completion.
    Done,
}

/// A part of the drive, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Extent {
    /// First byte.
    pub offset: u64,
    /// Length.
    pub bytes: u64,
}

impl Extent {
    /// Returns the byte of the drive that is byte `offset` of this part.
    #[inline]
    pub fn on_drive(&self, offset: u64) -> u64 {
        self.offset + offset
    }
}

/// What may be known of a request beside what it says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Background {
    /// The process that made it, by the number that the system had for it.
    pub process: Option<u32>,
    /// For a write, how long its data live beside others of the workload: 0 the shortest.
    pub life: Option<u16>,
}

/// What a source may tell of its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// Which of several volumes each goes to.
    Volumes,
    /// Which process made each.
    Processes,
    /// How long what each writes will live.
    Lives,
}

/// A source of host requests.
pub trait Workload: Send {
    /// Names the parts of the drive that held data before the first request where the requests come from: the
    /// files that a job reads, all that a trace touches. Parts may be named again, in any order. Does about
    /// `count` requests' worth of that; returns how much of the naming is done, nothing when it is over. Not
    /// called after that nor after the first [`Self::poll`], and not at all in a run that lays nothing out.
    ///
    /// # Errors
    /// As for [`Self::poll`].
    fn lay_out(&mut self, _count: u64, _name: &mut dyn FnMut(Extent)) -> Result<Option<f64>, WorkloadError> {
        Ok(None)
    }

    /// Returns the next request, if there is one at `now`.
    ///
    /// # Errors
    /// When the source turns out to be faulty; the run ends there.
    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError>;

    /// Tells the workload that one of its requests is done; `completion` says when, how it ended and where
    /// its data are if the drive chose that.
    fn complete(&mut self, request: &HostRequest, completion: &Completion);

    /// Returns the number that the request handed out last has in its source, such as the line of a trace;
    /// `None` where it is the count of those with its tag.
    fn number(&self) -> Option<u64> {
        None
    }

    /// Returns what is known of the request handed out last beside what it says.
    fn background(&self) -> Background {
        Background::default()
    }

    /// True if the source tells this of its requests.
    fn tells(&self, _what: Telling) -> bool {
        false
    }

    /// Tells the workload the zones of a zoned drive before the first [`Self::poll`]: so many bytes of each
    /// are written, and it may be full with fewer.
    fn learn_zones(&mut self, _zones: &[(u64, bool)]) {}

    /// True while requests handed out now belong to a ramp-up that metrics leave out (fio's `ramp_time`).
    fn in_ramp(&self, _now: SimTime) -> bool {
        false
    }

    /// Returns the fraction of the workload handed out so far, for progress, where it can be known.
    fn fraction_done(&self, now: SimTime) -> Option<f64>;

    /// Returns what is to be said about this workload after the run.
    fn report(&self) -> WorkloadReport;
}

/// A steady state in which a job of a fio file was to end, in the numbers of fio's own result.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SteadyState {
    /// The job; the first of a group that reports together.
    #[schemars(extend("unit" = "text"))]
    pub job: String,
    /// What was asked for, as fio writes it: `iops_slope:0.100000%`.
    #[schemars(extend("unit" = "text"))]
    pub asked: String,
    /// What was watched: `iops`, `bw` or `lat`.
    #[schemars(extend("enum" = ["iops", "bw", "lat"]))]
    #[schemars(extend("unit" = "text"))]
    pub metric: String,
    /// Its slope was watched, rather than its largest distance from the mean.
    #[schemars(extend("unit" = "yes/no"))]
    pub is_slope: bool,
    /// The limit is in percent of the mean.
    #[schemars(extend("unit" = "yes/no"))]
    pub in_percent: bool,
    /// The time over which it was looked at, in whole seconds as fio counts them.
    #[schemars(extend("unit" = "s"))]
    pub duration_s: u64,
    /// It was reached, and ended the job.
    #[schemars(extend("unit" = "yes/no"))]
    pub attained: bool,
    /// How long after the beginning of the job; null where it was not reached.
    #[schemars(extend("unit" = "ns"))]
    pub attained_after_ns: Option<u64>,
    /// What was compared with the limit last; 0 before there were enough samples, null where their mean is 0.
    #[schemars(extend("unit" = "as the limit"))]
    pub criterion: Option<f64>,
    /// The largest distance of a sample from the mean; 0 where the slope was watched.
    #[schemars(extend("unit" = "as the samples"))]
    pub max_deviation: f64,
    /// The slope; 0 where the distance was watched.
    #[schemars(extend("unit" = "as the samples, by interval"))]
    pub slope: f64,
    /// Requests a second in each of the last intervals, the oldest first; zeros at the end for intervals that never came.
    #[schemars(extend("unit" = "1/s"))]
    pub iops: Vec<u64>,
    /// Bytes a second in the same intervals.
    #[schemars(extend("unit" = "bytes/s"))]
    pub bandwidth_bytes_per_s: Vec<u64>,
    /// Mean latencies in the same intervals.
    #[schemars(extend("unit" = "ns"))]
    pub latency_ns: Vec<u64>,
}

/// What a workload has to say about itself: goes to `run.json` under `workload`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkloadReport {
    /// Where it came from: the file's path or the generator's name.
    pub name: String,
    /// What it was read as: `msr`, `fio`, `disksim`, ...
    pub format: String,
    /// Requests handed out.
    pub requests: u64,
    /// Lines skipped because `--skip-bad-lines` was given.
    pub skipped_lines: u64,
    /// Anything else worth keeping, as name and value.
    pub notes: Vec<(String, String)>,
    /// The name behind each tag, in order: fio job names, trace volumes.
    pub tags: Vec<String>,
    /// What became of the steady states that jobs were to end in.
    pub steady_states: Vec<SteadyState>,
}
