//! What is measured: latencies, where time went, and how it all went over time.

pub(crate) mod latencies;
pub(crate) mod levels;
pub(crate) mod places;
pub(crate) mod retries;
pub(crate) mod spread;
pub(crate) mod tags;

use crate::measure::latencies::Latencies;
use crate::measure::levels::{COARSE, level_of, levels, upper_edge};
use crate::measure::places::LatencyByPlace;
use crate::measure::tags::Tags;
use crate::namespaces::ByNamespace;
use crate::requests::Request;
use host::Effect;
use retries::Retried;
use serde_json::{Value, json};
use units::SimTime;

/// Constant: names of the stages that make up a request's latency, in order, except the last stage (the host link),
/// which is named elsewhere.
pub(crate) const STAGES: [&str; 12] = [
    "queue",
    "command",
    "buffer",
    "wait_host",
    "wait_gc",
    "wait_wear",
    "wait_other",
    "wait_die",
    "channel",
    "array",
    "transfer",
    "ecc",
];

/// Constant: index in [`STAGES`] of the stage of a request's latency in which it waits for a slot of the write buffer.
pub(crate) const STAGE_BUFFER: usize = 2;

/// Constant: percentiles of the latency (as fractions) for which the results give a confidence interval.
pub(crate) const SPREAD_QUANTILES: [f64; 3] = [0.5, 0.99, 0.999];

/// Constant: number of significant digits of the latency histogram of one kind of request (reads, writes and so on).
const DIGITS: u8 = 3;

/// Type for a record of request arrivals: arrival time of the last request, the delay of the last request from its
/// arrival to its acceptance by the drive, and the greatest such delay of all requests. A workload that waits for the
/// drive is never late.
#[derive(Default)]
pub(crate) struct Arrivals {
    pub last: SimTime,
    pub late_ns_last: u64,
    pub late_ns_max: u64,
}

impl Arrivals {
    /// Records that a request with arrival time `arrive` is handed to the drive at `now`, and with it how late the
    /// request is.
    #[inline]
    pub fn note(&mut self, arrive: SimTime, now: SimTime) {
        self.last = arrive;
        self.late_ns_last = now.since(arrive).ns();
        self.late_ns_max = self.late_ns_max.max(self.late_ns_last);
    }
}

/// Counts of the trims, and of the bytes of trims, that had no effect because they cover mapping units only in part:
/// trims without a whole unit, and bytes in partly covered units.
#[derive(Default)]
pub(crate) struct Untrimmed {
    /// Number of completed trims that cover no whole mapping unit.
    pub requests: u64,
    /// Number of bytes of completed trims that lie in mapping units covered only in part.
    pub bytes: u64,
}

impl Untrimmed {
    /// Counts a completed trim of `bytes` bytes that trimmed `units` whole mapping units of `unit` bytes.
    pub fn add(&mut self, bytes: u32, units: u32, unit: u64) {
        self.requests += u64::from(units == 0);
        self.bytes += u64::from(bytes) - u64::from(units) * unit;
    }
}

/// Set of all measurements of the measured window: latencies, stages, counts, time series.
pub(crate) struct Measure {
    pub ops: [Latencies; Effect::COUNT],
    pub stages_ns: [[u128; STAGES.len() + 1]; Effect::COUNT],
    pub tags: Tags,
    pub by_namespace: ByNamespace,
    pub submitted: [u64; Effect::COUNT],
    pub arrivals: Arrivals,
    pub completed: [u64; Effect::COUNT],
    pub failed: [u64; Effect::COUNT],
    /// Number of reads that the drive answered with an error because the data are lost.
    pub uncorrectable: u64,
    pub untrimmed: Untrimmed,
    pub retried: Retried,
    pub series: Series,
    pub places: LatencyByPlace,
    pub started: SimTime,
    pub last_completion: SimTime,
}

impl Measure {
    pub fn new(started: SimTime) -> Self {
        Self {
            ops: std::array::from_fn(|_| Latencies::new(DIGITS)),
            stages_ns: [[0; STAGES.len() + 1]; Effect::COUNT],
            tags: Tags::default(),
            by_namespace: ByNamespace::default(),
            submitted: [0; Effect::COUNT],
            arrivals: Arrivals::default(),
            completed: [0; Effect::COUNT],
            failed: [0; Effect::COUNT],
            uncorrectable: 0,
            untrimmed: Untrimmed::default(),
            retried: Retried::default(),
            series: Series::new(started),
            places: LatencyByPlace::default(),
            started,
            last_completion: started,
        }
    }

    /// Continues measuring at `now` after a pause: leaves the time since the last answer to a measured request out of
    /// the measured window.
    pub fn go_on(&mut self, now: SimTime) {
        let gap = now.since(self.last_completion);
        (self.started, self.last_completion) = (self.started + gap, now);
        self.series.started += gap;
    }

