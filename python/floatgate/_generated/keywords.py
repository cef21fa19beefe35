"""The keywords of the functions of `floatgate` beside those in their signatures, by command.

Made by `floatgate.generate`. Every option has the name and meaning it has on the command line.
"""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, SupportsFloat, SupportsIndex, TypedDict


class Keywords(TypedDict, total=False):
    """The options of `RunOptions` and `Options` and `TraceOptions`."""

    env: Mapping[str, Any] | None
    """A value for ${NAME} in a fio job file (repeatable). A name and its value."""

    set: Mapping[str, Any] | None
    """Override a configuration key (repeatable). A key of `floatgate keys` and its value."""

    place: str | None
    """Rule by which each write gets a placement handle, as --set host.place.name=RULE. A policy of
    host.place, or FILE.py:CLASS.
    """

    scenario: SupportsIndex | None
    """Which scenario of MQSim's workload.xml. A whole number of at least 1."""

    out: str | PathLike[str] | None
    """Folder to write to. A new folder, or with --force an earlier one; nothing is written without it.
    """

    force: bool
    """Replace an earlier result."""

    logs: str | PathLike[str] | None
    """Write the drive's own log pages there, as NVMe and OCP have them, and as nvme-cli 3.0's JSON. A
    new folder, or with --force an earlier one; nothing is written without it.
    """

    report: bool
    """Write report.html. In Python only where it is asked for."""

    seed: SupportsIndex
    """Seed of every random stream. A whole number from 0 to 18446744073709551615; default 1."""

    check: bool
    """Check the run with an independent model."""

    requests: bool
    """Keep every request: requests.parquet."""

    timeline: bool
    """Keep a Perfetto timeline."""

    timeline_detail: Literal["all", "dies", "channels"]
    """What --timeline shows: channels and dies, or one of them. One of all, dies, channels; default
    all.
    """

    precondition: Literal["none", "fill", "instant", "steady", "workload"]
    """Fill the drive, or bring it into the steady state of random writes or of this workload. One of
    none, fill, instant, steady, workload; default none.
    """

    precondition_fill: SupportsFloat | None
    """Share of the drive to fill. A number from 0 to 1."""

    layout: bool
    """First write the data the workload expects on the drive. Default True."""

    load_state: str | PathLike[str] | None
    """Start from a saved state. A file of --save-state."""

    loop: str | SupportsIndex | None
    """Run the workload N times, or until its long-run write amplification is known to 5 % (at most 100
    times, or until=waf:5%,max=20). A number of at least 1, or until=waf:SHARE.
    """

    sample: str | None
    """Run windows in detail, carry the drive's state forward between them: auto, or errors asked.
    Auto, or waf, iops, mean, p99 with the errors that they may have: waf:1%,iops:2%.
    """

    limit_requests: SupportsIndex | None
    """End after N requests. A whole number of at least 1."""

    limit_time: str | None
    """End after this simulated time: 10s. A time above 0."""

    memory_limit: str | SupportsIndex | None
    """Memory for the drives of this command: 8GiB. Larger drives are refused; those of --repeat wait
    for each other. A size above 0; default free memory of the machine.
    """

    policy_timeout: str
    """Time that a policy in Python may take for one answer: 1s. A time above 0; default 10s."""

    save_state: str | PathLike[str] | None
    """Save the drive: run at the start of the workload, age at the end of the life. A new file, or
    with --force an earlier state.
    """

    trace_format: str | None
    """See `floatgate trace formats`. A name of that list."""

    columns: str | None
    """Any table: "time:ms op offset:bytes size:sectors", or a file with that
    (docs/reference/traces.md). Names of columns.
    """

    align: str | None
    """Unaligned addresses: round (all sectors touched), offset (shift all equally). Round or offset.
    """

    member: str | None
    """Which file of an archive. A name in the archive."""

    wrap: bool
    """Take addresses modulo the capacity."""

    scale: bool
    """Scale addresses to the drive."""

    compact: bool
    """Place touched pages side by side (the default if only that fits)."""

    sort: bool
    """Sort the trace, however far out of order."""

    volume: list[str] | tuple[str, ...]
    """Only this volume (repeatable). A volume of the trace."""

    speedup: SupportsFloat | None
    """Divide times by F. A number above 0."""

    as_fast_as_possible: bool
    """Ignore times: keep --depth outstanding."""

    depth: SupportsIndex | None
    """With --as-fast-as-possible. A whole number of at least 1; default 32."""

    skip_bad_lines: bool
    """Skip unreadable lines; count them."""

    exact_footprint: bool
    """Count touched units exactly."""

    action: str | None
    """blkparse, blktrace: these events. Letters of actions; default D, or else Q, C."""

    since: str | None
    """Leave out requests before this time, from the first request: 10s. A time."""

    until: str | None
    """Leave out requests after this time. A time."""


