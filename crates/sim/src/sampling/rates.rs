//! From the measured windows of a sampled run to rates, mean latencies and 99th percentiles of the whole run.
//!
//! The beginning of the run stands for itself; windows stand for the rest, in equal parts. What windows found is
//! moved to the programs that the whole run needed for a request (a regression over half windows, as control variates are: Lavenberg and
//! Welch 1981), because collections come in bursts that few windows meet as often as the whole run, and because that count is known of
//! all of it. In an open loop, whose requests come in bursts of their own, it is moved to the bytes of the whole run's requests.
//!
//! The interval is of what a run in full may find. It adds, as independent errors, the spread over windows (a jackknife that leaves one
//! out at a time), what is not known of the programs for a request, and by how much late halves of windows differ from early ones: a drive
//! that has not settled when a window begins. In an open loop it adds half of what the regression moved.
//!
//! Not modelled: what is wrong with early and late halves of windows alike.

use super::skipped::KINDS;
use super::told::{SampledFigure, SampledKind};
use super::windows::{LatencyCounts, WindowSlice};
use crate::measure::spread::quantile;

/// Constant: least number of measured windows of a sampled run, beside its beginning, from which intervals are
/// calculated.
const WINDOWS_LEAST: usize = 6;
/// Constant: fraction of requests that take at most as long as the percentile that is estimated.
const PERCENTILE: f64 = 0.99;
/// Constant: half width of the interval of the time that a run of an open loop took, as a share of that time: arrival
/// times tell it but for the last latencies.
const ELAPSED_HALF: f64 = 1e-4;
/// Constant: width of a level of the histograms of latencies, as a share of the latency.
const LEVEL_WIDTH: f64 = 0.001;

/// Type for three errors that `--sample` allows: of requests per second, mean latency and 99th percentile, each the
/// greatest half width of an interval as a share of the value; `None` where none was asked.
pub(super) type AskedOfTimes = [Option<f64>; 3];

/// Record of the totals of a whole sampled run, from counts in detail and counts of requests that were carried forward.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WholeRun {
    /// Number of requests of the whole sampled run.
    pub requests: f64,
    /// Number of bytes for each request, over the whole sampled run except its beginning: programmed to flash or, in an
    /// open loop, read and written by the host.
    pub known: f64,
    /// Half width of the interval of `known` (bytes for each request), as a share of `known`.
    pub known_half: f64,
    /// Counts of the reads (first) and of the writes of the whole run: for each, the number of requests and their
    /// bytes.
    pub kinds: [[f64; 2]; KINDS],
    /// Time that the whole run took, in ns, where arrival times tell it; `None` where windows do.
    pub elapsed_ns: Option<f64>,
}

/// Record of the sums of a slice of a measured window, multiplied by the weight of the window (requests of the run for
/// each measured one).
#[derive(Clone, Copy, Debug)]
struct SliceRow {
    /// Number of the slice's window in the sampled run.
    window: usize,
    /// True if the slice is in the second half of its window.
    is_late: bool,
    /// Dividend of a quotient that is estimated: a sum over the slice, such as of its time or of latencies.
    top: f64,
    /// Divisor of a quotient that is estimated: a sum over the slice, such as of requests.
    below: f64,
    /// Number of bytes in the slice, times the weight of its window: programmed to flash or, in an open loop, read and
    /// written by the host.
    known: f64,
    /// Number of requests in the slice, times the weight of its window.
    requests: f64,
}

/// Record of a figure of a sampled run as a quotient of two sums: over the run's beginning, which stands for itself,
/// and over all later windows, which stand for the rest of the run.
struct Quotient {
    /// Two sums over the beginning of the sampled run: dividend and divisor of the quotient (as `top` and `below` of
    /// [`SliceRow`]).
    beginning: [f64; 2],
    /// List of the slices of all windows after the beginning.
    rows: Vec<SliceRow>,
    /// Divisor of the quotient, summed over the whole run.
    below: f64,
}

/// Record of the estimate of a quotient (rate or mean of a sampled run): its value, and half the width of its interval.
#[derive(Clone, Copy, Debug)]
struct Estimated {
    /// Estimated value of the quotient for the whole run.
    value: f64,
    /// Half width of the 95 % interval of the quotient; `None` where there are too few windows.
    half: Option<f64>,
}