    /// Adds a completed request with its times in each stage to the measurements; of a failed one only the failure.
    #[inline]
    pub fn complete(
        &mut self,
        request: &Request,
        now: SimTime,
        stages: &[u64; STAGES.len() + 1],
        cache_bytes: Option<u64>,
    ) {
        let op = request.host.op.effect() as usize;
        let latency = now.since(request.host.arrive).ns();
        self.last_completion = now;
        if request.failed {
            self.failed[op] += 1;
            self.uncorrectable += u64::from(request.uncorrectable);
            return;
        }
        self.completed[op] += 1;
        let bytes = u64::from(request.host.bytes);
        self.tags.add(&request.host, latency, &self.ops[op]);
        self.ops[op].add(latency, bytes);
        for (sum, stage) in self.stages_ns[op].iter_mut().zip(stages) {
            *sum += u128::from(*stage);
        }
        if request.retries > 0 {
            self.retried.add(request.retries, latency);
        }
        self.series.add(now, request.host.op.effect(), bytes, latency, cache_bytes);
        self.places.add(request.host.op.effect(), request.first, request.units, latency);
    }
}

/// Returns the nanoseconds that a request spent in each stage of [`STAGES`], then on the host link. Time that no stage
/// explains, such as data waiting in the write buffer for their program, counts as buffer time.
#[inline]
pub(crate) fn stages(request: &Request, now: SimTime) -> [u64; STAGES.len() + 1] {
    let latency = now.since(request.host.arrive).ns();
    let queue = request.fetched.since(request.host.arrive).ns();
    let command = request.understood.since(request.fetched).ns();
    let flash = &request.stages;
    let [host, gc, wear, other] = std::array::from_fn(|i| flash.waits[i] + request.buffer_waits[i]);
    let known = queue
        + command
        + host
        + gc
        + wear
        + other
        + flash.queue
        + flash.channel
        + flash.array
        + flash.transfer
        + request.ecc_ns
        + request.link_ns;
    let buffer = latency.saturating_sub(known);
    [
        queue,
        command,
        buffer,
        host,
        gc,
        wear,
        other,
        flash.queue,
        flash.channel,
        flash.array,
        flash.transfer,
        request.ecc_ns,
        request.link_ns,
    ]
}

const BINS_MAX: usize = 512;
const LEVELS: usize = levels(COARSE);

#[derive(Clone)]
struct SeriesBin {
    requests: u64,
    bytes: u64,
    latency_sum_ns: u128,
    latency_max_ns: u64,
    levels: Vec<u32>,
}

impl SeriesBin {
    fn new() -> Self {
        Self { requests: 0, bytes: 0, latency_sum_ns: 0, latency_max_ns: 0, levels: vec![0; LEVELS] }
    }

    fn absorb(&mut self, other: &Self) {
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.latency_sum_ns += other.latency_sum_ns;
        self.latency_max_ns = self.latency_max_ns.max(other.latency_max_ns);
        for (level, more) in self.levels.iter_mut().zip(&other.levels) {
            *level += more;
        }
    }

    /// Returns the latency in nanoseconds that the given fraction of the time interval's requests does not exceed, with
    /// a resolution of an eighth of a power of two.
    fn quantile_ns(&self, fraction: f64) -> u64 {
        let wanted = (self.requests as f64 * fraction).ceil() as u64;
        let mut seen = 0;
        for (level, count) in self.levels.iter().enumerate() {
            seen += u64::from(*count);
            if seen >= wanted {
                return upper_edge(level, COARSE).min(self.latency_max_ns);
            }
        }
        self.latency_max_ns
    }
}

/// Time series of the host's reads and writes in time intervals of equal width; the width doubles when there are too
/// many intervals, so that memory is constant.
pub(crate) struct Series {
    started: SimTime,
    width_ns: u64,
    bins: [Vec<SeriesBin>; 2],
    /// For each time interval of the series, the bytes that the superblocks of the SLC cache could hold when the last
    /// read or write of the interval was completed; none without an SLC cache, or where no request was completed.
    cache_bytes: Vec<Option<u64>>,
    /// Index of the time interval of the series that is being filled at present.
    current: usize,
    ends_ns: u64,
}

impl Series {
    fn new(started: SimTime) -> Self {
        Self {
            started,
            width_ns: 100_000,
            bins: [Vec::new(), Vec::new()],
            cache_bytes: Vec::new(),
            current: 0,
            ends_ns: 0,
        }
    }

    #[inline]
    fn add(&mut self, now: SimTime, effect: Effect, bytes: u64, latency: u64, cache_bytes: Option<u64>) {
        let op = effect as usize;
        if op >= 2 {
            return;
        }
        let since_ns = now.since(self.started).ns();
        if since_ns >= self.ends_ns {
            self.begin_bin(since_ns);
        }
        if self.current >= self.bins[op].len() {
            self.bins[op].resize_with(self.current + 1, SeriesBin::new);
        }
        let bin = &mut self.bins[op][self.current];
        bin.requests += 1;
        bin.bytes += bytes;
        bin.latency_sum_ns += u128::from(latency);
        bin.latency_max_ns = bin.latency_max_ns.max(latency);
        bin.levels[level_of(latency, COARSE)] += 1;
        if cache_bytes.is_some() {
            self.cache_bytes.resize(self.current + 1, None);
            self.cache_bytes[self.current] = cache_bytes;
        }
    }

