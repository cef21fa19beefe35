//! From the parts of a sampled run to write amplification of the whole: all that was programmed and written is counted, in
//! detail and carried forward.
//!
//! Parts are batches, whose differences give an interval (`measure::spread`): what a run in full may come to, which differs
//! from endless running as this one does. It is widened by what parts in detail and parts carried forward differ, as independent
//! errors add. For both, garbage collection of a part counts by what it moves for the room that it gains, times the room that the
//! whole run gained (a ratio estimator): how many collections ended in a part is chance that the whole run does not have.
//! The estimate is moved to parts in detail as far as these differ from parts carried forward by more than chance (a Bayes
//! estimator, by how far wrong the latter usually are). `benches/sampling.py` measures how often intervals hold.

use super::asked::AskedErrors;
use super::forward::ForwardedPart;
use super::rates::{WholeRun, Windows};
use super::room::RoomGained;
use super::skipped::KindCounts;
use super::told::{SampledFigure, SampledKind, SampledPart, SampledRun};
use super::windows::WindowSlice;
use crate::measure::spread::{interval, quantile, total};

/// Constant: half width of the 95 % interval, as a share of the write amplification, for errors that parts in detail and
/// parts carried forward have alike; chosen on pairs 600 to 1199 of `benches/sampling.py`.
const ALIKE: f64 = 0.0065;

/// Constant: standard deviation of what is wrong in parts carried forward and not in parts in detail, as a share of the
/// write amplification, for how much of their difference is taken away; chosen on pairs 1100 to 1199.
const EXPECTED: f64 = 0.015;
/// Constant: number of standard errors from which on the difference between parts carried forward and parts in detail
/// counts as real, even where so much is not expected.
const CLEAR: f64 = 3.0;

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
    /// Field of the record of a part: what garbage collection cost in it.
    pub room: RoomGained,
}

/// Type of sums over parts of a sampled run, in bytes: programmed for other reasons than garbage collection, written by
/// the host, moved by garbage collection, and gained by it as room.
type PartSums = [f64; 4];

