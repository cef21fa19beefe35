//! What the host got: requests, latencies, where their time went.

use super::block_log::TranslationOfHost;
use super::intervals::{self, Interval};
use crate::measure::Measure;
use crate::measure::latencies::Latencies;
use crate::namespaces::Namespaces;
use crate::observe::Observer;
use crate::run::Run;
use crate::sections::sections;
use hdrhistogram::Histogram;
use host::Effect;
use std::collections::BTreeMap;

sections! {
    /// Results on what the host saw of the drive in the measured window: requests, latencies and errors.
    Host {
        /// Part of the result on the host's reads: number, bytes, rates and latencies of the completed reads, and
        /// number of reads of lost data.
        read: Reads,
        /// Part of the result on the host's writes: number, bytes, rates and latencies of the completed writes.
        write: Writes,
        /// Part of the result on the host's trims, with which it tells the drive that data are no longer needed. The
        /// drive drops only mapping units that a trim covers as a whole.
        trim: Trims,
        /// Part of the result on the host's flushes, which demand that all acknowledged data are durable: number, rate
        /// and latencies.
        flush: Requests,
        /// Part of the result on the arrivals of the host's requests, and on their waits for a place in the drive's
        /// queues.
        arrivals: Arrivals,
        /// Numbers of requests, by kind, that the host sent in the measured window.
        submitted: ByKind = "requests",
        /// Numbers of requests, by kind, that the host sent in the measured window and the drive completed.
        completed: ByKind = "requests",
        /// Numbers of requests, by kind, that the host sent in the measured window and the drive answered with an
        /// error.
        failed: ByKind = "requests",
        /// List of the counts of the requests to each namespace; absent on a drive with one namespace.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        namespaces: Vec<OfNamespace>,
        /// Number, rate and latencies, in the result, of the management requests of the host (zone open, close, finish
        /// and reset, reclaim unit handle update); absent without any.
        #[serde(skip_serializing_if = "Option::is_none")]
        manage: Option<Requests>,
        /// Part of the result on the translation of a host that keeps blocks on a drive of zones; absent where the
        /// workload asks the drive itself.
        #[serde(skip_serializing_if = "Option::is_none")]
        translation: Option<TranslationOfHost>,
        /// Numbers of requests that zones answered with an error, by the status that NVMe defines; absent without any.
        #[serde(skip_serializing_if = "Option::is_none")]
        errors: Option<BTreeMap<String, u64>> = "requests",
    }

    /// Counts of the requests to one of several namespaces in the measured window; flushes, which concern the whole
    /// drive, are left out.
    OfNamespace {
        /// Name, in the result, of the namespace to which the counts belong.
        name: String = "text",
        /// Name, in the result, of the namespace's command set: the requests that it understands.
        command_set: String = "text",
        /// Size in bytes, in the result, of the namespace.
        size_bytes: u64 = "bytes",
        /// Counts, in the result, of the host's reads of the namespace: completed, failed, and bytes.
        read: Served,
        /// Counts, in the result, of the host's writes to the namespace: completed, failed, and bytes.
        write: Served,
        /// Counts, in the result, of the host's trims of the namespace: completed, failed, and bytes.
        trim: Served,
    }

    /// Counts of the requests of one kind (reads, writes or trims) to a namespace.
    Served {
        /// Number of requests of one kind to the namespace that were completed.
        requests: u64 = "requests",
        /// Number of bytes of the completed requests of one kind to the namespace.
        bytes: u64 = "bytes",
        /// Number of requests of one kind to the namespace that the drive answered with an error.
        failed: u64 = "requests",
    }

    /// Results of the host's completed writes: counts, rates and latencies.
    Writes {
        /// Part of the results of the host's writes: number, bytes, rates and latencies of the completed ones.
        #[serde(flatten)]
        done: Requests,
        /// Confidence intervals of the rates and latencies of the host's writes; null where the run is too short.
        interval: Option<Interval>,
    }

    /// Results of the host's completed trims: counts, rates and latencies.
    Trims {
        /// Part of the results of the host's trims: number, bytes, rates and latencies of the completed ones.
        #[serde(flatten)]
        done: Requests,
        /// Number of completed trims that cover no whole mapping unit and so drop nothing. Null where it was not
        /// counted.
        requests_without_unit: Option<u64> = "requests",
        /// Bytes of completed trims in mapping units that a trim covers only in part, which the drive does not drop.
        /// Null where it was not counted.
        bytes_outside_units: Option<u64> = "bytes",
    }

    /// Results of the completed requests of one kind (reads, writes, trims, flushes or management): counts, rates and
    /// latencies.
    Requests {
        /// Number of requests of one kind that were completed, without failed requests.
        requests: u64 = "requests",
        /// Number of bytes of the completed requests of one kind.
        bytes: u64 = "bytes",
        /// Completed requests of one kind per second of simulated time; null where no time passed.
        iops: Option<f64> = "1/s",
        /// Bytes of the completed requests of one kind per second of simulated time; null where no time passed.
        bandwidth_bytes_per_s: Option<f64> = "bytes/s",
        /// Part of the results of requests of one kind: latencies of the completed requests, times from arrival to
        /// completion.
        latency_ns: Latency = "ns",
    }

    /// Results of the host's completed reads: counts, rates and latencies.
    Reads {
        /// Part of the results of the host's reads: number, bytes, rates and latencies of the completed ones.
        #[serde(flatten)]
        done: Requests,
        /// Confidence intervals of the rates and latencies of the host's reads; null where the run is too short.
        interval: Option<Interval>,
        /// Number of reads answered with an error because neither the error-correcting code nor parity could restore
        /// their data.
        uncorrectable: u64 = "requests",
    }

    /// Latencies of the completed requests of one kind, times from arrival to completion; all are null without such
    /// requests. Percentiles are within a thousandth of the true ones.
    #[derive(Default)]
    Latency {
        /// Mean latency in nanoseconds of the completed requests of one kind.
        mean: Option<f64> = "ns",
        /// Shortest latency in nanoseconds of the completed requests of one kind, within a thousandth like the
        /// percentiles.
        min: Option<u64> = "ns",
        /// Median latency in nanoseconds of the completed requests of one kind: half of the requests took no longer.
        p50: Option<u64> = "ns",
        /// 90th percentile, in ns, of the latency of the completed requests of one kind: 90 % of the requests took no
        /// longer.
        p90: Option<u64> = "ns",
        /// 95th percentile, in ns, of the latency of the completed requests of one kind: 95 % of the requests took no
        /// longer.
        p95: Option<u64> = "ns",
        /// 99th percentile, in ns, of the latency of the completed requests of one kind: 99 % of the requests took no
        /// longer.
        p99: Option<u64> = "ns",
        /// 99.9th percentile, in ns, of the latency of the completed requests of one kind: 99.9 % of the requests took
        /// no longer.
        p999: Option<u64> = "ns",
        /// 99.99th percentile, in ns, of the latency of the completed requests of one kind: 99.99 % of the requests
        /// took no longer.
        p9999: Option<u64> = "ns",
        /// Longest latency in nanoseconds of the completed requests of one kind.
        max: Option<u64> = "ns",
        /// Standard deviation in nanoseconds of the latency of the completed requests of one kind.
        stddev: Option<f64> = "ns",
    }

    /// Results on the arrivals of the host's requests, and on their waits for a place in the drive's queues.
    Arrivals {
        /// Time in nanoseconds from the beginning of the measured window to the arrival of the last request.
        span_ns: u64 = "ns",
        /// Wait in nanoseconds of the last request, after its arrival time, for a place in the drive's queues; 0 for a
        /// workload that waits for the drive.
        late_ns_last: u64 = "ns",
        /// Longest wait of a request in nanoseconds, after its arrival time, for a place in the drive's queues.
        late_ns_max: u64 = "ns",
        /// Mean number of outstanding requests over the window (Little's law), including requests that waited for a
        /// place in the queues; null where no time passed.
        outstanding_mean: Option<f64> = "requests",
    }

    /// Numbers of requests by kind: all that the host sent, the completed or the failed requests, as the section's key
    /// says.
    ByKind {
        /// Number of reads among the requests that the section counts: all that the host sent (`submitted`), only the
        /// completed ones, or only the failed ones.
        read: u64,
        /// Number of writes among the requests that the section counts: all that the host sent (`submitted`), only the
        /// completed ones, or only the failed ones.
        write: u64,
        /// Number of trims among the requests that the section counts: all that the host sent (`submitted`), only the
        /// completed ones, or only the failed ones.
        trim: u64,
        /// Number of flushes among the requests that the section counts: all that the host sent (`submitted`), only the
        /// completed ones, or only the failed ones.
        flush: u64,
        /// Total number of requests, of all kinds together, that the section counts: all that the host sent
        /// (`submitted`), only the completed ones, or only the failed ones.
        total: u64,
        /// Number of management requests (zone open, close, finish and reset, reclaim unit handle update) among the
        /// requests that the section counts (all that the host sent, the completed, or the failed); absent without any.
        #[serde(skip_serializing_if = "Option::is_none")]
        manage: Option<u64>,
    }

    /// Mean times that reads and writes spent in each stage of their latency. The stages add up to the mean latency.
    Stages {
        /// Mean times in nanoseconds, in the result, that a read of the host spent in each stage of its latency.
        read: StagesOf = "ns",
        /// Mean times in nanoseconds, in the result, that a write of the host spent in each stage of its latency.
        write: StagesOf = "ns",
    }

    /// Mean times in nanoseconds that a request of one kind (reads or writes) spent in each stage of its latency. All
    /// are null without such requests.
    StagesOf {
        /// Mean time in nanoseconds from a request's arrival until the drive fetched the request.
        queue: Option<f64>,
        /// Mean time in nanoseconds from the fetch of a request until the drive's firmware had processed the command.
        command: Option<f64>,
        /// Mean wait, in ns, for space in the write buffer, or for data in it to be programmed, as far as no other
        /// stage covers it.
        buffer: Option<f64>,
        /// Mean wait, in ns, in a die's queue, or for space in the write buffer, while the die worked for other
        /// requests of the host.
        wait_host: Option<f64>,
        /// Mean wait, in ns, in a die's queue, or for space in the write buffer, while the die worked for garbage
        /// collection.
        wait_gc: Option<f64>,
        /// Mean wait, in ns, in a die's queue, or for space in the write buffer, while the die worked for wear
        /// levelling.
        wait_wear: Option<f64>,
        /// Mean wait, in ns, in a die's queue, or for space in the write buffer, while the die worked for other origins
        /// than host, garbage collection and wear levelling: the logical-to-physical map, refresh, folding, parity.
        wait_other: Option<f64>,
        /// Mean wait, in ns, in a die's queue while the die switched between operations or waited for its channel.
        wait_die: Option<f64>,
        /// Mean wait, in ns, at the die for a flash channel that carried something else.
        channel: Option<f64>,
        /// Mean time in nanoseconds for which the flash array was reading, programming or erasing for the request.
        array: Option<f64>,
        /// Mean time in nanoseconds for which the request's commands and data crossed the flash channel.
        transfer: Option<f64>,
        /// Mean time in nanoseconds for the error correction (decoding) of the data that the request read, read retries
        /// included.
        ecc: Option<f64>,
        /// Mean time in nanoseconds for which the request's data crossed the host link.
        link: Option<f64>,
    }

    /// Results of one job of a fio file, or of one volume of a trace. Percentiles are within a hundredth of the true
    /// ones, and rates are over the whole measured window.
    Job {
        /// Name, in the result, of the fio job or of the trace's volume.
        name: String = "text",
        /// Number, bytes, rates and latencies of the completed reads of the job or volume; null without any.
        read: Option<Requests>,
        /// Number, bytes, rates and latencies of the completed writes of the job or volume; null without any.
        write: Option<Requests>,
        /// Number, bytes, rates and latencies of the completed trims of the job or volume; null without any.
        trim: Option<Requests>,
    }
}