impl Quotient {
    /// Returns the quotient for the whole run, estimated from the rows (slices) that `takes` accepts, if the drive
    /// programmed, or the host read and wrote, `known` bytes for each request after the beginning; `None` without requests in these rows,
    /// unless the beginning is the whole run.
    fn value(&self, takes: impl Fn(&SliceRow) -> bool, known: f64) -> Option<f64> {
        let mut points: Vec<SliceRow> = Vec::new();
        for row in self.rows.iter().filter(|row| takes(row)) {
            match points.last_mut().filter(|last| (last.window, last.is_late) == (row.window, row.is_late)) {
                Some(last) => last.add(row),
                None => points.push(*row),
            }
        }
        let rest = (self.below - self.beginning[1]).max(0.0);
        let Some(mut all) = points.first().copied() else {
            // All of the run is its beginning.
            let is_all = self.rows.is_empty() && rest == 0.0 && self.beginning[1] > 0.0;
            return is_all.then(|| self.beginning[0] / self.beginning[1]);
        };
        points[1..].iter().for_each(|point| all.add(point));
        if all.below <= 0.0 || all.requests <= 0.0 {
            return None;
        }
        let (quotient, mean) = (all.top / all.below, all.known / all.requests);
        let (mut together, mut squares) = (0.0, 0.0);
        for point in points.iter().filter(|point| point.below > 0.0 && point.requests > 0.0) {
            let away = point.known / point.requests - mean;
            together += point.below * away * (point.top / point.below - quotient);
            squares += point.below * away * away;
        }
        let slope = if squares > 0.0 { together / squares } else { 0.0 };
        let of_rest = quotient + slope * (known - mean);
        Some((self.beginning[0] + rest * of_rest.max(0.0)) / (self.beginning[1] + rest))
    }

    /// Estimates the quotient for the whole run, with half the width of the 95 % interval for the value of a run in
    /// full; `None` where no value can be estimated.
    fn estimate(&self, whole: &WholeRun) -> Option<Estimated> {
        let value = self.value(|_| true, whole.known)?;
        Some(Estimated { value, half: self.half(whole) })
    }

    /// Returns by how much the quotient is moved to what is known of the whole run.
    fn moved(&self, whole: &WholeRun) -> Option<f64> {
        let sum = |of: &dyn Fn(&SliceRow) -> f64| self.rows.iter().map(of).sum::<f64>();
        let seen = sum(&|row| row.known) / sum(&|row| row.requests);
        Some(self.value(|_| true, whole.known)? - self.value(|_| true, seen)?)
    }

    /// Returns half the width of the quotient's 95 % interval; `None` where there are too few windows.
    fn half(&self, whole: &WholeRun) -> Option<f64> {
        let mut windows: Vec<usize> = self.rows.iter().map(|row| row.window).collect();
        windows.dedup();
        if windows.len() < WINDOWS_LEAST {
            return None;
        }
        let without = windows.iter().map(|left| self.value(|row| row.window != *left, whole.known));
        let without: Vec<f64> = without.collect::<Option<_>>()?;
        let count = without.len() as f64;
        let mean = without.iter().sum::<f64>() / count;
        let squares: f64 = without.iter().map(|value| (value - mean).powi(2)).sum();
        // A run in full is a draw, too.
        let measured: f64 = self.rows.iter().map(|row| row.requests).sum();
        let variance = squares * (count - 1.0) / count * (1.0 + measured / whole.requests.max(measured));
        let chance = quantile(windows.len()) * variance.sqrt();
        let with = |share: f64| self.value(|_| true, whole.known * share);
        let unknown = (with(1.0 + whole.known_half)? - with(1.0 - whole.known_half)?) / 2.0;
        let late = self.value(|row| row.is_late, whole.known);
        let early = self.value(|row| !row.is_late, whole.known);
        let drift = late.zip(early).map_or(0.0, |(late, early)| late - early);
        // A straight line through bursts of requests reaches only so far.
        let moved = if whole.elapsed_ns.is_some() { self.moved(whole)? } else { 0.0 };
        Some((chance.powi(2) + unknown.powi(2) + (drift / 2.0).powi(2) + (moved / 2.0).powi(2)).sqrt())
    }
}

impl SliceRow {
    /// Adds the sums of `other`, another slice, to this row.
    fn add(&mut self, other: &Self) {
        self.top += other.top;
        self.below += other.below;
        self.known += other.known;
        self.requests += other.requests;
    }
}

/// Record of the slices of a sampled run's windows, with the weight of the windows in the whole run.
pub(super) struct Windows<'a> {
    /// List of the slices, in order; window 0 is the beginning of the run.
    slices: &'a [WindowSlice],
    /// Number of requests of the run that each measured request of a window after the beginning stands for.
    weight: f64,
    /// True if the run is one of an open loop.
    is_open: bool,
}