impl SamplePart {
    /// Returns the sums of this part alone.
    fn sums(&self) -> PartSums {
        [self.programmed - self.room.moved, self.written, self.room.moved, self.room.gained]
    }

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

/// Estimate of a sampled run's write amplification from its parts.
#[derive(Clone, Copy, Debug, Default)]
struct EstimatedWaf {
    /// Estimated write amplification of the whole run.
    value: f64,
    /// Half width of the 95 % interval for the write amplification of a run in full; `None` where there are too few
    /// parts.
    half: Option<f64>,
}

impl EstimatedWaf {
    /// Returns the estimate in the form of the result; `asked` is the half width that was asked for, as a share of the
    /// value.
    fn told(&self, asked: Option<f64>) -> SampledFigure {
        let Self { value, half } = *self;
        let interval = half.map(|half| [(value - half).max(0.0), value + half]);
        let reached = asked.map(|asked| half.is_some_and(|half| half <= asked * value));
        SampledFigure { value, interval, asked, reached }
    }
}

/// Estimates the write amplification of a sampled run from its parts; `None` if nothing was written.
fn waf(parts: &[SamplePart]) -> Option<EstimatedWaf> {
    let sums: Vec<PartSums> = parts.iter().map(SamplePart::sums).collect();
    let all = total(&sums);
    let counted = |sums: &PartSums| (sums[1] > 0.0).then(|| (sums[0] + sums[2]) / sums[1]);
    let value = counted(&all)?;
    // Room that each written byte took, which the whole run knows.
    let room = all[3] / all[1];
    let by_room = |sums: &PartSums| waf_by_room(sums, room);
    let found = estimate(parts, value, &by_room).or_else(|| estimate(parts, value, &counted));
    Some(found.unwrap_or(EstimatedWaf { value, half: None }))
}

/// Estimates the write amplification of a sampled run: `counted`, less what parts that were carried forward have beyond
/// parts in detail by the function `waf`, as far as that is more than chance. `None` where there are too few parts, or
/// where `waf` has no value.
fn estimate(
    parts: &[SamplePart],
    counted: f64,
    waf: &dyn Fn(&PartSums) -> Option<f64>,
) -> Option<EstimatedWaf> {
    let of = |takes: &dyn Fn(&SamplePart) -> bool| -> Vec<PartSums> {
        parts.iter().filter(|part| takes(part)).map(SamplePart::sums).collect()
    };
    // A run in full is a draw, too.
    let chance = 2.0_f64.sqrt() * interval(&of(&|_| true), waf)?.half;
    let (detail, forwarded) = (of(&|part| !part.is_forwarded), of(&|part| part.is_forwarded));
    let written = [&detail, &forwarded].map(|parts| total(parts)[1]);
    if written.contains(&0.0) {
        return Some(EstimatedWaf { value: counted, half: Some(chance) });
    }
    let share = written[1] / (written[0] + written[1]);
    let difference = share * (waf(&total(&forwarded))? - waf(&total(&detail))?);
    // How far chance alone makes them differ; nothing is taken away where that is not known.
    let known = interval(&detail, waf).zip(interval(&forwarded, waf));
    let wrong =
        known.map_or(CarriedError { removed: 0.0, halves: [0.0, difference] }, |(detail, forwarded)| {
            let unsure = share * added([detail.half, forwarded.half]);
            CarriedError::of(difference, unsure, unsure / quantile(detail.batches), EXPECTED * counted)
        });
    let value = counted - wrong.removed * difference;
    let half = added([chance, wrong.halves[0], wrong.halves[1], ALIKE * value]);
    Some(EstimatedWaf { value, half: Some(half) })
}

/// Record of how much of the difference between parts carried forward and parts in detail is taken away.
struct CarriedError {
    /// Share of the difference that is taken away, 0 to 1.
    removed: f64,
    /// Half widths of the intervals for what is not known of it: by chance, and what was not taken away.
    halves: [f64; 2],
}

impl CarriedError {
    /// Decides on a `difference` that chance makes by `unsure` (half width of its interval) or `error` (standard error),
    /// where `expected` is how far wrong parts carried forward usually are (standard deviation).
    fn of(difference: f64, unsure: f64, error: f64, expected: f64) -> Self {
        let noise = (error / difference).powi(2);
        if noise < CLEAR.powi(-2) {
            let removed = 1.0 - noise;
            return Self { removed, halves: [removed * unsure, noise * difference] };
        }
        let removed = expected.powi(2) / (expected.powi(2) + error.powi(2));
        Self { removed, halves: [removed.sqrt() * unsure, 0.0] }
    }
}

/// Returns the half width of an interval for the sum of independent errors with the half widths `halves`.
fn added<const N: usize>(halves: [f64; N]) -> f64 {
    halves.iter().map(|half| half * half).sum::<f64>().sqrt()
}

/// Returns the write amplification that the parts with `sums` would have if garbage collection had gained `room` bytes
/// for each byte written; `None` where nothing was written, or data were moved and no room was gained.
fn waf_by_room(sums: &PartSums, room: f64) -> Option<f64> {
    let [other, written, moved, gained] = *sums;
    if written <= 0.0 || moved > 0.0 && gained <= 0.0 {
        return None;
    }
    let collected = if moved > 0.0 { moved / gained * room.max(0.0) } else { 0.0 };
    Some(other / written + collected)
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
}

impl RunSo {
    /// Adds the requests of `parts`, parts of a stretch that was carried forward, to these counts of a sampled run's
    /// requests.
    pub fn add(&mut self, parts: &[ForwardedPart]) {
        self.forwarded += parts.iter().map(|part| part.requests).sum::<u64>();
    }
}

/// Record of the measured windows of a sampled run.
pub(super) struct MeasuredWindows<'a> {
    /// List of the slices of the measured windows, in order.
    pub slices: &'a [WindowSlice],
    /// Counts of the reads (first) and of the writes of the whole run: for each, the number of requests and their
    /// bytes.
    pub kinds: KindCounts,
    /// Time that the whole run took, in ns, where arrival times tell it; `None` in a closed loop.
    pub elapsed_ns: Option<f64>,
}