class ServeKeywords(TypedDict, total=False):
    """The options of `ServeOptions`."""

    image: str | PathLike[str]
    """File that holds what the flash holds; made if it is not there. A new file, or the image of this
    drive.
    """

    socket: str | PathLike[str] | None
    """Listen at this path. A new path; default IMAGE.sock."""

    port: SupportsIndex | None
    """Listen at this port instead; 0: any free one. A whole number from 0 to 65535."""

    address: str
    """Address of --port. An address of this machine; default 127.0.0.1."""

    pace: str
    """Simulated seconds a second: 1 is real time, 0.1 slow motion, max as fast as possible. Max, or a
    number above 0; default 1.
    """

    set: Mapping[str, Any] | None
    """Override a configuration key (repeatable). A key of `floatgate keys` and its value."""

    seed: SupportsIndex
    """Seed of every random stream. A whole number from 0 to 18446744073709551615; default 1."""

    check: bool
    """Check the run with an independent model."""

    requests: bool
    """Keep every request: requests.parquet."""

    record: str | PathLike[str] | None
    """Record the requests as a trace that `floatgate run` replays. A new file, or with --force an
    earlier one.
    """

    metrics: SupportsIndex | None
    """Answer Prometheus at this port of this machine; 0: any free one. A whole number from 0 to 65535.
    """

    stop_after: SupportsFloat | None
    """End after so many seconds. A number from 0 to 1000000000."""

    out: str | PathLike[str] | None
    """Folder to write to. A new folder, or with --force an earlier one; nothing is written without it.
    """

    force: bool
    """Replace an earlier result."""

    report: bool
    """Write report.html. In Python only where it is asked for."""


class TortureKeywords(TypedDict, total=False):
    """The options of `TortureOptions`."""

    cuts: SupportsIndex
    """Power cuts of each drive, at least. A whole number from 1 to 1000000; default 100."""

    whole: bool
    """Leave the drives as large as they are."""

    set: Mapping[str, Any] | None
    """Override a configuration key (repeatable). A key of `floatgate keys` and its value."""

    seed: SupportsIndex
    """Seed of every random stream. A whole number from 0 to 18446744073709551615; default 1."""

    workers: SupportsIndex | None
    """Processes. A whole number of at least 1; default one per core."""

    scheduler: str | None
    """A Dask cluster that does the work instead (docs/how-to/cluster.md). Tcp://HOST:PORT; default
    FLOATGATE_SCHEDULER, or this machine.
    """

    out: str | PathLike[str] | None
    """Folder to write to. A new folder, or with --force an earlier one; nothing is written without it.
    """

    force: bool
    """Replace an earlier result."""


class AgeKeywords(TypedDict, total=False):
    """The options of `AgeOptions`."""

    set: Mapping[str, Any] | None
    """Override a configuration key (repeatable). A key of `floatgate keys` and its value."""

    hot: str | None
    """W of the writes go to S of the space: 0.8/0.2. Two shares, above 0; default uniform."""

    jump: SupportsFloat
    """Lifetime skipped at once; 0: none. A number from 0 to 0.2; default 0.01."""

    window: SupportsFloat
    """Drive writes simulated between two jumps. A number from 0.01 to 100; default 1.0."""

    measure: SupportsFloat
    """Lifetime between two speed measurements; 0: none. A number from 0 to 1; default 0.02."""

    years: SupportsFloat
    """Years over which the writes are spread. A number from 0.1 to 200; default 5.0."""

    limit_writes: SupportsFloat | None
    """End after N drive writes. A number from 0.01 to 1e+07; default at its end."""

    limit_dwpd: SupportsFloat | None
    """End after --years of N drive writes a day. A number from 0.0001 to 10000; default at its end.
    """

    jedec: Literal["client", "enterprise"] | None
    """Class of JESD218: how long data must last without power, and how surely. One of client,
    enterprise; default enterprise with capacitors, else client.
    """

    duty: SupportsFloat | None
    """Time for which the drive is powered. A number from 0 to 1; default client 1/3, enterprise 1.
    """

    temperature: SupportsFloat | None
    """Degrees Celsius with power. A number from -60 to 200; default client 40, enterprise 55."""

    off_temperature: SupportsFloat | None
    """Degrees Celsius without power. A number from -60 to 200; default client 30, enterprise 40.
    """

    save_state: str | PathLike[str] | None
    """Save the drive: run at the start of the workload, age at the end of the life. A new file, or
    with --force an earlier state.
    """

    seed: SupportsIndex
    """Seed of every random stream. A whole number from 0 to 18446744073709551615; default 1."""

    out: str | PathLike[str] | None
    """File to write. A new file, or one that Floatgate wrote; nothing is written without it."""

    force: bool
    """Replace an earlier result."""


