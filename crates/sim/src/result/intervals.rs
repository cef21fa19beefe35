//! How sure the host's figures are: what each may lie between if the run went on as it did.
//!
//! The run's series is its batches: equal times, so that what comes in waves (a collection, a burst) is seen as such.
//! A percentile's interval is that of the share of requests beyond it, read off the histogram again. To its variance over
//! time that over places is added, as far as it exceeds what independent requests would show: both hold that part, which
//! counts once (two-way clustering: Cameron, Gelbach and Miller 2011).
//!
//! What a drive remembers for longer than the run is in none of its parts either. Dies that go their own ways show it in
//! the interval of write amplification. A latency is taken to be proportional to that for the share of it that requests
//! wait for programs, collection and room in the buffer, and this variance, too, is added.
//!
//! Nor is what comes less than once in a run: a mean of writes that the buffer had room for says nothing about writes that
//! find it full. What did not come may come three times in as long a run (the rule of three, Hanley and Lippman-Hand 1983),
//! and then take as long as the longest request of any kind did: a mean may lie higher by that.

use crate::measure::latencies::Latencies;
use crate::measure::places::{GroupDifference, LevelEdge};
use crate::measure::spread::{self, LEVEL, interval, jackknife, quantile};
use crate::measure::{Measure, SPREAD_QUANTILES, STAGES};
use crate::sections::sections;
use host::Effect;

sections! {
    /// Confidence intervals, low and high, of the rates and latencies of a kind of request, if the workload goes on as
    /// it did.
    Interval {
        /// Confidence level, in the result, of the confidence intervals of rates and latencies: share of runs like this
        /// one whose interval contains the true value.
        confidence_level: f64 = "ratio",
        /// Number of batches (consecutive parts of the run) from whose variance the confidence intervals of rates and
        /// latencies in this result were calculated.
        batches: usize = "count",
        /// Confidence interval in the result, low and high, of the number of completed requests per second.
        iops: [f64; 2] = "1/s",
        /// Confidence interval in the result, low and high, of the bytes of completed requests per second; null where
        /// no data was moved.
        bandwidth_bytes_per_s: Option<[f64; 2]> = "bytes/s",
        /// Part of the result with the confidence intervals of latencies; null where the run is too short.
        latency_ns: Option<LatencyInterval> = "ns",
    }

    /// Confidence intervals, low and high, of latencies.
    LatencyInterval {
        /// Confidence interval in the result, low and high, of the mean latency in nanoseconds.
        mean: [f64; 2] = "ns",
        /// Confidence interval, low and high, of the median latency in nanoseconds; null where too few requests took
        /// longer to bound the median from above.
        p50: Option<[u64; 2]> = "ns",
        /// Confidence interval, low and high, of the 99th percentile of the latency in nanoseconds; null where too few
        /// requests took longer to bound the percentile from above.
        p99: Option<[u64; 2]> = "ns",
        /// Confidence interval, low and high, of the 99.9th percentile of the latency in nanoseconds; null where too
        /// few requests took longer to bound the percentile from above.
        p999: Option<[u64; 2]> = "ns",
    }
}

/// Constant: least number of requests of a kind for which confidence intervals are calculated.
const REQUESTS_LEAST: u64 = 100;

/// Constant of the rule of three: an event that did not occur in a run occurs at most this number of times in another
/// run of the same length, at the confidence level of the intervals.
const UNSEEN_MOST: f64 = 3.0;

/// Constant list of the names of those stages of a request's latency that, for its confidence interval, count as
/// proportional to the flash time taken by writes and garbage collection.
const WAITS: [&str; 5] = ["buffer", "wait_host", "wait_gc", "wait_wear", "wait_other"];

/// Returns the standard deviation of a value that is 1 for a fraction `share` of the requests, and 0 for the others.
fn deviation(share: f64) -> f64 {
    (share * (1.0 - share)).sqrt()
}

fn bounds(interval: &spread::Interval) -> [f64; 2] {
    [interval.low(), interval.high()]
}