    /// Makes the time interval of the series that contains `since_ns` (nanoseconds after the start) the current one,
    /// after doubling the widths as often as needed.
    #[cold]
    fn begin_bin(&mut self, since_ns: u64) {
        while since_ns / self.width_ns >= BINS_MAX as u64 {
            self.widen();
        }
        self.current = (since_ns / self.width_ns) as usize;
        self.ends_ns = (self.current as u64 + 1) * self.width_ns;
    }

    fn widen(&mut self) {
        self.width_ns *= 2;
        for bins in &mut self.bins {
            let mut wide: Vec<SeriesBin> = Vec::with_capacity(bins.len().div_ceil(2));
            for pair in bins.chunks(2) {
                let mut bin = pair[0].clone();
                if let Some(second) = pair.get(1) {
                    bin.absorb(second);
                }
                wide.push(bin);
            }
            *bins = wide;
        }
        let last = |pair: &[Option<u64>]| pair.iter().rev().find_map(|bytes| *bytes);
        self.cache_bytes = self.cache_bytes.chunks(2).map(last).collect();
    }

    /// Returns for each time interval of a run of `span_ns` nanoseconds four values of the requests with effect
    /// `effect`: number, bytes, sum of latencies in ns, and the interval's length in nanoseconds.
    pub fn parts(&self, effect: Effect, span_ns: u64) -> Vec<[f64; 4]> {
        let bins = &self.bins[effect as usize];
        let count = span_ns.div_ceil(self.width_ns);
        let part = |index: u64| {
            let time = (span_ns - index * self.width_ns).min(self.width_ns);
            let bin = bins.get(index as usize);
            bin.map_or([0.0, 0.0, 0.0, time as f64], |bin| {
                [bin.requests as f64, bin.bytes as f64, bin.latency_sum_ns as f64, time as f64]
            })
        };
        (0..count).map(part).collect()
    }

    /// Returns three numbers of requests for each time interval of the series: with latencies at or above the level (an
    /// eighth of a power of two) that contains `latency`, with latencies above that level, and all.
    pub fn beyond(&self, effect: Effect, latency: u64) -> Vec<[f64; 3]> {
        let level = level_of(latency, COARSE);
        let beyond = |bin: &SeriesBin, level: usize| -> f64 {
            bin.levels[level..].iter().map(|&count| u64::from(count)).sum::<u64>() as f64
        };
        let part = |bin: &SeriesBin| [beyond(bin, level), beyond(bin, level + 1), bin.requests as f64];
        self.bins[effect as usize].iter().map(part).collect()
    }

    /// Returns the time series as JSON, with one column for each quantity, all of equal length.
    pub fn to_json(&self) -> Value {
        let count = self.bins[0].len().max(self.bins[1].len());
        let mut columns = serde_json::Map::new();
        let starts: Vec<u64> = (0..count as u64).map(|i| self.started.ns() + i * self.width_ns).collect();
        columns.insert("time_ns".into(), json!(starts));
        columns.insert("width_ns".into(), json!(vec![self.width_ns; count]));
        for (op, bins) in ["read", "write"].iter().zip(&self.bins) {
            let column = |value: &dyn Fn(&SeriesBin) -> Value| -> Value {
                (0..count).map(|i| bins.get(i).map_or_else(|| value(&SeriesBin::new()), value)).collect()
            };
            let some = |bin: &SeriesBin, value: Value| if bin.requests == 0 { Value::Null } else { value };
            columns.insert(format!("{op}_requests"), column(&|bin| json!(bin.requests)));
            columns.insert(format!("{op}_bytes"), column(&|bin| json!(bin.bytes)));
            columns.insert(
                format!("{op}_latency_ns_mean"),
                column(&|bin| some(bin, json!(bin.latency_sum_ns as f64 / bin.requests.max(1) as f64))),
            );
            columns.insert(
                format!("{op}_latency_ns_p99"),
                column(&|bin| some(bin, json!(bin.quantile_ns(0.99)))),
            );
            columns
                .insert(format!("{op}_latency_ns_max"), column(&|bin| some(bin, json!(bin.latency_max_ns))));
        }
        if !self.cache_bytes.is_empty() {
            let held = |i: usize| json!(self.cache_bytes.get(i).copied().flatten());
            columns.insert("slc_cache_bytes".into(), (0..count).map(held).collect());
        }
        Value::Object(columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Nanos;

    #[test]
    fn an_interval_has_the_capacity_of_the_cache_at_its_last_request() {
        let mut series = Series::new(SimTime::ZERO);
        let held = [(10_000, Effect::Write, 100), (20_000, Effect::Read, 40), (150_000, Effect::Read, 7)];
        for (ns, effect, bytes) in held {
            series.add(SimTime::ZERO + Nanos::new(ns), effect, 4096, 1_000, Some(bytes));
        }
        assert_eq!(series.to_json()["slc_cache_bytes"], json!([40, 7]));
        series.widen();
        assert_eq!(series.to_json()["slc_cache_bytes"], json!([7]));
    }
}