class ExamplesKeywords(TypedDict, total=False):
    """The options of `ExamplesOptions`."""

    copy: str | PathLike[str] | None
    """Copy them into DIR/examples, to change them. A folder."""


class CharacterizeKeywords(TypedDict, total=False):
    """The options of `CharacterizeOptions`."""

    experiment: list[str] | tuple[str, ...]
    """Only this one (repeatable). A name of --list; default all."""

    blocks: SupportsIndex | None
    """Blocks worn to failure in each endurance test. A whole number of at least 1; default 30."""

    model: Literal["cells", "tables"] | None
    """The chip's cells, or the tables that drives use. One of cells, tables; default cells."""

    seed: SupportsIndex | None
    """Which sample of the chip. A whole number from 0 to 18446744073709551615; default 1."""

    workers: SupportsIndex | None
    """Processes. A whole number of at least 1; default one per core."""

    scheduler: str | None
    """A Dask cluster that does the work instead (docs/how-to/cluster.md). Tcp://HOST:PORT; default
    FLOATGATE_SCHEDULER, or this machine.
    """

    out: str | PathLike[str] | None
    """Folder to write to. A new folder, or with --force an earlier one; nothing is written without it.
    """

    force: bool
    """Replace an earlier result."""


class RberKeywords(TypedDict, total=False):
    """The options of `RberOptions`."""

    set: Mapping[str, Any] | None
    """Override a configuration key (repeatable). A key of `floatgate keys` and its value."""

    wear: str | Sequence[str | SupportsFloat | SupportsIndex] | None
    """Program/erase cycles of the blocks. Whole numbers with commas between: 0,1000,3000; default 0,
    half the rated cycles, the rated cycles.
    """

    age: str | Sequence[str | SupportsFloat | SupportsIndex]
    """Ages of the page: a chip's at its reference temperature, a drive's at nand.errors.celsius. Times
    with commas between: 30d,365d; default 0s,30d,365d.
    """

    reads: SupportsIndex
    """Reads of the block since the page was written. A whole number from 0 to 1000000000000."""

    model: Literal["cells", "tables"] | None
    """The chip's cells, or the tables that drives use. One of cells, tables; default tables where the
    chip has them.
    """

    seed: SupportsIndex | None
    """Which sample of the chip. A whole number from 0 to 18446744073709551615; default 1."""

    out: str | PathLike[str] | None
    """Folder to write to. A new folder, or with --force an earlier one; nothing is written without it.
    """

    force: bool
    """Replace an earlier result."""


class DeriveKeywords(TypedDict, total=False):
    """The options of `DeriveOptions`."""

    out: str | PathLike[str] | None
    """File to write. A new file, or one that Floatgate wrote; nothing is written without it."""

    report: str | PathLike[str] | None
    """Also draw the tables as an HTML page. A new file, or one that Floatgate wrote."""

    seed: SupportsIndex
    """Which sample of the chip. A whole number from 0 to 18446744073709551615; default 1."""


class FitKeywords(TypedDict, total=False):
    """The options of `FitOptions`."""

    chip: str | None
    """The part, by name or file. A chip's name or file; default as the logs name it."""

    sampled: str | None
    """Which cycles the logs hold: every, changes, changes 1-2-5, some, or N for every N-th. A rule;
    default as the logs declare, or every.
    """

    out: str | PathLike[str] | None
    """Folder to write to. A new folder, or with --force an earlier one; nothing is written without it.
    """

    force: bool
    """Replace an earlier result."""