pub(super) fn per_second(count: f64, span_ns: u64) -> Option<f64> {
    (span_ns > 0).then(|| count * 1e9 / span_ns as f64)
}

fn latency(histogram: &Histogram<u64>, mean: Option<f64>) -> Latency {
    if histogram.is_empty() {
        return Latency::default();
    }
    let at = |quantile: f64| Some(histogram.value_at_quantile(quantile));
    // A level of the histogram holds latencies within a thousandth. The least lies in the first, and neither below what
    // is in there nor above the mean.
    let first = histogram.iter_recorded().next().map_or(0, |step| step.value_iterated_to());
    Latency {
        mean,
        min: Some(mean.map_or(first, |mean| first.min(mean as u64))),
        p50: at(0.5),
        p90: at(0.9),
        p95: at(0.95),
        p99: at(0.99),
        p999: at(0.999),
        p9999: at(0.9999),
        max: Some(histogram.max()),
        stddev: Some(histogram.stdev()),
    }
}

pub(super) fn host(measure: &Measure, namespaces: &Namespaces, span_ns: u64, waf_relative: f64) -> Host {
    let requests = |effect: Effect| figures(&measure.ops[effect as usize], span_ns);
    let interval = |effect: Effect| intervals::of(measure, effect, span_ns, waf_relative);
    Host {
        read: Reads {
            done: requests(Effect::Read),
            interval: interval(Effect::Read),
            uncorrectable: measure.uncorrectable,
        },
        write: Writes { done: requests(Effect::Write), interval: interval(Effect::Write) },
        trim: Trims {
            done: requests(Effect::Trim),
            requests_without_unit: Some(measure.untrimmed.requests),
            bytes_outside_units: Some(measure.untrimmed.bytes),
        },
        flush: requests(Effect::Flush),
        manage: Some(requests(Effect::Manage)).filter(|done| done.requests > 0),
        translation: None,
        errors: Some(namespaces.errors()).filter(|errors| !errors.is_empty()),
        arrivals: arrivals(measure, span_ns),
        submitted: by_kind(&measure.submitted),
        completed: by_kind(&measure.completed),
        failed: by_kind(&measure.failed),
        namespaces: if namespaces.is_parted() { by_namespace(measure, namespaces) } else { Vec::new() },
    }
}

