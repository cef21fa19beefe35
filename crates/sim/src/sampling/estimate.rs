//! From the parts of a sampled run to write amplification of the whole: all that was programmed and written is counted, in
//! detail and carried forward.
//!
//! Parts are batches, whose differences give an interval (`measure::spread`): what a run in full may come to, which differs
//! from endless running as this one does. It is widened by what parts in detail and parts carried forward differ, as independent
//! errors add. Not modelled: what is wrong with both alike; `benches/sampling.py` measures how often intervals hold.

use super::asked::AskedErrors;
use super::forward::ForwardedPart;
use super::rates::{WholeRun, Windows};
use super::told::{SampledFigure, SampledKind, SampledPart, SampledRun};
use super::windows::{KINDS, WindowSlice};
use crate::measure::spread::interval;

/// Record of a part of a sampled run: a stretch of its requests, in detail or carried forward without simulated time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SamplePart {
    /// Number of requests of the sampled run before the first one of the part.
    pub first_request: u64,
    /// Number of requests in the part.
    pub requests: u64,
    /// True if the part was carried forward without simulated time; false if it ran in detail.
    pub is_forwarded: bool,
    /// Number of bytes that the drive programmed to flash since the end of the part before.
    pub programmed: f64,
    /// Number of bytes that the host wrote since the end of the part before.
    pub written: f64,
}

impl SamplePart {
    /// Returns this part of a sampled run in the form of the result, with its write amplification.
    fn told(&self) -> SampledPart {
        SampledPart {
            first_request: self.first_request,
            requests: self.requests,
            forwarded: self.is_forwarded,
            waf: (self.written > 0.0).then(|| self.programmed / self.written),
        }
    }
}

/// Estimates the write amplification of a sampled run from its parts, with a 95 % confidence interval; `asked` is the
/// half width that was asked for, as a share of the value. `None` if nothing was written.
fn waf(parts: &[SamplePart], asked: Option<f64>) -> Option<SampledFigure> {
    let of = |sums: &[f64; 2]| (sums[1] > 0.0).then(|| sums[0] / sums[1]);
    let sums: Vec<[f64; 2]> = parts.iter().map(|part| [part.programmed, part.written]).collect();
    let value = of(&sums.iter().fold([0.0; 2], |sum, part| [sum[0] + part[0], sum[1] + part[1]]))?;
    let half = half(parts);
    let found = half.map(|half| [(value - half).max(0.0), value + half]);
    let reached = asked.map(|asked| half.is_some_and(|half| half <= asked * value));
    Some(SampledFigure { value, interval: found, asked, reached })
}

/// Returns half the width of the 95 % interval of a sampled run's write amplification, from chance and from the
/// discrepancy between parts in detail and carried forward; `None` where there are too few parts for an interval.
fn half(parts: &[SamplePart]) -> Option<f64> {
    chance(parts).map(|chance| (chance.powi(2) + discrepancy(parts).powi(2)).sqrt())
}

/// Returns half the width of the 95 % interval for the difference, by chance alone, between the write amplification of
/// a run in full and that of the parts of a sampled run; `None` where there are too few parts, or nothing was written.
fn chance(parts: &[SamplePart]) -> Option<f64> {
    let sums: Vec<[f64; 2]> = parts.iter().map(|part| [part.programmed, part.written]).collect();
    let found = interval(&sums, |sums| (sums[1] > 0.0).then(|| sums[0] / sums[1]))?;
    Some((2.0 * found.half.powi(2)).sqrt())
}

/// Returns the absolute difference between the write amplification of the parts that were carried forward and that of the parts
/// in detail, times the share of the former in the bytes written; zero where either kind of part wrote nothing.
fn discrepancy(parts: &[SamplePart]) -> f64 {
    let sum = |forwarded: bool| {
        let of = parts.iter().filter(|part| part.is_forwarded == forwarded);
        of.fold([0.0; 2], |sum, part| [sum[0] + part.programmed, sum[1] + part.written])
    };
    let (detail, forwarded) = (sum(false), sum(true));
    if detail[1] == 0.0 || forwarded[1] == 0.0 {
        return 0.0;
    }
    let share = forwarded[1] / (detail[1] + forwarded[1]);
    (detail[0] / detail[1] - forwarded[0] / forwarded[1]).abs() * share
}

/// Record of how many requests of a sampled run were measured, and how many were carried forward without simulated
/// time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RunSo {
    /// Number of all requests of the sampled run.
    pub all: u64,
    /// Number of requests of the sampled run in measured windows.
    pub measured: u64,
    /// Number of requests of the sampled run that were carried forward without simulated time.
    pub forwarded: u64,
    /// Counts of the reads (first) and of the writes that a sampled run carried forward: for each, the number of
    /// requests and their bytes.
    pub forwarded_kinds: [[u64; 2]; KINDS],
}

impl RunSo {
    /// Adds the requests of `parts`, parts of a stretch that was carried forward, to these counts of a sampled run's
    /// requests.
    pub fn add(&mut self, parts: &[ForwardedPart]) {
        for part in parts {
            self.forwarded += part.requests;
            for (sum, more) in self.forwarded_kinds.iter_mut().flatten().zip(part.kinds.iter().flatten()) {
                *sum += more;
            }
        }
    }
}

