//! What was measured in the windows of a sampled run, window by window and slice by slice: sums of times, requests and programs, and
//! how many requests had which latency.

use super::seen::{TimesSeen, WindowCounts};
use super::skipped::KINDS;
use crate::observe::Observer;
use crate::run::Run;

/// Constant: number of slices of equal numbers of requests into which each measured window of a sampled run is divided.
const SLICES: u64 = 4;

/// Type of a sparse histogram of latencies: pairs of the highest latency of a level, in ns, and a number of requests,
/// in the order of latencies.
pub(super) type LatencyCounts = Vec<(u64, u64)>;

/// Record of sums over the requests of one kind (reads or writes) in a slice of a measured window.
#[derive(Clone, Debug, Default)]
pub(super) struct KindSums {
    /// Number of requests of the kind.
    pub requests: f64,
    /// Sum of the latencies of the requests of the kind, in ns.
    pub latency_ns: f64,
    /// Field: histogram of the latencies of the requests of the kind.
    pub latencies: LatencyCounts,
}

/// Record of sums over a slice of a measured window of a sampled run.
#[derive(Clone, Debug, Default)]
pub(super) struct WindowSlice {
    /// Number, in the run, of the window that the slice is a part of; window 0 is the run's beginning.
    pub window: usize,
    /// Simulated time that the slice took, in ns.
    pub ns: f64,
    /// Number of requests answered in the slice, of all kinds.
    pub requests: f64,
    /// Number of bytes that the drive programmed to flash in the slice.
    pub programmed: f64,
    /// Number of bytes that the host read and wrote in the slice.
    pub bytes: f64,
    /// Field of a slice's record: sums over its reads (first) and over its writes.
    pub kinds: [KindSums; KINDS],
}

/// Record of a run's counts at the beginning or end of a slice of a measured window.
struct SliceEdge {
    /// Counts of the run's measured requests at this edge of a slice.
    counts: WindowCounts,
    /// Number of bytes that the drive had programmed to flash at this edge of a slice.
    programmed: f64,
    /// Histograms, at this edge of a slice, of the latencies of all reads (first) and of all writes measured so far.
    latencies: [LatencyCounts; KINDS],
}

impl SliceEdge {
    /// Returns the counts of a run now; `programmed` is the number of bytes programmed to flash until now.
    fn of<P: Observer>(run: &Run<P>, programmed: f64) -> Self {
        let latencies = std::array::from_fn(|kind| {
            let levels = run.measure.ops[kind].latency.iter_recorded();
            levels.map(|level| (level.value_iterated_to(), level.count_at_value())).collect()
        });
        Self { counts: WindowCounts::of(run), programmed, latencies }
    }

    /// Returns the sums of the slice of the window number `window` that began at this edge and ends at `end`.
    fn until(&self, end: &Self, window: usize) -> WindowSlice {
        let kind = |at: usize| {
            let since = |of: usize| (end.counts.by_effect[at][of] - self.counts.by_effect[at][of]) as f64;
            KindSums {
                requests: since(0),
                latency_ns: since(1),
                latencies: counted_since(&end.latencies[at], &self.latencies[at]),
            }
        };
        WindowSlice {
            window,
            ns: end.counts.time.since(self.counts.time).ns() as f64,
            requests: (end.counts.requests - self.counts.requests) as f64,
            programmed: end.programmed - self.programmed,
            bytes: (end.counts.bytes - self.counts.bytes) as f64,
            kinds: std::array::from_fn(kind),
        }
    }
}

/// Returns the histogram of the latencies that were added between `then`, an older histogram of the same requests, and
/// `now`.
fn counted_since(now: &[(u64, u64)], then: &[(u64, u64)]) -> LatencyCounts {
    let mut before = then.iter().peekable();
    let since = |&(latency, count): &(u64, u64)| {
        let old = before.next_if(|of| of.0 == latency).map_or(0, |of| of.1);
        (latency, count - old)
    };
    now.iter().map(since).filter(|level| level.1 > 0).collect()
}

/// Record of the measured windows of a sampled run so far.
#[derive(Default)]
pub(super) struct WindowsSeen {
    /// Counts of the run when the present window began, and when its present slice began; `None` outside windows.
    open: Option<(WindowCounts, SliceEdge)>,
    /// Number of requests of each slice of the present window.
    slice: u64,
    /// Field of the record of windows: sums of times of requests in the windows so far.
    pub times: TimesSeen,
    /// List of the slices of the windows so far, in order.
    pub slices: Vec<WindowSlice>,
    /// Number of the windows that have ended.
    count: usize,
}

impl WindowsSeen {
    /// Returns true while a measured window of the sampled run is open.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Begins a measured window of about `requests` requests; `programmed` is the number of bytes programmed to flash
    /// until now.
    pub fn begin<P: Observer>(&mut self, run: &Run<P>, programmed: f64, requests: u64) {
        self.slice = requests.div_ceil(SLICES).max(1);
        self.open = Some((WindowCounts::of(run), SliceEdge::of(run, programmed)));
    }

    /// Ends the present slice of a measured window, and begins the next one, if enough of its requests are answered;
    /// returns false if not, and outside windows.
    pub fn look<P: Observer>(&mut self, run: &Run<P>, programmed: f64) -> bool {
        let (Some((_, edge)), window) = (&mut self.open, self.count) else { return false };
        if run.measure.completed.iter().sum::<u64>() < edge.counts.requests + self.slice {
            return false;
        }
        let now = SliceEdge::of(run, programmed);
        self.slices.push(edge.until(&now, window));
        *edge = now;
        true
    }

    /// Ends the present window, and returns the number of requests measured in it; `None` outside windows.
    pub fn end<P: Observer>(&mut self, run: &Run<P>, programmed: f64) -> Option<u64> {
        let (start, edge) = self.open.take()?;
        let end = SliceEdge::of(run, programmed);
        if end.counts.requests > edge.counts.requests {
            self.slices.push(edge.until(&end, self.count));
        }
        self.count += 1;
        self.times.add(&start, &end.counts);
        Some(end.counts.requests - start.requests)
    }
}
