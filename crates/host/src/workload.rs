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

/// Kind of answer of a workload to the question for its next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Poll {
    /// Case of answer: the workload makes this request, whose arrival time is not after the time of the call.
    Ready(HostRequest),
    /// Case of answer: the workload makes no request before this simulated time, which is after the time of the call,
    /// unless a request completes first.
    At(SimTime),
    /// Case of answer: the workload makes no request until one of its requests in flight completes.
    Blocked,
    /// Case of answer: the workload has ended and never makes another request.
    Done,
}

/// Type of a range of consecutive bytes on the logical drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Extent {
    /// Byte address on the drive at which the range begins.
    pub offset: u64,
    /// Length of the range on the drive in bytes.
    pub bytes: u64,
}

impl Extent {
    /// Returns the address on the drive of the byte at `offset` in this range.
    #[inline]
    pub fn on_drive(&self, offset: u64) -> u64 {
        self.offset + offset
    }
}

/// Record of information about a request that is no part of the request itself: the process that made it, and the
/// lifetime class of the data of a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Background {
    /// Number of the process that made the request, if the workload knows it.
    pub process: Option<u32>,
    /// Lifetime class of a write's data among the workload's writes, if it is known: 0 is the shortest lifetime.
    pub life: Option<u16>,
}

/// Kind of information about its requests that a workload may be able to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// Case of information that a workload may give about its requests: the volume, of several volumes, to which each
    /// request goes.
    Volumes,
    /// Case of information that a workload may give about its requests: the process that made each request.
    Processes,
    /// Case of information that a workload may give about its requests: the lifetime class of the data of each write
    /// (how long the data live before they are overwritten).
    Lives,
}

/// Interface of workloads, which are sources of host requests for the drive, such as a fio job file or a trace.
pub trait Workload: Send {
    /// Calls `name` with the ranges of the drive that held data before the first request, which are then laid out on
    /// flash before the run: the files that a fio job reads, or all ranges that a trace accesses. Ranges may be named
    /// more than once, in any order. Each call names the ranges of about `count` requests and returns the fraction of
    /// the naming that is done, `None` after the last range. Not called after that, nor after the first [`Self::poll`],
    /// nor in a run that lays out no data.
    ///
    /// # Errors
    /// As for [`Self::poll`].
    fn lay_out(&mut self, _count: u64, _name: &mut dyn FnMut(Extent)) -> Result<Option<f64>, WorkloadError> {
        Ok(None)
    }

    /// Asks the workload for its next request at simulated time `now`.
    ///
    /// # Errors
    /// When the workload turns out to be faulty; the run ends there.
    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError>;

    /// Tells the workload that one of its requests has completed; `completion` gives the time, the status, and the
    /// address of the data if the drive chose it (zone append).
    fn complete(&mut self, request: &HostRequest, completion: &Completion);

    /// Returns the number that the request returned last has in the workload's source, such as its line in a trace;
    /// `None` if the source has no numbers, where a request counts by its index among the requests of the same tag (fio
    /// job, volume or flow).
    fn number(&self) -> Option<u64> {
        None
    }

    /// Returns the information about the request returned last that is no part of the request: process and lifetime
    /// class.
    fn background(&self) -> Background {
        Background::default()
    }

    /// Returns true if the workload can give the kind of information `_what` about its requests: volume, process, or
    /// lifetime of the data.
    fn tells(&self, _what: Telling) -> bool {
        false
    }

    /// Returns true if all requests arrive at times of their own (open loop), so that none waits for the completion of
    /// another.
    fn is_open_loop(&self) -> bool {
        false
    }

    /// Tells the workload the state of the zones of a zoned drive before the first [`Self::poll`]: for each zone the
    /// number of bytes written, and whether the zone is full, which it may be with fewer bytes than its capacity.
    fn learn_zones(&mut self, _zones: &[(u64, bool)]) {}

    /// Returns true while the requests returned belong to a ramp-up that metrics leave out (fio's `ramp_time`).
    fn in_ramp(&self, _now: SimTime) -> bool {
        false
    }

    /// Returns the fraction of the workload that is done at time `now`, for a progress display, if it can be known.
    fn fraction_done(&self, now: SimTime) -> Option<f64>;

