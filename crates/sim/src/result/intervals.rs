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

use super::section::sections;
use crate::measure::{Measure, SPREAD_QUANTILES, STAGES};
use crate::places::{Beyond, Edge};
use crate::spread::{self, LEVEL, interval, jackknife, quantile};
use host::Op;

sections! {
    /// What the figures of a kind of request may lie between, low and high, if the workload goes on as it did.
    Interval {
        /// The share of such runs whose interval holds the true value.
        confidence_level: f64 = "ratio",
        /// Parts of the run whose differences give the intervals.
        batches: usize = "count",
        /// Of the requests per second.
        iops: [f64; 2] = "1/s",
        /// Of the bytes per second; null where nothing was moved.
        bandwidth_bytes_per_s: Option<[f64; 2]> = "bytes/s",
        /// Of latencies; null where the run is too short to say.
        latency_ns: Option<LatencyInterval> = "ns",
    }

    /// What latencies may lie between, low and high.
    LatencyInterval {
        /// Of the mean.
        mean: [f64; 2] = "ns",
        /// Of the median; null where the requests do not reach beyond it.
        p50: Option<[u64; 2]> = "ns",
        /// Of the 99th percentile; null where the requests do not reach beyond it.
        p99: Option<[u64; 2]> = "ns",
        /// Of the 99.9th percentile; null where the requests do not reach beyond it.
        p999: Option<[u64; 2]> = "ns",
    }
}

/// Fewer requests say nothing about others.
const REQUESTS_LEAST: u64 = 100;

/// Stages of a request that are as long as what writes and collection take of the flash.
const WAITS: [&str; 5] = ["buffer", "wait_host", "wait_gc", "wait_wear", "wait_other"];

/// The standard deviation of whether one request is among a `share` of all.
fn deviation(share: f64) -> f64 {
    (share * (1.0 - share)).sqrt()
}

fn bounds(interval: &spread::Interval) -> [f64; 2] {
    [interval.low(), interval.high()]
}

/// The `interval` of reads or writes; null where the run is too short for any. `waf_relative` is half the interval of
/// write amplification in the long run, as a share of it; 0 where it has none.
pub(super) fn of(measure: &Measure, op: Op, span_ns: u64, waf_relative: f64) -> Option<Interval> {
    let of = &measure.ops[op as usize];
    if of.requests() < REQUESTS_LEAST || op as usize >= 2 {
        return None;
    }
    let parts = measure.series.parts(op, span_ns);
    let figure = |top: usize, below: usize, scale: f64| {
        interval(&parts, |sums| (sums[below] > 0.0).then(|| scale * sums[top] / sums[below]))
    };
    let iops = figure(0, 3, 1e9)?;
    let latency = figure(2, 0, 1.0)
        .map(|mean| latencies(measure, op, &mean, waf_relative * waiting_share(measure, op)));
    Some(Interval {
        confidence_level: LEVEL,
        batches: iops.batches,
        iops: bounds(&iops),
        bandwidth_bytes_per_s: figure(1, 3, 1e9).map(|interval| bounds(&interval)),
        latency_ns: latency,
    })
}

/// The share of latency that is waiting for what writes and collection do.
fn waiting_share(measure: &Measure, op: Op) -> f64 {
    let (of, stages_ns) = (&measure.ops[op as usize], measure.stages_ns[op as usize]);
    let waits = STAGES.iter().zip(stages_ns).filter(|(stage, _)| WAITS.contains(stage));
    waits.map(|(_, sum)| sum as f64).sum::<f64>() / (of.latency_sum_ns as f64).max(1.0)
}

/// Intervals of the mean and of percentiles, `relative` being what the drive's state adds to what the run's parts show;
/// null for percentiles the requests do not reach beyond.
fn latencies(measure: &Measure, op: Op, mean: &spread::Interval, relative: f64) -> LatencyInterval {
    let latency = &measure.ops[op as usize].latency;
    let [p50, p99, p999] = SPREAD_QUANTILES.map(|fraction| {
        let half = half_share(measure, op, fraction);
        let at = |quantile: f64| latency.value_at_quantile(quantile.max(0.0)) as f64;
        (fraction + half < 1.0).then(|| {
            let value = at(fraction);
            let away = |other: f64| (value - other).hypot(relative * value);
            let (low, high) = (value - away(at(fraction - half)), value + away(at(fraction + half)));
            [low.max(0.0) as u64, high as u64]
        })
    });
    let mean = bounds(&spread::Interval { half: mean.half.hypot(relative * mean.value), ..*mean });
    LatencyInterval { mean, p50, p99, p999 }
}

/// By how much the share of requests below a percentile may differ from its `fraction`, to either side.
fn half_share(measure: &Measure, op: Op, fraction: f64) -> f64 {
    let of = &measure.ops[op as usize];
    let latency = of.latency.value_at_quantile(fraction);
    let parts = measure.series.beyond(op, latency);
    // The percentile lies between two edges of the levels. The share beyond an edge varies so many times as much as
    // that of independent requests would; the percentile's own share varies by as many times its own.
    let scaled = |half: f64, share: f64| {
        let seen = deviation(share);
        // Where all requests, or none, lie beyond, nothing varies.
        if seen > 0.0 { half * (deviation(fraction) / seen) } else { half }
    };
    let half = |edge: Edge| {
        let share_of = |sums: &[f64; 3]| (sums[2] > 0.0).then(|| sums[edge as usize] / sums[2]);
        let over_time = interval(&parts, share_of).map_or(1.0, |share| scaled(share.half, share.value));
        let places = measure.places.beyond(op, latency, edge);
        over_time.hypot(scaled(half_over_places(&places, of.requests()), places.share))
    };
    half(Edge::Lower).max(half(Edge::Upper))
}

/// Half the interval of a share, by what differs between places beyond what chance does.
fn half_over_places(beyond: &Beyond, requests: u64) -> f64 {
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
    use units::SimTime;

    /// The interval of the median of writes that take a millisecond, all of it in one stage, where write amplification
    /// is known to a tenth.
    fn median(stage: &str) -> [u64; 2] {
        let mut measure = Measure::new(SimTime::ZERO);
        let mut requests = Requests::new();
        let stages = STAGES.map(|name| if name == stage { 1_000_000 } else { 0 });
        let stages: Vec<u64> = stages.into_iter().chain([0]).collect();
        for index in 1..=1_000u64 {
            let arrive = SimTime::from_ns(index * 1_000_000);
            let (op, offset) = (Op::Write, index * 4096);
            let host = HostRequest { arrive, op, offset, bytes: 4096, tag: 0, fua: false };
            let id = requests.insert(host, 4096);
            let now = SimTime::from_ns((index + 1) * 1_000_000);
            measure.complete(requests.get(id), now, stages.as_slice().try_into().unwrap(), None);
        }
        of(&measure, Op::Write, 1_000_000_000, 0.1).unwrap().latency_ns.unwrap().p50.unwrap()
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
