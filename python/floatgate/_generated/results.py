"""The classes of a result, by the keys of `run.json`. Made by `floatgate.generate`."""

from collections import abc
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from floatgate.values.section import Section

Count = Annotated[int, Field(ge=0, lt=1 << 64)]


@dataclass(frozen=True, slots=True, repr=False)
class InterruptedAt(Section):
    """Section of the result that says where the run was interrupted: phase, and fraction of the phase
    done.
    """

    phase: str
    """[text] Phase, named in the result, in which the run was interrupted: `precondition`, `layout` or
    `run`.
    """

    workload_fraction: float | None
    """[ratio] Fraction (0 to 1) of the interrupted phase that was done; null where that is unknown.
    """


@dataclass(frozen=True, slots=True, repr=False)
class FioJob(Section):
    """Description of one job of a fio file, as it is written there."""

    name: str
    """[text] Name, in the result, of the fio job."""

    clones: Count
    """[count] Number, in the result, of copies of the fio job that run at the same time (`numjobs`).
    """

    together: bool
    """[yes/no] True, in the result, if the copies of the fio job are reported as one
    (`group_reporting`).
    """

    options: abc.Mapping[str, str]
    """[text] Table, in the result, of the options of the fio job with their values, including those of
    the `global` section.
    """


@dataclass(frozen=True, slots=True, repr=False)
class SteadyState(Section):
    """Record of the result of the detection of steady state in a job of a fio file (`steadystate`),
    with the numbers of fio's own result.
    """

    job: str
    """[text] Name of the fio job; in a group of jobs that report together, of its first job."""

    asked: str
    """[text] Condition for steady state that the job file gives, as fio writes it:
    `iops_slope:0.100000%`.
    """

    metric: Literal["iops", "bw", "lat"]
    """[text] Metric that is checked for steady state: requests per second, bandwidth or latency
    (`iops`, `bw` or `lat`).
    """

    is_slope: bool
    """[yes/no] True if the slope of the metric is compared with the limit; false if the greatest
    distance of a sample from the mean is.
    """

    in_percent: bool
    """[yes/no] True if the limit of the steady-state condition is in percent of the mean."""

    duration_s: Count
    """[s] Length of the time window over which steady state is checked, in whole seconds as fio counts
    them.
    """

    attained: bool
    """[yes/no] True if the job reached steady state, which ended the job."""

    attained_after_ns: Count | None
    """[ns] Time in ns from the beginning of the job until steady state was reached; null if it was not
    reached.
    """

    criterion: float | None
    """[as the limit] Value of the steady-state criterion (slope or greatest distance from the mean)
    that was last compared with the limit; 0 before there were enough samples, null where it is in
    percent of a mean of 0.
    """

    max_deviation: float
    """[as the samples] Greatest distance of a sample of the metric from the mean; 0 if the slope is
    compared with the limit.
    """

    slope: float
    """[as the samples, by interval] Slope of the metric over the time window of the steady-state
    check; 0 if the distance from the mean is compared with the limit.
    """

    iops: tuple[Count, ...]
    """[1/s] List of the rates in requests per second in each of the last sampling intervals of the
    steady-state check, the oldest first; zeros at the end for intervals that were not reached.
    """

    bandwidth_bytes_per_s: tuple[Count, ...]
    """[bytes/s] List of the rates in bytes per second in each of the last sampling intervals of the
    steady-state check, the intervals of `iops`.
    """

    latency_ns: tuple[Count, ...]
    """[ns] List of the mean latencies in ns of the requests in each of the last sampling intervals of
    the steady-state check, the intervals of `iops`.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Workload(Section):
    """Facts about the workload that was run: name, format, number of requests, jobs and notes."""

    name: str
    """[text] Name, in the result, of the workload that was run."""

    format: str
    """[text] Format, in the result, of the workload that was run: `fio` (also for a built-in
    generator, which is a fio job), the name of a trace's format, `synthetic` for a synthetic
    volume, `flows`, `stepped` or `nbd`.
    """

    requests: Count
    """[requests] Number of requests that the workload issued, including those before the measured
    window.
    """

    skipped_lines: Count
    """[lines] Number of lines of the trace that could not be read and were skipped on request
    (`--skip-bad-lines`).
    """

    fraction_done: float | None
    """[ratio] Fraction of the workload that was run; null where the workload's length is not known.
    """

    notes: abc.Mapping[str, str]
    """[text] Texts, in the result, with further findings about the workload, such as facts about a
    trace, by name.
    """

    tags: tuple[str, ...]
    """[text] List of the names of the workload's tags (fio jobs, or volumes of a trace), in the order
    of the tag numbers that requests carry.
    """

    jobs: tuple[FioJob, ...]
    """List, in the result, of the jobs of a fio file, as written; empty for other workloads."""

    steady_states: tuple[SteadyState, ...]
    """List of the results of the detection of steady state (`steadystate`) in jobs of a fio file;
    empty without any.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Loop(Section):
    """Outcome of `--loop`, which repeats the workload: rule, number of passes, and whether the aim was
    reached.
    """

    rule: str
    """[text] Text, in the result, of the rule for the end of the repetitions, as given with `--loop`.
    """

    passes: Count
    """[passes] Number of passes of the workload (repetitions one after the other) that were begun.
    """

    reached: bool | None
    """[yes/no] True if write amplification became known as precisely as `--loop` asked; null where it
    asked for a number of passes (repetitions of the workload).
    """


@dataclass(frozen=True, slots=True, repr=False)
class Place(Section):
    """Origin of one value in the configuration: where it is set, and its source."""

    place: str
    """[text] Text in the result: place where this value of the run's configuration was set: file and
    line, the command line, or the default.
    """

    source: str | None
    """[text] Text in the result: comment behind the configuration value in its file, which gives the
    source of the value; null without a comment.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Steadiness(Section):
    """Rule by which write amplification counts as steady in preconditioning: the lengths, numbers and
    deviations that are compared.
    """

    window_overwrites: float
    """[ratio] Value in the result, part of the rule for steady write amplification in preconditioning:
    length of a window (stretch over which write amplification is averaged), in overwrites of the
    filled space.
    """

    windows: Count
    """[count] Value in the result, part of the rule for steady write amplification in preconditioning:
    number of windows (stretches over which write amplification is averaged) that are compared.
    """

    least_overwrites: float
    """[ratio] Value in the result, part of the rule for steady write amplification in preconditioning:
    least number of overwrites of the filled space before write amplification can count as steady.
    """

    tolerance: float
    """[ratio] Value in the result, part of the rule for steady write amplification in preconditioning:
    tolerance, the greatest permitted deviation of a window's write amplification from the mean of
    the compared windows, as a share of the mean.
    """

    limit_overwrites: float
    """[ratio] Value in the result, part of the rule for steady write amplification in preconditioning:
    greatest number of overwrites of the filled space, after which the drive is used even if write
    amplification is not steady.
    """


@dataclass(frozen=True, slots=True, repr=False)
class WarmedUp(Section):
    """Results on the warm-up: copies of the workload, one after the other, that ran with simulated
    time before the measured window.
    """

    requests: Count
    """[requests] Number of host requests in the run's unmeasured warm-up."""

    units_written: Count
    """[mapping units] Number of mapping units that the copies of the workload wrote in the run's
    unmeasured warm-up.
    """

    t_ns: Count
    """[ns] Simulated time in ns that the run's unmeasured warm-up took."""

    buffer_units: Count
    """[mapping units] Number of mapping units in the write buffer at the end of the run's unmeasured
    warm-up.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Preconditioning(Section):
    """Results on preconditioning: how the drive was brought into its state before the run. All but
    `kind` are null without preconditioning.
    """

    kind: Literal["none", "fill", "steady", "instant", "workload"]
    """[text] Name of the kind of preconditioning that the run used: `none`, `fill`, `steady`,
    `instant` or `workload`.
    """

    copies: Count | None
    """[count] Number of copies of the workload that preconditioning wrote one after the other, the
    last perhaps in part; null for other kinds than `workload`.
    """

    filled_units: Count | None
    """[mapping units] Number of mapping units of the logical space that preconditioning filled with
    data, each counted once.
    """

    units_written: Count | None
    """[mapping units] Number of mapping units that preconditioning wrote in all, fill included."""

    waf_by_window: tuple[float, ...] | None
    """[ratio] List of the write amplification in each window of preconditioning, a stretch of
    `rule.window_overwrites` overwrites.
    """

    steady: bool | None
    """[yes/no] True if write amplification had become steady in preconditioning."""

    rule: Steadiness | None
    """Description of the rule by which preconditioning of this run judged whether write amplification
    was steady: lengths, numbers and deviations compared.
    """

    warm_up: WarmedUp | None
    """Results on the warm-up: copies of the workload that ran after preconditioning with simulated
    time, unmeasured, until the write buffer was as this workload leaves it; null without a warm-up.
    """


@dataclass(frozen=True, slots=True, repr=False)
class LaidOut(Section):
    """Results on the data that was written before the simulated time began, because the workload
    expects to read it.
    """

    on: bool
    """[yes/no] True if data that the workload expects to read were to be written before the simulated
    time began; false if this was switched off (`--no-layout`).
    """

    units: Count
    """[mapping units] Number of mapping units that were written before the simulated time began
    because the workload expects to read them; preconditioning does not count.
    """

    bytes: Count
    """[bytes] Number of bytes that were written before the simulated time began because the workload
    expects to read them; preconditioning does not count.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Part(Section):
    """Number and share of the host's mapping units of one kind: read although unmapped, read from
    flash, or programmed to flash.
    """

    units: Count
    """[mapping units] Number of the host's mapping units that this part of the result counts, all of
    one kind: read although unmapped, read from flash, or programmed to flash.
    """

    share: float | None
    """[ratio] Share, at most 1, of these mapping units (read although unmapped, read from flash, or
    programmed to flash) among all units that the host read, or for programs wrote; null where the
    host read, or wrote, none.
    """


