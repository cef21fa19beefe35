//! What one pass over a trace tells about it; printed before a run and by `floatgate trace info`.

use super::access::AccessInfo;
use super::disorder::First;
use crate::{Effect, Op};
use serde::Serialize;

/// Set of five numbers, one for each kind of request of a trace: reads, writes, trims, flushes, and operations on zones
/// or placement handles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CountsByKind {
    /// Field of a set of numbers by kind of request: number of the trace's reads, or, in a set of byte numbers, number
    /// of the bytes that they read.
    pub read: u64,
    /// Field of a set of numbers by kind of request: number of the trace's writes, or, in a set of byte numbers, number
    /// of the bytes that they write.
    pub write: u64,
    /// Field of a set of numbers by kind of request: number of the trace's trims, or, in a set of byte numbers, number
    /// of the bytes that they trim.
    pub trim: u64,
    /// Field of a set of numbers by kind of request: number of the trace's flushes, or, in a set of byte numbers,
    /// number of their bytes, which is 0.
    pub flush: u64,
    /// Field of a set of numbers by kind of request: number of the trace's operations on zones or placement handles,
    /// or, in a set of byte numbers, number of their bytes; absent if the number is 0.
    #[serde(skip_serializing_if = "is_none")]
    pub manage: u64,
}

impl CountsByKind {
    /// Returns the sum of the numbers for all kinds of request: reads, writes, trims, flushes and zone operations.
    pub fn total(&self) -> u64 {
        self.read + self.write + self.trim + self.flush + self.manage
    }

    #[inline]
    pub(crate) fn of(&mut self, op: Op) -> &mut u64 {
        match op.effect() {
            Effect::Read => &mut self.read,
            Effect::Write => &mut self.write,
            Effect::Trim => &mut self.trim,
            Effect::Flush => &mut self.flush,
            Effect::Manage => &mut self.manage,
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_none(count: &u64) -> bool {
    *count == 0
}

/// Entry of a list of request sizes of a trace: one size, with the number of requests that have this size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SizeShare {
    /// Field of an entry of request sizes: request size in bytes that occurs in the trace.
    pub bytes: u32,
    /// Field of an entry of request sizes: number of the trace's requests that have this size.
    pub requests: u64,
    /// Field of an entry of request sizes: fraction (0 to 1) of all requests with a length (reads, writes and trims)
    /// that have this size.
    pub share: f64,
}

/// Record that summarises the request sizes of a trace's reads, or of its writes: mean, quantiles, maximum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SizeSummary {
    /// Field of a summary of sizes: mean size of the reads, or of the writes, of a trace in bytes.
    pub mean_bytes: f64,
    /// Field of a summary of sizes: median size of the trace's reads, or of its writes, in bytes; `None`, like the
    /// other quantiles, when there are more distinct sizes than are counted one by one.
    pub p50_bytes: Option<u32>,
    /// Field of a summary of sizes: size in bytes that 90 % of the trace's reads, or of its writes, do not exceed;
    /// `None` with too many distinct sizes.
    pub p90_bytes: Option<u32>,
    /// Field of a summary of sizes: size in bytes that 99 % of the trace's reads, or of its writes, do not exceed;
    /// `None` with too many distinct sizes.
    pub p99_bytes: Option<u32>,
    /// Field of a summary of sizes: size in bytes of the largest of the trace's reads, or of its writes.
    pub max_bytes: u32,
}

/// Bin of the histogram of a trace's request sizes, from above one power of two up to the next, with the numbers of
/// reads and of writes of these sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SizeBin {
    /// Field of a bin: upper end of the bin of request sizes, in bytes; the bin begins above half of this number.
    pub up_to_bytes: u64,
    /// Field of a bin: number of the trace's reads whose size lies in the bin.
    pub read: u64,
    /// Field of a bin: number of the trace's writes whose size lies in the bin.
    pub write: u64,
}