class FitVoltagesKeywords(TypedDict, total=False):
    """The options of `FitOptions`."""

    chip: str | None
    """The part, by name or file. A chip's name or file; default as the logs name it."""

    out: str | PathLike[str] | None
    """Folder to write to. A new folder, or with --force an earlier one; nothing is written without it.
    """

    force: bool
    """Replace an earlier result."""


class ReportKeywords(TypedDict, total=False):
    """The options of `ReportOptions`."""

    out: str | PathLike[str] | None
    """File to write. A new file, or one that Floatgate wrote; nothing is written without it."""


class SchemaKeywords(TypedDict, total=False):
    """The options of `SchemaOptions`."""

    out: str | PathLike[str] | None
    """File to write. A new file, or one that Floatgate wrote; nothing is written without it."""

    force: bool
    """Replace an earlier result."""


class ReproduceKeywords(TypedDict, total=False):
    """The options of `ReproduceOptions`."""

    full: bool | None
    """All cases with narrow intervals, or the quick ones, in about two minutes. Default quick."""

    causes: bool
    """Run the experiments that show why claims are missed, instead of the papers' exhibits."""

    out: str | PathLike[str] | None
    """Folder to write to. A new folder, or with --force an earlier one; nothing is written without it.
    """

    workers: SupportsIndex | None
    """Processes. A whole number of at least 1; default one per core."""

    scheduler: str | None
    """A Dask cluster that does the work instead (docs/how-to/cluster.md). Tcp://HOST:PORT; default
    FLOATGATE_SCHEDULER, or this machine.
    """

    record: bool
    """Also write ours.csv and the figures into the papers' folders."""

    force: bool
    """Replace an earlier result."""


class GridKeywords(TypedDict, total=False):
    """The options of `GridOptions`."""

    block: str | Sequence[str | SupportsFloat | SupportsIndex] | None
    """Sizes. Sizes of whole sectors; default 512 to 1m."""

    depth: str | Sequence[str | SupportsFloat | SupportsIndex]
    """Requests outstanding. Numbers of at least 1; default 1,2,4."""

    pattern: str | Sequence[str | SupportsFloat | SupportsIndex]
    """Patterns. Of sequential, random; default sequential,random."""

    op: str | Sequence[str | SupportsFloat | SupportsIndex]
    """Operations. Of read, write; default read,write."""

    file_size: str
    """Size of the file at the start of the drive. A size of at most the drive's; default 1GiB."""

    steady: Literal["batches", "snia"]
    """Batch means, or SNIA's five rounds. One of batches, snia; default batches."""

    time: str | None
    """Simulated time of each run at most. A time above 0; default 60s."""

    round: str | None
    """SNIA: simulated time per round. A time above 0; default 60s."""

    precision: SupportsFloat
    """Maximum half width / mean. A number from 0.0001 to 0.5; default 0.02."""

    set: Mapping[str, Any] | None
    """Override a configuration key (repeatable). A key of `floatgate keys` and its value."""

    seed: SupportsIndex
    """Seed of every random stream. A whole number from 0 to 18446744073709551615; default 1."""

    precondition: Literal["none", "fill", "instant", "steady", "workload"] | None
    """Fill the drive, or bring it into the steady state of random writes or of this workload. One of
    none, fill, instant, steady, workload; default fill.
    """

    load_state: str | PathLike[str] | None
    """Start from a saved state. A file of --save-state."""

    workers: SupportsIndex | None
    """Processes. A whole number of at least 1; default one per core."""

    scheduler: str | None
    """A Dask cluster that does the work instead (docs/how-to/cluster.md). Tcp://HOST:PORT; default
    FLOATGATE_SCHEDULER, or this machine.
    """

    out: str | PathLike[str] | None
    """Folder to write to. A new folder, or with --force an earlier one; nothing is written without it.
    """

    force: bool
    """Replace an earlier result."""


class PlanKeywords(TypedDict, total=False):
    """The options of `PlanOptions`."""

    out: str | PathLike[str] | None
    """Folder to write to. A new folder, or with --force an earlier one; nothing is written without it.
    """

    force: bool
    """Replace an earlier result."""


