"""AGCR under the paper's own access patterns: volumes with the shares of its figure 2, written in flushes.

The paper gives how its volumes use their pages (figure 2) and says that writes are flushes of the memory
system. It leaves open how many writes a flush has. Here the shares are inputs, the size of a flush is the
power of two that comes nearest to one number (figure 7's mean), and the rest is predicted.
"""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from statistics import median
from typing import Any

from floatgate.reproduce import passes, traces
from floatgate.reproduce.passes import WRITE, Request

from .access import pages

# Observations 1 and 2: 85 % of the reads are on read-only pages, 91 % of the writes on write-only ones.
SHARES: Mapping[str, Any] = {"interleaved_reads": 0.15, "interleaved_writes": 0.09}
FLUSH = 32  # requests, in the mean; fitted: of the powers of two the nearest to figure 7's mean of -15 %
FLUSH_GAP = "10us"  # one of the readings that the real traces allow, see README
MEASURED = 10  # the flushes whose mean weighted by writes, 19, is that of the MSR volumes at hand

# Exhibit `uses`: what cuts of MSR volumes do not have on read-only and write-only pages; the mean over the
# five with at least one read and one write in a hundred requests (without the second of hm_0's peak).
OF_THE_CUTS: Mapping[str, Any] = {"interleaved_reads": 0.10, "interleaved_writes": 0.07}

TOGETHER_NS = 1_000_000  # writes that arrive within so much of each other are of one flush
FLUSHES = (1, MEASURED, FLUSH, 128)
SHARES_OF_MAP: Mapping[str, Mapping[str, Any]] = {
    "figure 2's shares": SHARES,
    "half interleaved": {"interleaved_reads": 0.5, "interleaved_writes": 0.5},
}
PARALLEL: Mapping[str, Mapping[str, Any]] = {
    "64 dies": {},
    "16 dies": {"geometry.channels": 4, "geometry.ways": 4, "nand.blocks_per_plane": 2048},
}


def volume(name: str, full: bool, flush: float = FLUSH, **changes: Any) -> str:
    """Return a synthetic volume whose writes arrive in flushes of so many requests, reads by themselves."""
    return traces.volume(
        name,
        **{
            "requests": 100_000 if full else 10_000,
            **SHARES,
            "write_burst": flush,
            "write_burst_gap": FLUSH_GAP,
            **changes,
        },
    )


def measured(name: str, full: bool, **changes: Any) -> str:
    """Return a synthetic volume that uses its pages, and flushes, as the cuts of MSR volumes at hand do."""
    return volume(name, full, MEASURED, **{**OF_THE_CUTS, **changes})


def by_novelty(requests: Iterable[Request]) -> dict[str, float]:
    """Return mean latencies in us of requests to pages all accessed before, and of those to new ones."""
    seen: set[int] = set()
    kinds: dict[str, list[Request]] = {"seen": [], "new": []}
    for request in requests:
        touched = pages(request)
        kinds["seen" if seen.issuperset(touched) else "new"].append(request)
        seen.update(touched)
    return {kind: passes.mean_us(of) for kind, of in kinds.items()}


def flushes(requests: Iterable[Request]) -> tuple[float, float]:
    """Return how many writes arrive together in a trace, weighted by writes, and their median gap in us."""
    arrivals = [request.arrive_ns for request in requests if request.op == WRITE]
    gaps = [later - earlier for earlier, later in pairwise(arrivals)]
    sizes = [1]
    for gap in gaps:
        if gap <= TOGETHER_NS:
            sizes[-1] += 1
        else:
            sizes.append(1)
    inside = [gap for gap in gaps if gap <= TOGETHER_NS]
    weighted = sum(size * size for size in sizes) / sum(sizes)
    return weighted, median(inside) / 1e3 if inside else 0.0