/// Makes the section `interval` of reads or writes: confidence intervals of rates and latencies; null where the run is
/// too short. The argument `waf_relative` widens the intervals of latencies: it is the half width of the interval of
/// long-run write amplification, relative to its value; 0 where there is none.
pub(super) fn of(measure: &Measure, effect: Effect, span_ns: u64, waf_relative: f64) -> Option<Interval> {
    let of = &measure.ops[effect as usize];
    if of.requests() < REQUESTS_LEAST || effect as usize >= 2 {
        return None;
    }
    let parts = measure.series.parts(effect, span_ns);
    let figure = |top: usize, below: usize, scale: f64| {
        interval(&parts, |sums| (sums[below] > 0.0).then(|| scale * sums[top] / sums[below]))
    };
    let iops = figure(0, 3, 1e9)?;
    let latency = figure(2, 0, 1.0).map(|mean| {
        let relative = waf_relative * waiting_share(measure, effect);
        latencies(measure, effect, &mean, [relative, unseen_ns(measure, effect, span_ns)])
    });
    Some(Interval {
        confidence_level: LEVEL,
        batches: iops.batches,
        iops: bounds(&iops),
        bandwidth_bytes_per_s: figure(1, 3, 1e9).map(|interval| bounds(&interval)),
        latency_ns: latency,
    })
}

/// Returns the fraction of the latency of a kind of request that is spent in the stages [`WAITS`]: waiting for space in
/// the write buffer, or while the die does other work.
fn waiting_share(measure: &Measure, effect: Effect) -> f64 {
    let (of, stages_ns) = (&measure.ops[effect as usize], measure.stages_ns[effect as usize]);
    let waits = STAGES.iter().zip(stages_ns).filter(|(stage, _)| WAITS.contains(stage));
    waits.map(|(_, sum)| sum as f64).sum::<f64>() / (of.latency_sum_ns as f64).max(1.0)
}

/// Returns the nanoseconds that events which did not occur in the run may add to a mean latency. Such an event delays
/// one request of the kind, or the outstanding requests of the kind, where they are fewer.
fn unseen_ns(measure: &Measure, effect: Effect, span_ns: u64) -> f64 {
    let kinds = &measure.ops[..2];
    let longest = kinds.iter().map(|kind| kind.latency.max()).max().unwrap_or(0) as f64;
    let all = kinds.iter().map(Latencies::requests).sum::<u64>() as f64;
    let outstanding =
        kinds.iter().map(|kind| kind.latency_sum_ns as f64).sum::<f64>() / span_ns.max(1) as f64;
    let own = measure.ops[effect as usize].requests() as f64;
    UNSEEN_MOST * longest * (1.0 / own).min(outstanding / all)
}

/// Calculates the confidence intervals of the mean latency and of percentiles. `relative` widens them for the uncertain
/// state of the drive, `unseen_ns` the mean's for events that did not occur. A percentile is null where too few
/// requests took longer to bound the percentile from above.
fn latencies(
    measure: &Measure,
    effect: Effect,
    mean: &spread::Interval,
    [relative, unseen_ns]: [f64; 2],
) -> LatencyInterval {
    let latency = &measure.ops[effect as usize].latency;
    let [p50, p99, p999] = SPREAD_QUANTILES.map(|fraction| {
        let half = half_share(measure, effect, fraction);
        let at = |quantile: f64| latency.value_at_quantile(quantile.max(0.0)) as f64;
        (fraction + half < 1.0).then(|| {
            let value = at(fraction);
            let away = |other: f64| libm::hypot(value - other, relative * value);
            let (low, high) = (value - away(at(fraction - half)), value + away(at(fraction + half)));
            [low.max(0.0) as u64, high as u64]
        })
    });
    let half = libm::hypot(mean.half, relative * mean.value);
    let mean = [(mean.value - half).max(0.0), mean.value + libm::hypot(half, unseen_ns)];
    LatencyInterval { mean, p50, p99, p999 }
}

/// Returns by how much the fraction of requests below a percentile may differ from `fraction`, to either side.
fn half_share(measure: &Measure, effect: Effect, fraction: f64) -> f64 {
    let of = &measure.ops[effect as usize];
    let latency = of.latency.value_at_quantile(fraction);
    let parts = measure.series.beyond(effect, latency);
    // The percentile lies between two edges of the levels. The share beyond an edge varies so many times as much as
    // that of independent requests would; the percentile's own share varies by as many times its own.
    let scaled = |half: f64, share: f64| {
        let seen = deviation(share);
        // Where all requests, or none, lie beyond, nothing varies.
        if seen > 0.0 { half * (deviation(fraction) / seen) } else { half }
    };
    let half = |edge: LevelEdge| {
        let share_of = |sums: &[f64; 3]| (sums[2] > 0.0).then(|| sums[edge as usize] / sums[2]);
        let over_time = interval(&parts, share_of).map_or(1.0, |share| scaled(share.half, share.value));
        let places = measure.places.beyond(effect, latency, edge);
        libm::hypot(over_time, scaled(half_over_places(&places, of.requests()), places.share))
    };
    half(LevelEdge::Lower).max(half(LevelEdge::Upper))
}