    /// Returns the workload's summary of itself for the results after the run.
    fn report(&self) -> WorkloadReport;
}

/// Record of the result of the detection of steady state in a job of a fio file (`steadystate`), with the numbers of
/// fio's own result.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SteadyState {
    /// Name of the fio job; in a group of jobs that report together, of its first job.
    #[schemars(extend("unit" = "text"))]
    pub job: String,
    /// Condition for steady state that the job file gives, as fio writes it: `iops_slope:0.100000%`.
    #[schemars(extend("unit" = "text"))]
    pub asked: String,
    /// Metric that is checked for steady state: requests per second, bandwidth or latency (`iops`, `bw` or `lat`).
    #[schemars(extend("enum" = ["iops", "bw", "lat"]))]
    #[schemars(extend("unit" = "text"))]
    pub metric: String,
    /// True if the slope of the metric is compared with the limit; false if the greatest distance of a sample from the
    /// mean is.
    #[schemars(extend("unit" = "yes/no"))]
    pub is_slope: bool,
    /// True if the limit of the steady-state condition is in percent of the mean.
    #[schemars(extend("unit" = "yes/no"))]
    pub in_percent: bool,
    /// Length of the time window over which steady state is checked, in whole seconds as fio counts them.
    #[schemars(extend("unit" = "s"))]
    pub duration_s: u64,
    /// True if the job reached steady state, which ended the job.
    #[schemars(extend("unit" = "yes/no"))]
    pub attained: bool,
    /// Time in ns from the beginning of the job until steady state was reached; null if it was not reached.
    #[schemars(extend("unit" = "ns"))]
    pub attained_after_ns: Option<u64>,
    /// Value of the steady-state criterion (slope or greatest distance from the mean) that was last compared with the
    /// limit; 0 before there were enough samples, null where it is in percent of a mean of 0.
    #[schemars(extend("unit" = "as the limit"))]
    pub criterion: Option<f64>,
    /// Greatest distance of a sample of the metric from the mean; 0 if the slope is compared with the limit.
    #[schemars(extend("unit" = "as the samples"))]
    pub max_deviation: f64,
    /// Slope of the metric over the time window of the steady-state check; 0 if the distance from the mean is compared
    /// with the limit.
    #[schemars(extend("unit" = "as the samples, by interval"))]
    pub slope: f64,
    /// List of the rates in requests per second in each of the last sampling intervals of the steady-state check, the
    /// oldest first; zeros at the end for intervals that were not reached.
    #[schemars(extend("unit" = "1/s"))]
    pub iops: Vec<u64>,
    /// List of the rates in bytes per second in each of the last sampling intervals of the steady-state check, the
    /// intervals of `iops`.
    #[schemars(extend("unit" = "bytes/s"))]
    pub bandwidth_bytes_per_s: Vec<u64>,
    /// List of the mean latencies in ns of the requests in each of the last sampling intervals of the steady-state
    /// check, the intervals of `iops`.
    #[schemars(extend("unit" = "ns"))]
    pub latency_ns: Vec<u64>,
}

/// Record that summarises a workload for the results; written to `run.json` under `workload`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkloadReport {
    /// Name of the source of the workload's requests, for the results: the path of the file, or the name of the
    /// generator.
    pub name: String,
    /// Format of the workload, for the results: `fio` (also for a built-in generator), the name of a trace's format,
    /// `synthetic` for a synthetic volume, or a name such as `flows`, `stepped` or `nbd`.
    pub format: String,
    /// Number of requests that the workload made.
    pub requests: u64,
    /// Number of lines of a trace that were skipped because of `--skip-bad-lines`.
    pub skipped_lines: u64,
    /// List of further facts about the workload, each as name and value.
    pub notes: Vec<(String, String)>,
    /// List of the names of the tags (numbers that requests carry to tell fio jobs, trace volumes or flows apart), in
    /// the order of their numbers: names of fio jobs, trace volumes or flows.
    pub tags: Vec<String>,
    /// List in the summary of a workload of the results of the detection of steady state, one for each fio job that was
    /// to end in steady state.
    pub steady_states: Vec<SteadyState>,
}