/// Returns the totals of a sampled run as a whole, from its parts and the slices of its windows: requests, bytes
/// programmed for each, and reads and writes.
fn whole_run(
    parts: &[SamplePart],
    waf: Option<EstimatedWaf>,
    run_so: &RunSo,
    found: &MeasuredWindows<'_>,
) -> WholeRun {
    let rest = parts.get(1..).unwrap_or_default();
    let requests: u64 = rest.iter().map(|part| part.requests).sum();
    let counted: f64 = rest.iter().map(|part| part.programmed).sum();
    let [all, written] =
        parts.iter().fold([0.0; 2], |[all, written], part| [all + part.programmed, written + part.written]);
    // The beginning stands for itself.
    let programmed = waf.map_or(counted, |waf| counted + waf.value * written - all);
    let half = waf.and_then(|waf| Some(waf.half? / waf.value)).unwrap_or(0.0);
    let kinds = found.kinds.map(|kind| kind.map(|count| count as f64));
    let first = found.slices.iter().filter(|slice| slice.window == 0).map(|slice| slice.bytes).sum::<f64>();
    let transferred = kinds.iter().map(|kind| kind[1]).sum::<f64>() - first;
    let (known, known_half) =
        if found.elapsed_ns.is_some() { (transferred, 0.0) } else { (programmed, half) };
    WholeRun {
        requests: run_so.all as f64,
        known: known / requests.max(1) as f64,
        known_half,
        kinds,
        elapsed_ns: found.elapsed_ns,
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
    let waf = waf(parts);
    let [read, write] = windows.filter(|_| run_so.all > 0).map_or([None, None], |found| {
        let whole = whole_run(parts, waf, &run_so, &found);
        let windows = Windows::new(found.slices, &whole);
        [0, 1].map(|kind| windows.kind(kind, &whole, &[asked.iops, asked.mean, asked.p99]))
    });
    let waf = waf.map(|waf| waf.told(asked.waf));
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
        keeps_up: None,
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
            SamplePart {
                first_request: at,
                requests: 1,
                is_forwarded,
                programmed,
                written,
                room: RoomGained::default(),
            }
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
    fn collections_that_come_in_bursts_do_not_widen_the_interval() {
        let mut random = RandomStream::new(5, "bursts");
        // Two moved units for each place gained, in a burst now and then; the host's writes take the places.
        let mut part = |at: u64| {
            let (written, bursts) = (4096.0, random.unit() * 4.0);
            let moved = 2.0 * written * bursts;
            let room = RoomGained { programmed: written + moved, moved, gained: written * bursts };
            let programmed = room.programmed;
            let is_forwarded = !at.is_multiple_of(5);
            SamplePart { first_request: at, requests: 1, is_forwarded, programmed, written, room }
        };
        let parts: Vec<SamplePart> = (0..80).map(&mut part).collect();
        let dearer = |part: &SamplePart| {
            let more = if part.is_forwarded { 0.1 * part.room.moved } else { 0.0 };
            let room = RoomGained { moved: part.room.moved + more, ..part.room };
            SamplePart { programmed: part.programmed + more, room, ..*part }
        };
        let of_counts: Vec<SamplePart> =
            parts.iter().map(|part| SamplePart { room: RoomGained::default(), ..*part }).collect();
        let found = |parts: &[SamplePart]| {
            let EstimatedWaf { value, half } = waf(parts).expect("there are writes");
            (value, half.expect("an interval") / value)
        };
        let ((value, half), (_, of_counts)) = (found(&parts), found(&of_counts));
        assert!(half < 1.01 * ALIKE && of_counts > 0.05, "{half} {of_counts}");
        // What is carried forward at other costs is taken away where they are more than chance.
        let dearer: Vec<SamplePart> = parts.iter().map(dearer).collect();
        let counted = total(&dearer.iter().map(|part| [part.programmed, part.written]).collect::<Vec<_>>());
        assert!((found(&dearer).0 / value - 1.0).abs() < 1e-3, "{:?} {value}", found(&dearer));
        assert!(counted[0] / counted[1] > 1.05 * value, "{counted:?}");
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
