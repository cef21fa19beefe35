//! What a result says of a sampled run.

use crate::sections::sections;

sections! {
    /// Report of a sampled run: how it was sampled, and what it estimates of the whole run. All other parts of the
    /// result that count or time are of the measured windows alone, put together as if nothing lay between them.
    SampledRun {
        /// Value, in the result, of the option `--sample`: `auto`, or figures with the errors that they may have.
        asked: String = "text",
        /// True if all errors that `--sample` asked for are reached; null where none was asked.
        reached: Option<bool> = "yes/no",
        /// Number of requests of the whole sampled run.
        requests: u64 = "requests",
        /// Number of requests in measured windows of the sampled run.
        requests_measured: u64 = "requests",
        /// Number of requests of the sampled run that ran in detail before or after windows and are not measured.
        requests_warm_up: u64 = "requests",
        /// Number of requests of the sampled run that were carried forward in the drive's state, without simulated
        /// time.
        requests_forwarded: u64 = "requests",
        /// Number, in the result, of requests that the sampled run simulated in detail before each window: until the
        /// drive has settled.
        warm_up_requests: u64 = "requests",
        /// Number, in the result, of requests of each measured window of the sampled run.
        window_requests: u64 = "requests",
        /// True if the drive took the requests of an open loop about as fast as they came, at the ends of windows; null
        /// in a closed loop, and where all requests ran in detail.
        keeps_up: Option<bool> = "yes/no",
        /// Estimate, in the result, of the write amplification of the whole run; null without writes.
        waf: Option<SampledFigure> = "ratio",
        /// Part of the result with the estimates of rates and latencies of the reads of the whole run; null without
        /// reads, where only an error of write amplification was asked for, where requests wait both for times and
        /// for completions, and where the drive does not keep up with an open loop.
        read: Option<SampledKind>,
        /// Part of the result with the estimates of rates and latencies of the writes of the whole run; null without
        /// writes, where only an error of write amplification was asked for, where requests wait both for times and
        /// for completions, and where the drive does not keep up with an open loop.
        write: Option<SampledKind>,
        /// List, in the result, of the parts of the sampled run, in order.
        parts: Vec<SampledPart>,
    }

    /// Estimates of rates and latencies of one kind of requests (reads or writes) of the whole run by sampling.
    SampledKind {
        /// Number of requests of the kind in the whole sampled run, unmeasured ones by their share among the others.
        requests: u64 = "requests",
        /// Estimate, in the result, of the number of requests of the kind per second in the whole run.
        iops: Option<SampledFigure> = "1/s",
        /// Estimate, in the result, of the bytes of requests of the kind per second in the whole run.
        bandwidth_bytes_per_s: Option<SampledFigure> = "bytes/s",
        /// Estimate, in the result, of the mean latency in nanoseconds of requests of the kind in the whole run.
        latency_ns_mean: Option<SampledFigure> = "ns",
        /// Estimate, in the result, of the 99th percentile, in nanoseconds, of the latency of requests of the kind in
        /// the whole run.
        latency_ns_p99: Option<SampledFigure> = "ns",
    }

    /// Estimate of a figure of the whole run by sampling, with its interval.
    SampledFigure {
        /// Value, in the result, of the estimate of a figure for the whole sampled run.
        value: f64,
        /// Interval, in the result, that holds the value of a run in full with 95 % confidence; null where there are
        /// too few parts to say, or where it would reach from 0 to twice the value.
        interval: Option<[f64; 2]>,
        /// Half width of the estimate's interval that `--sample` asked for, as a share of the value; null where none
        /// was.
        asked: Option<f64> = "ratio",
        /// True if the estimate's interval is as narrow as `--sample` asked; null where no error was asked.
        reached: Option<bool> = "yes/no",
    }

    /// Part of a sampled run: a stretch of its requests, in detail or carried forward.
    SampledPart {
        /// Number of requests of the sampled run before this part of it.
        first_request: u64 = "requests",
        /// Number of requests of this part of the sampled run.
        requests: u64 = "requests",
        /// True if this part of the sampled run was carried forward; false if it ran in detail.
        forwarded: bool = "yes/no",
        /// Write amplification of this part of the sampled run, from the end of the part before; null where nothing was
        /// written.
        waf: Option<f64> = "ratio",
    }
}

impl SampledKind {
    /// Returns the estimates of this kind of requests whose error can be asked for: rate, mean latency and 99th
    /// percentile.
    pub fn asked_for(&self) -> [&Option<SampledFigure>; 3] {
        [&self.iops, &self.latency_ns_mean, &self.latency_ns_p99]
    }
}

impl SampledFigure {
    /// Returns the longer side of this estimate's interval, from the value to an end; `None` without an interval.
    pub fn half(&self) -> Option<f64> {
        self.interval.map(|[low, high]| (self.value - low).max(high - self.value))
    }
}
