//! What a result says of a sampled run.

use crate::sections::sections;

sections! {
    /// Report of a sampled run: how it was sampled, and what it estimates of the whole run. All other parts of the result that count or time
    /// are of the measured windows alone, put together as if nothing lay between them.
    SampledRun {
        /// Value of the option `--sample`: `auto`, or figures with the errors that they may have.
        asked: String = "text",
        /// True if all errors that were asked for are reached; null where none was asked.
        reached: Option<bool> = "yes/no",
        /// Number of requests of the whole run.
        requests: u64 = "requests",
        /// Number of requests in measured windows.
        requests_measured: u64 = "requests",
        /// Number of requests that ran in detail before or after windows and are not measured.
        requests_warm_up: u64 = "requests",
        /// Number of requests that were carried forward in the drive's state, without simulated time.
        requests_forwarded: u64 = "requests",
        /// Number of requests in detail before each window: until the drive has settled.
        warm_up_requests: u64 = "requests",
        /// Number of requests of each window.
        window_requests: u64 = "requests",
        /// Estimate of the write amplification of the whole run; null without writes.
        waf: Option<SampledFigure> = "ratio",
        /// Estimates of rates and latencies of the reads of the whole run; null without reads, where only an error of write amplification was asked for, and where requests come at times of their own.
        read: Option<SampledKind>,
        /// Estimates of rates and latencies of the writes of the whole run; null without writes, where only an error of write amplification was asked for, and where requests come at times of their own.
        write: Option<SampledKind>,
        /// List of the parts of the run, in order.
        parts: Vec<SampledPart>,
    }

    /// Estimates of rates and latencies of one kind of requests (reads or writes) of the whole run by sampling.
    SampledKind {
        /// Number of requests of the kind in the whole run, unmeasured ones by their share among the others.
        requests: u64 = "requests",
        /// Estimate of the number of requests of the kind per second.
        iops: Option<SampledFigure> = "1/s",
        /// Estimate of the bytes of requests of the kind per second.
        bandwidth_bytes_per_s: Option<SampledFigure> = "bytes/s",
        /// Estimate of the mean latency of requests of the kind.
        latency_ns_mean: Option<SampledFigure> = "ns",
        /// Estimate of the 99th percentile of the latency of requests of the kind.
        latency_ns_p99: Option<SampledFigure> = "ns",
    }

    /// Estimate of a figure of the whole run by sampling, with its interval.
    SampledFigure {
        /// Value of the estimate for the whole run.
        value: f64,
        /// Interval that holds the value of a run in full with 95 % confidence; null where there are too few parts to say.
        interval: Option<[f64; 2]>,
        /// Half width of the interval that was asked for, as a share of the value; null where none was.
        asked: Option<f64> = "ratio",
        /// True if the interval is as narrow as was asked; null where no error was asked.
        reached: Option<bool> = "yes/no",
    }

    /// Part of a sampled run: a stretch of its requests, in detail or carried forward.
    SampledPart {
        /// Number of requests of the run before the part.
        first_request: u64 = "requests",
        /// Number of requests of the part.
        requests: u64 = "requests",
        /// True if the part was carried forward; false if it ran in detail.
        forwarded: bool = "yes/no",
        /// Write amplification of the part, from the end of the part before; null where nothing was written.
        waf: Option<f64> = "ratio",
    }
}

impl SampledKind {
    /// Returns the estimates of this kind of requests whose error can be asked for: rate, mean latency and 99th percentile.
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
