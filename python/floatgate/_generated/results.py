"""The classes of a result, by the keys of `run.json`. Made by `floatgate.generate`."""

from collections import abc
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from floatgate.values.section import Section

Count = Annotated[int, Field(ge=0, lt=1 << 64)]


@dataclass(frozen=True, slots=True, repr=False)
class InterruptedAt(Section):
    """Where an interrupted run ended."""

    phase: str
    """[text] The phase: `precondition`, `layout`, `run`."""

    workload_fraction: float | None
    """[ratio] How much of it was done; null where that is unknown."""


@dataclass(frozen=True, slots=True, repr=False)
class FioJob(Section):
    """A job of a fio file as it is written there."""

    name: str
    """[text] Its name."""

    clones: Count
    """[count] Copies of it that run (`numjobs`)."""

    together: bool
    """[yes/no] Its copies are reported as one (`group_reporting`)."""

    options: abc.Mapping[str, str]
    """[text] Its options and their values, those of the `global` section included."""


@dataclass(frozen=True, slots=True, repr=False)
class SteadyState(Section):
    """A steady state in which a job of a fio file was to end, in the numbers of fio's own result."""

    job: str
    """[text] The job; the first of a group that reports together."""

    asked: str
    """[text] What was asked for, as fio writes it: `iops_slope:0.100000%`."""

    metric: Literal["iops", "bw", "lat"]
    """[text] What was watched: `iops`, `bw` or `lat`."""

    is_slope: bool
    """[yes/no] Its slope was watched, rather than its largest distance from the mean."""

    in_percent: bool
    """[yes/no] The limit is in percent of the mean."""

    duration_s: Count
    """[s] The time over which it was looked at, in whole seconds as fio counts them."""

    attained: bool
    """[yes/no] It was reached, and ended the job."""

    attained_after_ns: Count | None
    """[ns] How long after the beginning of the job; null where it was not reached."""

    criterion: float | None
    """[as the limit] What was compared with the limit last; 0 before there were enough samples, null
    where their mean is 0.
    """

    max_deviation: float
    """[as the samples] The largest distance of a sample from the mean; 0 where the slope was watched.
    """

    slope: float
    """[as the samples, by interval] The slope; 0 where the distance was watched."""

    iops: tuple[Count, ...]
    """[1/s] Requests a second in each of the last intervals, the oldest first; zeros at the end for
    intervals that never came.
    """

    bandwidth_bytes_per_s: tuple[Count, ...]
    """[bytes/s] Bytes a second in the same intervals."""

    latency_ns: tuple[Count, ...]
    """[ns] Mean latencies in the same intervals."""


@dataclass(frozen=True, slots=True, repr=False)
class Workload(Section):
    """What was run."""

    name: str
    """[text] Its name."""

    format: str
    """[text] The format it was read from: `fio`, the format of a trace, the name of a generator.
    """

    requests: Count
    """[requests] Requests that it handed out, before the measured window, too."""

    skipped_lines: Count
    """[lines] Lines of the trace that could not be read and were skipped on request
    (`--skip-bad-lines`).
    """

    fraction_done: float | None
    """[ratio] How much of it was run; null where its length is not known."""

    notes: abc.Mapping[str, str]
    """[text] What else was found out about it, by name."""

    tags: tuple[str, ...]
    """[text] The names of its jobs or volumes, by the number that requests carry."""

    jobs: tuple[FioJob, ...]
    """The jobs of a fio file, as written; none for other workloads."""

    steady_states: tuple[SteadyState, ...]
    """The steady states in which jobs of a fio file were to end (`steadystate`); none without any.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Loop(Section):
    """What became of `--loop`."""

    rule: str
    """[text] The rule, as given."""

    passes: Count
    """[passes] Passes begun."""

    reached: bool | None
    """[yes/no] Whether write amplification became as well known as asked; null where a number of
    passes was asked for.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Place(Section):
    """Where a value of the configuration comes from."""

    place: str
    """[text] The file and line, the command line, or the default."""

    source: str | None
    """[text] The comment behind the value, which gives its source; null without one."""


@dataclass(frozen=True, slots=True, repr=False)
class Steadiness(Section):
    """When write amplification counts as steady."""

    window_overwrites: float
    """[ratio] The length of a window, in overwrites of the filled space."""

    windows: Count
    """[count] Windows that are compared."""

    least_overwrites: float
    """[ratio] Overwrites that are done at least."""

    tolerance: float
    """[ratio] How far a window may be from the mean of all."""

    limit_overwrites: float
    """[ratio] Overwrites after which the drive is used as it is."""


@dataclass(frozen=True, slots=True, repr=False)
class WarmedUp(Section):
    """Copies of the workload that ran before the measured window."""

    requests: Count
    """[requests] Requests."""

    units_written: Count
    """[mapping units] Units that they wrote."""

    t_ns: Count
    """[ns] Simulated time that they took."""

    buffer_units: Count
    """[mapping units] Units in the write buffer when they were done."""


@dataclass(frozen=True, slots=True, repr=False)
class Preconditioning(Section):
    """How the drive was brought into its state. All but `kind` are null without preconditioning."""

    kind: Literal["none", "fill", "steady", "instant", "workload"]
    """[text] `none`, `fill`, `steady`, `instant` or `workload`."""

    copies: Count | None
    """[count] Copies of the workload that were written; null for other kinds than `workload`."""

    filled_units: Count | None
    """[mapping units] Units of the logical space that were filled."""

    units_written: Count | None
    """[mapping units] Units written altogether."""

    waf_by_window: tuple[float, ...] | None
    """[ratio] Write amplification of each window of writing."""

    steady: bool | None
    """[yes/no] Write amplification had become steady."""

    rule: Steadiness | None
    """When it counts as steady."""

    warm_up: WarmedUp | None
    """Copies of the workload that then ran in time, unmeasured, until the write buffer was as this
    workload leaves it; null where none did.
    """


@dataclass(frozen=True, slots=True, repr=False)
class LaidOut(Section):
    """Data that was written before the clock started, because the workload expects it."""

    on: bool
    """[yes/no] It was not switched off (`--no-layout`)."""

    units: Count
    """[mapping units] Units written so."""

    bytes: Count
    """[bytes] The same in bytes."""


@dataclass(frozen=True, slots=True, repr=False)
class Part(Section):
    """A part of the units that the host read or wrote."""

    units: Count
    """[mapping units] Units."""

    share: float | None
    """[ratio] Their share of all, at most 1; null where there are none."""