impl<'a> Windows<'a> {
    /// Makes the record of windows with their weight in a run of which `whole` tells the totals.
    pub fn new(slices: &'a [WindowSlice], whole: &WholeRun) -> Self {
        let measured = |takes: &dyn Fn(usize) -> bool| {
            let of = slices.iter().filter(|slice| takes(slice.window));
            of.map(|slice| slice.requests).sum::<f64>()
        };
        let (beginning, seen) = (measured(&|window| window == 0), measured(&|window| window > 0));
        let weight = (whole.requests - beginning) / seen.max(1.0);
        Self { slices, weight, is_open: whole.elapsed_ns.is_some() }
    }

    /// Makes a quotient from the functions `top` (dividend) and `below` (divisor), which give a sum for each slice;
    /// `whole` is the divisor of the whole run.
    fn quotient(
        &self,
        top: impl Fn(&WindowSlice) -> f64,
        below: impl Fn(&WindowSlice) -> f64,
        whole: f64,
    ) -> Quotient {
        let mut beginning = [0.0; 2];
        let mut rows = Vec::new();
        for (at, slice) in self.slices.iter().enumerate() {
            if slice.window == 0 {
                beginning[0] += top(slice);
                beginning[1] += below(slice);
                continue;
            }
            let of_window = self.slices.iter().filter(|other| other.window == slice.window).count();
            let first = self.slices.iter().position(|other| other.window == slice.window).unwrap_or(0);
            let weight = self.weight;
            rows.push(SliceRow {
                window: slice.window,
                is_late: 2 * (at - first) >= of_window,
                top: weight * top(slice),
                below: weight * below(slice),
                known: weight * if self.is_open { slice.bytes } else { slice.programmed },
                requests: weight * slice.requests,
            });
        }
        Quotient { beginning, rows, below: whole }
    }

    /// Estimates the rates and latencies of reads (`kind` 0) or of writes (1) over the whole run; `None` without such
    /// requests.
    pub fn kind(&self, kind: usize, whole: &WholeRun, asked: &AskedOfTimes) -> Option<SampledKind> {
        let [requests, bytes] = whole.kinds[kind];
        if requests == 0.0 {
            return None;
        }
        let time = match whole.elapsed_ns {
            Some(ns) => {
                Some(Estimated { value: ns / whole.requests, half: Some(ELAPSED_HALF * ns / whole.requests) })
            }
            None => self.quotient(|slice| slice.ns, |slice| slice.requests, whole.requests).estimate(whole),
        };
        let per_second = |count: f64| {
            let time = time.filter(|time| time.value > 0.0)?;
            let value = count * 1e9 / (time.value * whole.requests);
            let interval = time
                .half
                .filter(|half| *half < time.value)
                .map(|half| [value / (1.0 + half / time.value), value / (1.0 - half / time.value)]);
            Some(figure(value, interval, asked[0]))
        };
        let mean =
            self.quotient(|slice| slice.kinds[kind].latency_ns, |slice| slice.kinds[kind].requests, requests);
        let mean = mean.estimate(whole).map(|mean| {
            figure(
                mean.value,
                mean.half.map(|half| [(mean.value - half).max(0.0), mean.value + half]),
                asked[1],
            )
        });
        Some(SampledKind {
            requests: requests.round() as u64,
            iops: per_second(requests),
            bandwidth_bytes_per_s: per_second(bytes),
            latency_ns_mean: mean,
            latency_ns_p99: self.percentile(kind, whole, asked[2]),
        })
    }

    /// Estimates the 99th percentile of the latencies of reads (`kind` 0) or of writes (1) over the whole run; `None`
    /// where no latency can be told.
    fn percentile(&self, kind: usize, whole: &WholeRun, asked: Option<f64>) -> Option<SampledFigure> {
        let pooled = Pooled::of(self, kind, whole.kinds[kind][0]);
        let beyond = |latency: u64| {
            let over = move |slice: &WindowSlice| {
                let levels = slice.kinds[kind].latencies.iter().filter(|level| level.0 > latency);
                levels.map(|level| level.1).sum::<u64>() as f64
            };
            self.quotient(over, |slice| slice.kinds[kind].requests, whole.kinds[kind][0])
        };
        let tail = 1.0 - PERCENTILE;
        // The share beyond a latency is moved to the programs of the whole run, which moves the percentile, and so on.
        let mut share = tail;
        for _ in 0..3 {
            let at = pooled.latency(share)?;
            let moved = beyond(at).value(|_| true, whole.known)? - pooled.beyond(at);
            share = (tail - moved).clamp(tail / 10.0, 10.0 * tail);
        }
        let value = pooled.latency(share)?;
        let half = beyond(value).half(whole);
        // A level of the histogram holds as many requests as it does: the percentile lies in it.
        let interval = half.filter(|half| *half < share).and_then(|half| {
            let [low, high] = [pooled.latency(share + half)?, pooled.latency(share - half)?];
            Some([low as f64 * (1.0 - LEVEL_WIDTH), high as f64 * (1.0 + LEVEL_WIDTH)])
        });
        Some(figure(value as f64, interval, asked))
    }
}

