//! One pass over a trace: counts, sizes, gaps, spans and footprint in constant memory; accesses by page on request.

use super::access::{AccessMap, AccessOptions};
use super::disorder::{Disorder, DisorderWatch};
use super::footprint::{Estimate, PAGE, PageSet};
use super::gaps::Gaps;
use super::info::{CountsByKind, OutOfOrder, TraceInfo, VolumeInfo};
use super::record::RecordMark;
use super::sizes::Sizes;
use super::source::{Located, Met};
use crate::Op;

/// Record of the counts of one volume of a trace: number of requests, and span in bytes.
#[derive(Clone, Copy, Default)]
pub(crate) struct VolumeTally {
    pub requests: u64,
    /// Field: span of the volume in bytes: address of the highest byte that a request touches, plus one.
    pub span: u64,
    /// Field: line number of the request that touches the highest byte of the volume of a trace.
    pub span_line: u64,
    last_end: u64,
}

/// State of the statistics of a pass over a trace (requests by kind, sizes, intervals, footprint, volumes), from which
/// the trace's description ([`TraceInfo`]) is made.
pub(crate) struct Survey {
    counts: CountsByKind,
    bytes: CountsByKind,
    sizes: Sizes,
    pub volumes: Vec<VolumeTally>,
    pub first_ns: u64,
    pub last_ns: u64,
    latest_ns: u64,
    watch: DisorderWatch,
    gaps: Gaps,
    sequential: u64,
    writes_with_fua: u64,
    write_zeroes: u64,
    /// True if a line of the trace gives the process that made a request.
    pub names_processes: bool,
    /// Field: length in bytes of the trace's longest request, and the line of that request.
    pub longest: (u32, u64),
    estimate: Option<Estimate>,
    pub pages: Option<PageSet>,
    access: Option<AccessMap>,
}

/// Kind of counting of a trace's footprint (number of distinct pages that it touches): exactly, or by an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Footprint {
    /// Case of counting: touched pages of the trace are counted exactly, with a set of the pages in memory.
    Exact,
    /// Case of counting: touched pages of the trace are counted by an estimate, which takes little memory.
    Estimated,
}

impl Survey {
    /// Makes the statistics of a trace before its first request; with `access` the accesses to each page are counted,
    /// too.
    pub fn new(footprint: Footprint, access: Option<AccessOptions>) -> Self {
        Self {
            counts: CountsByKind::default(),
            bytes: CountsByKind::default(),
            sizes: Sizes::default(),
            volumes: Vec::new(),
            first_ns: u64::MAX,
            last_ns: 0,
            latest_ns: 0,
            watch: DisorderWatch::new(),
            gaps: Gaps::new(),
            sequential: 0,
            writes_with_fua: 0,
            write_zeroes: 0,
            names_processes: false,
            longest: (0, 0),
            estimate: (footprint == Footprint::Estimated).then(Estimate::new),
            pages: (footprint == Footprint::Exact).then(PageSet::default),
            access: access.map(AccessMap::new),
        }
    }

    /// Returns the number of the trace's requests that were added to these statistics.
    pub fn requests(&self) -> u64 {
        self.counts.total()
    }

    /// Adds one request of the trace to the statistics; a record marked as requeued counts only in the search for
    /// requests out of order of time.
    #[inline]
    pub fn add(&mut self, located: &Located) {
        let r = &located.record;
        if r.mark != RecordMark::None {
            if r.mark == RecordMark::Requeued {
                return self.watch.add(r.time_ns, located.line);
            }
            self.write_zeroes += 1;
        }
        self.add_time(r.time_ns, located.line);
        *self.counts.of(r.op) += 1;
        self.writes_with_fua += u64::from(r.fua);
        self.names_processes |= r.process.is_some();
        *self.bytes.of(r.op) += u64::from(r.bytes);
        let volume = r.volume as usize;
        if volume >= self.volumes.len() {
            self.volumes.resize(volume + 1, VolumeTally::default());
        }
        let tally = &mut self.volumes[volume];
        tally.requests += 1;
        if r.bytes == 0 {
            return;
        }
        let end = r.offset + u64::from(r.bytes);
        self.sequential += u64::from(tally.last_end == r.offset && tally.span > 0);
        tally.last_end = end;
        if end > tally.span {
            (tally.span, tally.span_line) = (end, located.line);
        }
        if r.bytes > self.longest.0 {
            self.longest = (r.bytes, located.line);
        }
        self.sizes.add(r.op, r.bytes);
        if let Some(access) = &mut self.access {
            access.add(r);
        }
        let pages = r.offset / PAGE..end.div_ceil(PAGE);
        match (&mut self.estimate, &mut self.pages) {
            (Some(estimate), _) => estimate.touch(r.volume, pages),
            (None, Some(set)) => set.touch(r.volume, pages),
            (None, None) => {}
        }
    }