/// Record that summarises a trace's interarrival times, the times between successive requests in order of time.
/// Quantiles are exact to three digits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GapInfo {
    /// Field of a summary of intervals: mean interval between two successive requests of the trace, in nanoseconds.
    pub mean_ns: f64,
    /// Field of a summary of intervals: coefficient of variation of the intervals, standard deviation over mean: 0 for
    /// a steady rate, 1 for random (Poisson) arrivals, above 1 for bursts. `None` when all intervals are zero.
    pub variation: Option<f64>,
    /// Field of a summary of intervals: quantile 10 % of the intervals between successive requests of the trace, in
    /// nanoseconds: 10 % of the intervals do not exceed this time.
    pub p10_ns: u64,
    /// Field of a summary of intervals: quantile 25 % of the intervals between successive requests of the trace, in
    /// nanoseconds: 25 % of the intervals do not exceed this time.
    pub p25_ns: u64,
    /// Field of a summary of intervals: median interval between two successive requests of the trace, in nanoseconds.
    pub p50_ns: u64,
    /// Field of a summary of intervals: quantile 75 % of the intervals between successive requests of the trace, in
    /// nanoseconds: 75 % of the intervals do not exceed this time.
    pub p75_ns: u64,
    /// Field of a summary of intervals: quantile 90 % of the intervals between successive requests of the trace, in
    /// nanoseconds: 90 % of the intervals do not exceed this time.
    pub p90_ns: u64,
    /// Field of a summary of intervals: quantile 99 % of the intervals between successive requests of the trace, in
    /// nanoseconds: 99 % of the intervals do not exceed this time.
    pub p99_ns: u64,
    /// Field of a summary of intervals: quantile 99.9 % of the intervals between successive requests of the trace, in
    /// nanoseconds: 99.9 % of the intervals do not exceed this time.
    pub p999_ns: u64,
    /// Field of a summary of intervals: longest interval between two successive requests of the trace, in nanoseconds,
    /// exact to three digits.
    pub max_ns: u64,
    /// List of points of the cumulative distribution of the trace's interarrival times, for plotting: each an interval
    /// between successive requests in nanoseconds, and the fraction of intervals that are at most this long.
    pub cumulative: Vec<(u64, f64)>,
}

/// Record that summarises one volume (device) of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VolumeInfo {
    /// Field of a volume's summary: name of the volume in the trace, as `--volume` takes it.
    pub name: String,
    /// Field of a volume's summary: number of the trace's requests to this volume.
    pub requests: u64,
    /// Field of a volume's summary: span of the volume in bytes: address of the highest byte that a request touches,
    /// plus one.
    pub span_bytes: u64,
}

/// Record of the first request of a trace whose time lies before the time of a request that precedes it in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OutOfOrder {
    /// Field: line number of the late request in a text trace, or its record number in a binary trace, from 1.
    pub line: u64,
    /// Field: time of the late request on the trace's clock, in nanoseconds.
    pub time_ns: u64,
    /// Field: latest time, in nanoseconds, of all requests that precede the late one in the file.
    pub previous_ns: u64,
}

impl From<First> for OutOfOrder {
    fn from(first: First) -> Self {
        let First { line, time_ns, previous_ns } = first;
        Self { line, time_ns, previous_ns }
    }
}