/// Record of the histogram, for a whole sampled run, of the latencies of reads or of writes: latencies from windows
/// after the beginning count by the weight of these windows.
struct Pooled {
    /// List of pairs, from the highest latency level down: latency of the level in ns, and share of the requests (0 to
    /// 1) that take longer.
    beyond: Vec<(u64, f64)>,
}

impl Pooled {
    /// Makes the joint histogram of the latencies of reads (`kind` 0) or of writes (1) from the slices of all windows;
    /// `requests` is the number of such requests in the whole run.
    fn of(windows: &Windows<'_>, kind: usize, requests: f64) -> Self {
        let weight = |slice: &WindowSlice| if slice.window == 0 { 1.0 } else { windows.weight };
        let sum = |takes: &dyn Fn(&&WindowSlice) -> bool| {
            let of = windows.slices.iter().filter(takes);
            of.map(|slice| slice.kinds[kind].requests * weight(slice)).sum::<f64>()
        };
        let beginning = sum(&|slice| slice.window == 0);
        let seen = sum(&|slice| slice.window > 0);
        let scale = if seen > 0.0 { (requests - beginning).max(0.0) / seen } else { 0.0 };
        let mut levels: Vec<(u64, f64)> = Vec::new();
        for slice in windows.slices {
            let weight = weight(slice) * if slice.window == 0 { 1.0 } else { scale };
            let of: &LatencyCounts = &slice.kinds[kind].latencies;
            levels.extend(of.iter().map(|level| (level.0, level.1 as f64 * weight)));
        }
        levels.sort_by_key(|level| std::cmp::Reverse(level.0));
        let all: f64 = levels.iter().map(|level| level.1).sum();
        let mut beyond: Vec<(u64, f64)> = Vec::new();
        let mut above = 0.0;
        for (latency, count) in levels {
            if beyond.last().is_none_or(|last| last.0 != latency) {
                beyond.push((latency, above / all));
            }
            above += count;
        }
        Self { beyond }
    }

    /// Returns, in ns, the least latency level that at most the share `share` of requests exceeds; `None` if there is
    /// none.
    fn latency(&self, share: f64) -> Option<u64> {
        let within = self.beyond.partition_point(|level| level.1 <= share);
        within.checked_sub(1).map(|at| self.beyond[at].0)
    }

    /// Returns the share of requests (0 to 1) that take longer than the latency level of `latency` (in ns).
    fn beyond(&self, latency: u64) -> f64 {
        let at = self.beyond.partition_point(|level| level.0 > latency);
        self.beyond.get(at).map_or(1.0, |level| level.1)
    }
}

/// Makes an estimate for the result from its value and interval; `asked` is the half width of the interval that was
/// asked for, as a share of `value`.
fn figure(value: f64, interval: Option<[f64; 2]>, asked: Option<f64>) -> SampledFigure {
    let figure = SampledFigure { value, interval, asked, reached: None };
    let reached = asked.map(|asked| figure.half().is_some_and(|half| half <= asked * value));
    SampledFigure { reached, ..figure }
}

#[cfg(test)]
mod tests {
    use super::super::windows::KindSums;
    use super::*;
    use engine::RandomStream;

    /// Makes, for a test, the slices of a beginning and of `windows` windows, four of 500 writes each. A write takes 10
    /// us, and one in 25 also a collection's 1 ms, with noise, and 100 times the 4096 programmed bytes; the first half
    /// of each window is `slower` times as slow.
    fn slices(windows: usize, seed: u64, slower: f64) -> Vec<WindowSlice> {
        let mut random = RandomStream::new(seed, "slices");
        let mut slice = |window: usize, at: usize| {
            // Bursts: a slice has up to twice as many collections as the run.
            let often = 0.08 * random.unit();
            let collections = (0..500).filter(|_| random.chance(often)).count() as u64;
            let (few, many) = (500 - collections, collections);
            // What programs do not tell.
            let noise = 0.9 + 0.2 * random.unit();
            let times = if at < 2 && window > 0 { slower * noise } else { noise };
            let ns = times * (few as f64 * 1e4 + many as f64 * 1.01e6);
            let sums = KindSums {
                requests: 500.0,
                latency_ns: ns,
                latencies: [(10_000, few), (1_010_000, many)]
                    .into_iter()
                    .filter(|level| level.1 > 0)
                    .collect(),
            };
            let programmed = 4096.0 * (500.0 + 100.0 * many as f64);
            WindowSlice {
                window,
                ns,
                requests: 500.0,
                programmed,
                bytes: 0.0,
                kinds: [KindSums::default(), sums],
            }
        };
        (0..=windows)
            .flat_map(|window| [0, 1, 2, 3].map(|at| (window, at)))
            .map(|(window, at)| slice(window, at))
            .collect()
    }