/// Type for the measured windows of a sampled run: their slices, and for each window the number of requests of the run
/// at the end of the window.
pub(super) type MeasuredWindows<'a> = (&'a [WindowSlice], Vec<f64>);

/// Returns the totals of a sampled run as a whole, from its parts and the slices of its windows: requests, bytes
/// programmed for each, and reads and writes.
fn whole_run(parts: &[SamplePart], run_so: &RunSo, slices: &[WindowSlice]) -> WholeRun {
    let rest = parts.get(1..).unwrap_or_default();
    let requests: u64 = rest.iter().map(|part| part.requests).sum();
    let programmed: f64 = rest.iter().map(|part| part.programmed).sum();
    let all: f64 = parts.iter().map(|part| part.programmed).sum::<f64>();
    let written: f64 = parts.iter().map(|part| part.written).sum::<f64>();
    let counted = |kind: usize| {
        let [requests, bytes] = run_so.forwarded_kinds[kind].map(|count| count as f64);
        slices.iter().fold([requests, bytes], |sum, slice| {
            [sum[0] + slice.kinds[kind].requests, sum[1] + slice.kinds[kind].bytes]
        })
    };
    let seen = (run_so.measured + run_so.forwarded).max(1) as f64;
    WholeRun {
        requests: run_so.all as f64,
        programmed: programmed / requests.max(1) as f64,
        programmed_half: half(parts).filter(|_| all > 0.0).map_or(0.0, |half| half * written / all),
        kinds: std::array::from_fn(|kind| counted(kind).map(|count| count * run_so.all as f64 / seen)),
    }
}

/// Makes the report of a sampled run from its parts and, where rates and latencies can be told, from its measured
/// `windows`; `lengths` are the numbers of requests of a warm-up and of a window, and `asked` the errors that were
/// asked for.
pub(super) fn of(
    parts: &[SamplePart],
    run_so: RunSo,
    lengths: [u64; 2],
    asked: &AskedErrors,
    windows: Option<MeasuredWindows<'_>>,
) -> SampledRun {
    let waf = waf(parts, asked.waf);
    let [read, write] = windows.filter(|_| run_so.all > 0).map_or([None, None], |(slices, ends)| {
        let whole = whole_run(parts, &run_so, slices);
        let windows = Windows::new(slices, &ends, whole.requests);
        [0, 1].map(|kind| windows.kind(kind, &whole, &[asked.iops, asked.mean, asked.p99]))
    });
    let times = [&read, &write].into_iter().flatten().flat_map(SampledKind::asked_for);
    let reached: Vec<bool> = times.flatten().filter_map(|figure| figure.reached).collect();
    let has_waf = asked.waf.is_none() || waf.as_ref().is_some_and(|waf| waf.reached == Some(true));
    let has_times = !asked.has_times() || (!reached.is_empty() && reached.iter().all(|reached| *reached));
    SampledRun {
        asked: asked.text.clone(),
        reached: asked.has_any().then_some(has_waf && has_times),
        requests: run_so.all,
        requests_measured: run_so.measured,
        requests_warm_up: run_so.all.saturating_sub(run_so.measured + run_so.forwarded),
        requests_forwarded: run_so.forwarded,
        warm_up_requests: lengths[0],
        window_requests: lengths[1],
        waf,
        read,
        write,
        parts: parts.iter().map(SamplePart::told).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::RandomStream;

    fn parts(count: u64) -> Vec<SamplePart> {
        let mut random = RandomStream::new(3, "parts");
        let part = |at: u64| {
            let (written, is_forwarded) = (4096.0, !at.is_multiple_of(5));
            let programmed = written * (1.5 + random.unit());
            SamplePart { first_request: at, requests: 1, is_forwarded, programmed, written }
        };
        (0..count).map(part).collect()
    }

    #[test]
    fn an_interval_is_as_wide_as_parts_differ() {
        let asked = AskedErrors::parse("waf:1%").unwrap();
        let of_parts =
            |count| of(&parts(count), RunSo::default(), [0; 2], &asked, None).waf.expect("there are writes");
        let (few, many) = (of_parts(40), of_parts(40_000));
        let half = |figure: &SampledFigure| {
            figure.interval.map(|[_, high]| high - figure.value).expect("an interval")
        };
        assert!((few.value - 2.0).abs() < half(&few) && half(&few) > 10.0 * half(&many), "{few:?} {many:?}");
        assert_eq!((few.reached, many.reached), (Some(false), Some(true)));
    }

    #[test]
    fn few_parts_say_nothing_of_how_sure_they_are() {
        let asked = AskedErrors::parse("waf:50%").unwrap();
        let sample = of(&parts(9), RunSo::default(), [0; 2], &asked, None);
        assert_eq!(sample.waf.map(|waf| (waf.interval, waf.reached)), Some((None, Some(false))));
        // Nor is an error of nothing reached.
        assert_eq!(of(&[], RunSo::default(), [0; 2], &asked, None).reached, Some(false));
    }
}