class StudyKeywords(TypedDict, total=False):
    """The options of `StudyOptions`."""

    retry: bool
    """Run again what was refused or failed."""

    workers: SupportsIndex | None
    """Processes. A whole number of at least 1; default one per core."""

    scheduler: str | None
    """A Dask cluster that does the work instead (docs/how-to/cluster.md). Tcp://HOST:PORT; default
    FLOATGATE_SCHEDULER, or this machine.
    """

    out: str | PathLike[str] | None
    """Folder of the study; what it holds is not run again. A new folder, or one of a study; it lives
    as long as what is returned.
    """


class CompareKeywords(TypedDict, total=False):
    """The options of `CompareOptions`."""

    metric: str | Sequence[str | SupportsFloat | SupportsIndex] | None
    """Numbers of run.json. Paths of numbers: waf; default the headline, or a study's objectives and
    bounds.
    """

    key: str | Sequence[str | SupportsFloat | SupportsIndex] | None
    """What may differ, where it is more than one key. Keys, options, or drive for its whole
    configuration; default the one key that differs.
    """

    out: str | PathLike[str] | None
    """Folder to write to. A new folder, or with --force an earlier one; nothing is written without it.
    """

    force: bool
    """Replace an earlier result."""


class PlaceKeywords(TypedDict, total=False):
    """The options of `PlaceOptions` and `Options` and `TraceOptions`."""

    env: Mapping[str, Any] | None
    """A value for ${NAME} in a fio job file (repeatable). A name and its value."""

    set: Mapping[str, Any] | None
    """Override a configuration key (repeatable). A key of `floatgate keys` and its value."""

    rules: str | Sequence[str | SupportsFloat | SupportsIndex] | None
    """Rules to run beside none. Policies of host.place, FILE.py:CLASS; default all that the workload
    has something for.
    """

    handles: SupportsIndex | None
    """Placement handles of the drive. A whole number from 1 to 31; default those it declares, else 8.
    """

    zones: bool
    """Run the rules on zones of the same flash as well, on which the host keeps blocks."""

    seeds: SupportsIndex
    """Seeds of each rule. A whole number from 1 to 10000; default 5."""

    cycles: SupportsFloat | None
    """Program/erase cycles that a block lasts. A number from 1 to 1e+09; default what the drive's chip
    says.
    """

    seed: SupportsIndex
    """Seed of every random stream. A whole number from 0 to 18446744073709551615; default 1."""

    precondition: Literal["none", "fill", "instant", "steady", "workload"]
    """Fill the drive, or bring it into the steady state of random writes or of this workload. One of
    none, fill, instant, steady, workload; default workload.
    """

    workers: SupportsIndex | None
    """Processes. A whole number of at least 1; default one per core."""

    scheduler: str | None
    """A Dask cluster that does the work instead (docs/how-to/cluster.md). Tcp://HOST:PORT; default
    FLOATGATE_SCHEDULER, or this machine.
    """

    out: str | PathLike[str] | None
    """Folder to write to. A new folder, or with --force an earlier one; nothing is written without it.
    """

    force: bool
    """Replace an earlier result."""

    check: bool
    """Check the run with an independent model."""

    precondition_fill: SupportsFloat | None
    """Share of the drive to fill. A number from 0 to 1."""

    layout: bool
    """First write the data the workload expects on the drive. Default True."""

    loop: str | SupportsIndex | None
    """Run the workload N times, or until its long-run write amplification is known to 5 % (at most 100
    times, or until=waf:5%,max=20). A number of at least 1, or until=waf:SHARE.
    """

    limit_requests: SupportsIndex | None
    """End after N requests. A whole number of at least 1."""

    limit_time: str | None
    """End after this simulated time: 10s. A time above 0."""

    memory_limit: str | SupportsIndex | None
    """Memory for the drives of this command: 8GiB. Larger drives are refused; those of --repeat wait
    for each other. A size above 0; default free memory of the machine.
    """

    policy_timeout: str
    """Time that a policy in Python may take for one answer: 1s. A time above 0; default 10s."""

    trace_format: str | None
    """See `floatgate trace formats`. A name of that list."""

    columns: str | None
    """Any table: "time:ms op offset:bytes size:sectors", or a file with that
    (docs/reference/traces.md). Names of columns.
    """

    align: str | None
    """Unaligned addresses: round (all sectors touched), offset (shift all equally). Round or offset.
    """

    member: str | None
    """Which file of an archive. A name in the archive."""

    wrap: bool
    """Take addresses modulo the capacity."""

    scale: bool
    """Scale addresses to the drive."""

    compact: bool
    """Place touched pages side by side (the default if only that fits)."""

    sort: bool
    """Sort the trace, however far out of order."""

    volume: list[str] | tuple[str, ...]
    """Only this volume (repeatable). A volume of the trace."""

    speedup: SupportsFloat | None
    """Divide times by F. A number above 0."""

    as_fast_as_possible: bool
    """Ignore times: keep --depth outstanding."""

    depth: SupportsIndex | None
    """With --as-fast-as-possible. A whole number of at least 1; default 32."""

    skip_bad_lines: bool
    """Skip unreadable lines; count them."""

    exact_footprint: bool
    """Count touched units exactly."""

    action: str | None
    """blkparse, blktrace: these events. Letters of actions; default D, or else Q, C."""

    since: str | None
    """Leave out requests before this time, from the first request: 10s. A time."""

    until: str | None
    """Leave out requests after this time. A time."""


