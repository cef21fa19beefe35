//! How sure the host's figures are: what each may lie between if the run went on as it did.
//!
//! The run's series is its batches: equal times, so that what comes in waves (a collection, a burst) is seen as such.
//! A percentile's interval is that of the share of requests beyond it, read off the histogram again.

use crate::measure::{Measure, OpMeasure, SPREAD_QUANTILES};
use crate::spread::{Interval, LEVEL, interval};
use host::Op;
use serde_json::{Map, Value, json};

/// Fewer requests say nothing about others.
const REQUESTS_LEAST: u64 = 100;

/// The standard deviation of whether one request is among a `share` of all.
fn deviation(share: f64) -> f64 {
    (share * (1.0 - share)).sqrt()
}

fn bounds(interval: &Interval) -> Value {
    json!([interval.low(), interval.high()])
}

/// The `interval` of reads or writes; null where the run is too short for any.
pub(super) fn of(measure: &Measure, op: Op, span_ns: u64) -> Value {
    let of = &measure.ops[op as usize];
    if of.requests() < REQUESTS_LEAST || op as usize >= 2 {
        return Value::Null;
    }
    let parts = measure.series.parts(op, span_ns);
    let figure = |top: usize, below: usize, scale: f64| {
        interval(&parts, |sums| (sums[below] > 0.0).then(|| scale * sums[top] / sums[below]))
    };
    let Some(iops) = figure(0, 3, 1e9) else { return Value::Null };
    let latency = figure(2, 0, 1.0).map(|mean| latencies(measure, op, of, &mean));
    json!({
        "confidence_level": LEVEL,
        "batches": iops.batches,
        "iops": bounds(&iops),
        "bandwidth_bytes_per_s": figure(1, 3, 1e9).map(|interval| bounds(&interval)),
        "latency_ns": latency,
    })
}

/// Intervals of the mean and of percentiles; null for those the requests do not reach beyond.
fn latencies(measure: &Measure, op: Op, of: &OpMeasure, mean: &Interval) -> Value {
    let mut map = Map::new();
    map.insert("mean".into(), bounds(mean));
    for (name, fraction) in SPREAD_QUANTILES {
        let parts = measure.series.beyond(op, of.latency.value_at_quantile(fraction));
        // The percentile lies between two edges of the series. The share beyond an edge varies so many times as much as
        // that of independent requests would; the percentile's own share varies by as many times its own.
        let half = |edge: usize| {
            let share = interval(&parts, |sums| (sums[2] > 0.0).then(|| sums[edge] / sums[2]));
            // Where all requests, or none, lie beyond, nothing varies.
            let scaled = |share: Interval| {
                let seen = deviation(share.value);
                if seen > 0.0 { share.half * (deviation(fraction) / seen) } else { share.half }
            };
            share.map_or(1.0, scaled)
        };
        let half = half(0).max(half(1));
        let read_off = (fraction + half < 1.0).then(|| {
            let at = |quantile: f64| of.latency.value_at_quantile(quantile.max(0.0));
            json!([at(fraction - half), at(fraction + half)])
        });
        map.insert(name.into(), json!(read_off));
    }
    Value::Object(map)
}