/// Returns half the confidence interval of a fraction of requests that follows from the differences of this fraction
/// between groups of logical units, as far as they exceed chance.
fn half_over_places(beyond: &GroupDifference, requests: u64) -> f64 {
    let of = |sums: &[f64; 2]| (sums[1] > 0.0).then(|| sums[0] / sums[1]);
    let Some((_, variance)) = jackknife(&beyond.groups, of) else { return 0.0 };
    let excess = (variance - beyond.variance / requests as f64).max(0.0);
    quantile(beyond.groups.len()) * excess.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requests::Requests;
    use host::HostRequest;
    use host::Op;
    use units::SimTime;

    /// Makes, for a test, the measurements of requests with the given arrival times and latencies (ns); each latency is
    /// spent in one stage.
    fn measured(requests_ns: impl Iterator<Item = (Op, u64, u64)>, stage: &str) -> Measure {
        let mut measure = Measure::new(SimTime::ZERO);
        let mut requests = Requests::new();
        for (op, arrive_ns, latency_ns) in requests_ns {
            let arrive = SimTime::from_ns(arrive_ns);
            let host = HostRequest::plain(arrive, op, arrive_ns << 12, 4096);
            let id = requests.insert(host, 4096);
            let stages = STAGES.map(|name| if name == stage { latency_ns } else { 0 });
            let stages: Vec<u64> = stages.into_iter().chain([0]).collect();
            let now = SimTime::from_ns(arrive_ns + latency_ns);
            measure.complete(requests.get(id), now, stages.as_slice().try_into().unwrap(), None);
        }
        measure
    }

    /// Returns, for a test, the confidence interval of the median latency of writes that take a millisecond, all in one
    /// stage, with write amplification known to a tenth.
    fn median(stage: &str) -> [u64; 2] {
        let writes = (1..=1_000).map(|index| (Op::WRITE, index * 1_000_000, 1_000_000));
        let measure = measured(writes, stage);
        of(&measure, Effect::Write, 1_000_000_000, 0.1).unwrap().latency_ns.unwrap().p50.unwrap()
    }

    /// Returns, for a test, the confidence interval of the mean latency of 1000 writes of 20 us, `apart_ns` ns apart,
    /// beside one read of 2 ms.
    fn mean_beside_a_long_read(apart_ns: u64) -> [f64; 2] {
        let writes = (1..=1_000).map(|index| (Op::WRITE, index * apart_ns, 20_000));
        let measure = measured(writes.chain([(Op::READ, 0, 2_000_000)]), "array");
        of(&measure, Effect::Write, 1_000 * apart_ns + 20_000, 0.0).unwrap().latency_ns.unwrap().mean
    }

    #[test]
    fn a_mean_may_lie_higher_by_what_did_not_come() {
        // Twenty outstanding: what holds up a read for so long may hold up three of the writes.
        let [low, high] = mean_beside_a_long_read(1_000);
        assert_eq!((low.round(), (high / 10.0).round()), (20_000.0, 2_600.0));
        // Next to none outstanding: 1,000 of 20 us and one of 2 ms are 0.022 in a second.
        let [low, high] = mean_beside_a_long_read(1_000_000);
        let expected = 20_000.0 + 3.0 * 2_000_000.0 * 0.022 / 1_001.0;
        assert!(low.round() == 20_000.0 && (high - expected).abs() < 1.0, "{high}, {expected}");
    }

    #[test]
    fn a_latency_is_as_sure_as_write_amplification_for_the_share_that_waits_for_it() {
        let around = |half: f64| [1e6 - half, 1e6 + half].map(|bound| (bound / 1e4).round());
        let rounded = |stage: &str| median(stage).map(|bound| (bound as f64 / 1e4).round());
        assert_eq!(rounded("buffer"), around(1e5));
        assert_eq!(rounded("wait_gc"), around(1e5));
        assert_eq!(rounded("array"), around(0.0));
    }
}