    /// Returns, for a test, totals of a whole run for the windows in `slices`, each of which stands for ten times as
    /// many requests.
    fn whole(slices: &[WindowSlice]) -> WholeRun {
        let requests = 2_000.0 + 20_000.0 * slices.last().unwrap().window as f64;
        let programmed = 4096.0 * (1.0 + 100.0 * 0.04);
        let kinds = [[0.0; 2], [requests, 4096.0 * requests]];
        WholeRun { requests, known: programmed, known_half: 0.001, kinds, elapsed_ns: None }
    }

    #[test]
    fn intervals_hold_what_the_whole_run_has() {
        let (mut held, mut narrow) = ([0; 2], 0);
        for seed in 0..200 {
            let slices = slices(12, seed, 1.0);
            let whole = whole(&slices);
            let windows = Windows::new(&slices, &whole);
            let found = windows.kind(1, &whole, &[Some(0.02), None, None]).expect("there are writes");
            let holds = |figure: &Option<SampledFigure>, truth: f64| {
                let [low, high] = figure.as_ref().and_then(|figure| figure.interval).expect("an interval");
                usize::from((low..=high).contains(&truth))
            };
            // The beginning stands for itself; of the rest, one request in 25 waits for a collection.
            let beginning: f64 = slices.iter().filter(|slice| slice.window == 0).map(|slice| slice.ns).sum();
            let truth = (beginning + 50_000.0 * (whole.requests - 2_000.0)) / whole.requests;
            held[0] += holds(&found.latency_ns_mean, truth);
            held[1] += holds(&found.iops, 1e9 / truth);
            let half = |[low, high]: [f64; 2]| (high - low) / 2.0;
            narrow += usize::from(half(found.latency_ns_mean.unwrap().interval.unwrap()) < 0.04 * truth);
            assert!(found.iops.unwrap().reached.is_some());
        }
        // Programs tell collections, so that bursts do not make the interval wide.
        assert!(held.iter().all(|held| *held >= 186) && narrow > 150, "{held:?} {narrow}");
    }

    #[test]
    fn a_drive_that_has_not_settled_widens_the_interval() {
        let half = |slower: f64| {
            let slices = slices(12, 5, slower);
            let whole = whole(&slices);
            let windows = Windows::new(&slices, &whole);
            let quotient = windows.quotient(|slice| slice.ns, |slice| slice.requests, whole.requests);
            quotient.half(&whole).expect("an interval") / quotient.value(|_| true, whole.known).unwrap()
        };
        // Half the difference between halves: a tenth of 1.1 times the time.
        assert!(half(1.2) > 0.09 && half(1.2) > 2.0 * half(1.0), "{} {}", half(1.2), half(1.0));
    }

    #[test]
    fn a_percentile_is_of_the_whole_run_and_needs_enough_windows() {
        let found = |windows: usize| {
            let slices = slices(windows, 3, 1.0);
            let whole = whole(&slices);
            Windows::new(&slices, &whole).percentile(1, &whole, Some(0.05)).expect("writes")
        };
        let (few, many) = (found(5), found(20));
        assert_eq!((many.value, many.reached), (1_010_000.0, Some(true)));
        assert!(many.interval.is_some_and(|[low, high]| low < 1_010_000.0 && high > 1_010_000.0));
        assert_eq!((few.interval, few.reached), (None, Some(false)));
        assert_eq!(found(0).value, 1_010_000.0, "a beginning alone");
    }

    #[test]
    fn each_measured_request_stands_for_as_many_of_the_run() {
        let mut slices = slices(3, 1, 1.0);
        slices.truncate(13);
        let whole = WholeRun { requests: 43_000.0, ..WholeRun::default() };
        let windows = Windows::new(&slices, &whole);
        assert_eq!(windows.weight, 41_000.0 / 4_500.0);
    }
}