class SnapshotsKeywords(TypedDict, total=False):
    """The options of `SnapshotsOptions`."""

    set: Mapping[str, Any] | None
    """Override a configuration key (repeatable). A key of `floatgate keys` and its value."""

    every: str | Sequence[str | SupportsFloat | SupportsIndex]
    """Intervals between snapshots. Times above 0; default 50ms,200ms,800ms."""

    keep: str | Sequence[str | SupportsFloat | SupportsIndex]
    """Maximum number of snapshots. Numbers of at least 1; default 1,2,4,8."""

    span: SupportsFloat
    """Share of the drive to overwrite and copy. Above 0, at most 0.5; default 0.25."""

    time: str
    """Simulated time of each run at most. A time above 0; default 4s."""

    seed: SupportsIndex
    """Seed of every random stream. A whole number from 0 to 18446744073709551615; default 1."""

    out: str | PathLike[str] | None
    """File to write. A new file, or one that Floatgate wrote; nothing is written without it."""


class NewPolicyKeywords(TypedDict, total=False):
    """The options of `PolicyNewOptions`."""

    force: bool
    """Replace an earlier result."""


class BusExploreKeywords(TypedDict, total=False):
    """The options of `BusExploreOptions`."""

    chip: list[str] | tuple[str, ...]
    """A chip (repeatable). A chip's name or file; default tlc-3d-256g, qlc-3d-1t."""

    interface: list[str] | tuple[str, ...]
    """An interface, nv-ddr3:12 (repeatable). An interface of `floatgate policies bus.interface`, and
    its mode; default six, from sdr:5 to nv-ddr3:15.
    """

    dies: SupportsIndex
    """Dies that the channels share. A whole number from 1 to 256; default 16."""

    channels: str | Sequence[str | SupportsFloat | SupportsIndex] | None
    """Numbers of channels that share the dies. Numbers that divide that of the dies; default those of
    1,2,4,8,16 that divide it.
    """

    out: str | PathLike[str] | None
    """Folder to write to. A new folder, or with --force an earlier one; nothing is written without it.
    """

    force: bool
    """Replace an earlier result."""


class BusWaveformKeywords(TypedDict, total=False):
    """The options of `BusWaveformOptions`."""

    operation: str
    """read, program (or write), erase or status. A name of an operation; default read."""

    bytes: SupportsIndex | None
    """Data bytes to draw. A whole number from 1 to 4096; default 6."""

    set: Mapping[str, Any] | None
    """Override a configuration key (repeatable). A key of `floatgate keys` and its value."""

    out: str | PathLike[str] | None
    """Folder to write to. A new folder, or with --force an earlier one; nothing is written without it.
    """

    force: bool
    """Replace an earlier result."""