/// Record of a trace's content after selection by volume and time: counts, sizes, footprint, times and order. Numbers
/// without a value are `None`, never zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TraceInfo {
    /// Field of a trace's description: path of the trace file.
    pub path: String,
    /// Field of a trace's description: name of the trace format in which the file was read.
    pub format: &'static str,
    /// List of the columns, with their units, of the format in which the trace was read, as one sentence.
    pub units: &'static str,
    /// Field of a trace's description: compression of the trace file: `none`, `gzip`, `zstd`, `bzip2` or `xz`; for a
    /// member of an archive all layers, the container first, such as `tar, gzip`.
    pub compression: String,
    /// List of remarks on what was found or decided beyond what the user said, in whole sentences.
    pub notes: Vec<String>,
    /// Field of a trace's description: numbers of requests of the trace, one for each kind: reads, writes, trims,
    /// flushes and zone operations.
    pub requests: CountsByKind,
    /// Field of a trace's description: numbers of bytes that the requests read, write or trim, one for each kind of
    /// request.
    pub bytes: CountsByKind,
    /// Field of a trace's description: fraction of reads among reads and writes, from 0 to 1; `None` without either.
    pub read_fraction: Option<f64>,
    /// Field of a trace's description: mean size in bytes of the requests that have a length (reads, writes and trims).
    pub mean_bytes: Option<f64>,
    /// List of the most frequent request sizes, the most frequent first.
    pub top_sizes: Vec<SizeShare>,
    /// Field of a trace's description: summary of the sizes of the trace's reads; `None` without reads.
    pub read_sizes: Option<SizeSummary>,
    /// Field of a trace's description: summary of the sizes of the trace's writes; `None` without writes.
    pub write_sizes: Option<SizeSummary>,
    /// Field of a trace's description: histogram of the sizes of reads and writes by powers of two, from the first to
    /// the last bin that is not empty.
    pub size_bins: Vec<SizeBin>,
    /// Field of a trace's description: number of distinct 4 KiB pages that the requests touch; an estimate (standard
    /// error 0.8 %) unless `footprint_exact`.
    pub footprint_pages: u64,
    /// Field of a trace's description: footprint of the trace in bytes: 4 KiB for each distinct page that the requests
    /// touch.
    pub footprint_bytes: u64,
    /// True if the distinct pages were counted exactly; false if the footprint is an estimate.
    pub footprint_exact: bool,
    /// Field of a trace's description: span of the trace in bytes: the highest address that is touched on any volume,
    /// plus one.
    pub span_bytes: u64,
    /// Field of a trace's description: capacity in bytes of the smallest drive that has room for all volumes of the
    /// trace laid end to end, each begun at a multiple of 1 MiB; `None` when it does not fit into 64 bits.
    pub laid_out_bytes: Option<u64>,
    /// Field of a trace's description: earliest time of a request of the trace on the trace's own clock, in
    /// nanoseconds.
    pub first_ns: u64,
    /// Field of a trace's description: latest time of a request of the trace on the trace's own clock, in nanoseconds.
    pub last_ns: u64,
    /// Field of a trace's description: time from the first to the last request of the trace, in nanoseconds.
    pub span_ns: u64,
    /// Field of a trace's description: mean number of requests per second of the trace; `None` when all times are
    /// equal.
    pub requests_per_s: Option<f64>,
    /// Field of a trace's description: summary of the interarrival times (intervals between successive requests);
    /// `None` when there are none.
    pub gaps: Option<GapInfo>,
    /// Field of a trace's description: fraction of the trace's requests that begin where the previous request to the
    /// same volume ended; flushes do not count.
    pub sequential_fraction: Option<f64>,
    /// Field of a trace's description: analysis of which pages are only read, only written, or both; `None` when the
    /// analysis was not requested.
    pub access: Option<AccessInfo>,
    /// List of the volumes of the trace with their counts, in the order in which they appear.
    pub volumes: Vec<VolumeInfo>,
    /// Field of a trace's description: place and times of the first request of the file whose time lies before the time
    /// of an earlier request; `None` if all are in order of time.
    pub first_out_of_order: Option<OutOfOrder>,
    /// Field of a trace's description: number of late requests: requests whose time lies before the time of an earlier
    /// request of the file.
    pub out_of_order: u64,
    /// Field of a trace's description: greatest number of requests by which a late request stands, in the file, behind
    /// the first request that has a later time; `None` if the file is so far out of order that this cannot be
    /// determined.
    pub out_of_order_by_requests: Option<u64>,
    /// Field of a trace's description: longest time, in nanoseconds, by which a late request is earlier than the latest
    /// request before it.
    pub out_of_order_by_ns: u64,
    /// Field of a trace's description: number of lines of the trace that were skipped because they could not be parsed.
    pub skipped_lines: u64,
    /// List of the error messages of the first five skipped lines: lines anywhere in the trace that could not be
    /// parsed. Further skipped lines are only counted.
    pub first_skipped: Vec<String>,
    /// Field of a trace's description: number of requests that were left out because they belong to volumes that the
    /// user did not select.
    pub requests_of_other_volumes: u64,
    /// Field of a trace's description: number of requests that were left out because their times are outside the range
    /// that the user selected.
    pub requests_outside_times: u64,
    /// Field of a trace's description: number of requests whose address or size was rounded or moved to whole sectors
    /// (`--align`).
    pub requests_aligned: u64,
    /// Field of a trace's description: number of writes with force unit access, which must be on durable media when
    /// they are answered.
    pub writes_with_fua: u64,
    /// Field of a trace's description: number of requests to write zeroes, which carry no data and are counted as
    /// trims.
    pub write_zeroes: u64,
    /// Field of a trace's description: number of second issues of requests that the host's driver had requeued; these
    /// are left out, or cut to the data that the driver merged to them.
    pub requests_requeued: u64,
    /// Field of a trace's description: number of events that transfer no data, such as completions of failed requests;
    /// these are left out.
    pub events_without_data: u64,
}