@dataclass(frozen=True, slots=True, repr=False)
class State(Section):
    """In which state the drive began, and for how much of what the host asked that mattered."""

    began: Literal["none", "fill", "steady", "instant", "workload", "loaded"]
    """[text] How it was made: a kind of preconditioning, or `loaded`."""

    layout: LaidOut
    """Data that the workload expects, written before the clock started."""

    unit_bytes: Count
    """[bytes] Size of a mapping unit."""

    units_read: Count
    """[mapping units] Units the host read."""

    units_written: Count
    """[mapping units] Units the host wrote."""

    reads_unmapped: Part
    """Units read that were never written, or trimmed: as fast on any drive."""

    reads_from_flash: Part
    """Units read from flash."""

    writes_to_flash: Part
    """Units of the host's that were programmed; the others were overwritten in the buffer or are still
    there.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Arrivals(Section):
    """How requests came."""

    span_ns: Count
    """[ns] From the beginning of the measured window to the arrival of the last request."""

    late_ns_last: Count
    """[ns] How long the last request waited, after its time, for a place in the drive's queues; 0 for
    a workload that waits for the drive.
    """

    late_ns_max: Count
    """[ns] The longest that a request waited so."""

    outstanding_mean: float | None
    """[requests] Requests that were outstanding, on average over the window (Little's law), requests
    that waited for a place included; null where no time passed.
    """


@dataclass(frozen=True, slots=True, repr=False)
class ByKind(Section):
    """Requests by kind."""

    read: Count
    """Reads."""

    write: Count
    """Writes."""

    trim: Count
    """Trims."""

    flush: Count
    """Flushes."""

    total: Count
    """All kinds together."""

    manage: Count | None = None
    """Zones opened, closed, finished and reset; absent where none was."""


@dataclass(frozen=True, slots=True, repr=False)
class Served(Section):
    """Requests of one kind."""

    requests: Count
    """[requests] Requests done."""

    bytes: Count
    """[bytes] Bytes of the requests done."""

    failed: Count
    """[requests] Requests that the drive answered with an error."""


@dataclass(frozen=True, slots=True, repr=False)
class OfNamespace(Section):
    """What one of several namespaces was asked for in the measured window; a flush is of the whole
    drive.
    """

    name: str
    """[text] Its name."""

    command_set: str
    """[text] What may be asked of it."""

    size_bytes: Count
    """[bytes] Its size."""

    read: Served
    """Reads."""

    write: Served
    """Writes."""

    trim: Served
    """Trims."""


@dataclass(frozen=True, slots=True, repr=False)
class LatencyInterval(Section):
    """What latencies may lie between, low and high."""

    mean: tuple[float, float]
    """[ns] Of the mean."""

    p50: tuple[Count, Count] | None
    """[ns] Of the median; null where the requests do not reach beyond it."""

    p99: tuple[Count, Count] | None
    """[ns] Of the 99th percentile; null where the requests do not reach beyond it."""

    p999: tuple[Count, Count] | None
    """[ns] Of the 99.9th percentile; null where the requests do not reach beyond it."""


@dataclass(frozen=True, slots=True, repr=False)
class Interval(Section):
    """What the figures of a kind of request may lie between, low and high, if the workload goes on as
    it did.
    """

    confidence_level: float
    """[ratio] The share of such runs whose interval holds the true value."""

    batches: Count
    """[count] Parts of the run whose differences give the intervals."""

    iops: tuple[float, float]
    """[1/s] Of the requests per second."""

    bandwidth_bytes_per_s: tuple[float, float] | None
    """[bytes/s] Of the bytes per second; null where nothing was moved."""

    latency_ns: LatencyInterval | None
    """[ns] Of latencies; null where the run is too short to say."""


@dataclass(frozen=True, slots=True, repr=False)
class Latency(Section):
    """Times from arrival to completion; all are null without such requests. Percentiles are within a
    thousandth of the true ones.
    """

    mean: float | None
    """[ns] The mean."""

    min: Count | None
    """[ns] The shortest, as percentiles are: within a thousandth."""

    p50: Count | None
    """[ns] The median: half of the requests took no longer."""

    p90: Count | None
    """[ns] 90 % of the requests took no longer."""

    p95: Count | None
    """[ns] 95 % of the requests took no longer."""

    p99: Count | None
    """[ns] 99 % of the requests took no longer."""

    p999: Count | None
    """[ns] 99.9 % of the requests took no longer."""

    p9999: Count | None
    """[ns] 99.99 % of the requests took no longer."""

    max: Count | None
    """[ns] The longest."""

    stddev: float | None
    """[ns] The standard deviation."""


@dataclass(frozen=True, slots=True, repr=False)
class Reads(Section):
    """Reads that were done, and how fast."""

    requests: Count
    """[requests] Requests done; failed ones are not among them."""

    bytes: Count
    """[bytes] Bytes of those requests."""

    iops: float | None
    """[1/s] Requests done per second of simulated time; null where no time passed."""

    bandwidth_bytes_per_s: float | None
    """[bytes/s] Bytes done per second of simulated time; null where no time passed."""

    latency_ns: Latency
    """[ns] Times from the arrival of a request to its completion."""

    interval: Interval | None
    """What the figures may lie between, had the run gone on; null where it is too short to say."""

    uncorrectable: Count
    """[requests] Reads answered with an error because neither the code nor parity could bring their
    data back.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Requests(Section):
    """Requests of one kind that were done, and how fast."""

    requests: Count
    """[requests] Requests done; failed ones are not among them."""

    bytes: Count
    """[bytes] Bytes of those requests."""

    iops: float | None
    """[1/s] Requests done per second of simulated time; null where no time passed."""

    bandwidth_bytes_per_s: float | None
    """[bytes/s] Bytes done per second of simulated time; null where no time passed."""

    latency_ns: Latency
    """[ns] Times from the arrival of a request to its completion."""


@dataclass(frozen=True, slots=True, repr=False)
class Trims(Section):
    """Trims that were done, and how fast."""

    requests: Count
    """[requests] Requests done; failed ones are not among them."""

    bytes: Count
    """[bytes] Bytes of those requests."""

    iops: float | None
    """[1/s] Requests done per second of simulated time; null where no time passed."""

    bandwidth_bytes_per_s: float | None
    """[bytes/s] Bytes done per second of simulated time; null where no time passed."""

    latency_ns: Latency
    """[ns] Times from the arrival of a request to its completion."""

    requests_without_unit: Count | None
    """[requests] Of those, requests that cover no whole mapping unit: they forget nothing. Null where
    it was not counted.
    """

    bytes_outside_units: Count | None
    """[bytes] Of their bytes, those in mapping units that a trim covers in part: the drive keeps them.
    Null where it was not counted.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Writes(Section):
    """Writes that were done, and how fast."""

    requests: Count
    """[requests] Requests done; failed ones are not among them."""

    bytes: Count
    """[bytes] Bytes of those requests."""

    iops: float | None
    """[1/s] Requests done per second of simulated time; null where no time passed."""

    bandwidth_bytes_per_s: float | None
    """[bytes/s] Bytes done per second of simulated time; null where no time passed."""

    latency_ns: Latency
    """[ns] Times from the arrival of a request to its completion."""

    interval: Interval | None
    """What the figures may lie between, had the run gone on; null where it is too short to say."""


@dataclass(frozen=True, slots=True, repr=False)
class Host(Section):
    """What the host saw of the drive in the measured window."""

    read: Reads
    """Reads."""

    write: Writes
    """Writes."""

    trim: Trims
    """Trims: the host no longer needs the data. Forgotten are the mapping units that a trim covers as
    a whole.
    """

    flush: Requests
    """Flushes: all acknowledged data must be durable."""

    arrivals: Arrivals
    """When requests arrived, and how long they waited for a place in the queues."""

    submitted: ByKind
    """[requests] Requests that the host sent in the measured window."""

    completed: ByKind
    """[requests] Of those, requests that the drive did."""

    failed: ByKind
    """[requests] Of those, requests that the drive answered with an error."""

    namespaces: tuple[OfNamespace, ...] = ()
    """What each namespace was asked for; absent on a drive that is one."""

    manage: Requests | None = None
    """Zones opened, closed, finished and reset by the host; absent where none was."""

    errors: abc.Mapping[str, Count] | None = None
    """[requests] Requests that zones answered with an error, by the status that NVMe defines; absent
    where none did.
    """


@dataclass(frozen=True, slots=True, repr=False)
class ByOrigin(Section):
    """Counts by origin: for whom the flash worked."""

    host: Count
    """The host's requests."""

    gc: Count
    """Garbage collection."""

    wear: Count
    """Wear levelling."""

    read_modify_write: Count
    """Reading the rest of a mapping unit that the host wrote a part of."""

    rescue: Count
    """Moving data out of a superblock in which a program failed."""

    padding: Count
    """Empty units that complete a program unit."""

    rewrite: Count
    """Units written again in idle time, so that reading them costs less (`ftl.regulator`)."""

    refresh: Count
    """Data written again before its retention time is over, or because its block was read too often.
    """

    map: Count
    """The map's own units, where the map is on flash."""

    scrub: Count
    """The patrol: stored data read for its errors, and written again where they come near the code's
    limit.
    """

    fold: Count
    """Data moved from the SLC cache to superblocks that use all bits per cell."""

    parity: Count
    """Parity over dies."""

    rebuild: Count
    """Reading the rest of a stripe, to bring back what the code could not correct."""

    read_ahead: Count
    """Reading data that the host has not asked for yet."""

    total: Count
    """All origins together."""


@dataclass(frozen=True, slots=True, repr=False)
class Flash(Section):
    """Operations of the flash in the measured window, by origin: for whom they were done."""

    reads: ByOrigin
    """[pages] Pages read."""

    programs: ByOrigin
    """[pages] Pages programmed. A program counts for the origin of its first mapping unit."""

    erases: ByOrigin
    """[blocks] Blocks erased."""

    units_programmed: ByOrigin
    """[mapping units] Mapping units programmed, each under its own origin. Their bytes are in
    `waf_bytes.programmed`.
    """

    page_bytes: Count
    """[bytes] Size of a page."""

    mapping_unit_bytes: Count
    """[bytes] Size of a mapping unit, the smallest piece of data with its own location."""


@dataclass(frozen=True, slots=True, repr=False)
class WafParts(Section):
    """What write amplification was made of: bytes programmed for each origin, per byte the host wrote.
    The parts add up to `waf`. Null: nothing was programmed for this origin.
    """

    host: float
    """The host's own bytes, as they came to the flash: below 1 where it overwrote them in the buffer,
    or the buffer still holds them.
    """

    fill_up: float | None
    """Filling up mapping units: the rest of units that the host wrote a part of, programmed beside
    that part.
    """

    gc: float
    """Garbage collection for the room that the window's own writes took."""

    gc_debt: float
    """Garbage collection for room that was missing when the window began; negative where the window
    left room to be collected later.
    """

    wear: float | None
    """Wear levelling."""

    rescue: float | None
    """Data moved out of superblocks in which a program failed."""

    padding: float
    """Empty units that complete a program unit."""

    rewrite: float | None
    """Data written again so that reading it costs less."""

    refresh: float | None
    """Data written again before its retention time is over, or because its block was read too often.
    """

    map: float | None
    """The map's own units."""

    scrub: float | None
    """Data that the patrol wrote again."""

    fold: float | None
    """Data folded out of the SLC cache."""

    parity: float | None
    """Parity over dies."""

    rebuild: float | None
    """Data brought back from parity."""

    read_ahead: float | None
    """Data read ahead."""


@dataclass(frozen=True, slots=True, repr=False)
class WafBytes(Section):
    """The bytes that write amplification is made of, and whether what the buffer holds would change
    it.
    """

    host_written: Count
    """[bytes] Bytes that the host's write requests carried into the drive."""

    programmed: Count
    """[bytes] Bytes programmed to the flash, for all origins."""

    filled_up: Count | None
    """[bytes] Of those programmed for the host, bytes that no request of its carried: the rest of
    units that it wrote a part of. Null in a result of an older format that does not tell.
    """

    held_before: Count | None
    """[bytes] Bytes of the host's that were in the buffer alone when the window began; null in a
    result of an older format.
    """

    held: Count | None
    """[bytes] Bytes of the host's that were in the buffer alone when the window ended: written, and
    not on flash yet. Null in a result of an older format.
    """

    held_share: float
    """[ratio] What the buffer held more, or less, at the end than at the beginning, as a share of what
    the host wrote.
    """

    settled: bool
    """[yes/no] That share is at most 3 %. Where it is more, `waf` says how full the buffer is rather
    than what the drive does.
    """


@dataclass(frozen=True, slots=True, repr=False)
class TooShort(Section):
    """Why a run is too short for an estimate."""

    victims: Count
    """[superblocks] Victims, or merges, that there were."""

    needed: Count
    """[superblocks] Victims that are needed at least."""

    drifting: bool
    """[yes/no] The run had not settled: its end still differed from what came before."""

    reason: Literal["victims", "drifting", "folding", "room"]
    """[text] What is missing: `victims`, there were too few; `drifting`, the run had not settled;
    `folding`, data went to the SLC cache and none were folded, so that what folding costs is not
    known; `room`, a part of the run gained no room.
    """


@dataclass(frozen=True, slots=True, repr=False)
class WafLongRun(Section):
    """What write amplification comes to in the long run, if the workload goes on as it did."""

    value: float | None
    """[ratio] The estimate; null where the run is too short for one."""

    low: float | None
    """[ratio] The lower end of its confidence interval; null where the run is too short."""

    high: float | None
    """[ratio] The upper end of its confidence interval; null where the run is too short."""

    half_width_relative: float | None
    """[ratio] Half the interval as a share of the value; null where the run is too short."""

    confidence_level: float
    """[ratio] The share of such runs whose interval holds the true value."""

    victims: Count
    """[superblocks] Victims of garbage collection, or merges of a block map, that the estimate rests
    on.
    """

    batches: Count | None
    """[count] Parts of the run whose differences give the interval; null where the run is too short.
    """

    left_out: float
    """[ratio] The share of the run that was left out at its beginning because it went on differently.
    """

    overwrites: float
    """[ratio] How often the run wrote the logical space over: what it has not reached is as it was
    before.
    """

    too_short: TooShort | None
    """Why there is no estimate; null where there is one."""


@dataclass(frozen=True, slots=True, repr=False)
class Debt(Section):
    """Room for writes that was missing when the window began, or that it left to be collected later."""

    room_units: float
    """[mapping units] Room gained beyond what the window's programs took; negative: room used up.
    """

    room_superblocks: float
    """[superblocks] The same in superblocks."""

    units_moved: float
    """[mapping units] Units that garbage collection moved to make up for room missing at the
    beginning.
    """

    units_deferred: float | None
    """[mapping units] Units that the window left to be moved later, at the price of its own victims;
    null where these gained no room.
    """


@dataclass(frozen=True, slots=True, repr=False)
class StagesOf(Section):
    """Mean time of a request in each stage. All are null without such requests."""

    queue: float | None
    """Until the drive took the request up."""

    command: float | None
    """Until the drive's firmware had understood the command."""

    buffer: float | None
    """Waiting for room in the write buffer or for data there to be programmed, as far as no other
    stage has it.
    """

    wait_host: float | None
    """Waiting in a die's queue, or for room in the buffer, while the die worked for other requests of
    the host.
    """

    wait_gc: float | None
    """The same while the die worked for garbage collection."""

    wait_wear: float | None
    """The same while the die worked for wear levelling."""

    wait_other: float | None
    """The same while the die worked for anything else: the map, refresh, folding, parity."""

    wait_die: float | None
    """Waiting in a die's queue while the die switched or waited for its channel."""

    channel: float | None
    """At the die, waiting for a channel that carried something else."""

    array: float | None
    """The array reading, programming or erasing."""

    transfer: float | None
    """Commands and data crossing the channel."""

    ecc: float | None
    """Decoding what was read, with its retries."""

    link: float | None
    """Data crossing the host link."""


@dataclass(frozen=True, slots=True, repr=False)
class Stages(Section):
    """Where the latency of reads and of writes went: the mean time a request spent in each stage. The
    stages add up to the mean latency.
    """

    read: StagesOf
    """[ns] Of reads."""

    write: StagesOf
    """[ns] Of writes."""


@dataclass(frozen=True, slots=True, repr=False)
class Job(Section):
    """One job of a fio file, or one volume of a trace. Percentiles are within a hundredth of the true
    ones, and its rates are over the whole measured window.
    """

    name: str
    """[text] Its name."""

    read: Requests | None
    """Its reads; null without any."""

    write: Requests | None
    """Its writes; null without any."""

    trim: Requests | None
    """Its trims; null without any."""


@dataclass(frozen=True, slots=True, repr=False)
class Buffer(Section):
    """What the DRAM buffer did (`ftl.buffer`), and where the host's units were found and went."""

    hit_ratio_read: float | None
    """[ratio] Units read from the buffer, as a share of those read from buffer or flash; null without
    either.
    """

    hit_ratio_write: float | None
    """[ratio] Units written that replaced one in the buffer, as a share of all; null without host
    writes.
    """

    units_replaced: Count
    """[mapping units] Units written that replaced one in the buffer."""

    units_replaced_uniform: float
    """[mapping units] Units that would be replaced if all units of the drive were written equally
    often.
    """

    units_overwritten_clean: Count
    """[mapping units] Of the units replaced, units identical to the copy on flash."""

    units_evicted_dirty: Count
    """[mapping units] Written units that the eviction policy sent to the flash."""

    units_evicted_clean: Count
    """[mapping units] Units identical to their copy on flash that the eviction policy removed from the
    buffer.
    """

    units_at_risk_mean: float | None
    """[mapping units] Units acknowledged but not on flash, on average over time: what a power cut at a
    random moment takes from a buffer without `power_loss_protection`, and at most from one whose
    capacitors have a limit (`power.hold_up`). Null where no time passed.
    """

    units_at_risk_max: Count
    """[mapping units] The most units that were so at once since the run began."""

    units_written: Count
    """[mapping units] Units the host wrote; a partly written unit counts as one."""

    units_coalesced: Count
    """[mapping units] Of those, units that replaced one in the buffer that was not on flash yet.
    """

    units_stale: Count
    """[mapping units] Units whose program ended after the host had overwritten or trimmed them:
    invalid from the start.
    """

    units_read_from_buffer: Count
    """[mapping units] Units the host read that the buffer held."""

    units_read_from_flash: Count
    """[mapping units] Units the host read from flash."""

    units_read_unmapped: Count
    """[mapping units] Units the host read that were never written, or trimmed."""

    units_trimmed: Count
    """[mapping units] Units the host trimmed that held data."""


@dataclass(frozen=True, slots=True, repr=False)
class Gc(Section):
    """What garbage collection did. Means are over the victims it chose; null without victims."""

    victims: Count
    """[superblocks] Superblocks chosen for collection."""

    valid_units_per_victim: float | None
    """[mapping units] Valid units in a victim when it was chosen: what had to be moved."""

    candidates_at_choice_mean: float | None
    """[superblocks] Superblocks of the die that the policy could choose from."""

    free_at_choice_mean: float | None
    """[superblocks] Free superblocks that the die had when a victim was chosen: how far collection
    lets free space run down.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Merges(Section):
    """Merges of block-level mapping, by kind."""

    switch: Count
    """A log block became a data block without a copy."""

    partial: Count
    """A log block became a data block after what it lacked was copied into it."""

    full: Count
    """A data block was gathered in a new block."""


@dataclass(frozen=True, slots=True, repr=False)
class Mapping(Section):
    """What the kind of mapping did, and the memory it takes."""

    ram_bytes: Count
    """[bytes] RAM that the map takes in the drive."""

    hits: Count
    """[lookups] Lookups of map entries that were in RAM, where only a part of the map is there."""

    misses: Count
    """[lookups] Lookups of map entries that had to be read from flash."""

    hit_ratio: float | None
    """[ratio] The share of lookups that found their entry in RAM; null where the whole map is in RAM.
    """

    merges: Merges
    """[merges] Merges of log blocks with data blocks; none with a map of pages."""


@dataclass(frozen=True, slots=True, repr=False)
class Parity(Section):
    """Parity across dies and the space it takes."""

    stripe: Count
    """[mapping units] Data units that share a parity unit."""

    superblocks: Count
    """[superblocks] Superblocks that hold parity at the end of the run."""

    bytes: Count
    """[bytes] Bytes that those can hold."""

    share_of_flash: float
    """[ratio] Those superblocks as a share of all."""

    share_of_capacity: float
    """[ratio] Those bytes as a share of the capacity that the host sees."""

    ram_bytes_max: Count
    """[bytes] The most RAM that parity of incomplete stripes took."""


@dataclass(frozen=True, slots=True, repr=False)
class PlacementEvents(Section):
    """Events of flexible data placement, by what they are; each would be an entry of the events log."""

    not_fully_written: Count
    """[superblocks] Superblocks of a handle that took no more data before they were full, as a program
    failed or the power did: reclaim unit not fully written to capacity.
    """

    invalid_identifier: Count
    """[writes] Writes that named a handle that there is not, and went to handle 0: invalid placement
    identifier.
    """

    media_reallocated: Count
    """[superblocks] Superblocks that were collected with valid data in them: media reallocated."""


@dataclass(frozen=True, slots=True, repr=False)
class PlacementHandle(Section):
    """A reclaim unit handle."""

    isolation: Literal["initially", "persistently"]
    """[text] How its data stay apart from others when collection moves them."""

    bytes_written: Count
    """[bytes] Bytes that the host wrote through it."""

    units_opened: Count
    """[reclaim units] Reclaim units that it began."""

    available_bytes: Count
    """[bytes] Bytes that could be written through it at the end of the run before it begins another
    reclaim unit: RUAMW of the handle's status.
    """

    collections: Count
    """[superblocks] Superblocks of its data alone that were collected with valid data in them."""

    bytes_moved: Count
    """[bytes] Bytes that were moved out of those."""


@dataclass(frozen=True, slots=True, repr=False)
class PlacementStreams(Section):
    """Placement handles of the host, and what they wrote: the statistics, handles and events of NVMe's
    flexible data placement.
    """

    reclaim_unit_bytes: Count
    """[bytes] Bytes of a reclaim unit."""

    host_bytes_written: Count
    """[bytes] Bytes that the host wrote: HBMW of the statistics log."""

    media_bytes_written: Count
    """[bytes] Bytes written to the flash for the host and for collection: MBMW."""

    media_bytes_erased: Count
    """[bytes] Bytes of the flash that were erased: MBE."""

    handles: tuple[PlacementHandle, ...]
    """The handles, by number."""

    shared_collections: Count
    """[superblocks] Superblocks with valid data that were collected and held data of several handles,
    or of none.
    """

    shared_bytes_moved: Count
    """[bytes] Bytes that were moved out of those."""

    events: PlacementEvents
    """What NVMe logs as events."""


@dataclass(frozen=True, slots=True, repr=False)
class ProgramOrder(Section):
    """What the order of programs did."""

    superblocks_traded: Count
    """[superblocks] Open superblocks that the host's data and garbage collection traded for pages of
    another speed.
    """


@dataclass(frozen=True, slots=True, repr=False)
class ReadAhead(Section):
    """Data read before the host asked for it (`ftl.read_ahead`)."""

    units_read: Count
    """[mapping units] Units read ahead."""

    units_used: Count
    """[mapping units] Of those, units that the host then asked for."""

    units_wasted: Count
    """[mapping units] Of those, units that were dropped, written or trimmed before the host asked.
    """

    units_fetched: Count
    """[mapping units] Units the host read that had been read ahead, or were on their way."""


@dataclass(frozen=True, slots=True, repr=False)
class ReadMerge(Section):
    """Reads that shared an array read (`ftl.read_merge`)."""

    reads_joined: Count
    """[flash reads] Flash reads of the host that took their units from another's array read of the
    same page row.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Refresh(Section):
    """Moving data before it is lost (`ftl.refresh`, `ftl.reading.reclaim`)."""

    superblocks_refreshed: Count
    """[superblocks] Superblocks moved because their retention time was over soon, or because they were
    read too often.
    """


@dataclass(frozen=True, slots=True, repr=False)
class Regulator(Section):
    """What the regulator did, and what it must remember."""

    rewrites_asked: Count
    """[mapping units] Units that it asked to be written again so that reading them costs less."""

    rewrites_dropped: Count
    """[mapping units] Of those, units that were overwritten or moved before, or for which there was no
    room.
    """

    bits_per_unit: Count
    """[bits] What it keeps for each unit."""

    overhead_bytes: Count
    """[bytes] What it keeps for all units together."""


@dataclass(frozen=True, slots=True, repr=False)
class Scrub(Section):
    """The patrol, which reads stored data in idle time and writes it again where errors come near the
    code's limit.
    """

    period_ns: Count
    """[ns] The time in which each die is to be read once."""

    superblocks_read: Count
    """[superblocks] Superblocks read."""

    superblocks_rewritten: Count
    """[superblocks] Superblocks written again."""

    rounds: Count
    """[rounds] Rounds completed, each over one die."""

    rounds_late: Count
    """[rounds] Rounds that took longer than the period, rounds in progress included."""


@dataclass(frozen=True, slots=True, repr=False)
class SlcCache(Section):
    """Superblocks that take the host's data with one bit per cell (`ftl.slc_cache`)."""

    bytes_in_use: Count
    """[bytes] Bytes that the superblocks of the cache could hold at the end of the run."""

    units_written: Count
    """[mapping units] Units of the host that went to the cache."""

    units_bypassed: Count
    """[mapping units] Units of the host that went past it because it was full."""

    hit_ratio_write: float | None
    """[ratio] The share of the host's programmed units that went to the cache; null without any.
    """

    units_read: Count
    """[mapping units] Units the host read from the cache."""

    hit_ratio_read: float | None
    """[ratio] Those, as a share of the units that the host read from flash; null without such reads.
    """

    superblocks_folded: Count
    """[superblocks] Superblocks of the cache that folding took."""

    units_folded: Count
    """[mapping units] Units in these superblocks that were valid when they were taken."""

    blocks_erased: Count
    """[blocks] Blocks erased that held one bit per cell; they are among `flash.erases`, too."""

    erases_per_block_mean: float | None
    """[erases] Erases in that mode of a block, on average over all blocks and since the drive was
    built; null without blocks.
    """

    erases_per_block_max: Count | None
    """[erases] The most erases in that mode of one block."""


@dataclass(frozen=True, slots=True, repr=False)
class KeptSnapshot(Section):
    """One snapshot."""

    serial: Count
    """[count] Its number, from the first that the drive took."""

    taken_ns: Count
    """[ns] Its moment in simulated time."""

    differences: Count
    """[mapping units] Units overwritten or trimmed since, until the next snapshot."""

    units_kept: Count
    """[mapping units] Of those, units whose old version is kept for it."""


@dataclass(frozen=True, slots=True, repr=False)
class TakeTimes(Section):
    """Times from the moment of a snapshot until the map is on flash."""

    mean: float | None
    """The mean; null without snapshots."""

    max: Count
    """The longest; 0 without snapshots."""


@dataclass(frozen=True, slots=True, repr=False)
class Snapshots(Section):
    """Snapshots of the logical drive, since the run began. A snapshot, or a rollback, takes from its
    moment until the map is on flash.
    """

    taken: Count
    """[snapshots] Snapshots taken."""

    expired: Count
    """[snapshots] Snapshots dropped because more were taken than are kept."""

    dropped_full: Count
    """[snapshots] Snapshots dropped because there was no more room for their data."""

    kept: tuple[KeptSnapshot, ...]
    """The snapshots that there are at the end of the run, the oldest first."""

    units_kept: Count
    """[mapping units] Units kept for snapshots only, at the end of the run."""

    units_kept_max: Count
    """[mapping units] The most units that were kept so at once."""

    room_units: Count
    """[mapping units] The most units that may be kept so."""

    ram_bytes: Count
    """[bytes] RAM that the tables of differences take in the drive at the end of the run."""

    map_bytes_written: Count
    """[bytes] Bytes of the map written to flash."""

    checkpoints: Count
    """[checkpoints] Times that the map was written to flash completely."""

    t_take_ns: TakeTimes
    """[ns] Time that a snapshot took."""

    units_moved: Count
    """[mapping units] Times that a unit was moved which only snapshots see."""

    units_refused: Count
    """[mapping units] Units of the host's writes that were refused for lack of room."""

    trims_ignored: Count
    """[mapping units] Units of trims that were ignored for lack of room."""

    rollbacks: Count
    """[rollbacks] Times that the drive went back to a snapshot."""

    rollbacks_void: Count
    """[rollbacks] Times that it should have, without a snapshot to go back to."""

    rollback_units: Count
    """[mapping units] Units that rollbacks changed."""

    t_rollback_ns_mean: float | None
    """[ns] Time that a rollback took, on average; null without any."""


@dataclass(frozen=True, slots=True, repr=False)
class Upkeep(Section):
    """Timer-driven work since the run began."""

    share: float
    """[ratio] The share of each die's time that it may take at most."""

    share_used: float | None
    """[ratio] The share that it took, on average over dies; null where no time passed."""

    superblocks_begun: Count
    """[superblocks] Superblocks whose moving began."""

    superblocks_late: Count
    """[superblocks] Of those, superblocks begun later than their die had time for one superblock.
    """

    superblocks_waiting: Count
    """[superblocks] Superblocks due and not begun at the end of the run."""

    late_ns_mean: float | None
    """[ns] How long after it was due a superblock was begun, on average; null where none was begun.
    """

    late_ns_max: Count
    """[ns] The longest of these."""


@dataclass(frozen=True, slots=True, repr=False)
class WearLevelling(Section):
    """What wear levelling did."""

    relocations: Count
    """[superblocks] Superblocks whose data was moved so that their blocks wear, too."""


@dataclass(frozen=True, slots=True, repr=False)
class HostOrOtherList(Section):
    """Counts of the host's requests and of everything else, in lists."""

    host: tuple[Count, ...]
    """For the host's requests."""

    other: tuple[Count, ...]
    """For all other origins."""


@dataclass(frozen=True, slots=True, repr=False)
class WriteCost(Section):
    """The ways to write that the drive chose from. Lists have an entry for each way."""

    steps_uv: tuple[Count, ...]
    """[uV] The voltage step between two program pulses: coarser is faster and leaves more errors.
    """

    voltages: tuple[str | None, ...]
    """[text] The name of the voltage set; null for the chip's default."""

    retention_ns: tuple[Count, ...]
    """[ns] How long the data must stay readable."""

    units_by_step: HostOrOtherList
    """[mapping units] Units written in each way."""

    writes_refined: Count
    """[writes] Writes that took a finer step than chosen because the block was too worn for it."""


@dataclass(frozen=True, slots=True, repr=False)
class ByWhom(Section):
    """Zones by what opened or closed them."""

    drive: Count
    """The drive itself."""

    host: Count
    """The host."""


@dataclass(frozen=True, slots=True, repr=False)
class ZonesByState(Section):
    """Zones by their state."""

    empty: Count
    """Nothing is written."""

    implicitly_open: Count
    """Open, as a write came."""

    explicitly_open: Count
    """Open, as the host asked for it."""

    closed: Count
    """Partly written, and not open."""

    full: Count
    """Take no more."""

    read_only: Count
    """Can only be read."""

    offline: Count
    """Cannot be used."""


@dataclass(frozen=True, slots=True, repr=False)
class ZonesOfDrive(Section):
    """The zones of a drive that is a zoned namespace, and what happened to them in the measured
    window.
    """

    count: Count
    """[zones] Zones."""

    size_bytes: Count
    """[bytes] From the start of a zone to that of the next."""

    capacity_bytes: Count
    """[bytes] Bytes of a zone that can be written."""

    dies: Count
    """[dies] Dies over which a part of a zone lies."""

    opened: ByWhom
    """[zones] Zones that were opened: as a write came, and as the host asked for it."""

    closed: ByWhom
    """[zones] Zones that were closed: to open another in their place, and as the host asked for it.
    """

    filled: Count
    """[zones] Zones that became full by writes."""

    finished: Count
    """[zones] Zones that were finished before they were full."""

    reset: Count
    """[zones] Zones that were reset with something in them."""

    bytes_filled_up: Count
    """[bytes] Bytes that finishes wrote beside the host's, to fill up what their zones had taken.
    """

    bytes_in_finished: Count
    """[bytes] Bytes of the host's in zones that were finished."""

    finish_amplification: float | None
    """[ratio] What was written to zones that were finished over what the host had written to them;
    null where none was.
    """

    superblocks_taken: Count
    """[superblocks] Superblocks that zones took."""

    states: ZonesByState
    """[zones] Zones in each state at the end of the run."""


@dataclass(frozen=True, slots=True, repr=False)
class FtlSections(Section):
    """What the firmware did, by the section of the configuration that governs it."""

    mapping: Mapping
    """The map from logical to physical numbers."""

    gc: Gc
    """Garbage collection."""

    wear: WearLevelling
    """Wear levelling."""

    program_order: ProgramOrder
    """The order in which pages of different speed are used."""

    buffer: Buffer
    """The DRAM buffer, and where the host's units were found and went."""

    read_merge: ReadMerge
    """Reads that share an array read."""

    read_ahead: ReadAhead
    """Data read before the host asks for it."""

    slc_cache: SlcCache | None
    """Superblocks that take the host's data with one bit per cell; null where the drive has none.
    """

    parity: Parity | None
    """Parity across dies; null where the drive has none."""

    snapshots: Snapshots | None
    """Snapshots of the logical drive, since the run began; null where it takes none."""

    write_cost: WriteCost | None
    """How data is written, at which cost; null without `ecc.code`."""

    regulator: Regulator | None
    """The policy that chooses what writes and reads cost; null without `ecc.code`."""

    refresh: Refresh | None
    """Moving data before it is lost; null without `ecc.code`."""

    scrub: Scrub | None
    """The patrol, which reads stored data for its errors; null where the drive has none."""

    upkeep: Upkeep | None
    """Timer-driven work, and how late it came; null where the drive has none."""

    streams: PlacementStreams | None = None
    """Placement handles of the host; absent on a drive without."""

    zones: ZonesOfDrive | None = None
    """The zones of a zoned drive; absent on a drive without."""


@dataclass(frozen=True, slots=True, repr=False)
class ByRetries(Section):
    """Reads of the host by retries. Lists begin with no retry and end with the most that occurred."""

    share: float | None
    """[ratio] The share of reads that took a retry; null without reads."""

    requests: tuple[Count, ...]
    """[requests] Reads with so many retries; the eighth entry counts more, too."""

    latency_ns_mean: tuple[float | None, ...]
    """[ns] Their mean latency; null without such reads."""


@dataclass(frozen=True, slots=True, repr=False)
class HostOrOther(Section):
    """Counts of the host's requests and of everything else."""

    host: Count
    """For the host's requests."""

    other: Count
    """For all other origins."""


@dataclass(frozen=True, slots=True, repr=False)
class Ecc(Section):
    """Error correction: how often, and with which effort, reads were corrected."""

    references: tuple[Count, ...]
    """[count] Reference voltages that one attempt to read compares the cells with, attempt by attempt.
    """

    reads_by_references: HostOrOtherList
    """[flash reads] Flash reads, by the attempt that corrected them."""

    read_retries: Count
    """[attempts] Attempts beyond the first."""

    reads_retried: HostOrOther
    """[flash reads] Flash reads that took more than one attempt."""

    requests_by_retries: ByRetries
    """Reads of the host, by the retries of the flash read that took most."""

    pages_uncorrectable: HostOrOther
    """[flash reads] Flash reads that the code could not correct."""


@dataclass(frozen=True, slots=True, repr=False)
class Unreadable(Section):
    """What became of reads that the code could not correct."""

    reads_rebuilt: HostOrOther
    """[flash reads] Flash reads whose data was brought back from parity."""

    reads_lost: HostOrOther
    """[flash reads] Flash reads whose data could not be brought back."""

    units_lost: Count
    """[mapping units] Units moved, or merged with what the host wrote, although they could not be
    read: they are marked as lost.
    """

    units_read_lost: Count
    """[mapping units] Units marked so that the host asked for."""


@dataclass(frozen=True, slots=True, repr=False)
class Bus(Section):
    """What the channels speak, and how fast: what controller and chip agreed on."""

    interface: str
    """[text] The interface and its mode."""

    cycle_ns: float
    """[ns] One command or address cycle."""

    shortest_period_ns: float
    """[ns] The shortest period of the clock by the interface's equations; `cycle_ns` where none apply.
    """

    data_in_bytes_per_s: float
    """[bytes/s] Data to the chip."""

    data_out_bytes_per_s: float
    """[bytes/s] Data from the chip."""

    pins_shared: Count
    """[pins] Pins that all chips of a channel share."""

    pins_per_way: Count
    """[pins] Pins of each way: chip enable and ready/busy."""


@dataclass(frozen=True, slots=True, repr=False)
class ByColumn(Section):
    """Energy of the arrays by origin; null where the drive file does not give their currents."""

    host: float | None
    """For the host, reading ahead included."""

    gc: float | None
    """For garbage collection."""

    wear: float | None
    """For wear levelling."""

    other: float | None
    """For all other origins."""


@dataclass(frozen=True, slots=True, repr=False)
class ByOperation(Section):
    """Energy of the chips by operation; null where the drive file does not give their currents."""

    read: float | None
    """Array reads."""

    program: float | None
    """Programs."""

    erase: float | None
    """Erases."""

    copyback: float | None
    """Copybacks."""

    standby: float | None
    """Standby current, for the whole window."""


@dataclass(frozen=True, slots=True, repr=False)
class Parts(Section):
    """Energy by part; null where the drive file does not give the power."""

    controller: float | None
    """The controller."""

    bus: float | None
    """The wires of the channels."""

    nand: float | None
    """The flash chips."""

    total: float | None
    """All parts together."""


@dataclass(frozen=True, slots=True, repr=False)
class Joules(Section):
    """Where the energy of the measured window went. A part whose power the drive file does not give is
    null, and so is a total that needs it. Not in it: DRAM and the host link.
    """

    controller: float | None
    """[J] The controller: its power for the whole window, and its energy per byte moved."""

    bus: float | None
    """[J] The wires of the channels."""

    nand: float | None
    """[J] The flash chips, standby included."""

    total: float | None
    """[J] All parts together."""

    nand_by_kind: ByOperation
    """[J] The chips' energy by operation."""

    nand_by_origin: ByColumn
    """[J] The energy of the chips' arrays by origin, without standby."""

    per_host_byte: Parts
    """[J/byte] The parts per byte that the host read or wrote; null without any."""

    per_request: Parts
    """[J/request] The parts per request of the host; null without any."""

    bytes_to_dies: Count
    """[bytes] Bytes sent to dies over the channels."""

    bytes_from_dies: Count
    """[bytes] Bytes fetched from dies over the channels."""


@dataclass(frozen=True, slots=True, repr=False)
class Wear(Section):
    """Wear of the flash at the end of the run, and what failed in the measured window."""

    pe_cycles_min: Count | None
    """[cycles] Program/erase cycles of the least worn block, those before the run included; null
    without blocks.
    """

    pe_cycles_mean: float
    """[cycles] The mean over all blocks."""

    pe_cycles_max: Count | None
    """[cycles] Of the most worn block; null without blocks."""

    bad_blocks: Count
    """[blocks] Blocks that are not used, because of a factory defect or a later failure."""

    blocks_erased: Count
    """[blocks] Blocks erased in the measured window."""

    program_failures: Count
    """[programs] Programs that failed."""

    erase_failures: Count
    """[erases] Erases that failed."""

    superblocks_lost: Count
    """[superblocks] Superblocks out of use because a block failed and no spare was left."""

    read_only: bool
    """[yes/no] The drive takes no more writes: too many blocks have failed to hold its logical space.
    """


@dataclass(frozen=True, slots=True, repr=False)
class WearMap(Section):
    """Wear over the drive: mean program/erase cycles by die and group of neighbouring blocks."""

    dies: Count
    """[dies] Dies: rows of `values`."""

    columns: Count
    """[count] Groups of blocks: columns of `values`."""

    blocks_per_column: Count
    """[blocks] Blocks in a group; the last group of a die may have fewer."""

    values: tuple[tuple[float, ...], ...]
    """[cycles] The mean of each group, die after die."""


@dataclass(frozen=True, slots=True, repr=False)
class DiesByOrigin(Section):
    """A number for each die, by origin."""

    host: tuple[float, ...]
    """For the host, reading ahead included."""

    gc: tuple[float, ...]
    """For garbage collection."""

    wear: tuple[float, ...]
    """For wear levelling."""

    other: tuple[float, ...]
    """For all other origins."""


@dataclass(frozen=True, slots=True, repr=False)
class Utilisation(Section):
    """How busy the parts of the drive were: the share of the measured window that each worked."""

    channel: float
    """[ratio] Channels, on average."""

    die: float
    """[ratio] Arrays of dies, on average."""

    link_to_drive: float
    """[ratio] The host link towards the drive."""

    link_to_host: float
    """[ratio] The host link towards the host."""

    per_channel: tuple[float, ...]
    """[ratio] Each channel."""

    per_die: tuple[float, ...]
    """[ratio] The array of each die."""

    per_die_by_origin: DiesByOrigin
    """[ratio] The array of each die, by origin."""


@dataclass(frozen=True, slots=True, repr=False)
class Recovery(Section):
    """What the drive read at power-up to find its data again, simulated after the run."""

    t_ns: Count
    """[ns] Time from power-up to the last read."""

    pages_read: Count
    """[pages] Flash pages read."""

    checkpoint_units: Count
    """[mapping units] Units of the map's last checkpoint."""

    summaries: Count
    """[superblocks] Superblocks whose summaries were read."""

    open_rows: Count
    """[page rows] Page rows of open superblocks whose spare areas were read."""


@dataclass(frozen=True, slots=True, repr=False)
class PowerCut(Section):
    """One power cut."""

    at_ns: Count
    """[ns] When the host lost its power, in simulated time."""

    operations: Count
    """[operations] Flash operations since the run began, done by then."""

    hold_up_ns: Count
    """[ns] How long capacitors kept the drive at work to write its buffer out; 0 without."""

    requests_lost: Count
    """[requests] Requests of the host that were never answered."""

    units_lost_in_buffer: Count
    """[mapping units] Units that the host was told are written, that no flush covered, and that were
    only in the buffer.
    """

    torn_rows: Count
    """[page rows] Page rows whose program was interrupted."""

    paired_rows_lost: Count
    """[page rows] Page rows programmed before, whose cells an interrupted program shared."""

    half_erased_superblocks: Count
    """[superblocks] Superblocks whose erase was interrupted, and that must be erased again."""

    units_forgotten_on_dead_dies: Count
    """[mapping units] Units of which the newest copy was on a die that had failed and that nothing
    gives back: from then on they hold nothing, or an older version.
    """

    ready_ns: Count | None
    """[ns] From power-up until the drive took requests; null where the power failed again before, or
    the run ended.
    """

    pages_read: Count
    """[pages] Flash pages that it has read to find its map."""

    superblocks_found: Count
    """[superblocks] Superblocks in which the recovery found at least one programmed page."""

    units_found: Count
    """[mapping units] Logical units that it found."""


@dataclass(frozen=True, slots=True, repr=False)
class Power(Section):
    """Power cuts in the run."""

    cuts_left: Count
    """[cuts] Cuts that were planned and did not come: the run was over before."""

    cuts: tuple[PowerCut, ...]
    """Each cut, in order."""


@dataclass(frozen=True, slots=True, repr=False)
class Fault(Section):
    """A die or a channel that fails in the run."""

    is_to_come: bool
    """[yes/no] It was planned and did not come: the run was over before."""

    at_ns: Count | None
    """[ns] When it came; null where it did not."""

    operations: Count
    """[operations] Flash operations since the run began, done by then."""

    dies: tuple[Count, ...]
    """[dies] The dies that failed."""

    programs_failed: Count
    """[programs] Programs that were in flight or waiting there: their data went elsewhere, as far as
    they were in RAM.
    """

    units_protected: Count
    """[mapping units] Mapping units there that parity gives back."""

    units_lost: Count
    """[mapping units] Mapping units there that are lost."""


@dataclass(frozen=True, slots=True, repr=False)
class Engine(Section):
    """What the simulation cost: all that two runs of the same command do not share."""

    wall_s: float
    """[s] Wall-clock time of the measured window and what led to it."""

    build_s: float
    """[s] Wall-clock time to build the drive."""

    precondition_s: float
    """[s] Wall-clock time of preconditioning."""

    page_operations: Count
    """[operations] Pages read and programmed and blocks erased, simulated with time."""

    page_operations_per_s: float | None
    """[1/s] Those per second of wall-clock time; null where no time passed."""

    host_requests: Count
    """[requests] Requests of the host that were simulated."""

    host_requests_per_s: float | None
    """[1/s] Those per second of wall-clock time; null where no time passed."""

    events: Count
    """[events] Events of the calendar."""

    state_bytes: Count
    """[bytes] Memory for the state of the drive."""

    state_bytes_per_mapping_unit: float
    """[bytes] The same by mapping unit of the logical space."""

    peak_rss_bytes: Count
    """[bytes] The most memory that the process had held until the run ended."""

    session_s: float
    """[s] Wall-clock time of the whole run, as Python saw it."""


@dataclass(frozen=True, slots=True, repr=False)
class OwnPolicy(Section):
    """A file with policies in Python."""

    file: str
    """[text] The file, as the configuration names it."""

    source: str
    """[text] What was written in it."""

    sha256: str
    """[text] SHA-256 of that, in hexadecimal digits."""


@dataclass(frozen=True, slots=True, repr=False)
class Source(Section):
    """The workload as it was asked for."""

    kind: Literal["fio", "trace", "volume", "generator", "flows", "nbd", "stepped"]
    """[text] `fio`, `trace`, `volume`, `generator` or `flows`; `nbd`: clients of a served drive;
    `stepped`: a program, request by request.
    """

    source: str
    """[text] The file, or the words that name it."""

    options: abc.Mapping[str, Any]
    """[text] Options that say how to read a trace."""

    file_bytes: Count | None
    """[bytes] The size of the trace file; null for other workloads."""

    text: str | None
    """[text] The text of the job file; null for other workloads."""

    variables: abc.Mapping[str, str]
    """[text] Values of the variables in a fio job file."""

    notes: tuple[str, ...]
    """[text] What a translation to fio's words left to say."""


@dataclass(frozen=True, slots=True, repr=False)
class Invocation(Section):
    """How the run was asked for: with `config` all that is needed to repeat it."""

    set: tuple[str, ...]
    """[text] Values given with `--set`."""

    workload: Source
    """The workload."""

    options: abc.Mapping[str, Any]
    """[text] Options that had another value than their default."""

    policies: tuple[OwnPolicy, ...]
    """The policies in Python that the drive asked."""


@dataclass(frozen=True, slots=True, repr=False)
class Remark(Section):
    """Something to know before a number is believed."""

    kind: str
    """[text] Its kind, by which a script finds it."""

    text: str
    """[text] What was seen."""

    advice: str
    """[text] What to do about it."""


@dataclass(frozen=True, slots=True, repr=False)
class RunResult(Section):
    """The result of a run. Counts and times are of the measured window unless they say otherwise: from
    the end of a ramp, or the beginning, to the last completion.
    """

    schema: Count
    """[count] The format of this document."""

    version: str
    """[text] The version of Floatgate that wrote it."""

    seed: Count
    """[count] The seed of all random numbers."""

    drive: str
    """[text] The drive, by name or file."""

    title: str
    """[text] The drive in a few words."""

    capacity_bytes: Count
    """[bytes] Bytes that the host sees."""

    interrupted: bool
    """[yes/no] The run was ended before its time, by Ctrl-C or a program."""

    interrupted_at: InterruptedAt | None
    """Where it was ended; null where it was not."""

    workload: Workload
    """What was run."""

    loop: Loop | None
    """What became of `--loop`; null without it."""

    config: abc.Mapping[str, Any]
    """[text] The resolved configuration: each key with its value, defaults included."""

    config_places: abc.Mapping[str, Place]
    """Where each value of the configuration comes from, by key."""

    precondition: Preconditioning
    """How the drive was brought into its state before the run."""

    state: State
    """In which state the drive began, and for how much of what the host asked that mattered."""

    simulated_ns: Count
    """[ns] Simulated time of the measured window: from its beginning to the last completion."""

    started_ns: Count
    """[ns] Simulated time when the measured window began, with the run or after a ramp."""

    host: Host
    """What the host saw."""

    flash: Flash
    """Operations of the flash, by origin."""

    waf: float | None
    """[ratio] Write amplification: bytes programmed to the flash for all origins over bytes that the
    host wrote, as NVMe, OCP and SNIA define it. `waf_bytes` has both, and says whether the figure
    is settled. Null without host writes.
    """

    waf_parts: WafParts | None
    """[ratio] What write amplification was made of; null without host writes."""

    waf_bytes: WafBytes | None
    """The bytes that it is made of, and whether it is settled; null without host writes."""

    waf_long_run: WafLongRun | None
    """What write amplification comes to in the long run; null without host writes."""

    debt: Debt | None
    """Room for writes that was missing at the beginning, or will be collected later; null without
    victims.
    """

    stages: Stages
    """Where the latency of requests went."""

    jobs: tuple[Job, ...]
    """The jobs of a fio file, or the volumes of a trace; of more than 64 only the first."""

    ftl: FtlSections
    """What the firmware did."""

    ecc: Ecc | None
    """Error correction; null without `ecc.code`."""

    unreadable: Unreadable
    """What became of reads that the code could not correct."""

    bus: Bus
    """What the channels speak, and how fast."""

    energy_j: Joules
    """Where the energy went."""

    wear: Wear
    """Wear of the flash."""

    wear_map: WearMap
    """Wear by place."""

    utilisation: Utilisation
    """How busy channels, dies and the host link were."""

    recovery: Recovery | None
    """What finding its data again at power-up takes; null where the map survives a power cut."""

    power: Power | None
    """What became of it when its power failed in the middle of the run; null without `power.cut`.
    """

    fault: Fault | None
    """What became of it when a die or a channel failed in the middle of the run; null without `fault`.
    """

    engine: Engine
    """What the simulation cost."""

    invocation: Invocation
    """How the run was asked for."""

    remarks: tuple[Remark, ...]
    """What to know before a number is believed."""