class EccMeasureKeywords(TypedDict, total=False):
    """The options of `EccMeasureOptions`."""

    channel: str
    """What becomes of its bits: flips, Gaussian noise, or a page of a chip. Flips, gauss, or a chip's
    name or file; default flips.
    """

    model: Literal["cells", "tables"] | None
    """The chip's cells, or the tables that drives use. One of cells, tables; default cells."""

    page: SupportsIndex | None
    """Which page of a wordline, from 0. A whole number from 0 to 3; default 0."""

    pe_cycles: SupportsIndex | None
    """Program/erase cycles of the page's block. A whole number from 0 to 10000000; default the rated
    ones.
    """

    reads: SupportsIndex | None
    """Reads of the block since the page was written. A whole number from 0 to 1000000000000; default
    0.
    """

    age: str | Sequence[str | SupportsFloat | SupportsIndex] | None
    """Ages of the page: a chip's at its reference temperature, a drive's at nand.errors.celsius. Times
    with commas between: 30d,365d; default ages that have the rates.
    """

    rate: str | Sequence[str | SupportsFloat | SupportsIndex] | None
    """Raw bit error rates of a read with one comparison at each boundary. Rates with commas between:
    0.008,0.0075; default from where most words fail to where too few do to be counted.
    """

    soft_bits: str | Sequence[str | SupportsFloat | SupportsIndex] | None
    """Soft bits: 2^k - 1 comparisons at each boundary. 1, 2 or 3, several with commas between; default
    1 for flips, else 1,2,3.
    """

    placement: Literal["information", "even", "ratio"] | None
    """Where references lie: by mutual information, evenly, by a constant ratio of densities. One of
    information, even, ratio; default information.
    """

    rank: SupportsFloat | None
    """The page is of the block of this rank, from the best, 0, to the worst, 1. A number from 0.001 to
    0.999; default the mean of all blocks.
    """

    knows: Literal["page", "mean"] | None
    """What the controller's tables are of: the page itself, or the mean of all blocks. One of page,
    mean; default page.
    """

    hard_ratio: SupportsFloat | None
    """The log-likelihood ratio that every bit of a hard read is told with. A number from 0.1 to 30;
    default that of its rate.
    """

    elsewhere: str | Sequence[str | SupportsFloat | SupportsIndex] | None
    """Counts of hard reads that a GPU made of the same code, put beside these. Files of benches/gpu
    with commas between; default none.
    """

    decoder: str
    """How words are decoded. A decoder of `floatgate ecc codes`; default min-sum-8."""

    parameter: Mapping[str, Any] | None
    """A parameter of the decoder (repeatable). A parameter of the decoder and its value:
    iterations=12.
    """

    failures: SupportsIndex
    """Failures after which a point is done. A whole number from 1 to 1000000000; default 100."""

    words: SupportsIndex
    """Words decoded at each point at most. A whole number from 64 to 4000000000; default 100000.
    """

    easy: bool
    """Go on to rates at which next to nothing fails, for what iterations take there."""

    seed: SupportsIndex
    """Seed of every random stream. A whole number from 0 to 18446744073709551615; default 1."""

    workers: SupportsIndex | None
    """Processes. A whole number of at least 1; default one per core."""

    scheduler: str | None
    """A Dask cluster that does the work instead (docs/how-to/cluster.md). Tcp://HOST:PORT; default
    FLOATGATE_SCHEDULER, or this machine.
    """

    out: str | PathLike[str] | None
    """File to write. A new file, or one that Floatgate wrote; nothing is written without it."""


class TraceInfoKeywords(TypedDict, total=False):
    """The options of `TraceInfoOptions` and `TraceOptions`."""

    page_size: str | None
    """Page size for counting accesses. A size of a power of two; default 4KiB."""

    threshold: str | None
    """A page is read-only if more than this share of its accesses are reads, or all. A share from 0.5
    to 1, of up to six digits; default 0.95.
    """

    constant_memory: bool
    """Do not track pages; estimate the footprint."""

    seed: SupportsIndex | None
    """Seed of every random stream. A whole number from 0 to 18446744073709551615; default 1."""

    out: str | PathLike[str] | None
    """Folder to write to. A new folder, or with --force an earlier one; nothing is written without it.
    """

    force: bool
    """Replace an earlier result."""

    trace_format: str | None
    """See `floatgate trace formats`. A name of that list."""

    columns: str | None
    """Any table: "time:ms op offset:bytes size:sectors", or a file with that
    (docs/reference/traces.md). Names of columns.
    """

    align: str | None
    """Unaligned addresses: round (all sectors touched), offset (shift all equally). Round or offset.
    """

    member: str | None
    """Which file of an archive. A name in the archive."""

    sort: bool
    """Sort the trace, however far out of order."""

    volume: list[str] | tuple[str, ...]
    """Only this volume (repeatable). A volume of the trace."""

    skip_bad_lines: bool
    """Skip unreadable lines; count them."""

    action: str | None
    """blkparse, blktrace: these events. Letters of actions; default D, or else Q, C."""

    since: str | None
    """Leave out requests before this time, from the first request: 10s. A time."""

    until: str | None
    """Leave out requests after this time. A time."""