fn by_namespace(measure: &Measure, namespaces: &Namespaces) -> Vec<OfNamespace> {
    let served = |at: usize, effect: Effect| {
        let asked = measure.by_namespace.of(at, effect);
        Served { requests: asked.done, bytes: asked.bytes, failed: asked.failed }
    };
    let of = |(at, (name, set, size_bytes)): (usize, (&str, &str, u64))| OfNamespace {
        name: name.to_owned(),
        command_set: set.to_owned(),
        size_bytes,
        read: served(at, Effect::Read),
        write: served(at, Effect::Write),
        trim: served(at, Effect::Trim),
    };
    namespaces.iter().enumerate().map(of).collect()
}

/// Makes the counts, rates and latencies of the result for the requests of one kind, of all jobs or of one job.
fn figures(of: &Latencies, span_ns: u64) -> Requests {
    let requests = of.requests();
    Requests {
        requests,
        bytes: of.bytes,
        iops: per_second(requests as f64, span_ns),
        bandwidth_bytes_per_s: per_second(of.bytes as f64, span_ns),
        latency_ns: latency(&of.latency, of.mean_ns()),
    }
}

/// Makes the section of the result about arrivals; `outstanding_mean` follows by Little's law and includes requests
/// that had to wait for a place in the drive.
fn arrivals(measure: &Measure, span_ns: u64) -> Arrivals {
    let waited: u128 = measure.ops.iter().map(|of| of.latency_sum_ns).sum();
    Arrivals {
        span_ns: measure.arrivals.last.ns().saturating_sub(measure.started.ns()),
        late_ns_last: measure.arrivals.late_ns_last,
        late_ns_max: measure.arrivals.late_ns_max,
        outstanding_mean: (span_ns > 0).then(|| waited as f64 / span_ns as f64),
    }
}

