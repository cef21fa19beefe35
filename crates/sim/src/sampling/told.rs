//! What a result says of a sampled run.

use crate::sections::sections;

sections! {
    /// What was sampled of a run, and write amplification of the whole of it. All other parts of the result that count or time
    /// are of the measured windows alone, put together as if nothing lay between them.
    SampledRun {
        /// What was asked for, as it was written: `auto`, or `waf` with its error.
        asked: String = "text",
        /// The error that was asked for is kept; null where none was.
        reached: Option<bool> = "yes/no",
        /// Requests of the whole run.
        requests: u64 = "requests",
        /// Of those, requests in measured windows.
        requests_measured: u64 = "requests",
        /// Requests that ran in detail before windows or after them, and are not measured.
        requests_warm_up: u64 = "requests",
        /// Requests that were carried forward in the drive's state, without a clock.
        requests_forwarded: u64 = "requests",
        /// Requests in detail before each window, as the first of the run show how long the drive takes to settle.
        warm_up_requests: u64 = "requests",
        /// Requests of each window.
        window_requests: u64 = "requests",
        /// Write amplification of the whole run; null without writes.
        waf: Option<SampledFigure> = "ratio",
        /// The parts of the run, in order.
        parts: Vec<SampledPart>,
    }

    /// A figure of the whole run, and how sure it is.
    SampledFigure {
        /// The figure: all that was programmed over all that was written, in detail and carried forward.
        value: f64,
        /// What a run in full would come to with 95 % confidence; null where the parts are too few to say.
        interval: Option<[f64; 2]>,
        /// Half the interval that was asked for, as a share of the figure; null where none was.
        asked: Option<f64> = "ratio",
        /// It is known so well; null where no error was asked.
        reached: Option<bool> = "yes/no",
    }

    /// A part of a sampled run.
    SampledPart {
        /// Requests of the run before it.
        first_request: u64 = "requests",
        /// Its own requests.
        requests: u64 = "requests",
        /// It was carried forward; else it ran in detail.
        forwarded: bool = "yes/no",
        /// Write amplification since the end of the part before; null where nothing was written.
        waf: Option<f64> = "ratio",
    }
}
