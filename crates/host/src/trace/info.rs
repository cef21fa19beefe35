//! What one pass over a trace tells about it; printed before a run and by `floatgate trace info`.

use super::access::AccessInfo;
use super::disorder::First;
use crate::{Effect, Op};
use serde::Serialize;

/// One number for each kind of request of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CountsByKind {
    /// Number for reads.
    pub read: u64,
    /// Number for writes.
    pub write: u64,
    /// Number for trims.
    pub trim: u64,
    /// Number for flushes.
    pub flush: u64,
    /// Of operations on zones; absent without any.
    #[serde(skip_serializing_if = "is_none")]
    pub manage: u64,
}

impl CountsByKind {
    /// Returns the sum of the numbers of all kinds of request.
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

/// How often one request size occurs in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SizeShare {
    /// Request size in bytes.
    pub bytes: u32,
    /// Requests of the trace that have this size.
    pub requests: u64,
    /// Share of these requests among all requests that move data.
    pub share: f64,
}

/// The sizes of reads or of writes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SizeSummary {
    /// Mean size of the requests, in bytes.
    pub mean_bytes: f64,
    /// Median; `None`, as below, when there are more distinct sizes than are counted one by one.
    pub p50_bytes: Option<u32>,
    /// Size in bytes that 90 % of the requests do not exceed.
    pub p90_bytes: Option<u32>,
    /// Size in bytes that 99 % of the requests do not exceed.
    pub p99_bytes: Option<u32>,
    /// Largest size of a request, in bytes.
    pub max_bytes: u32,
}

/// Requests whose size lies between two powers of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SizeBin {
    /// Upper end of the bin of request sizes, in bytes; the bin begins above half of this number.
    pub up_to_bytes: u64,
    /// Reads in the bin of request sizes.
    pub read: u64,
    /// Writes in the bin of request sizes.
    pub write: u64,
}

/// The times between successive arrivals, once the requests are in order of time. Quantiles are to three digits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GapInfo {
    /// Mean gap between two requests, in nanoseconds.
    pub mean_ns: f64,
    /// Standard deviation over mean: 0 for a steady pace, 1 for random (Poisson) arrivals, above for bursts. `None`
    /// when all gaps are zero.
    pub variation: Option<f64>,
    /// Gap in nanoseconds that 10 % of the gaps do not exceed.
    pub p10_ns: u64,
    /// Gap in nanoseconds that 25 % of the gaps do not exceed.
    pub p25_ns: u64,
    /// Median gap between two requests, in nanoseconds.
    pub p50_ns: u64,
    /// Gap in nanoseconds that 75 % of the gaps do not exceed.
    pub p75_ns: u64,
    /// Gap in nanoseconds that 90 % of the gaps do not exceed.
    pub p90_ns: u64,
    /// Gap in nanoseconds that 99 % of the gaps do not exceed.
    pub p99_ns: u64,
    /// Gap in nanoseconds that 99.9 % of the gaps do not exceed.
    pub p999_ns: u64,
    /// Longest gap between two requests, in nanoseconds.
    pub max_ns: u64,
    /// The distribution for a picture: a time, and the share of gaps that are not longer.
    pub cumulative: Vec<(u64, f64)>,
}

/// One device or volume of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VolumeInfo {
    /// Name of the volume in the trace, as `--volume` takes it.
    pub name: String,
    /// Requests of the volume.
    pub requests: u64,
    /// Highest byte that a request touches, plus one.
    pub span_bytes: u64,
}

/// The first request that is earlier than one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OutOfOrder {
    /// Line of the late request, or its record in a binary trace, from 1.
    pub line: u64,
    /// Time of the late request on the trace's clock, in nanoseconds.
    pub time_ns: u64,
    /// The latest time of all requests before the late one, in nanoseconds.
    pub previous_ns: u64,
}

impl From<First> for OutOfOrder {
    fn from(first: First) -> Self {
        let First { line, time_ns, previous_ns } = first;
        Self { line, time_ns, previous_ns }
    }
}