fn by_kind(counts: &[u64; Effect::COUNT]) -> ByKind {
    let [read, write, trim, flush, manage] = *counts;
    let manage = (manage > 0).then_some(manage);
    ByKind { read, write, trim, flush, manage, total: counts.iter().sum() }
}

pub(super) fn stages(measure: &Measure) -> Stages {
    let of = |effect: Effect| {
        let requests = measure.ops[effect as usize].requests();
        let mean = measure.stages_ns[effect as usize]
            .map(|sum| (requests > 0).then(|| sum as f64 / requests as f64));
        let [
            queue,
            command,
            buffer,
            wait_host,
            wait_gc,
            wait_wear,
            wait_other,
            wait_die,
            channel,
            array,
            transfer,
            ecc,
            link,
        ] = mean;
        StagesOf {
            queue,
            command,
            buffer,
            wait_host,
            wait_gc,
            wait_wear,
            wait_other,
            wait_die,
            channel,
            array,
            transfer,
            ecc,
            link,
        }
    };
    Stages { read: of(Effect::Read), write: of(Effect::Write) }
}

pub(super) fn jobs<P: Observer>(run: &Run<P>) -> Vec<Job> {
    let names = run.workload.report().tags;
    let measure = &run.measure;
    let span_ns = measure.last_completion.since(measure.started).ns();
    let of_kind =
        |tag: usize, effect: Effect| Some(figures(measure.tags.get(tag, effect, &measure.ops)?, span_ns));
    let job = |tag: usize| Job {
        name: names.get(tag).cloned().unwrap_or_else(|| tag.to_string()),
        read: of_kind(tag, Effect::Read),
        write: of_kind(tag, Effect::Write),
        trim: of_kind(tag, Effect::Trim),
    };
    (0..measure.tags.count()).map(job).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::STAGES;

    #[test]
    fn stages_have_the_names_of_the_columns() {
        let null = stages(&Measure::new(units::SimTime::ZERO)).read;
        let keys = serde_json::to_value(null).expect("numbers");
        let names: Vec<&str> = keys.as_object().expect("a table").keys().map(String::as_str).collect();
        assert_eq!(names, STAGES.iter().copied().chain(["link"]).collect::<Vec<_>>());
    }
}
