"""Whether a drive keeps the latencies that a workload asks for, at the load that it would bear.

A load between two measured ones counts as the higher one, where latencies are no lower. Nothing is said of
a load above all measured ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from floatgate.errors import InputError
from floatgate.plan.model import Drive, LatencyPoint, Workload
from floatgate.results.versions import read_document

OPS = ("read", "write")
# The reads of a run and of the workload may differ by this share of all requests.
MIX_WITHIN = 0.05
NS_PER_MS = 1e6


@dataclass(frozen=True)
class Kept:
    """The latencies of one drive at its load, ms."""

    load: float  # requests per second that it would bear
    at: float  # of the point that the latencies are of
    read: float | None
    write: float | None


def measured_point(folder: Path, workload: Workload, place: str) -> LatencyPoint:
    """Read the latencies of a run of the workload's mix. Raises InputError, which begins with `place`."""
    host = read_document(folder / "run.json")["host"]
    counts = {op: host[op]["requests"] or 0 for op in OPS}
    total, asked = sum(counts.values()), workload.rate()
    if not total:
        raise InputError(f"{place}: {folder}: a run without reads and writes: expected one of the workload")
    reads, wanted = counts["read"] / total, workload.rate("read") / asked
    if abs(reads - wanted) > MIX_WITHIN:
        expected = f"expected about {wanted:.0%}, as the workload has"
        raise InputError(f"{place}: {folder}: {reads:.0%} of its requests are reads: {expected}")
    iops = sum(host[op]["iops"] or 0.0 for op in OPS)
    p99 = {op: _p99_ms(host[op]) for op in OPS}
    if not iops:
        raise InputError(f"{place}: {folder}: the run is too short to have a rate")
    return LatencyPoint.model_construct(run=None, iops=iops, read=p99["read"], write=p99["write"])


def _p99_ms(op: dict[str, dict[str, float] | None]) -> float | None:
    found = op["latency_ns"]
    return found["p99"] / NS_PER_MS if found else None


def asked_of(workload: Workload) -> tuple[str, ...]:
    """The operations whose latency matters."""
    return tuple(op for op in OPS if getattr(workload.p99, op) is not None)


def kept(workload: Workload, drive: Drive, counts: Sequence[int]) -> tuple[Kept | None, str | None]:
    """Return the latencies of the busiest year with so many drives in each, and why that is not enough.

    Without a target: neither.
    """
    asked = asked_of(workload)
    if not asked:
        return None, None
    grown = [workload.rate() * (1 + workload.growth.iops) ** t for t in range(len(counts))]
    load = max(total / count for total, count in zip(grown, counts, strict=True))
    points = sorted(drive.p99, key=lambda point: point.iops or 0.0)
    missing = [op for op in asked if not any(getattr(point, op) is not None for point in points)]
    if missing:
        return None, f"the list gives no p99 of {missing[0]}s"
    above = [point for point in points if (point.iops or 0.0) >= load]
    if not above:
        most = points[-1].iops or 0.0
        return None, f"p99 at {load:,.0f} requests/s each is not known: measured up to {most:,.0f}"
    point = above[0]
    found = Kept(load, point.iops or 0.0, point.read, point.write)
    over = [op for op in asked if not _keeps(workload, point, op)]
    if not over:
        return found, None
    return found, _missed(workload, points, found, over[0], max(grown))


def _keeps(workload: Workload, point: LatencyPoint, op: str) -> bool:
    value = getattr(point, op)
    return value is not None and value <= getattr(workload.p99, op)


def _missed(workload: Workload, points: Sequence[LatencyPoint], found: Kept, op: str, total: float) -> str:
    """Say which latency is missed, and how many drives would keep it."""
    value, target = getattr(found, op), getattr(workload.p99, op)
    shown = "not known" if value is None else f"{value:.3g} ms"
    why = f"p99 of {op}s is {shown} at {found.at:,.0f} requests/s each, the workload asks for {target:.3g} ms"
    fine = [point for point in points if all(_keeps(workload, point, of) for of in asked_of(workload))]
    if not fine:
        return f"{why}; no measured load keeps it"
    load = max(point.iops or 0.0 for point in fine)
    return f"{why}; {ceil(total / load):,} drives at {load:,.0f} each would keep it"