@dataclass(frozen=True, slots=True, repr=False)
class State(Section):
    """Results on the state of the drive when the run began, and on how many of the host's reads and
    writes depended on it.
    """

    began: Literal["none", "fill", "steady", "instant", "workload", "loaded"]
    """[text] Way, named in the result, in which the drive's first state was made: a kind of
    preconditioning, or `loaded` for a saved state.
    """

    layout: LaidOut
    """Part of the result on the data that the workload expects to read, written before the simulated
    time began: number of mapping units and bytes.
    """

    unit_bytes: Count
    """[bytes] Size in bytes, in the result, of a mapping unit of the drive that was simulated."""

    units_read: Count
    """[mapping units] Number of mapping units that the host read in the measured window: from the
    write buffer, from flash, read ahead, or unmapped.
    """

    units_written: Count
    """[mapping units] Number of mapping units that the host wrote in the measured window."""

    reads_unmapped: Part
    """Number and share of the mapping units that the host read in the measured window although they
    were never written, or trimmed; such reads are as fast on any drive.
    """

    reads_from_flash: Part
    """Number and share of the mapping units that the host read from flash in the measured window, at
    its request or ahead of it.
    """

    writes_to_flash: Part
    """Number of the host's mapping units that were programmed to flash in the measured window, and
    their share of the units that the host wrote; the others were overwritten in the write buffer or
    are still in it.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Arrivals(Section):
    """Results on the arrivals of the host's requests, and on their waits for a place in the drive's
    queues.
    """

    span_ns: Count
    """[ns] Time in nanoseconds from the beginning of the measured window to the arrival of the last
    request.
    """

    late_ns_last: Count
    """[ns] Wait in nanoseconds of the last request, after its arrival time, for a place in the drive's
    queues; 0 for a workload that waits for the drive.
    """

    late_ns_max: Count
    """[ns] Longest wait of a request in nanoseconds, after its arrival time, for a place in the
    drive's queues.
    """

    outstanding_mean: float | None
    """[requests] Mean number of outstanding requests over the window (Little's law), including
    requests that waited for a place in the queues; null where no time passed.
    """


@dataclass(frozen=True, slots=True, repr=False)
class ByKind(Section):
    """Numbers of requests by kind: all that the host sent, the completed or the failed requests, as
    the section's key says.
    """

    read: Count
    """Number of reads among the requests that the section counts: all that the host sent
    (`submitted`), only the completed ones, or only the failed ones.
    """

    write: Count
    """Number of writes among the requests that the section counts: all that the host sent
    (`submitted`), only the completed ones, or only the failed ones.
    """

    trim: Count
    """Number of trims among the requests that the section counts: all that the host sent
    (`submitted`), only the completed ones, or only the failed ones.
    """

    flush: Count
    """Number of flushes among the requests that the section counts: all that the host sent
    (`submitted`), only the completed ones, or only the failed ones.
    """

    total: Count
    """Total number of requests, of all kinds together, that the section counts: all that the host sent
    (`submitted`), only the completed ones, or only the failed ones.
    """

    manage: Count | None = None
    """Number of management requests (zone open, close, finish and reset, reclaim unit handle update)
    among the requests that the section counts (all that the host sent, the completed, or the
    failed); absent without any.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Served(Section):
    """Counts of the requests of one kind (reads, writes or trims) to a namespace."""

    requests: Count
    """[requests] Number of requests of one kind to the namespace that were completed."""

    bytes: Count
    """[bytes] Number of bytes of the completed requests of one kind to the namespace."""

    failed: Count
    """[requests] Number of requests of one kind to the namespace that the drive answered with an
    error.
    """


@dataclass(frozen=True, slots=True, repr=False)
class OfNamespace(Section):
    """Counts of the requests to one of several namespaces in the measured window; flushes, which
    concern the whole drive, are left out.
    """

    name: str
    """[text] Name, in the result, of the namespace to which the counts belong."""

    command_set: str
    """[text] Name, in the result, of the namespace's command set: the requests that it understands.
    """

    size_bytes: Count
    """[bytes] Size in bytes, in the result, of the namespace."""

    read: Served
    """Counts, in the result, of the host's reads of the namespace: completed, failed, and bytes.
    """

    write: Served
    """Counts, in the result, of the host's writes to the namespace: completed, failed, and bytes.
    """

    trim: Served
    """Counts, in the result, of the host's trims of the namespace: completed, failed, and bytes.
    """


@dataclass(frozen=True, slots=True, repr=False)
class LatencyInterval(Section):
    """Confidence intervals, low and high, of latencies."""

    mean: tuple[float, float]
    """[ns] Confidence interval in the result, low and high, of the mean latency in nanoseconds."""

    p50: tuple[Count, Count] | None
    """[ns] Confidence interval, low and high, of the median latency in nanoseconds; null where too few
    requests took longer to bound the median from above.
    """

    p99: tuple[Count, Count] | None
    """[ns] Confidence interval, low and high, of the 99th percentile of the latency in nanoseconds;
    null where too few requests took longer to bound the percentile from above.
    """

    p999: tuple[Count, Count] | None
    """[ns] Confidence interval, low and high, of the 99.9th percentile of the latency in nanoseconds;
    null where too few requests took longer to bound the percentile from above.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Interval(Section):
    """Confidence intervals, low and high, of the rates and latencies of a kind of request, if the
    workload goes on as it did.
    """

    confidence_level: float
    """[ratio] Confidence level, in the result, of the confidence intervals of rates and latencies:
    share of runs like this one whose interval contains the true value.
    """

    batches: Count
    """[count] Number of batches (consecutive parts of the run) from whose variance the confidence
    intervals of rates and latencies in this result were calculated.
    """

    iops: tuple[float, float]
    """[1/s] Confidence interval in the result, low and high, of the number of completed requests per
    second.
    """

    bandwidth_bytes_per_s: tuple[float, float] | None
    """[bytes/s] Confidence interval in the result, low and high, of the bytes of completed requests
    per second; null where no data was moved.
    """

    latency_ns: LatencyInterval | None
    """[ns] Part of the result with the confidence intervals of latencies; null where the run is too
    short.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Latency(Section):
    """Latencies of the completed requests of one kind, times from arrival to completion; all are null
    without such requests. Percentiles are within a thousandth of the true ones.
    """

    mean: float | None
    """[ns] Mean latency in nanoseconds of the completed requests of one kind."""

    min: Count | None
    """[ns] Shortest latency in nanoseconds of the completed requests of one kind, within a thousandth
    like the percentiles.
    """

    p50: Count | None
    """[ns] Median latency in nanoseconds of the completed requests of one kind: half of the requests
    took no longer.
    """

    p90: Count | None
    """[ns] 90th percentile, in ns, of the latency of the completed requests of one kind: 90 % of the
    requests took no longer.
    """

    p95: Count | None
    """[ns] 95th percentile, in ns, of the latency of the completed requests of one kind: 95 % of the
    requests took no longer.
    """

    p99: Count | None
    """[ns] 99th percentile, in ns, of the latency of the completed requests of one kind: 99 % of the
    requests took no longer.
    """

    p999: Count | None
    """[ns] 99.9th percentile, in ns, of the latency of the completed requests of one kind: 99.9 % of
    the requests took no longer.
    """

    p9999: Count | None
    """[ns] 99.99th percentile, in ns, of the latency of the completed requests of one kind: 99.99 % of
    the requests took no longer.
    """

    max: Count | None
    """[ns] Longest latency in nanoseconds of the completed requests of one kind."""

    stddev: float | None
    """[ns] Standard deviation in nanoseconds of the latency of the completed requests of one kind.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Reads(Section):
    """Results of the host's completed reads: counts, rates and latencies."""

    requests: Count
    """[requests] Number of requests of one kind that were completed, without failed requests."""

    bytes: Count
    """[bytes] Number of bytes of the completed requests of one kind."""

    iops: float | None
    """[1/s] Completed requests of one kind per second of simulated time; null where no time passed.
    """

    bandwidth_bytes_per_s: float | None
    """[bytes/s] Bytes of the completed requests of one kind per second of simulated time; null where
    no time passed.
    """

    latency_ns: Latency
    """[ns] Part of the results of requests of one kind: latencies of the completed requests, times
    from arrival to completion.
    """

    interval: Interval | None
    """Confidence intervals of the rates and latencies of the host's reads; null where the run is too
    short.
    """

    uncorrectable: Count
    """[requests] Number of reads answered with an error because neither the error-correcting code nor
    parity could restore their data.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Requests(Section):
    """Results of the completed requests of one kind (reads, writes, trims, flushes or management):
    counts, rates and latencies.
    """

    requests: Count
    """[requests] Number of requests of one kind that were completed, without failed requests."""

    bytes: Count
    """[bytes] Number of bytes of the completed requests of one kind."""

    iops: float | None
    """[1/s] Completed requests of one kind per second of simulated time; null where no time passed.
    """

    bandwidth_bytes_per_s: float | None
    """[bytes/s] Bytes of the completed requests of one kind per second of simulated time; null where
    no time passed.
    """

    latency_ns: Latency
    """[ns] Part of the results of requests of one kind: latencies of the completed requests, times
    from arrival to completion.
    """


@dataclass(frozen=True, slots=True, repr=False)
class TranslationOfHost(Section):
    """Results on the translation of a host that keeps blocks on a drive of zones: bytes that its log
    wrote for the workload, and bytes that its collection copied, in the measured window.
    """

    capacity_bytes: Count
    """[bytes] Capacity in bytes, in the result, of the blocks that the host keeps on the zones."""

    streams: Count
    """[streams] Number, in the result, of zones that the host fills with new data at the same time,
    one for each placement handle.
    """

    empty_zones: Count
    """[zones] Number of empty zones at the end of the run, among the zones on which the host keeps
    blocks.
    """

    map_bytes: Count
    """[bytes] Number, in the result, of bytes of the host's memory that the map of its log takes, in
    both directions.
    """

    written_bytes: Count
    """[bytes] Number of bytes that the host wrote to zones for writes of the workload, in whole
    blocks.
    """

    completed_bytes: Count
    """[bytes] Number of bytes that the host read because a write of the workload replaced a part of a
    block.
    """

    copied_bytes: Count
    """[bytes] Number of bytes that the host's collection copied from one zone to another."""

    zones_collected: Count
    """[zones] Number of zones that the host's collection emptied and reset."""

    write_amplification: float | None
    """[ratio] Write amplification, in the result, of the host alone: bytes that it wrote to zones,
    over bytes that writes of the workload carried; null without such writes. `waf` has what the
    drive adds, too.
    """

    drive_write_amplification: float | None
    """[ratio] Write amplification, in the result, of the drive alone: bytes programmed to flash, over
    bytes that the host wrote to zones; null without such writes.
    """

    writes_waited: Count
    """[requests] Number of writes of the workload that waited for an empty zone."""

    waited_ns: Count
    """[ns] Sum of the times in nanoseconds that writes of the workload waited for an empty zone.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Trims(Section):
    """Results of the host's completed trims: counts, rates and latencies."""

    requests: Count
    """[requests] Number of requests of one kind that were completed, without failed requests."""

    bytes: Count
    """[bytes] Number of bytes of the completed requests of one kind."""

    iops: float | None
    """[1/s] Completed requests of one kind per second of simulated time; null where no time passed.
    """

    bandwidth_bytes_per_s: float | None
    """[bytes/s] Bytes of the completed requests of one kind per second of simulated time; null where
    no time passed.
    """

    latency_ns: Latency
    """[ns] Part of the results of requests of one kind: latencies of the completed requests, times
    from arrival to completion.
    """

    requests_without_unit: Count | None
    """[requests] Number of completed trims that cover no whole mapping unit and so drop nothing. Null
    where it was not counted.
    """

    bytes_outside_units: Count | None
    """[bytes] Bytes of completed trims in mapping units that a trim covers only in part, which the
    drive does not drop. Null where it was not counted.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Writes(Section):
    """Results of the host's completed writes: counts, rates and latencies."""

    requests: Count
    """[requests] Number of requests of one kind that were completed, without failed requests."""

    bytes: Count
    """[bytes] Number of bytes of the completed requests of one kind."""

    iops: float | None
    """[1/s] Completed requests of one kind per second of simulated time; null where no time passed.
    """

    bandwidth_bytes_per_s: float | None
    """[bytes/s] Bytes of the completed requests of one kind per second of simulated time; null where
    no time passed.
    """

    latency_ns: Latency
    """[ns] Part of the results of requests of one kind: latencies of the completed requests, times
    from arrival to completion.
    """

    interval: Interval | None
    """Confidence intervals of the rates and latencies of the host's writes; null where the run is too
    short.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Host(Section):
    """Results on what the host saw of the drive in the measured window: requests, latencies and
    errors.
    """

    read: Reads
    """Part of the result on the host's reads: number, bytes, rates and latencies of the completed
    reads, and number of reads of lost data.
    """

    write: Writes
    """Part of the result on the host's writes: number, bytes, rates and latencies of the completed
    writes.
    """

    trim: Trims
    """Part of the result on the host's trims, with which it tells the drive that data are no longer
    needed. The drive drops only mapping units that a trim covers as a whole.
    """

    flush: Requests
    """Part of the result on the host's flushes, which demand that all acknowledged data are durable:
    number, rate and latencies.
    """

    arrivals: Arrivals
    """Part of the result on the arrivals of the host's requests, and on their waits for a place in the
    drive's queues.
    """

    submitted: ByKind
    """[requests] Numbers of requests, by kind, that the host sent in the measured window."""

    completed: ByKind
    """[requests] Numbers of requests, by kind, that the host sent in the measured window and the drive
    completed.
    """

    failed: ByKind
    """[requests] Numbers of requests, by kind, that the host sent in the measured window and the drive
    answered with an error.
    """

    namespaces: tuple[OfNamespace, ...] = ()
    """List of the counts of the requests to each namespace; absent on a drive with one namespace.
    """

    manage: Requests | None = None
    """Number, rate and latencies, in the result, of the management requests of the host (zone open,
    close, finish and reset, reclaim unit handle update); absent without any.
    """

    translation: TranslationOfHost | None = None
    """Part of the result on the translation of a host that keeps blocks on a drive of zones; absent
    where the workload asks the drive itself.
    """

    errors: abc.Mapping[str, Count] | None = None
    """[requests] Numbers of requests that zones answered with an error, by the status that NVMe
    defines; absent without any.
    """


@dataclass(frozen=True, slots=True, repr=False)
class ByOrigin(Section):
    """Counts of flash work (pages read or programmed, blocks erased, or mapping units programmed) by
    origin: on whose behalf the flash worked.
    """

    host: Count
    """Count of flash work for the host's requests."""

    gc: Count
    """Count of flash work for garbage collection."""

    wear: Count
    """Count of flash work for wear levelling."""

    read_modify_write: Count
    """Count of flash work for reading the rest of a mapping unit that the host wrote in part
    (read-modify-write).
    """

    rescue: Count
    """Count of flash work for moving data out of a superblock in which a program failed."""

    padding: Count
    """Count of flash work for empty units (padding) that complete a program unit."""

    rewrite: Count
    """Count of flash work for units that the regulator asked to be rewritten: programmed again in idle
    time, so that later reads of them take less time (`ftl.regulator`).
    """

    refresh: Count
    """Count of flash work for refresh: data moved to newly programmed pages before its retention time
    is over, or because its block was read too often.
    """

    map: Count
    """Count of flash work for the units of the logical-to-physical map itself, where it is stored on
    flash and cached in RAM (demand-paged).
    """

    scrub: Count
    """Count of flash work for the patrol (background scrub): stored data read to find errors, and
    rewritten where errors come near the error-correcting code's limit.
    """

    fold: Count
    """Count of flash work for folding: data moved from the SLC cache to superblocks that use all bits
    per cell.
    """

    parity: Count
    """Count of flash work for parity across dies."""

    rebuild: Count
    """Count of flash work for reading the rest of a parity stripe (units on several dies that share a
    parity unit), to restore what the error-correcting code could not correct.
    """

    read_ahead: Count
    """Count of flash work for read-ahead: data read before the host asked for it."""

    total: Count
    """Count of flash work for all origins together (host, garbage collection and all others)."""


@dataclass(frozen=True, slots=True, repr=False)
class Flash(Section):
    """Results on flash operations in the measured window, by origin: on whose behalf they were done."""

    reads: ByOrigin
    """[pages] Numbers, in the result, of flash pages read in the measured window: one number for each
    origin (host, garbage collection, wear levelling and others).
    """

    programs: ByOrigin
    """[pages] Numbers, in the result, of flash pages programmed in the measured window: one number for
    each origin. A program counts for the origin of its first mapping unit.
    """

    erases: ByOrigin
    """[blocks] Numbers, in the result, of blocks erased in the measured window: one number for each
    origin (host, garbage collection, wear levelling and others).
    """

    units_programmed: ByOrigin
    """[mapping units] Numbers, in the result, of mapping units programmed in the measured window: one
    number for each origin, which is that of each unit itself (not of the program that wrote it).
    Their bytes are in `waf_bytes.programmed`.
    """

    page_bytes: Count
    """[bytes] Size in bytes, in the result, of a flash page of the drive, without the spare area.
    """

    mapping_unit_bytes: Count
    """[bytes] Size in bytes, in the result, of a mapping unit of the drive, the smallest piece of data
    with its own location.
    """


@dataclass(frozen=True, slots=True, repr=False)
class WafParts(Section):
    """Parts of write amplification, by origin of the programs: bytes programmed for each origin, per
    byte that the host wrote. The parts add up to `waf`. Null: nothing was programmed for this
    origin.
    """

    host: float
    """Part of the run's write amplification due to the host's own bytes, as they were programmed to
    flash: below 1 where the host overwrote them in the write buffer, or the buffer still holds
    them.
    """

    fill_up: float | None
    """Part of the run's write amplification due to filling up mapping units: the rest of units that
    the host wrote in part, programmed beside that part.
    """

    gc: float
    """Part of the run's write amplification due to garbage collection for the free space that the
    programs of the measured window took.
    """

    gc_debt: float
    """Part of the run's write amplification due to garbage collection for free space that was missing
    when the measured window began; 0 where none was missing. Space that the window left to be
    collected later is not in it.
    """

    wear: float | None
    """Part of the run's write amplification due to wear levelling."""

    rescue: float | None
    """Part of the run's write amplification due to data moved out of superblocks in which a program
    failed.
    """

    padding: float
    """Part of the run's write amplification due to empty units (padding) that complete a program unit.
    """

    rewrite: float | None
    """Part of the run's write amplification due to data that the regulator (policy that chooses how
    costly each write is) asked to be rewritten, that is programmed again so that later reads of
    them take less time.
    """

    refresh: float | None
    """Part of the run's write amplification due to refresh: data moved to newly programmed pages
    before its retention time is over, or because its block was read too often.
    """

    map: float | None
    """Part of the run's write amplification due to the map: bytes programmed for units of the
    logical-to-physical map, per byte that the host wrote.
    """

    scrub: float | None
    """Part of the run's write amplification due to data that the patrol (background scrub) rewrote,
    that is moved to newly programmed pages, because errors came near the limit of the
    error-correcting code.
    """

    fold: float | None
    """Part of the run's write amplification due to folding: data moved from the SLC cache to
    superblocks that use all bits per cell.
    """

    parity: float | None
    """Part of the run's write amplification due to parity across dies."""

    rebuild: float | None
    """Part of the run's write amplification due to data restored from parity and programmed again.
    """

    read_ahead: float | None
    """Part of the run's write amplification due to programs for read-ahead (data read before the host
    asked for it); null, because read-ahead programs nothing.
    """


@dataclass(frozen=True, slots=True, repr=False)
class WafBytes(Section):
    """Numbers of bytes from which write amplification is calculated, and whether the contents of the
    write buffer would change it.
    """

    host_written: Count
    """[bytes] Number, in the result, of bytes that the host's write requests carried into the drive.
    """

    programmed: Count
    """[bytes] Number, in the result, of bytes programmed to the flash, for all origins."""

    filled_up: Count | None
    """[bytes] Number, in the result, of bytes programmed for the host that no request carried: the
    rest of units that the host wrote in part. Null in a result of an older format, which lacks this
    number.
    """

    held_before: Count | None
    """[bytes] Number, in the result, of bytes of the host's data that were only in the write buffer
    when the window began; null in a result of an older format.
    """

    held: Count | None
    """[bytes] Number, in the result, of bytes of the host's data that were only in the write buffer
    when the window ended: written, and not on flash yet. Null in a result of an older format.
    """

    held_share: float
    """[ratio] Absolute change of the amount of host data that only the write buffer held, from the
    beginning to the end of the window, as a share of what the host wrote.
    """

    settled: bool
    """[yes/no] True if write amplification is hardly affected by the write buffer filling or emptying
    during the window: the change of the buffer's contents (`held_share`) is at most 3 % of the
    bytes that the host wrote.
    """


@dataclass(frozen=True, slots=True, repr=False)
class TooShort(Section):
    """Set of facts that say why a run is too short for an estimate of long-run write amplification."""

    victims: Count
    """[superblocks] Number of garbage collection victims, or merges of a block map, in the run without
    the part that was left out.
    """

    needed: Count
    """[superblocks] Number of garbage collection victims that an estimate of long-run write
    amplification needs at least, given in the result for comparison with `victims`.
    """

    drifting: bool
    """[yes/no] True if write amplification had not settled: the end of the run still differed from
    what came before.
    """

    reason: Literal["victims", "drifting", "folding", "room"]
    """[text] Reason, by name, why the result has no estimate of long-run write amplification:
    `victims`, there were too few; `drifting`, write amplification had not reached a steady level;
    `folding`, data went to the SLC cache and none were folded, so that the cost of folding is not
    known; `room`, a part of the run gained no free space.
    """


@dataclass(frozen=True, slots=True, repr=False)
class WafLongRun(Section):
    """Estimate of write amplification in the long run, if the workload goes on as it did."""

    value: float | None
    """[ratio] Estimated write amplification in the long run; null where the run is too short."""

    low: float | None
    """[ratio] Lower end of the confidence interval of the estimated long-run write amplification; null
    where the run is too short.
    """

    high: float | None
    """[ratio] Upper end of the confidence interval of the estimated long-run write amplification; null
    where the run is too short.
    """

    half_width_relative: float | None
    """[ratio] Half width of the confidence interval of the estimated long-run write amplification, as
    a share of the estimate; null where the run is too short.
    """

    confidence_level: float
    """[ratio] Confidence level, in the result, of the interval from `low` to `high`: share of runs
    like this one whose interval contains the true long-run write amplification.
    """

    victims: Count
    """[superblocks] Number of garbage collection victims, or merges of a block-level map, on which the
    estimate of long-run write amplification rests.
    """

    batches: Count | None
    """[count] Number of consecutive parts of the run (batches) from whose variance the confidence
    interval follows; null where the run is too short.
    """

    left_out: float
    """[ratio] Share of the run that was left out at its beginning because the write amplification of
    the later part differs from it.
    """

    overwrites: float
    """[ratio] Number of times that the run overwrote the logical space (host bytes over logical
    capacity); data that the run has not overwritten are as they were before.
    """

    too_short: TooShort | None
    """Part of the result with the facts that say why there is no estimate of long-run write
    amplification; null where there is one.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Debt(Section):
    """Results on garbage collection debt: free space for writes that was missing when the window
    began, or that the window left to be collected later.
    """

    room_units: float
    """[mapping units] Free space, in mapping units, that garbage collection gained beyond what the
    measured window's programs took; negative: the programs took more than garbage collection
    gained.
    """

    room_superblocks: float
    """[superblocks] Free space, in superblocks, that garbage collection gained beyond what the
    measured window's programs took; negative: the programs took more than garbage collection
    gained.
    """

    units_moved: float
    """[mapping units] Number of mapping units that garbage collection moved to make up for free space
    missing at the beginning of the measured window.
    """

    units_deferred: float | None
    """[mapping units] Number of mapping units that the measured window left to be moved later, at the
    cost per unit of the window's own victims; null where these victims gained no free space.
    """


@dataclass(frozen=True, slots=True, repr=False)
class StagesOf(Section):
    """Mean times in nanoseconds that a request of one kind (reads or writes) spent in each stage of
    its latency. All are null without such requests.
    """

    queue: float | None
    """Mean time in nanoseconds from a request's arrival until the drive fetched the request."""

    command: float | None
    """Mean time in nanoseconds from the fetch of a request until the drive's firmware had processed
    the command.
    """

    buffer: float | None
    """Mean wait, in ns, for space in the write buffer, or for data in it to be programmed, as far as
    no other stage covers it.
    """

    wait_host: float | None
    """Mean wait, in ns, in a die's queue, or for space in the write buffer, while the die worked for
    other requests of the host.
    """

    wait_gc: float | None
    """Mean wait, in ns, in a die's queue, or for space in the write buffer, while the die worked for
    garbage collection.
    """

    wait_wear: float | None
    """Mean wait, in ns, in a die's queue, or for space in the write buffer, while the die worked for
    wear levelling.
    """

    wait_other: float | None
    """Mean wait, in ns, in a die's queue, or for space in the write buffer, while the die worked for
    other origins than host, garbage collection and wear levelling: the logical-to-physical map,
    refresh, folding, parity.
    """

    wait_die: float | None
    """Mean wait, in ns, in a die's queue while the die switched between operations or waited for its
    channel.
    """

    channel: float | None
    """Mean wait, in ns, at the die for a flash channel that carried something else."""

    array: float | None
    """Mean time in nanoseconds for which the flash array was reading, programming or erasing for the
    request.
    """

    transfer: float | None
    """Mean time in nanoseconds for which the request's commands and data crossed the flash channel.
    """

    ecc: float | None
    """Mean time in nanoseconds for the error correction (decoding) of the data that the request read,
    read retries included.
    """

    link: float | None
    """Mean time in nanoseconds for which the request's data crossed the host link."""


@dataclass(frozen=True, slots=True, repr=False)
class Stages(Section):
    """Mean times that reads and writes spent in each stage of their latency. The stages add up to the
    mean latency.
    """

    read: StagesOf
    """[ns] Mean times in nanoseconds, in the result, that a read of the host spent in each stage of
    its latency.
    """

    write: StagesOf
    """[ns] Mean times in nanoseconds, in the result, that a write of the host spent in each stage of
    its latency.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Job(Section):
    """Results of one job of a fio file, or of one volume of a trace. Percentiles are within a
    hundredth of the true ones, and rates are over the whole measured window.
    """

    name: str
    """[text] Name, in the result, of the fio job or of the trace's volume."""

    read: Requests | None
    """Number, bytes, rates and latencies of the completed reads of the job or volume; null without
    any.
    """

    write: Requests | None
    """Number, bytes, rates and latencies of the completed writes of the job or volume; null without
    any.
    """

    trim: Requests | None
    """Number, bytes, rates and latencies of the completed trims of the job or volume; null without
    any.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Buffer(Section):
    """Results on the write buffer in DRAM (`ftl.buffer`): where the units that the host read were
    found, and where the units that it wrote went.
    """

    hit_ratio_read: float | None
    """[ratio] Share of the host's reads that the write buffer served, out of the mapping units read
    from buffer or flash; null without either.
    """

    hit_ratio_write: float | None
    """[ratio] Share of the mapping units written by the host that replaced one in the write buffer;
    null without host writes.
    """

    units_replaced: Count
    """[mapping units] Number of mapping units written by the host that replaced one in the write
    buffer.
    """

    units_replaced_uniform: float
    """[mapping units] Number of mapping units written by the host that would have replaced one in the
    write buffer if all units of the drive were written equally often.
    """

    units_overwritten_clean: Count
    """[mapping units] Number of mapping units in the write buffer that were clean (identical to their
    copy on flash) when a write of the host replaced them.
    """

    units_evicted_dirty: Count
    """[mapping units] Number of written mapping units that the eviction policy sent from the write
    buffer to the flash.
    """

    units_evicted_clean: Count
    """[mapping units] Number of mapping units identical to their copy on flash that the eviction
    policy removed from the write buffer.
    """

    units_at_risk_mean: float | None
    """[mapping units] Mean number, over time, of mapping units acknowledged but not on flash: what a
    power cut at a random moment takes from a buffer without `power_loss_protection`, and at most
    from one whose capacitors have a limit (`power.hold_up`). Null where no time passed.
    """

    units_at_risk_max: Count
    """[mapping units] Greatest number of mapping units that were acknowledged but not on flash at one
    time since the run began.
    """

    units_written: Count
    """[mapping units] Number of mapping units that the host wrote to the drive in the measured window;
    a partly written unit counts as one.
    """

    units_coalesced: Count
    """[mapping units] Of the mapping units that the host wrote, the number that replaced one in the
    write buffer that was not on flash yet.
    """

    units_stale: Count
    """[mapping units] Number of mapping units whose program ended after the host had overwritten or
    trimmed them: invalid from the start.
    """

    units_read_from_buffer: Count
    """[mapping units] Number of mapping units that the host read from the write buffer."""

    units_read_from_flash: Count
    """[mapping units] Number of mapping units that the host read from flash."""

    units_read_unmapped: Count
    """[mapping units] Number of mapping units that the host read although they were never written, or
    trimmed.
    """

    units_trimmed: Count
    """[mapping units] Number of mapping units with data that the host trimmed in the measured window.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Gc(Section):
    """Results on garbage collection in the measured window. Means are over the victims that it chose;
    null without victims.
    """

    victims: Count
    """[superblocks] Number of superblocks chosen as victims of garbage collection in the measured
    window.
    """

    valid_units_per_victim: float | None
    """[mapping units] Mean number, over the victims of the measured window, of valid mapping units in
    a victim when it was chosen: the units that had to be moved.
    """

    candidates_at_choice_mean: float | None
    """[superblocks] Mean number, over the victims of the measured window, of superblocks of the die
    that the garbage collection policy could choose the victim from.
    """

    free_at_choice_mean: float | None
    """[superblocks] Mean number, over the victims of the measured window, of free superblocks that the
    die had when the victim was chosen: how far garbage collection lets free space run down.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Merges(Section):
    """Numbers of merges in a block-level map, by kind of merge."""

    switch: Count
    """Number, in the result, of switch merges: a log block became a data block without a copy."""

    partial: Count
    """Number, in the result, of partial merges: a log block became a data block after the data it
    lacked were copied into it.
    """

    full: Count
    """Number, in the result, of full merges: the current data of a data block and of its log blocks
    were copied into a new block.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Mapping(Section):
    """Results on the map from logical to physical addresses: lookups, merges, and memory."""

    ram_bytes: Count
    """[bytes] Number, in the result, of bytes of RAM that the logical-to-physical map takes in the
    simulated drive.
    """

    hits: Count
    """[lookups] Number of lookups of map entries that were in RAM, on a drive with the
    logical-to-physical map on flash and only a part of it cached in RAM.
    """

    misses: Count
    """[lookups] Number of lookups that did not find their entry of the logical-to-physical map in the
    cache in RAM; the entry is read from flash unless its map page was never written or is in the
    write buffer.
    """

    hit_ratio: float | None
    """[ratio] Share, in the result, of lookups in the logical-to-physical map that found their entry
    in RAM; null where no lookup was counted, as with the whole map in RAM.
    """

    merges: Merges
    """[merges] Numbers, in the result, of merges of log blocks with data blocks, by kind; 0 with a
    page-level map.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Parity(Section):
    """Results on parity across dies, and on the space that it takes."""

    stripe: Count
    """[mapping units] Width, in the result, of a parity stripe without its parity, in the drive of
    this run: number of data units that share a parity unit.
    """

    superblocks: Count
    """[superblocks] Number of superblocks that are assigned to parity units (parity across dies) at
    the end of the run.
    """

    bytes: Count
    """[bytes] Capacity in bytes of the superblocks that are assigned to parity data (the parity units
    of stripes across dies) at the end of the run: the flash space that the redundancy takes.
    """

    share_of_flash: float
    """[ratio] Number of superblocks assigned to parity units at the end of the run, as a share of all
    superblocks of the drive.
    """

    share_of_capacity: float
    """[ratio] Number of bytes that the superblocks assigned to parity units at the end of the run can
    hold, as a share of the capacity that the host sees.
    """

    ram_bytes_max: Count
    """[bytes] Greatest number of bytes of RAM that the parity of incomplete stripes took in this run.
    """


@dataclass(frozen=True, slots=True, repr=False)
class PlacementEvents(Section):
    """Numbers of events of flexible data placement, by kind; each event would be an entry of NVMe's
    events log.
    """

    not_fully_written: Count
    """[superblocks] Number of superblocks of all handles that took no more data before they were full,
    or were not begun at all, because a program or the power failed, the host asked for another
    reclaim unit, or the unit was too old: reclaim unit not fully written to capacity.
    """

    time_limit_exceeded: Count
    """[reclaim units] Number of reclaim units that took no more data because they were open for longer
    than `ftl.streams.unit_time_limit`: reclaim unit time limit exceeded.
    """

    reset_modified: Count
    """[superblocks] Number of superblocks that a power cut ended before they were full: controller
    level reset modified reclaim unit handles.
    """

    invalid_identifier: Count
    """[writes] Number of writes that named an identifier which their namespace does not have, and went
    through its first handle: invalid placement identifier.
    """

    media_reallocated: Count
    """[superblocks] Number of superblocks that were collected with valid data in them: media
    reallocated.
    """

    implicitly_modified: Count
    """[reclaim units] Number of reclaim units that a handle began because the one before was full:
    implicitly modified reclaim unit handle.
    """


@dataclass(frozen=True, slots=True, repr=False)
class PlacementGroup(Section):
    """Results of one reclaim group (a set of dies): dies, valid data, and space left for each
    placement handle.
    """

    dies: Count
    """[dies] Number, in the result, of dies of the reclaim group."""

    valid_bytes: Count
    """[bytes] Number of bytes of valid data on the dies of the reclaim group at the end of the run.
    """

    available_bytes: tuple[Count, ...]
    """[bytes] List, in the result, of the bytes, for each placement handle, that could be written
    through the handle in this reclaim group at the end of the run before the handle begins another
    reclaim unit of the group: RUAMW of the handle's status.
    """

    bytes_elsewhere: Count
    """[bytes] Number of bytes of writes that named the reclaim group and went to another one, because
    all dies of the named group were full of valid data.
    """


@dataclass(frozen=True, slots=True, repr=False)
class PlacementHandle(Section):
    """Results of one placement handle (reclaim unit handle)."""

    isolation: Literal["initially", "persistently"]
    """[text] Isolation, in the result, of the placement handle's data, as text: `initially` if they
    stay apart from other data only when they are written first, `persistently` if also when garbage
    collection moves them.
    """

    bytes_written: Count
    """[bytes] Number of bytes that the host wrote through the placement handle."""

    units_opened: Count
    """[reclaim units] Number of reclaim units that were begun for the placement handle in the measured
    window.
    """

    updates: Count
    """[updates] Number of times that the host asked for another reclaim unit of the placement handle:
    reclaim unit handle updates.
    """

    available_bytes: Count
    """[bytes] Number of bytes that could be written through the handle at the end of the run before it
    begins another reclaim unit: RUAMW of the handle's status, the sum over reclaim groups.
    """

    collections: Count
    """[superblocks] Number of garbage collection victims with valid data that contained data of this
    handle alone.
    """

    bytes_moved: Count
    """[bytes] Number, in the result, of bytes that garbage collection moved out of superblocks with
    data of this handle alone.
    """


@dataclass(frozen=True, slots=True, repr=False)
class PlacementNamespace(Section):
    """Placement identifiers that writes to one namespace may name: identifier n (from 0) stands for
    handle n / g (from 0) of its list of handles in reclaim group n % g of its list of groups, where
    g is the number of its groups.
    """

    name: str
    """[text] Name, in the result, of the namespace; empty on a drive that has a single namespace
    without a name.
    """

    handles: tuple[Count, ...]
    """[handles] List, in the result, of the numbers of the placement handles of the namespace: its
    placement handle list.
    """

    groups: tuple[Count, ...]
    """[groups] List, in the result, of the numbers of the reclaim groups of the namespace."""


@dataclass(frozen=True, slots=True, repr=False)
class PlacementStreams(Section):
    """Results on the placement handles of the host, and on the data written through them: the
    statistics, handles and events of NVMe's flexible data placement.
    """

    reclaim_unit_bytes: Count
    """[bytes] Size in bytes, in the result, of a reclaim unit of the drive."""

    unit_time_limit_ns: Count | None
    """[ns] Greatest time in nanoseconds, given in the result, for which a reclaim unit takes data;
    null without a limit.
    """

    host_bytes_written: Count
    """[bytes] Number, in the result, of bytes that the host wrote: HBMW of NVMe's statistics log.
    """

    media_bytes_written: Count
    """[bytes] Number, in the result, of bytes programmed to the flash for all origins, such as the
    host and garbage collection: MBMW of NVMe's statistics log.
    """

    media_bytes_erased: Count
    """[bytes] Number, in the result, of bytes of the flash that were erased: MBE of NVMe's statistics
    log.
    """

    handles: tuple[PlacementHandle, ...]
    """List of the results of each placement handle, by number."""

    groups: tuple[PlacementGroup, ...]
    """List of the results of each reclaim group, by number; one where all dies are one group."""

    namespaces: tuple[PlacementNamespace, ...]
    """List, in the result, of the placement identifiers of each namespace, in order: one entry for a
    drive that is one namespace.
    """

    shared_collections: Count
    """[superblocks] Number of garbage collection victims with valid data that held data of several
    placement handles, or of none.
    """

    shared_bytes_moved: Count
    """[bytes] Number, in the result, of bytes that garbage collection moved out of superblocks with
    data of several placement handles, or of none.
    """

    events: PlacementEvents
    """Part of the result with the counts of the events, by kind, that NVMe's flexible data placement
    logs.
    """


@dataclass(frozen=True, slots=True, repr=False)
class ProgramOrder(Section):
    """Results on the program order, the order in which pages of different speed are programmed: how
    often it exchanged the open superblocks of host data and of moved data.
    """

    superblocks_traded: Count
    """[superblocks] Number of times, over all dies, that the open superblocks for the host's data and
    for moved data of a die exchanged roles, so that each gets pages of another speed.
    """


@dataclass(frozen=True, slots=True, repr=False)
class ReadAhead(Section):
    """Results on read-ahead: data read from flash before the host asked for it (`ftl.read_ahead`)."""

    units_read: Count
    """[mapping units] Number, in the result, of mapping units that the drive read ahead from flash.
    """

    units_used: Count
    """[mapping units] Of the mapping units read ahead, the number that the host then asked for."""

    units_wasted: Count
    """[mapping units] Of the mapping units read ahead, the number that were dropped, written or
    trimmed before the host asked for them.
    """

    units_fetched: Count
    """[mapping units] Number of mapping units read by the host that had been read ahead, or were being
    read ahead.
    """


@dataclass(frozen=True, slots=True, repr=False)
class ReadMerge(Section):
    """Results on flash reads that shared one array operation (sense) of a page row with another read
    (`ftl.read_merge`).
    """

    reads_joined: Count
    """[flash reads] Number of flash reads of the host that took their units from another read's array
    operation on the same page row.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Refresh(Section):
    """Results on refresh: moving data before errors make it unreadable (`ftl.refresh`,
    `ftl.reading.reclaim`).
    """

    superblocks_refreshed: Count
    """[superblocks] Number of superblocks that refresh moved to newly programmed pages because their
    retention time was nearly over, or because they were read too often.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Regulator(Section):
    """Results on the regulator (`ftl.regulator`), the policy that chooses how costly the write and the
    later reads of each mapping unit are: numbers of units that it asked to be rewritten and of
    these that were dropped, and the memory that it needs.
    """

    rewrites_asked: Count
    """[mapping units] Number, in the result, of mapping units that the regulator asked to be rewritten
    (programmed again) so that later reads of them take less time.
    """

    rewrites_dropped: Count
    """[mapping units] Of the mapping units that the regulator asked to be rewritten, so that reading
    them takes less time, the number that were overwritten or moved before, or for which there was
    no space.
    """

    bits_per_unit: Count
    """[bits] Number, in the result, of bits of state that the regulator (policy that chooses how
    costly each write is) stores for each mapping unit.
    """

    overhead_bytes: Count
    """[bytes] Number, in the result, of bytes of state that the regulator (policy that chooses how
    costly each write is) stores for all mapping units together.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Scrub(Section):
    """Results on the patrol (background scrub), which reads stored data in idle time and rewrites it
    where errors come near the error-correcting code's limit.
    """

    period_ns: Count
    """[ns] Configured period, given in the result, in nanoseconds, within which the patrol (background
    scrub) is to read each die once.
    """

    superblocks_read: Count
    """[superblocks] Number of superblocks that the patrol (background scrub) read."""

    superblocks_rewritten: Count
    """[superblocks] Number of superblocks that the patrol (background scrub) rewrote (moved to newly
    programmed pages) because errors came near the limit of the error-correcting code.
    """

    rounds: Count
    """[rounds] Number of rounds of the patrol (background scrub) completed; one round reads one die.
    """

    rounds_late: Count
    """[rounds] Number of rounds of the patrol (background scrub) that took longer than the period,
    including rounds in progress.
    """


@dataclass(frozen=True, slots=True, repr=False)
class SlcCache(Section):
    """Results on the SLC cache: superblocks that take the host's data with one bit per cell
    (`ftl.slc_cache`).
    """

    bytes_in_use: Count
    """[bytes] Number, in the result, of bytes that the superblocks of the SLC cache could hold at the
    end of the run.
    """

    units_written: Count
    """[mapping units] Number of mapping units of the host that were written to the SLC cache."""

    units_bypassed: Count
    """[mapping units] Number of mapping units of the host that bypassed the SLC cache because it was
    full.
    """

    hit_ratio_write: float | None
    """[ratio] Share of the host's programmed mapping units that went to the SLC cache; null without
    any.
    """

    units_read: Count
    """[mapping units] Number of mapping units that the host read from the SLC cache."""

    hit_ratio_read: float | None
    """[ratio] Share of the mapping units read from flash by the host that came from the SLC cache;
    null without such reads.
    """

    superblocks_folded: Count
    """[superblocks] Number of superblocks of the SLC cache that were folded (moved to superblocks that
    use all bits per cell).
    """

    units_folded: Count
    """[mapping units] Number of mapping units in the folded superblocks that were valid when folding
    took them.
    """

    blocks_erased: Count
    """[blocks] Number of blocks of the SLC cache (one bit per cell) that were erased; they are among
    `flash.erases`, too.
    """

    erases_per_block_mean: float | None
    """[erases] Mean number, at the end of the run, of erases of a block in the mode of one bit per
    cell, over all blocks and since the drive was built; null without blocks.
    """

    erases_per_block_max: Count | None
    """[erases] Greatest number, at the end of the run, of erases of one block in the mode of one bit
    per cell since the drive was built.
    """


@dataclass(frozen=True, slots=True, repr=False)
class KeptSnapshot(Section):
    """Record, in the result, of one of the snapshots that exist at the end of the run."""

    serial: Count
    """[count] Serial number, in the result, of the snapshot, counted from the first that the drive
    took.
    """

    taken_ns: Count
    """[ns] Simulated time in nanoseconds, in the result, at which the snapshot was taken."""

    differences: Count
    """[mapping units] Number of mapping units written or trimmed after the snapshot and before the
    next one, each counted once: number of entries in the difference table of the snapshot.
    """

    units_kept: Count
    """[mapping units] Number of mapping units overwritten or trimmed between this snapshot and the
    next whose old version the drive retains, because the snapshot's difference table names the
    version. Units that held no data when the snapshot was taken do not count.
    """


@dataclass(frozen=True, slots=True, repr=False)
class TakeTimes(Section):
    """Mean and longest times in nanoseconds from the moment of a snapshot until the
    logical-to-physical map is on flash.
    """

    mean: float | None
    """Mean time in nanoseconds from the moment of a snapshot until the logical-to-physical map was on
    flash; null without snapshots.
    """

    max: Count
    """Longest time in nanoseconds from the moment of a snapshot of the logical drive until the
    logical-to-physical map was on flash; 0 without snapshots.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Snapshots(Section):
    """Results on snapshots of the logical drive, since the run began. The time of a snapshot, or of a
    rollback, runs from its moment until the logical-to-physical map is on flash.
    """

    taken: Count
    """[snapshots] Number of snapshots of the logical drive that were taken during the run."""

    expired: Count
    """[snapshots] Number of snapshots dropped during the run because more were taken than the drive
    may keep at one time.
    """

    dropped_full: Count
    """[snapshots] Number of snapshots dropped during the run because there was no more space on flash
    for their data.
    """

    kept: tuple[KeptSnapshot, ...]
    """List of the snapshots that exist at the end of the run, the oldest first."""

    units_kept: Count
    """[mapping units] Number of mapping units of old data that stay on flash at the end of the run
    only because a snapshot refers to them.
    """

    units_kept_max: Count
    """[mapping units] Greatest number of mapping units that were kept on flash at one time only
    because a snapshot refers to them.
    """

    room_units: Count
    """[mapping units] Limit, given in the result, on the space of snapshots in the drive of this run:
    greatest number of mapping units that may stay on flash only because snapshots refer to them.
    """

    ram_bytes: Count
    """[bytes] Number of bytes of RAM that the snapshots' tables of differences take in the drive at
    the end of the run.
    """

    map_bytes_written: Count
    """[bytes] Number of bytes of the logical-to-physical map that the run wrote to flash for snapshots
    and rollbacks.
    """

    checkpoints: Count
    """[checkpoints] Number of checkpoints for snapshots and rollbacks: times that the
    logical-to-physical map was written to flash completely.
    """

    t_take_ns: TakeTimes
    """[ns] Mean and longest time in nanoseconds, in the result, from the moment of a snapshot until
    the snapshot was complete.
    """

    units_moved: Count
    """[mapping units] Number of times that the run moved a mapping unit to which only snapshots refer.
    """

    units_refused: Count
    """[mapping units] Number of mapping units of the host's writes that were refused for lack of
    space, because old data that snapshots refer to fill the space.
    """

    trims_ignored: Count
    """[mapping units] Number of mapping units of the host's trims that were ignored for lack of space,
    because old data that snapshots refer to fill the space.
    """

    rollbacks: Count
    """[rollbacks] Number of times that the drive was rolled back to a snapshot."""

    rollbacks_void: Count
    """[rollbacks] Number of rollbacks to a snapshot that were due but found no snapshot to go back to.
    """

    rollback_units: Count
    """[mapping units] Number of mapping units whose entry in the logical-to-physical map was changed
    by a rollback of the drive to a snapshot, over all rollbacks.
    """

    t_rollback_ns_mean: float | None
    """[ns] Mean time in nanoseconds from the moment of a rollback until the logical-to-physical map
    was on flash; null without rollbacks.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Upkeep(Section):
    """Results on timer-driven background work (such as refresh and patrol) since the run began."""

    share: float
    """[ratio] Configured limit on timer-driven background work (such as refresh and patrol), given for
    comparison with `share_used`: the greatest share of each die's time that the work may take.
    """

    share_used: float | None
    """[ratio] Share of the dies' time since the run began that timer-driven background work (such as
    refresh and patrol, not garbage collection) took, on average over dies; null where no time
    passed.
    """

    superblocks_begun: Count
    """[superblocks] Number of superblocks whose move, as timer-driven background work, began."""

    superblocks_late: Count
    """[superblocks] Of the superblocks whose move by timer-driven background work began, the number
    that began late: longer after the due time than one superblock takes at the permitted share of
    the die's time (`share`).
    """

    superblocks_waiting: Count
    """[superblocks] Number of superblocks whose move by timer-driven background work (such as refresh
    or scrub) was due, but had not begun at the end of the run.
    """

    late_ns_mean: float | None
    """[ns] Delay in nanoseconds from the time at which the move of a superblock by timer-driven
    background work was due until the move began, on average; null where none was begun.
    """

    late_ns_max: Count
    """[ns] Greatest delay in nanoseconds from the time at which the move of a superblock by
    timer-driven background work was due until the move began.
    """


@dataclass(frozen=True, slots=True, repr=False)
class WearLevelling(Section):
    """Results on wear levelling in the measured window."""

    relocations: Count
    """[superblocks] Number of superblocks whose data was moved so that their little worn blocks take
    part in the wear.
    """


@dataclass(frozen=True, slots=True, repr=False)
class HostOrOtherList(Section):
    """Pair of lists of counts, one for the host's requests and one for all other origins: either of
    mapping units written, with one count for each write cost, or of flash reads, with one for each
    kind of read (hard, then soft reads).
    """

    host: tuple[Count, ...]
    """List of the counts for the host's requests: of mapping units written (one count for each write
    cost) or of flash reads (one for each kind of read: hard, then soft), as the key with this table
    says.
    """

    other: tuple[Count, ...]
    """List of the counts for all origins other than the host: of mapping units written (one count for
    each write cost) or of flash reads (one for each kind of read: hard, then soft), as the key with
    this table says.
    """


@dataclass(frozen=True, slots=True, repr=False)
class WriteCost(Section):
    """Results on the write costs, ways to program a page among which the drive chooses. Each list has
    one entry for each write cost.
    """

    steps_uv: tuple[Count, ...]
    """[uV] List, in the result, of the voltage steps in microvolts between two program pulses, one for
    each write cost: a coarser step is faster and leaves more bit errors.
    """

    voltages: tuple[str | None, ...]
    """[text] List, in the result, of the names of the sets of voltages (program-verify and read
    reference voltages), one for each write cost; null for the chip's default.
    """

    retention_ns: tuple[Count, ...]
    """[ns] List, in the result, of the retention times in nanoseconds for which data must stay
    readable, one for each write cost.
    """

    units_by_step: HostOrOtherList
    """[mapping units] Numbers, in the result, of mapping units written with each write cost (way to
    program a page), for the host and for all other origins.
    """

    writes_refined: Count
    """[writes] Number of writes that took a finer voltage step between program pulses than chosen
    because the block was too worn for it.
    """


@dataclass(frozen=True, slots=True, repr=False)
class ByWhom(Section):
    """Numbers of times that a zone was opened or closed, by the actor (drive or host)."""

    drive: Count
    """Number of times that the drive opened or closed a zone by itself, without a request of the host
    for it.
    """

    host: Count
    """Number of times that a request of the host opened or closed a zone."""


@dataclass(frozen=True, slots=True, repr=False)
class ZonesByState(Section):
    """Numbers of zones in each state at the end of the run."""

    empty: Count
    """Number, in the result, of zones that were in the state Empty, without a written block, at the
    end of the run.
    """

    implicitly_open: Count
    """Number, in the result, of zones that were in the state Implicitly Opened (opened by a write) at
    the end of the run.
    """

    explicitly_open: Count
    """Number, in the result, of zones that were in the state Explicitly Opened (opened by the host's
    request) at the end of the run.
    """

    closed: Count
    """Number, in the result, of zones that were in the state Closed (partly written, and not open) at
    the end of the run.
    """

    full: Count
    """Number, in the result, of zones that were in the state Full, which take no more data, at the end
    of the run.
    """

    read_only: Count
    """Number, in the result, of zones that were in the state Read Only, which can only be read, at the
    end of the run.
    """

    offline: Count
    """Number, in the result, of zones that were in the state Offline, which can be neither read nor
    written, at the end of the run.
    """


@dataclass(frozen=True, slots=True, repr=False)
class ZonesOfDrive(Section):
    """Results on the zones of all zoned namespaces of a drive, and on zone operations in the measured
    window.
    """

    count: Count
    """[zones] Number, in the result, of zones of the drive."""

    size_bytes: Count
    """[bytes] Zone size of the drive in bytes, in the result: distance from the start of a zone to the
    start of the next; at least the zone capacity.
    """

    capacity_bytes: Count
    """[bytes] Zone capacity of the drive, in the result: number of bytes of a zone that the host can
    write; at most the zone size.
    """

    dies: Count
    """[dies] Number, in the result, of dies over which a zone is striped: each part of a zone is one
    superblock on each of these dies.
    """

    opened: ByWhom
    """[zones] Numbers, in the result, of times that a zone was opened: by the drive when a write came,
    and by the host's request.
    """

    closed: ByWhom
    """[zones] Numbers, in the result, of times that a zone was closed: by the drive to open another
    zone instead, and by the host's request.
    """

    filled: Count
    """[zones] Number, in the result, of times that a zone became full by writes of the host."""

    finished: Count
    """[zones] Number of times that the host finished a zone before it was full."""

    reset: Count
    """[zones] Number of times that a zone was reset while it held data."""

    bytes_filled_up: Count
    """[bytes] Number, in the result, of bytes of filler that finish operations wrote to complete the
    flash space which their zones had taken.
    """

    bytes_in_finished: Count
    """[bytes] Number of bytes of the host's data in zones that were finished."""

    finish_amplification: float | None
    """[ratio] Ratio, in the result, of the bytes written to finished zones, filler included, to the
    bytes that the host had written to them; null where none was finished.
    """

    superblocks_taken: Count
    """[superblocks] Number of superblocks that zones took for their data."""

    states: ZonesByState
    """[zones] Numbers, in the result, of zones in each state at the end of the run."""


@dataclass(frozen=True, slots=True, repr=False)
class FtlSections(Section):
    """Results of the firmware (flash translation layer), in sections named after those of the
    configuration that govern them.
    """

    mapping: Mapping
    """Section of the result on the map from logical to physical addresses."""

    gc: Gc
    """Section of the result on garbage collection in the measured window."""

    wear: WearLevelling
    """Section of the result on wear levelling in the measured window."""

    program_order: ProgramOrder
    """Section of the result on the program order: the order in which fast and slow pages (of different
    page types) are programmed.
    """

    buffer: Buffer
    """Section of the result on the write buffer in DRAM, and on where the host's units were found and
    went.
    """

    read_merge: ReadMerge
    """Section of the result on flash reads that share one array operation (sense) of the same page
    row.
    """

    read_ahead: ReadAhead
    """Section of the result on read-ahead: data read before the host asks for it."""

    slc_cache: SlcCache | None
    """Section of the result on the SLC cache, superblocks that take the host's data with one bit per
    cell; null where the drive has none.
    """

    parity: Parity | None
    """Section of the result on parity across dies; null where the drive has none."""

    snapshots: Snapshots | None
    """Section of the result on snapshots of the logical drive, since the run began; null where the
    drive takes none.
    """

    write_cost: WriteCost | None
    """Section of the result on the write costs, the ways to program a page (voltage step and voltage
    set) among which the drive chooses; null without `ecc.code`.
    """

    regulator: Regulator | None
    """Section of the result on the regulator, the policy that chooses how costly each write and the
    later reads are: units that it asked to be rewritten, and the memory that it needs; null without
    `ecc.code`.
    """

    refresh: Refresh | None
    """Section of the result on refresh: moving data before errors make it unreadable; null without
    `ecc.code`.
    """

    scrub: Scrub | None
    """Section of the result on the patrol (background scrub), which reads stored data to find errors;
    null where the drive has no patrol.
    """

    upkeep: Upkeep | None
    """Section of the result on timer-driven background work, and its delays; null where the drive has
    none.
    """

    streams: PlacementStreams | None = None
    """Section of the result on the host's placement handles; absent on a drive without."""

    zones: ZonesOfDrive | None = None
    """Section of the result on the zones of a zoned drive; absent on a drive without."""


@dataclass(frozen=True, slots=True, repr=False)
class ByRetries(Section):
    """Numbers and mean latencies of the host's reads, by the greatest number of read retries that one
    of their flash reads took. The lists begin with no retry and end with the largest number that
    occurred.
    """

    share: float | None
    """[ratio] Fraction of the host's reads, in the result, that took at least one read retry; null
    without reads.
    """

    requests: tuple[Count, ...]
    """[requests] List, in the result, of the numbers of the host's reads for each number of read
    retries, from 0 on.
    """

    latency_ns_mean: tuple[float | None, ...]
    """[ns] List, in the result, of the mean latencies in nanoseconds of the host's reads for each
    number of read retries, from 0 on; null without such reads.
    """


@dataclass(frozen=True, slots=True, repr=False)
class HostOrOther(Section):
    """Counts of flash reads for the host's requests, and for all other origins."""

    host: Count
    """Number of the counted flash reads (such as reads lost or reads retried; the field with this pair
    of counts says which) that were made for the host's requests.
    """

    other: Count
    """Number of the counted flash reads (such as reads lost or reads retried; the field with this pair
    of counts says which) that were made for all origins other than the host.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Ecc(Section):
    """Results on error correction: how often reads were corrected, and with how many attempts."""

    references: tuple[Count, ...]
    """[count] List, in the result, of the numbers of read reference voltages with which the cells are
    compared in each kind of read: the hard read first, then the soft reads.
    """

    reads_by_references: HostOrOtherList
    """[flash reads] Numbers of flash reads by the kind of their last attempt, in the order of
    `references` (hard read, then soft reads): the attempt that was corrected, or the last one of a
    read that stayed uncorrectable.
    """

    read_retries: Count
    """[attempts] Number of read retries: attempts of flash reads beyond the first."""

    reads_retried: HostOrOther
    """[flash reads] Number of flash reads that took more than one attempt, for the host and for other
    origins.
    """

    requests_by_retries: ByRetries
    """Numbers and mean latencies of the host's reads, by the greatest number of read retries that one
    of their flash reads took.
    """

    pages_uncorrectable: HostOrOther
    """[flash reads] Number of flash reads that the error-correcting code could not correct at any
    attempt, for the host and for other origins.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Unreadable(Section):
    """Counts of reads that the error-correcting code could not correct: data restored from parity, and
    data lost.
    """

    reads_rebuilt: HostOrOther
    """[flash reads] Number of flash reads that the error-correcting code could not correct and whose
    data was restored from parity, for the host and for other origins.
    """

    reads_lost: HostOrOther
    """[flash reads] Number of flash reads whose data could be restored neither by the error-correcting
    code nor from parity, for the host and for other origins.
    """

    units_lost: Count
    """[mapping units] Number of mapping units marked as lost: they were moved, or merged with what the
    host wrote, although they could not be read.
    """

    units_read_lost: Count
    """[mapping units] Number of mapping units marked as lost that the host asked for."""


@dataclass(frozen=True, slots=True, repr=False)
class Bus(Section):
    """Description of the flash interface on the channels, on which controller and chip agreed, and of
    its speed.
    """

    interface: str
    """[text] Name, in the result, of the flash interface on the channels, with its timing mode."""

    cycle_ns: float
    """[ns] Time in ns, in the result, of one command or address cycle on a flash channel, with the
    flash interface that controller and chips agreed on.
    """

    shortest_period_ns: float
    """[ns] Shortest clock period in nanoseconds, in the result, that the equations of the flash
    interface allow; of an interface without equations the time of the transfer of one byte, or of
    two at double data rate.
    """

    data_in_bytes_per_s: float
    """[bytes/s] Data rate in bytes per second, in the result, of a flash channel from the controller
    to the chip, with the flash interface that both agreed on.
    """

    data_out_bytes_per_s: float
    """[bytes/s] Data rate in bytes per second, in the result, of a flash channel from the chip to the
    controller, with the flash interface that both agreed on.
    """

    pins_shared: Count
    """[pins] Number, in the result, of controller pins that the flash interface needs for each channel
    and that all chips of the channel share: data, strobes and control.
    """

    pins_per_way: Count
    """[pins] Number, in the result, of further controller pins that the flash interface needs for each
    way of a channel: chip enable and ready/busy.
    """


@dataclass(frozen=True, slots=True, repr=False)
class ByColumn(Section):
    """Energies of the flash arrays in the measured window by origin of the work; null where the drive
    file does not give the chips' currents.
    """

    host: float | None
    """Energy in joules that the flash arrays took in the measured window for work for the host,
    including read-ahead.
    """

    gc: float | None
    """Energy in joules that the flash arrays took in the measured window for garbage collection.
    """

    wear: float | None
    """Energy in joules that the flash arrays took in the measured window for wear levelling."""

    other: float | None
    """Energy in joules that the flash arrays took in the measured window for all origins other than
    host, garbage collection and wear levelling.
    """


@dataclass(frozen=True, slots=True, repr=False)
class ByOperation(Section):
    """Energies of the flash chips by operation (read, program, erase, copyback) and for standby; null
    where the drive file does not give their currents.
    """

    read: float | None
    """Energy in joules of the flash chips for array reads in the measured window."""

    program: float | None
    """Energy in joules of the flash chips for programs in the measured window."""

    erase: float | None
    """Energy in joules of the flash chips for erases in the measured window."""

    copyback: float | None
    """Energy in joules of the flash chips for copybacks in the measured window."""

    standby: float | None
    """Energy in joules of the flash chips' standby current, for the whole measured window."""


@dataclass(frozen=True, slots=True, repr=False)
class Parts(Section):
    """Energies in joules by part of the drive, per byte of the host's completed requests or per
    request; null where the drive file does not give the power.
    """

    controller: float | None
    """Energy in joules of the controller, per byte of the host's completed requests or per request.
    """

    bus: float | None
    """Energy in joules of the wires of the flash channels, per byte of the host's completed requests
    or per request.
    """

    nand: float | None
    """Energy in joules of the flash chips, per byte of the host's completed requests or per request.
    """

    total: float | None
    """Total energy in joules of the parts of the drive (controller, channel wires and flash chips),
    per byte of the host's completed requests or per request.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Joules(Section):
    """Results on the energy of the drive in the measured window, by part. A part whose power the drive
    file does not give is null, and so is a total that needs it. Not included: DRAM and the host
    link.
    """

    controller: float | None
    """[J] Energy in joules of the controller in the measured window: its power for the whole window,
    and its energy per byte moved.
    """

    bus: float | None
    """[J] Energy in joules of data transfers on the wires of the flash channels in the measured
    window.
    """

    nand: float | None
    """[J] Energy in joules of the flash chips in the measured window, including standby."""

    total: float | None
    """[J] Energy in joules of all parts of the drive together in the measured window, without DRAM and
    host link.
    """

    nand_by_kind: ByOperation
    """[J] Energies in joules, in the result, of the flash chips in the measured window by flash
    operation (read, program, erase, copyback) and for standby.
    """

    nand_by_origin: ByColumn
    """[J] Energies in joules, in the result, of the chips' flash arrays in the measured window by
    origin of the work, without standby.
    """

    per_host_byte: Parts
    """[J/byte] Energies in joules, in the result, of each part of the drive per byte that completed
    requests of the host read or wrote; null without any.
    """

    per_request: Parts
    """[J/request] Energies in joules, in the result, of each part of the drive per completed request
    of the host, of any kind; null without any.
    """

    bytes_to_dies: Count
    """[bytes] Number of bytes sent to dies over the flash channels in the measured window."""

    bytes_from_dies: Count
    """[bytes] Number of bytes fetched from dies over the flash channels in the measured window."""


@dataclass(frozen=True, slots=True, repr=False)
class Wear(Section):
    """Results on the wear of the flash at the end of the run, and on failures in the measured window."""

    pe_cycles_min: Count | None
    """[cycles] Program/erase cycles of the least worn block at the end of the run, including cycles
    before the run; null without blocks.
    """

    pe_cycles_mean: float
    """[cycles] Mean number of program/erase cycles over all blocks at the end of the run, including
    cycles before the run.
    """

    pe_cycles_max: Count | None
    """[cycles] Program/erase cycles of the most worn block at the end of the run; null without blocks.
    """

    bad_blocks: Count
    """[blocks] Number of blocks that are not used at the end of the run, because of a factory defect
    or a later failure.
    """

    blocks_erased: Count
    """[blocks] Number of flash blocks erased in the measured window."""

    program_failures: Count
    """[programs] Number of flash programs that failed (the die reported a program failure) in the
    measured window.
    """

    erase_failures: Count
    """[erases] Number of block erases that failed (the die reported an erase failure) in the measured
    window.
    """

    superblocks_lost: Count
    """[superblocks] Number of superblocks that went out of use in the measured window because a block
    failed and no spare block was left, or because their die failed.
    """

    read_only: bool
    """[yes/no] True if the drive is read-only at the end of the run: too many blocks have failed for
    its logical space, and it takes no more writes.
    """


@dataclass(frozen=True, slots=True, repr=False)
class WearMap(Section):
    """Table of the wear of the flash over the drive at the end of the run: mean program/erase cycles
    by die and group of neighbouring blocks.
    """

    dies: Count
    """[dies] Number, in the result, of dies: number of rows of the wear map's `values`."""

    columns: Count
    """[count] Number, in the result, of groups of neighbouring blocks in a die: number of columns of
    the wear map's `values`.
    """

    blocks_per_column: Count
    """[blocks] Number, in the result, of neighbouring blocks of a die that one column of the wear map
    covers; each value of the wear map is the mean of the program/erase cycles of such a group of
    blocks. The last group of a die may have fewer blocks.
    """

    values: tuple[tuple[float, ...], ...]
    """[cycles] Values of the wear map in the result: mean program/erase cycles of the blocks in each
    group of neighbouring blocks, as one list for each die.
    """


@dataclass(frozen=True, slots=True, repr=False)
class DiesByOrigin(Section):
    """Shares of the measured window in which the flash array of each die worked, by origin of the
    work; each list has an entry for each die.
    """

    host: tuple[float, ...]
    """Share of the measured window, for each die, in which its flash array worked for the host,
    including read-ahead.
    """

    gc: tuple[float, ...]
    """Share of the measured window, for each die, in which its flash array worked for garbage
    collection.
    """

    wear: tuple[float, ...]
    """Share of the measured window, for each die, in which its flash array worked for wear levelling.
    """

    other: tuple[float, ...]
    """Share of the measured window, for each die, in which its flash array worked for origins other
    than host, garbage collection and wear levelling (such as refresh, the logical-to-physical map,
    folding of the SLC cache, and parity).
    """


@dataclass(frozen=True, slots=True, repr=False)
class Utilisation(Section):
    """Results on the utilisation of the drive's parts: the share of the measured window in which each
    worked.
    """

    channel: float
    """[ratio] Utilisation of the flash channels, the share of the measured window in which they were
    busy: mean over the channels.
    """

    die: float
    """[ratio] Utilisation of the dies' flash arrays, the share of the measured window in which they
    were busy: mean over the dies.
    """

    link_to_drive: float
    """[ratio] Utilisation of the host link towards the drive: share of the measured window in which
    the link was busy in this direction.
    """

    link_to_host: float
    """[ratio] Utilisation of the host link towards the host: share of the measured window in which the
    link was busy in this direction.
    """

    per_channel: tuple[float, ...]
    """[ratio] Utilisation of each flash channel: share of the measured window in which the channel was
    busy.
    """

    per_die: tuple[float, ...]
    """[ratio] Utilisation of each die's flash array: share of the measured window in which the array
    was busy.
    """

    per_die_by_origin: DiesByOrigin
    """[ratio] Utilisation, in the result, of each die's flash array by origin of the work (host,
    garbage collection, wear levelling, others).
    """


@dataclass(frozen=True, slots=True, repr=False)
class Recovery(Section):
    """Results on recovery at power-up: what the drive read to find its data again, simulated after the
    run.
    """

    t_ns: Count
    """[ns] Time in ns that recovery took at power-up, from power-up to its last read."""

    pages_read: Count
    """[pages] Number of flash pages that recovery read at power-up."""

    checkpoint_units: Count
    """[mapping units] Number, in the result, of mapping units on flash that the map's last checkpoint
    takes.
    """

    summaries: Count
    """[superblocks] Number of superblocks whose summaries recovery read (mapping units at the end of a
    superblock that list its logical units).
    """

    open_rows: Count
    """[page rows] Number of page rows (the pages with the same index in all planes) of open
    superblocks whose spare areas recovery read.
    """


@dataclass(frozen=True, slots=True, repr=False)
class PowerCut(Section):
    """Record, in the result, of one power cut: its time, damage and recovery."""

    at_ns: Count
    """[ns] Simulated time in nanoseconds at which the host lost its power; capacitors may have
    supplied the drive for longer.
    """

    operations: Count
    """[operations] Number of flash operations (each page read, page programmed or block erased counts
    as one) done from the beginning of the run to the power cut.
    """

    hold_up_ns: Count
    """[ns] Time in nanoseconds for which capacitors supplied the drive after the power cut to write
    its buffer to flash; 0 without capacitors.
    """

    requests_lost: Count
    """[requests] Number of requests of the host that were never answered because of the power cut.
    """

    units_lost_in_buffer: Count
    """[mapping units] Number of mapping units lost from the write buffer by the power cut, although
    their writes had been acknowledged to the host; no flush had covered them.
    """

    torn_rows: Count
    """[page rows] Number of page rows (each the pages with the same index in all planes) whose program
    the power cut interrupted.
    """

    paired_rows_lost: Count
    """[page rows] Number of page rows (each the pages with the same index in all planes), programmed
    before the power cut, that were damaged because an interrupted program used the same cells.
    """

    half_erased_superblocks: Count
    """[superblocks] Number of superblocks whose erase the power cut interrupted, and that must be
    erased again.
    """

    units_forgotten_on_dead_dies: Count
    """[mapping units] Number of mapping units whose newest copy lay on a failed die, so that recovery
    after the power cut could not restore it: from then on they hold nothing, or an older version.
    """

    ready_ns: Count | None
    """[ns] Time in nanoseconds from power-up until the drive took requests; null where the power
    failed again before, or the run ended.
    """

    pages_read: Count
    """[pages] Number of flash pages that recovery after this power cut read to rebuild the drive's
    logical-to-physical map.
    """

    superblocks_found: Count
    """[superblocks] Number of superblocks in which recovery after this power cut found at least one
    programmed page.
    """

    units_found: Count
    """[mapping units] Number of logical units that recovery after this power cut found on flash.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Power(Section):
    """Results on the power cuts in the run, and on the recovery after each."""

    cuts_left: Count
    """[cuts] Number of planned power cuts that did not happen because the run was over before they
    were due.
    """

    cuts: tuple[PowerCut, ...]
    """List, in the result, of the consequences of each power cut, in order of time."""


@dataclass(frozen=True, slots=True, repr=False)
class Fault(Section):
    """Results on the planned failure of a die, or of a channel with all its dies, in the middle of the
    run.
    """

    is_to_come: bool
    """[yes/no] True if the planned failure of a die or channel did not happen because the run was over
    before it was due.
    """

    at_ns: Count | None
    """[ns] Simulated time in nanoseconds of the planned failure of a die or channel; null where it did
    not happen.
    """

    operations: Count
    """[operations] Number of flash operations (each page read, page programmed or block erased counts
    as one) done from the beginning of the run to the planned failure of a die or channel; 0 where
    the failure did not happen.
    """

    dies: tuple[Count, ...]
    """[dies] List, in the result, of the indices of the dies that failed by the planned failure.
    """

    programs_failed: Count
    """[programs] Number of programs that were in flight or waiting on the failed dies: their data went
    to other dies, as far as they were in RAM.
    """

    units_protected: Count
    """[mapping units] Number of mapping units on the failed dies whose data parity across dies can
    restore.
    """

    units_lost: Count
    """[mapping units] Number of mapping units on the failed dies whose data are lost."""


@dataclass(frozen=True, slots=True, repr=False)
class Engine(Section):
    """Cost of the simulation (time and memory of the computer): the part of a result in which two runs
    of the same command differ.
    """

    wall_s: float
    """[s] Wall-clock time in seconds of the simulated run: one sum of the time for the measured window
    and for the simulated time before it.
    """

    build_s: float
    """[s] Wall-clock time in seconds that this run took to build the simulated drive."""

    precondition_s: float
    """[s] Wall-clock time in seconds that preconditioning took in this run."""

    page_operations: Count
    """[operations] Number of flash operations that this run simulated with their times: pages read,
    pages programmed and blocks erased.
    """

    page_operations_per_s: float | None
    """[1/s] Number of flash operations that this run simulated per second of wall-clock time; null
    where no time passed.
    """

    host_requests: Count
    """[requests] Number of requests of the host that this run simulated."""

    host_requests_per_s: float | None
    """[1/s] Number of requests of the host that this run simulated per second of wall-clock time; null
    where no time passed.
    """

    events: Count
    """[events] Number of events that this run scheduled in the calendar of the simulation."""

    state_bytes: Count
    """[bytes] Number, in the result, of bytes of the computer's memory that the state of the simulated
    drive took.
    """

    state_bytes_per_mapping_unit: float
    """[bytes] Number, in the result, of bytes of the computer's memory that the state of the simulated
    drive took, divided by the number of mapping units of the logical space.
    """

    peak_rss_bytes: Count
    """[bytes] Greatest number of bytes of memory that the process of this run took until the run
    ended.
    """

    session_s: float
    """[s] Wall-clock time in seconds that the whole run took, as Python measured it."""


@dataclass(frozen=True, slots=True, repr=False)
class OwnPolicy(Section):
    """Record, in the result, of a file with Python policies: name, source text and hash."""

    file: str
    """[text] Name, in the result, of a file with Python policies, as the configuration gives it.
    """

    source: str
    """[text] Text, in the result, of a source file with Python policies."""

    sha256: str
    """[text] SHA-256, in the result, of the policy file's source text, in hexadecimal digits."""


@dataclass(frozen=True, slots=True, repr=False)
class Source(Section):
    """Section of the result that describes the workload as the user requested it: kind, source and
    options.
    """

    kind: Literal["fio", "trace", "volume", "generator", "flows", "nbd", "stepped"]
    """[text] Kind, in the result, of the requested workload: `fio`, `trace`, `volume`, `generator` or
    `flows`; `nbd`: clients of a served drive; `stepped`: a program, request by request.
    """

    source: str
    """[text] Text in the result: path of the requested workload's file, or the words that name the
    workload.
    """

    options: abc.Mapping[str, Any]
    """[text] Table, in the result, of the options for reading a trace that the user gave for the
    requested workload, by name.
    """

    file_bytes: Count | None
    """[bytes] Size in bytes, in the result, of the trace file; null for other workloads."""

    text: str | None
    """[text] Text, in the result, of the fio job file; null for other workloads."""

    variables: abc.Mapping[str, str]
    """[text] Table, in the result, of the values of the variables in a fio job file, by name."""

    notes: tuple[str, ...]
    """[text] List, in the result, of remarks of the translation of a workload into a fio job."""


@dataclass(frozen=True, slots=True, repr=False)
class Invocation(Section):
    """Description of how the run was requested: together with `config` all that is needed to repeat
    it.
    """

    set: tuple[str, ...]
    """[text] List, in the result, of the configuration values given with `--set`."""

    workload: Source
    """Part of the result that describes the workload that was requested."""

    options: abc.Mapping[str, Any]
    """[text] Table, in the result, of the options of the command whose values differed from their
    defaults.
    """

    policies: tuple[OwnPolicy, ...]
    """List, in the result, of the files with the Python policies that the drive used."""


@dataclass(frozen=True, slots=True, repr=False)
class Remark(Section):
    """Remark about the run: a fact to know before its results are believed."""

    kind: str
    """[text] Kind of the remark in the result: a fixed name that scripts can look for."""

    text: str
    """[text] Text of the remark in the result: the fact, noticed in the run, that bears on whether the
    results can be believed.
    """

    advice: str
    """[text] Advice of the remark in the result: action that the user can take on the fact noticed.
    """


@dataclass(frozen=True, slots=True, repr=False)
class SampledFigure(Section):
    """Estimate of a figure of the whole run by sampling, with its interval."""

    value: float
    """Value, in the result, of the estimate of a figure for the whole sampled run."""

    interval: tuple[float, float] | None
    """Interval, in the result, that holds the value of a run in full with 95 % confidence; null where
    there are too few parts to say, or where it would reach from 0 to twice the value.
    """

    asked: float | None
    """[ratio] Half width of the estimate's interval that `--sample` asked for, as a share of the
    value; null where none was.
    """

    reached: bool | None
    """[yes/no] True if the estimate's interval is as narrow as `--sample` asked; null where no error
    was asked.
    """


@dataclass(frozen=True, slots=True, repr=False)
class SampledKind(Section):
    """Estimates of rates and latencies of one kind of requests (reads or writes) of the whole run by
    sampling.
    """

    requests: Count
    """[requests] Number of requests of the kind in the whole sampled run, unmeasured ones by their
    share among the others.
    """

    iops: SampledFigure | None
    """[1/s] Estimate, in the result, of the number of requests of the kind per second in the whole
    run.
    """

    bandwidth_bytes_per_s: SampledFigure | None
    """[bytes/s] Estimate, in the result, of the bytes of requests of the kind per second in the whole
    run.
    """

    latency_ns_mean: SampledFigure | None
    """[ns] Estimate, in the result, of the mean latency in nanoseconds of requests of the kind in the
    whole run.
    """

    latency_ns_p99: SampledFigure | None
    """[ns] Estimate, in the result, of the 99th percentile, in nanoseconds, of the latency of requests
    of the kind in the whole run.
    """


@dataclass(frozen=True, slots=True, repr=False)
class SampledPart(Section):
    """Part of a sampled run: a stretch of its requests, in detail or carried forward."""

    first_request: Count
    """[requests] Number of requests of the sampled run before this part of it."""

    requests: Count
    """[requests] Number of requests of this part of the sampled run."""

    forwarded: bool
    """[yes/no] True if this part of the sampled run was carried forward; false if it ran in detail.
    """

    waf: float | None
    """[ratio] Write amplification of this part of the sampled run, from the end of the part before;
    null where nothing was written.
    """


@dataclass(frozen=True, slots=True, repr=False)
class SampledRun(Section):
    """Report of a sampled run: how it was sampled, and what it estimates of the whole run. All other
    parts of the result that count or time are of the measured windows alone, put together as if
    nothing lay between them.
    """

    asked: str
    """[text] Value, in the result, of the option `--sample`: `auto`, or figures with the errors that
    they may have.
    """

    reached: bool | None
    """[yes/no] True if all errors that `--sample` asked for are reached; null where none was asked.
    """

    requests: Count
    """[requests] Number of requests of the whole sampled run."""

    requests_measured: Count
    """[requests] Number of requests in measured windows of the sampled run."""

    requests_warm_up: Count
    """[requests] Number of requests of the sampled run that ran in detail before or after windows and
    are not measured.
    """

    requests_forwarded: Count
    """[requests] Number of requests of the sampled run that were carried forward in the drive's state,
    without simulated time.
    """

    warm_up_requests: Count
    """[requests] Number, in the result, of requests that the sampled run simulated in detail before
    each window: until the drive has settled.
    """

    window_requests: Count
    """[requests] Number, in the result, of requests of each measured window of the sampled run."""

    keeps_up: bool | None
    """[yes/no] True if the drive took the requests of an open loop about as fast as they came, at the
    ends of windows; null in a closed loop, and where all requests ran in detail.
    """

    waf: SampledFigure | None
    """[ratio] Estimate, in the result, of the write amplification of the whole run; null without
    writes.
    """

    read: SampledKind | None
    """Part of the result with the estimates of rates and latencies of the reads of the whole run; null
    without reads, where only an error of write amplification was asked for, where requests wait
    both for times and for completions, and where the drive does not keep up with an open loop.
    """

    write: SampledKind | None
    """Part of the result with the estimates of rates and latencies of the writes of the whole run;
    null without writes, where only an error of write amplification was asked for, where requests
    wait both for times and for completions, and where the drive does not keep up with an open loop.
    """

    parts: tuple[SampledPart, ...]
    """List, in the result, of the parts of the sampled run, in order."""


@dataclass(frozen=True, slots=True, repr=False)
class RunResult(Section):
    """Results of a run, as a whole document. Counts and times are of the measured window unless they
    say otherwise: from the end of a ramp, or the beginning, to the last completion.
    """

    schema: Count
    """[count] Version number, stored in this result document, of the document's format."""

    version: str
    """[text] Version of Floatgate that wrote this result document."""

    seed: Count
    """[count] Seed, in the result, of all random numbers in the run."""

    drive: str
    """[text] Name, in the result, of the simulated drive, or of its drive file."""

    title: str
    """[text] Title, in the result, of the simulated drive, as its drive file gives it: a few words
    that describe the drive.
    """

    capacity_bytes: Count
    """[bytes] Capacity in bytes, in the result, of the drive as the host sees it."""

    interrupted: bool
    """[yes/no] True if the run was ended early, by Ctrl-C or a program."""

    interrupted_at: InterruptedAt | None
    """Section of the result with the point at which the run was interrupted; null where the run was
    not interrupted.
    """

    workload: Workload
    """Section of the result with facts about the workload that was run: name, format, number of
    requests, jobs and notes.
    """

    loop: Loop | None
    """Section of the result with the outcome of `--loop`, which repeats the workload; null without it.
    """

    config: abc.Mapping[str, Any]
    """[text] Table, in the result, of the resolved configuration of the drive: each key with its
    value, defaults included.
    """

    config_places: abc.Mapping[str, Place]
    """Table, in the result, of the origins of the configuration's values, by key."""

    precondition: Preconditioning
    """Section of the result on preconditioning: how the drive was brought into its state before the
    run.
    """

    state: State
    """Section of the result on the state of the drive when the run began, and on how many of the
    host's reads and writes depended on it.
    """

    simulated_ns: Count
    """[ns] Length of the measured window in nanoseconds of simulated time: from its beginning to the
    last completion.
    """

    started_ns: Count
    """[ns] Simulated time in nanoseconds, from the beginning of the run, at which the measured window
    began: with the run or after a ramp.
    """

    host: Host
    """Section of the result on what the host saw of the drive: requests, latencies and errors."""

    flash: Flash
    """Section of the result with the counts of flash operations (pages read and programmed, blocks
    erased) in the measured window, by origin.
    """

    waf: float | None
    """[ratio] Write amplification of this run: bytes programmed to the flash for all origins over
    bytes that the host wrote, as NVMe, OCP and SNIA define it. `waf_bytes` has both, and says
    whether the figure is settled. Null without host writes.
    """

    waf_parts: WafParts | None
    """[ratio] Section of the result with the parts of write amplification, by origin of the programs;
    null without host writes.
    """

    waf_bytes: WafBytes | None
    """Section of the result with the numbers of bytes from which write amplification is calculated,
    and whether it is settled; null without host writes.
    """

    waf_long_run: WafLongRun | None
    """Section of the result with the estimate of write amplification in the long run; null without
    host writes.
    """

    debt: Debt | None
    """Section of the result on garbage collection debt: free space that was missing when the measured
    window began, or that the window left to garbage collection after its end; null without victims.
    """

    stages: Stages
    """Section of the result with the mean times that reads and writes spent in each stage of their
    latency.
    """

    jobs: tuple[Job, ...]
    """List of the results of each job of a fio file, or of each volume of a trace; of more than 64
    only the first 64.
    """

    ftl: FtlSections
    """Section of the result on the firmware (flash translation layer), in sections."""

    ecc: Ecc | None
    """Section of the result on error correction of flash reads; null without `ecc.code`."""

    unreadable: Unreadable
    """Section of the result with the counts of flash reads that the error-correcting code could not
    correct, and of reads whose data parity restored.
    """

    bus: Bus
    """Section of the result that describes the flash interface of controller and chips on the
    channels, and its speed.
    """

    energy_j: Joules
    """Section of the result on the energy of the drive in the measured window, by part."""

    wear: Wear
    """Section of the result on the wear of the flash at the end of the run, and on failures of blocks.
    """

    wear_map: WearMap
    """Section of the result with the table of the mean program/erase cycles of the flash by die and
    group of blocks.
    """

    utilisation: Utilisation
    """Section of the result with the utilisation of channels, dies and the host link: the share of the
    measured window in which each worked.
    """

    recovery: Recovery | None
    """Section of the result on the cost of recovery: the work by which the drive finds its data again
    at power-up; null where the logical-to-physical map survives a power cut.
    """

    power: Power | None
    """Section of the result on the power cuts in the middle of the run, and their consequences; null
    without `power.cut`.
    """

    fault: Fault | None
    """Section of the result on the planned failure of a die or a channel in the middle of the run, and
    its consequences; null without `fault`.
    """

    engine: Engine
    """Section of the result on the cost of the simulation in the computer's time and memory."""

    invocation: Invocation
    """Section of the result that describes how the run was requested: workload, settings and options.
    """

    remarks: tuple[Remark, ...]
    """List of remarks about the run (kind, text, advice): facts to know before its results are
    believed.
    """

    sample: SampledRun | None = None
    """Section of the result with the report of a sampled run (`--sample`); absent where the whole run
    was simulated in detail.
    """
