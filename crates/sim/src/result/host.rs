//! What the host got: requests, latencies, where their time went.

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
    /// What the host saw of the drive in the measured window.
    Host {
        /// Reads.
        read: Reads,
        /// Writes.
        write: Writes,
        /// Trims: the host no longer needs the data. Forgotten are the mapping units that a trim covers as a whole.
        trim: Trims,
        /// Flushes: all acknowledged data must be durable.
        flush: Requests,
        /// When requests arrived, and how long they waited for a place in the queues.
        arrivals: Arrivals,
        /// Requests that the host sent in the measured window.
        submitted: ByKind = "requests",
        /// Of those, requests that the drive did.
        completed: ByKind = "requests",
        /// Of those, requests that the drive answered with an error.
        failed: ByKind = "requests",
        /// What each namespace was asked for; absent on a drive that is one.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        namespaces: Vec<OfNamespace>,
        /// Zones opened, closed, finished and reset by the host; absent where none was.
        #[serde(skip_serializing_if = "Option::is_none")]
        manage: Option<Requests>,
        /// Requests that zones answered with an error, by the status that NVMe defines; absent where none did.
        #[serde(skip_serializing_if = "Option::is_none")]
        errors: Option<BTreeMap<String, u64>> = "requests",
    }

    /// What one of several namespaces was asked for in the measured window; a flush is of the whole drive.
    OfNamespace {
        /// Its name.
        name: String = "text",
        /// What may be asked of it.
        command_set: String = "text",
        /// Its size.
        size_bytes: u64 = "bytes",
        /// Reads.
        read: Served,
        /// Writes.
        write: Served,
        /// Trims.
        trim: Served,
    }

    /// Requests of one kind.
    Served {
        /// Requests done.
        requests: u64 = "requests",
        /// Bytes of the requests done.
        bytes: u64 = "bytes",
        /// Requests that the drive answered with an error.
        failed: u64 = "requests",
    }

    /// Writes that were done, and how fast.
    Writes {
        /// What every kind of request has.
        #[serde(flatten)]
        done: Requests,
        /// What the figures may lie between, had the run gone on; null where it is too short to say.
        interval: Option<Interval>,
    }

    /// Trims that were done, and how fast.
    Trims {
        /// Counts and rates, as for each kind of request.
        #[serde(flatten)]
        done: Requests,
        /// Of those, requests that cover no whole mapping unit: they forget nothing. Null where it was not counted.
        requests_without_unit: Option<u64> = "requests",
        /// Of their bytes, those in mapping units that a trim covers in part: the drive keeps them. Null where it was not
        /// counted.
        bytes_outside_units: Option<u64> = "bytes",
    }

    /// Requests of one kind that were done, and how fast.
    Requests {
        /// Requests done; failed ones are not among them.
        requests: u64 = "requests",
        /// Bytes of those requests.
        bytes: u64 = "bytes",
        /// Requests done per second of simulated time; null where no time passed.
        iops: Option<f64> = "1/s",
        /// Bytes done per second of simulated time; null where no time passed.
        bandwidth_bytes_per_s: Option<f64> = "bytes/s",
        /// Times from the arrival of a request to its completion.
        latency_ns: Latency = "ns",
    }

    /// Reads that were done, and how fast.
    Reads {
        /// What every kind of request has.
        #[serde(flatten)]
        done: Requests,
        /// What the figures may lie between, had the run gone on; null where it is too short to say.
        interval: Option<Interval>,
        /// Reads answered with an error because neither the code nor parity could bring their data back.
        uncorrectable: u64 = "requests",
    }

    /// Times from arrival to completion; all are null without such requests. Percentiles are within a thousandth of the
    /// true ones.
    #[derive(Default)]
    Latency {
        /// The mean.
        mean: Option<f64> = "ns",
        /// The shortest, as percentiles are: within a thousandth.
        min: Option<u64> = "ns",
        /// The median: half of the requests took no longer.
        p50: Option<u64> = "ns",
        /// 90 % of the requests took no longer.
        p90: Option<u64> = "ns",
        /// 95 % of the requests took no longer.
        p95: Option<u64> = "ns",
        /// 99 % of the requests took no longer.
        p99: Option<u64> = "ns",
        /// 99.9 % of the requests took no longer.
        p999: Option<u64> = "ns",
        /// 99.99 % of the requests took no longer.
        p9999: Option<u64> = "ns",
        /// The longest.
        max: Option<u64> = "ns",
        /// The standard deviation.
        stddev: Option<f64> = "ns",
    }

    /// How requests came.
    Arrivals {
        /// From the beginning of the measured window to the arrival of the last request.
        span_ns: u64 = "ns",
        /// How long the last request waited, after its time, for a place in the drive's queues; 0 for a workload that
        /// waits for the drive.
        late_ns_last: u64 = "ns",
        /// The longest that a request waited so.
        late_ns_max: u64 = "ns",
        /// Requests that were outstanding, on average over the window (Little's law), requests that waited for a place
        /// included; null where no time passed.
        outstanding_mean: Option<f64> = "requests",
    }

    /// Requests by kind.
    ByKind {
        /// Reads.
        read: u64,
        /// Writes.
        write: u64,
        /// Trims.
        trim: u64,
        /// Flushes.
        flush: u64,
        /// All kinds together.
        total: u64,
        /// Zones opened, closed, finished and reset; absent where none was.
        #[serde(skip_serializing_if = "Option::is_none")]
        manage: Option<u64>,
    }

    /// Where the latency of reads and of writes went: the mean time a request spent in each stage. The stages add up
    /// to the mean latency.
    Stages {
        /// Of reads.
        read: StagesOf = "ns",
        /// Of writes.
        write: StagesOf = "ns",
    }

    /// Mean time of a request in each stage. All are null without such requests.
    StagesOf {
        /// Until the drive took the request up.
        queue: Option<f64>,
        /// Until the drive's firmware had understood the command.
        command: Option<f64>,
        /// Waiting for room in the write buffer or for data there to be programmed, as far as no other stage has it.
        buffer: Option<f64>,
        /// Waiting in a die's queue, or for room in the buffer, while the die worked for other requests of the host.
        wait_host: Option<f64>,
        /// The same while the die worked for garbage collection.
        wait_gc: Option<f64>,
        /// The same while the die worked for wear levelling.
        wait_wear: Option<f64>,
        /// The same while the die worked for anything else: the map, refresh, folding, parity.
        wait_other: Option<f64>,
        /// Waiting in a die's queue while the die switched or waited for its channel.
        wait_die: Option<f64>,
        /// At the die, waiting for a channel that carried something else.
        channel: Option<f64>,
        /// The array reading, programming or erasing.
        array: Option<f64>,
        /// Commands and data crossing the channel.
        transfer: Option<f64>,
        /// Decoding what was read, with its retries.
        ecc: Option<f64>,
        /// Data crossing the host link.
        link: Option<f64>,
    }

    /// One job of a fio file, or one volume of a trace. Percentiles are within a hundredth of the true ones, and its
    /// rates are over the whole measured window.
    Job {
        /// Its name.
        name: String = "text",
        /// Its reads; null without any.
        read: Option<Requests>,
        /// Its writes; null without any.
        write: Option<Requests>,
        /// Its trims; null without any.
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

/// What the host gets: of one kind of request, over all or of one job.
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

/// How requests came; `outstanding_mean` by Little's law, requests that had to wait for a place in the drive included.
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
