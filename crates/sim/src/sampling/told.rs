//! What a result says of a sampled run.

use crate::sections::sections;

sections! {
    /// Report of a sampled run: how it was sampled, and write amplification of the whole run. All other parts of the result that count or time
    /// are of the measured windows alone, put together as if nothing lay between them.
    SampledRun {
        /// Value of the option `--sample`: `auto`, or `waf` with the error that it may have.
        asked: String = "text",
        /// True if the error that was asked for is reached; null where none was asked.
        reached: Option<bool> = "yes/no",
        /// Number of requests of the whole run.
        requests: u64 = "requests",
        /// Number of requests in measured windows.
        requests_measured: u64 = "requests",
        /// Number of requests that ran in detail before or after windows and are not measured.
        requests_warm_up: u64 = "requests",
        /// Number of requests that were carried forward in the drive's state, without simulated time.
        requests_forwarded: u64 = "requests",
        /// Number of requests in detail before each window, by how long the drive took to settle in the beginning.
        warm_up_requests: u64 = "requests",
        /// Number of requests of each window.
        window_requests: u64 = "requests",
        /// Estimate of the write amplification of the whole run; null without writes.
        waf: Option<SampledFigure> = "ratio",
        /// List of the parts of the run, in order.
        parts: Vec<SampledPart>,
    }

    /// Estimate of a figure of the whole run by sampling, with its interval.
    SampledFigure {
        /// Value of the estimate: all bytes programmed over all bytes written, in detail and carried forward.
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
