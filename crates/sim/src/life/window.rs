//! How fast an aged drive is: a copy of it is run in time for a while, so that its life goes on as if it had not been measured.

use crate::embedding::{self, SeenDrive};
use crate::requests::link::LinkAtWork;
use crate::run::{BusyTimes, Run, RunLimits};
use crate::{AgeingOptions, Drive, Error};
use controller::{Kind, Waits};
use engine::RandomStream;
use ftl::Ftl;
use host::{Completion, Effect, HostRequest, Op, Poll, Workload, WorkloadError, WorkloadReport};
use serde::Serialize;
use units::SimTime;

/// Result of measuring the speed of an aged drive under a saturating mix of reads and writes: latencies, write rate,
/// and times of programs and erases.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Speed {
    /// Field: mean latency in nanoseconds of the host's reads in the speed measurement.
    pub read_ns_mean: f64,
    /// Field: 99th percentile, in nanoseconds, of the latency of the host's reads in the speed measurement.
    pub read_ns_p99: u64,
    /// Field: mean latency in nanoseconds of the host's writes in the speed measurement.
    pub write_ns_mean: f64,
    /// Field: 99th percentile, in nanoseconds, of the latency of the host's writes in the speed measurement.
    pub write_ns_p99: u64,
    /// Field: number of bytes that the host wrote per second of simulated time in the measurement.
    pub write_bytes_per_s: f64,
    /// Field: mean time in nanoseconds for which a program kept a flash array busy in the speed measurement.
    pub program_ns_mean: f64,
    /// Field: mean time in nanoseconds for which an erase kept a flash array busy in the speed measurement; none where
    /// nothing was erased.
    pub erase_ns_mean: Option<f64>,
}

/// Constant: queue depth of the speed measurement of an aged drive, the greatest number of outstanding requests.
const DEPTH: u32 = 16;
/// Constant: fraction (0 to 1) of reads among the requests of the mixed workload that measures the performance of the
/// simulated drive after ageing (host latencies and write throughput in simulated time).
const READS: f64 = 0.3;
/// Constant: number of requests in the speed measurement of an aged drive, not counting the ramp before it, whose
/// requests would fill the write buffer twice if all were writes.
const REQUESTS: u64 = 20_000;
/// Constant: number of simulated events between two checks whether the speed measurement is to stop.
const EVENTS_AT_ONCE: u64 = 1 << 16;

/// Type of the workload that measures the latencies and the write rate of an aged simulated drive, in simulated time:
/// random reads mixed with writes drawn as in the ageing run, with `DEPTH` requests outstanding.
struct MixedLoad {
    random: RandomStream,
    options: AgeingOptions,
    units: u32,
    unit_bytes: u32,
    ramp: u64,
    handed_out: u64,
    outstanding: u32,
}

impl Workload for MixedLoad {
    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        if self.handed_out == self.ramp + REQUESTS {
            return Ok(Poll::Done);
        }
        if self.outstanding == DEPTH {
            return Ok(Poll::Blocked);
        }
        self.handed_out += 1;
        self.outstanding += 1;
        let (op, unit) = if self.random.chance(READS) {
            (Op::READ, self.random.below(u64::from(self.units)))
        } else {
            (Op::WRITE, u64::from(self.options.draw(&mut self.random, self.units).0))
        };
        let offset = unit * u64::from(self.unit_bytes);
        Ok(Poll::Ready(HostRequest::plain(now, op, offset, self.unit_bytes)))
    }

    fn complete(&mut self, _: &HostRequest, _: &Completion) {
        self.outstanding -= 1;
    }

    fn in_ramp(&self, _now: SimTime) -> bool {
        self.handed_out <= self.ramp
    }

    fn fraction_done(&self, _now: SimTime) -> Option<f64> {
        None
    }

    fn report(&self) -> WorkloadReport {
        WorkloadReport { name: "mixed".into(), format: "ageing".into(), ..WorkloadReport::default() }
    }
}

/// Measures the speed of a copy of the aged drive `ftl` under a mixed load; `None` if the copy becomes read-only before
/// the end.
///
/// # Errors
/// When the copy cannot be made.
pub(crate) fn measure(drive: &Drive, ftl: &Ftl, options: AgeingOptions) -> Result<Option<Speed>, Error> {
    let about = |reason: String| Error(format!("{}: {reason}", drive.name));
    let mut copy = drive.build(options.seed)?;
    copy.load(&ftl.save().map_err(about)?).map_err(about)?;
    copy.settle();
    let unit_bytes = copy.layout().unit.get() as u32;
    let workload = MixedLoad {
        random: RandomStream::new(options.seed, "ageing.window"),
        options,
        units: copy.layout().logical_units,
        unit_bytes,
        ramp: 2 * u64::from(copy.buffer().units_free()),
        handed_out: 0,
        outstanding: 0,
    };
    let limits = RunLimits { requests: None, ns: None };
    let link = LinkAtWork::new(drive.link().clone(), &drive.reach());
    let run = Run::new(copy, link, Box::new(workload), drive.t_decode(), &limits, ());
    let mut run = SeenDrive::new(run);
    run.has_own_policies = drive.has_foreign_policies();
    while !run.advance(EVENTS_AT_ONCE)? {
        embedding::look()?;
    }
    Ok((!run.ftl.is_read_only()).then(|| speed(&run)))
}

fn speed(run: &Run<()>) -> Speed {
    let stats = run.ftl.stats().since(&run.baseline);
    let busy = run.busy_times();
    let [read, write] = [Effect::Read, Effect::Write].map(|effect| &run.measure.ops[effect as usize]);
    let span_s = run.measure.last_completion.since(run.measure.started).ns() as f64 * 1e-9;
    let layout = run.ftl.layout();
    let programs = sum(&stats.pages_programmed) / u64::from(layout.planes * layout.program_rows);
    let erases = sum(&stats.blocks_erased) / u64::from(layout.planes);
    let spent = |kind: Kind| array_ns(&busy, kind) - array_ns(&run.busy_baseline, kind);
    Speed {
        read_ns_mean: read.mean_ns().unwrap_or(0.0),
        read_ns_p99: read.latency.value_at_quantile(0.99),
        write_ns_mean: write.mean_ns().unwrap_or(0.0),
        write_ns_p99: write.latency.value_at_quantile(0.99),
        write_bytes_per_s: write.bytes as f64 / span_s,
        program_ns_mean: spent(Kind::Program) as f64 / programs.max(1) as f64,
        erase_ns_mean: (erases > 0).then(|| spent(Kind::Erase) as f64 / erases as f64),
    }
}

fn sum(counts: &[u64]) -> u64 {
    counts.iter().sum()
}

fn array_ns(busy: &BusyTimes, kind: Kind) -> u64 {
    let by_origin: &Waits = &busy.work.array_ns[kind as usize];
    by_origin.iter().sum()
}