    #[inline]
    fn add_time(&mut self, time_ns: u64, line: u64) {
        let first = self.counts.total() == 0;
        self.first_ns = self.first_ns.min(time_ns);
        self.last_ns = self.last_ns.max(time_ns);
        self.watch.add(time_ns, line);
        if time_ns < self.latest_ns {
            return;
        }
        if !first {
            self.gaps.add(time_ns - self.latest_ns, self.latest_ns);
        }
        self.latest_ns = time_ns;
    }

    /// Returns, if one interval of more than a week is nearly all of the trace's time, its begin after the first
    /// request and its length in nanoseconds.
    pub fn jump(&self) -> Option<(u64, u64)> {
        const DAY_NS: u64 = 86_400 * 1_000_000_000;
        let (gap, before) = self.gaps.longest;
        let span = self.last_ns.saturating_sub(self.first_ns);
        (gap > 7 * DAY_NS && gap > span / 10 * 9).then(|| (before - self.first_ns, gap))
    }

    /// Returns the findings on how far the requests were out of order of time.
    pub fn disorder(&self) -> Disorder {
        self.watch.found()
    }

    /// Makes the description of the trace from the statistics; `head` is a description that gives the fields not found
    /// in the statistics, such as path and format, and `disorder` is the disorder of the file, since the requests may
    /// have been sorted before.
    pub fn info(&self, head: TraceInfo, met: &Met, disorder: Disorder) -> TraceInfo {
        let moving = self.counts.read + self.counts.write + self.counts.trim;
        let span_ns = self.last_ns.saturating_sub(self.first_ns);
        let pages = match (&self.estimate, &self.pages) {
            (Some(estimate), _) => estimate.pages(),
            (None, Some(set)) => set.pages(),
            (None, None) => 0,
        };
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        TraceInfo {
            requests: self.counts,
            bytes: self.bytes,
            read_fraction: share(self.counts.read, self.counts.read + self.counts.write),
            mean_bytes: share(self.bytes.total(), moving),
            top_sizes: self.sizes.top(moving),
            read_sizes: self.sizes.summary(Op::READ),
            write_sizes: self.sizes.summary(Op::WRITE),
            size_bins: self.sizes.bins(),
            footprint_pages: pages,
            footprint_bytes: pages.saturating_mul(PAGE),
            footprint_exact: self.pages.is_some(),
            span_bytes: self.volumes.iter().map(|v| v.span).max().unwrap_or(0),
            first_ns: self.first_ns,
            last_ns: self.last_ns,
            span_ns,
            requests_per_s: (span_ns > 0).then(|| self.requests() as f64 * 1e9 / span_ns as f64),
            gaps: self.gaps.info(),
            sequential_fraction: share(self.sequential, moving),
            access: self.access.as_ref().map(AccessMap::info),
            volumes: self.volume_infos(met),
            first_out_of_order: disorder.first.map(OutOfOrder::from),
            out_of_order: disorder.requests,
            out_of_order_by_requests: disorder.reach,
            out_of_order_by_ns: disorder.back_ns,
            requests_aligned: met.aligned,
            skipped_lines: met.skipped_lines,
            first_skipped: met.first_skipped.clone(),
            requests_of_other_volumes: met.unselected,
            requests_outside_times: met.outside_times,
            writes_with_fua: self.writes_with_fua,
            write_zeroes: self.write_zeroes,
            events_without_data: met.empty,
            ..head
        }
    }

    fn volume_infos(&self, met: &Met) -> Vec<VolumeInfo> {
        let tally = |index: usize| self.volumes.get(index).copied().unwrap_or_default();
        let info = |(index, name): (usize, &String)| {
            let VolumeTally { requests, span, .. } = tally(index);
            VolumeInfo { name: name.clone(), requests, span_bytes: span }
        };
        met.volumes.iter().enumerate().map(info).collect()
    }
}
