"""The keywords of `floatgate.run` beside those in its signature. Made by `floatgate.generate`."""

from os import PathLike
from typing import Literal, SupportsFloat, SupportsIndex, TypedDict


class Keywords(TypedDict, total=False):
    """Every option has the name and meaning it has on the command line."""

    check: bool
    """Check the run with an independent model."""

    requests: bool
    """Keep every request: requests.parquet."""

    timeline: bool
    """Keep a Perfetto timeline."""

    precondition: Literal["none", "fill", "instant", "steady", "workload"]
    """Fill the drive, or bring it into the steady state of random writes or of this workload."""

    precondition_fill: SupportsFloat | None
    """Share of the drive to fill."""

    layout: bool
    """First write the data the workload expects on the drive."""

    load_state: str | PathLike[str] | None
    """Start from a saved state."""

    loop: str | SupportsIndex | None
    """Run the workload N times, or until its long-run write amplification is known to 5 % (at most 100
    times, or until=waf:5%,max=20).
    """

    limit_requests: SupportsIndex | None
    """End after N requests."""

    limit_time: str | None
    """End after this simulated time: 10s."""

    memory_limit: str | SupportsIndex | None
    """Memory for the drives of this command: 8GiB. Larger drives are refused; those of --repeat wait
    for each other.
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
    """With --as-fast-as-possible."""

    skip_bad_lines: bool
    """Skip unreadable lines; count them."""

    exact_footprint: bool
    """Count touched units exactly."""

    action: str | None
    """blkparse, blktrace: these events."""

    since: str | None
    """Leave out requests before this time, from the first request: 10s."""

    until: str | None
    """Leave out requests after this time."""