/// What a trace holds, after selection by volume and time. Numbers without a value are `None`, never zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TraceInfo {
    /// Path of the trace file.
    pub path: String,
    /// Name of the format in which the trace was read.
    pub format: &'static str,
    /// The format's columns and units, in one sentence.
    pub units: &'static str,
    /// `none`, `gzip`, `zstd`, `bzip2`, `xz`, or of an archive all layers, the container first: `tar, gzip`.
    pub compression: String,
    /// What was found out or decided beyond what the user said, in whole sentences.
    pub notes: Vec<String>,
    /// Requests of the trace, by kind.
    pub requests: CountsByKind,
    /// Bytes that the requests ask for, by kind.
    pub bytes: CountsByKind,
    /// Share of reads among reads and writes.
    pub read_fraction: Option<f64>,
    /// Mean size of the requests that move data.
    pub mean_bytes: Option<f64>,
    /// Most frequent request sizes.
    pub top_sizes: Vec<SizeShare>,
    /// The sizes of reads; `None` without reads.
    pub read_sizes: Option<SizeSummary>,
    /// The sizes of writes; `None` without writes.
    pub write_sizes: Option<SizeSummary>,
    /// Sizes by powers of two, from the first that occurs to the last.
    pub size_bins: Vec<SizeBin>,
    /// Distinct 4 KiB pages touched; an estimate (standard error 0.8 %) unless `footprint_exact`.
    pub footprint_pages: u64,
    /// Footprint of the trace in bytes.
    pub footprint_bytes: u64,
    /// True if the pages of the footprint were counted one by one; false if the number is an estimate.
    pub footprint_exact: bool,
    /// The highest byte touched on any volume, plus one.
    pub span_bytes: u64,
    /// The span when volumes are laid end to end, each rounded up to 1 MiB: what a drive must hold.
    /// `None` when that does not fit into 64 bits.
    pub laid_out_bytes: Option<u64>,
    /// The earliest time on the trace's clock.
    pub first_ns: u64,
    /// Latest time of a request on the trace's clock, in nanoseconds.
    pub last_ns: u64,
    /// Time from the first to the last request, in nanoseconds.
    pub span_ns: u64,
    /// Mean rate; `None` when all times are equal.
    pub requests_per_s: Option<f64>,
    /// The times between arrivals; `None` when there are none.
    pub gaps: Option<GapInfo>,
    /// The share of requests that begin where the request before them on the same volume ended.
    pub sequential_fraction: Option<f64>,
    /// Which pages are only read, only written, or both; `None` when that was not asked for.
    pub access: Option<AccessInfo>,
    /// The volumes, in the order in which they appear.
    pub volumes: Vec<VolumeInfo>,
    /// First request of the file that has an earlier time than a request before it.
    pub first_out_of_order: Option<OutOfOrder>,
    /// Number of late requests.
    pub out_of_order: u64,
    /// The most requests that one of them stands behind the first that is later; `None` when more than a million.
    pub out_of_order_by_requests: Option<u64>,
    /// Longest time, in nanoseconds, by which a late request is earlier than the latest request before it.
    pub out_of_order_by_ns: u64,
    /// Lines skipped because they could not be read.
    pub skipped_lines: u64,
    /// Messages on what was wrong with the first skipped lines.
    pub first_skipped: Vec<String>,
    /// Requests of volumes that were not asked for.
    pub requests_of_other_volumes: u64,
    /// Requests outside the times asked for.
    pub requests_outside_times: u64,
    /// Requests whose address or size was made whole sectors (`--align`).
    pub requests_aligned: u64,
    /// Writes that must be on durable media when they are answered (FUA).
    pub writes_with_fua: u64,
    /// Requests to write zeroes, which carry no data and are among the trims.
    pub write_zeroes: u64,
    /// Second issues of requests that the driver gave back, left out.
    pub requests_requeued: u64,
    /// Events that move no data, such as completions of failed requests, left out.
    pub events_without_data: u64,
}
