"""AGCR under the paper's own access patterns: volumes with the shares of its figure 2, written in flushes.

The paper gives how its volumes use their pages (figure 2) and says that writes are flushes of the memory
system. It leaves open how many pages a flush has, and at which cost data from before the trace are written in
Li and others' scheme. Here the shares are inputs, the size of a flush is calibrated on one number (figure 7's
mean), and the rest is predicted.
"""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from statistics import median
from typing import Any

from floatgate.reproduce import traces

from .access import PAGE, READ, WRITE

# Observations 1 and 2: 85 % of the reads are on read-only pages, 91 % of the writes on write-only ones.
SHARES: Mapping[str, Any] = {"interleaved_reads": 0.15, "interleaved_writes": 0.09}
FLUSH = 60  # requests; calibrated: figure 7's mean of -15 %
FLUSH_GAP = "10us"  # one of the readings that the real traces allow, see README
# Figure 9 (a): Li and others' scheme has considerably fewer low-cost reads than AGCR, so that what was there
# before was not written at high cost.
LI_SETTINGS: Mapping[str, Any] = {"ftl.regulator.before": "medium"}

TOGETHER_NS = 1_000_000  # writes that arrive within so much of each other are of one flush
FLUSHES = (1, 8, 32, 128)
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


def by_novelty(requests: Any) -> dict[str, float]:
    """Return mean latencies in us of requests to pages all accessed before, and of those to new ones."""
    table = requests.to_pydict()
    columns = ("arrive_ns", "complete_ns", "offset", "bytes", "op")
    rows: Iterable[tuple[int, ...]] = zip(*(table[name] for name in columns), strict=True)
    seen: set[int] = set()
    sums = {"seen": 0, "new": 0}
    counts = dict(sums)
    for arrive, complete, offset, size, op in sorted(rows, key=lambda row: row[0]):
        if op in (READ, WRITE):
            pages = range(offset // PAGE, -(-(offset + size) // PAGE))
            kind = "seen" if seen.issuperset(pages) else "new"
            seen.update(pages)
            sums[kind] += complete - arrive
            counts[kind] += 1
    return {kind: sums[kind] / counts[kind] / 1e3 if counts[kind] else 0.0 for kind in sums}


def flushes(requests: Any) -> tuple[float, float]:
    """Return how many writes arrive together in a trace, weighted by writes, and their median gap in us."""
    table = requests.to_pydict()
    rows = zip(table["arrive_ns"], table["op"], strict=True)
    arrivals = sorted(arrive for arrive, op in rows if op == WRITE)
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
