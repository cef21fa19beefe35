"""The keywords of the functions of `floatgate` beside those in their signatures, by command.

Made by `floatgate.generate`. Every option has the name and meaning it has on the command line.
"""

from collections.abc import Mapping
from os import PathLike
from typing import Any, Literal, SupportsFloat, SupportsIndex, TypedDict


class Keywords(TypedDict, total=False):
    """The options of `Options` and `TraceOptions`."""

    check: bool
    """Check the run with an independent model."""

    requests: bool
    """Keep every request: requests.parquet."""

    timeline: bool
    """Keep a Perfetto timeline."""

    precondition: Literal["none", "fill", "instant", "steady", "workload"]
    """Fill the drive, or bring it into the steady state of random writes or of this workload. One of
    none, fill, instant, steady, workload; default none.
    """

    precondition_fill: SupportsFloat | None
    """Share of the drive to fill. A number from 0 to 1."""

    layout: bool
    """First write the data the workload expects on the drive. Default True."""

    load_state: str | PathLike[str] | None
    """Start from a saved state."""

    loop: str | SupportsIndex | None
    """Run the workload N times, or until its long-run write amplification is known to 5 % (at most 100
    times, or until=waf:5%,max=20).
    """

    limit_requests: SupportsIndex | None
    """End after N requests. A number of at least 1."""

    limit_time: str | None
    """End after this simulated time: 10s."""

    memory_limit: str | SupportsIndex | None
    """Memory for the drives of this command: 8GiB. Larger drives are refused; those of --repeat wait
    for each other. Default free memory of the machine.
    """

    save_state: str | PathLike[str] | None
    """Save the state at the start of the workload."""

    trace_format: str | None
    """See `floatgate trace formats`."""

    columns: str | None
    """Any table: "time:ms op offset:bytes size:sectors", or a file with that
    (docs/reference/traces.md).
    """

    align: str | None
    """Unaligned addresses: round (all sectors touched), offset (shift all equally)."""

    member: str | None
    """Which file of an archive."""

    wrap: bool
    """Take addresses modulo the capacity."""

    scale: bool
    """Scale addresses to the drive."""

    compact: bool
    """Place touched pages side by side (the default if only that fits)."""

    sort: bool
    """Sort the trace, however far out of order."""

    volume: list[str] | tuple[str, ...]
    """Only this volume (repeatable)."""

    speedup: SupportsFloat | None
    """Divide times by F."""

    as_fast_as_possible: bool
    """Ignore times: keep --depth outstanding."""

    depth: SupportsIndex | None
    """With --as-fast-as-possible. A number of at least 1; default 32."""

    skip_bad_lines: bool
    """Skip unreadable lines; count them."""

    exact_footprint: bool
    """Count touched units exactly."""

    action: str | None
    """blkparse, blktrace: these events. Default D, or else Q, C."""

    since: str | None
    """Leave out requests before this time, from the first request: 10s."""

    until: str | None
    """Leave out requests after this time."""


class AgeKeywords(TypedDict, total=False):
    """The options of `AgeOptions`."""

    set: Mapping[str, Any] | None
    """Override a configuration key (repeatable). A key of `floatgate keys` and its value."""

    hot: str | None
    """W of the writes go to S of the space: 0.8/0.2. Two shares, above 0; default uniform."""

    jump: SupportsFloat
    """Lifetime skipped at once; 0: none. A number from 0 to 0.2; default 0.01."""

    measure: SupportsFloat
    """Lifetime between two speed measurements; 0: none. A number from 0 to 1; default 0.02."""

    years: SupportsFloat
    """Years over which the writes are spread. A number from 0.1 to 200; default 5.0."""

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

    seed: SupportsIndex
    """Seed of every random stream. A number from 0 to 18446744073709551615; default 1."""

    out: str | PathLike[str] | None
    """File to write. A new file, or one that Floatgate wrote; nothing is written without it."""


class PlanKeywords(TypedDict, total=False):
    """The options of `PlanOptions`."""

    out: str | PathLike[str] | None
    """Folder to write to. A new folder; nothing is written without it."""

    force: bool
    """Replace what an earlier command wrote there."""
