"""How much of what a trace writes is overwritten, and how soon; most of it, within hours, says the poster."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from floatgate import files, trace
from floatgate.reproduce import Case, Finding, Trace

from .workloads import TRACES

PAGE = 4096
HALF_A_DAY = 12 * 3600 * 10_000_000  # ticks of 100 ns, of which MSR's format has its times
MOST = 0.5
MOST_BYTES = 1 << 30  # of a trace as text
MAP_REDUCE = "Hadoop node 8"  # MapReduce, three minutes; no proxy is among the traces
BY_LENGTH = f"{MAP_REDUCE}, by length"

OTHERS: dict[str, Trace] = {
    MAP_REDUCE: Trace("hadoop-node8.blkparse.txt.gz", cost=10),
    "MSR hm_0, 40:60": Trace("msr-window-rw40_60.trace.gz", {"trace_format": "ms-offset"}, quick=True),
    "MSR hm_1, writes": Trace("msr-hm_1-writes-only.csv.gz"),
    "MSR rsrch_0": Trace("msr-rsrch_0-head.csv.gz"),
    "MSR rsrch_1, the week": Trace("msr-rsrch_1.csv.gz", quick=True),
    "MSR wdev_1, the week": Trace("msr-wdev_1.csv.gz", quick=True),
    "PCMark": Trace("pcmark.trace.gz", {"trace_format": "disksim"}),
    "Nexus 5, film": Trace("nexus5-movie.txt.gz", {"sort": True}),
    "DTRS": Trace("msps-dtrs-300s.trace.gz", {"trace_format": "dtrs"}),
    "Java on ext4": Trace("java-app-ext4.blkparse.txt.gz"),
}


def every() -> dict[str, Trace]:
    """Return all traces that hold times and addresses of writes."""
    return {**TRACES, **OTHERS}


def cases(full: bool) -> Iterable[Case]:
    """Yield the traces at hand."""
    for name, one in every().items():
        if one.path.is_file() and (full or one.quick or name == MAP_REDUCE):
            yield Case("overwritten", name, {"trace": name}, cost=one.cost)
    if OTHERS[MAP_REDUCE].path.is_file():
        yield Case("causes", BY_LENGTH, cost=5.0)


def run(name: str) -> Finding:
    """Count the pages that a trace writes, and those of them that it writes again."""
    written, soon, ever = _count(_writes(every()[name]))
    text = f"{soon / written:.0%} within half a day, {ever / written:.0%} within the trace"
    if name != MAP_REDUCE:
        return Finding(text)
    return Finding(text, holds=soon / written > MOST, measure=100 * soon / written)


def by_length() -> Finding:
    """The same of beginnings of the trace: the longer it is, the more of it is written again."""
    writes = list(_writes(OTHERS[MAP_REDUCE]))
    shares = {}
    for part in (8, 4, 2, 1):
        counted, _, ever = _count(writes[: len(writes) // part])
        shares[part] = f"{ever / counted:.0%}"
    return Finding(f"first eighth, quarter, half, all: {', '.join(shares.values())}")


def _count(writes: Iterable[tuple[int, range]]) -> tuple[int, int, int]:
    """Return the pages written, those written again within half a day, and those at any time."""
    written = soon = ever = 0
    last: dict[int, int] = {}
    for at, pages in writes:
        for page in pages:
            before = last.get(page)
            if before is not None:
                ever += 1
                soon += at - before <= HALF_A_DAY
            last[page] = at
            written += 1
    return written, soon, ever


def _writes(one: Trace) -> Iterator[tuple[int, range]]:
    with TemporaryDirectory(prefix="floatgate-") as folder:
        path = Path(folder) / "trace.csv"
        trace.convert(one.path, path, to="msr", **one.options)
        for line in files.read_text(path, "a trace", MOST_BYTES).splitlines():
            fields = line.split(",")
            if fields[3] == "Write":
                first, size = int(fields[4]), int(fields[5])
                yield int(fields[0]), range(first // PAGE, -(-(first + size) // PAGE))