class TraceConvertKeywords(TypedDict, total=False):
    """The options of `TraceConvertOptions` and `TraceOptions`."""

    to: str | None
    """The format to write. A format of `floatgate trace formats`; default fio-iolog-v3; msr for a
    volume.
    """

    seed: SupportsIndex | None
    """Seed of every random stream. A whole number from 0 to 18446744073709551615; default 1."""

    force: bool
    """Replace an earlier result."""

    trace_format: str | None
    """See `floatgate trace formats`. A name of that list."""

    columns: str | None
    """Any table: "time:ms op offset:bytes size:sectors", or a file with that
    (docs/reference/traces.md). Names of columns.
    """

    align: str | None
    """Unaligned addresses: round (all sectors touched), offset (shift all equally). Round or offset.
    """

    member: str | None
    """Which file of an archive. A name in the archive."""

    sort: bool
    """Sort the trace, however far out of order."""

    volume: list[str] | tuple[str, ...]
    """Only this volume (repeatable). A volume of the trace."""

    skip_bad_lines: bool
    """Skip unreadable lines; count them."""

    action: str | None
    """blkparse, blktrace: these events. Letters of actions; default D, or else Q, C."""

    since: str | None
    """Leave out requests before this time, from the first request: 10s. A time."""

    until: str | None
    """Leave out requests after this time. A time."""


class TwinJobsKeywords(TypedDict, total=False):
    """The options of `TwinJobsOptions`."""

    budget: str
    """Time that they take, about. A time from 1min to 7d; default 1h."""

    device: str
    """The device that they are for. A block device's path; default /dev/nvme0n1."""

    out: str | PathLike[str] | None
    """Folder to write to. A new folder, or with --force an earlier one; nothing is written without it.
    """

    force: bool
    """Replace an earlier result."""


class TwinMeasureKeywords(TypedDict, total=False):
    """The options of `TwinMeasureOptions`."""

    seed: SupportsIndex
    """Seed of every random stream. A whole number from 0 to 18446744073709551615; default 1."""

    workers: SupportsIndex | None
    """Processes. A whole number of at least 1; default one per core."""

    scheduler: str | None
    """A Dask cluster that does the work instead (docs/how-to/cluster.md). Tcp://HOST:PORT; default
    FLOATGATE_SCHEDULER, or this machine.
    """

    out: str | PathLike[str] | None
    """File to write. A new file, or one that Floatgate wrote; nothing is written without it."""


class TwinFitKeywords(TypedDict, total=False):
    """The options of `TwinFitOptions`."""

    base: str
    """The drive whose values stand where nothing was measured. A drive's name or file; default tlc.
    """

    workers: SupportsIndex | None
    """Processes. A whole number of at least 1; default one per core."""

    scheduler: str | None
    """A Dask cluster that does the work instead (docs/how-to/cluster.md). Tcp://HOST:PORT; default
    FLOATGATE_SCHEDULER, or this machine.
    """

    out: str | PathLike[str] | None
    """File to write. A new file, or one that Floatgate wrote; nothing is written without it."""


class TwinCheckKeywords(TypedDict, total=False):
    """The options of `TwinCheckOptions`."""

    workers: SupportsIndex | None
    """Processes. A whole number of at least 1; default one per core."""

    scheduler: str | None
    """A Dask cluster that does the work instead (docs/how-to/cluster.md). Tcp://HOST:PORT; default
    FLOATGATE_SCHEDULER, or this machine.
    """

    out: str | PathLike[str] | None
    """Folder to write to. A new folder, or with --force an earlier one; nothing is written without it.
    """

    force: bool
    """Replace an earlier result."""
