"""What snapshots of a logical drive cost and gain: random overwriting under them, beside a copy.

The copy is simulated as what it is, reads of one part of the drive and writes to the part behind it, both
at once and without another load. It does not wait for what it reads before it writes: a real one is slower.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from floatgate.errors import InputError
from floatgate.inputs.plan import Plan
from floatgate.inputs.workload import Workload
from floatgate.lab import figures
from floatgate.options import Options, State, nanoseconds
from floatgate.report.plot import Axis
from floatgate.report.sheet import Section, sheet
from floatgate.results import notebook
from floatgate.results.amplification import settled
from floatgate.runs.session import drive
from floatgate.values import quantities as q

HEAD = (
    "snapshot every",
    "kept",
    "overwritten between two",
    "writes/s",
    "p99",
    "waf",
    "kept units",
    "dropped for room",
    "RAM",
    "time to take",
)
_OFF = "none"
_COLUMNS = ("every", "keep", "turnover", "iops", "p99_ns", "waf", "kept_bytes", "dropped_full", "ram_bytes")


@dataclass(frozen=True)
class Asked:
    """What is asked of a drive."""

    drive: str
    overrides: tuple[str, ...]
    every: tuple[str, ...]
    keep: tuple[int, ...]
    span: float  # the part of the drive that is overwritten, and copied
    time: str
    seed: int


@dataclass(frozen=True)
class Case:
    """One run of random overwriting."""

    every: str
    keep: int
    turnover: float | None  # the overwritten part of the span between two snapshots, writes over units
    iops: float
    p99_ns: float
    waf: float | None
    kept_bytes: int
    dropped_full: int
    ram_bytes: int
    take_ns: float | None
    take_bytes: int  # of the map, for each snapshot


@dataclass(frozen=True)
class Copy:
    """The span copied to the part behind it."""

    bytes: int
    ns: int


@dataclass(frozen=True)
class SnapshotCosts:
    """What snapshots of a drive cost, and what a copy would."""

    asked: Asked
    capacity_bytes: int
    cases: tuple[Case, ...]  # the one without snapshots first
    copy: Copy

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each case, for a table of numbers."""
        return [{name: getattr(case, name) for name in _COLUMNS} for case in self.cases]

    def _repr_html_(self) -> str:
        return notebook.table(f"snapshots on {self.asked.drive}", HEAD, shown(self), (sentence(self),))


def measure(asked: Asked, progress: Callable[[float], None] = lambda _part: None) -> SnapshotCosts:
    """Run every case, and the copy. Raises InputError or Fault."""
    if not 0 < asked.span <= 0.5:
        raise InputError(f"--span {asked.span:g}: expected above 0, at most 0.5: the copy needs as much room")
    grid = [(every, keep) for every in asked.every for keep in asked.keep]
    cases = [_case(asked, _OFF, 0)]
    for done, (every, keep) in enumerate(grid, 1):
        progress(done / (len(grid) + 2))
        cases.append(_case(asked, every, keep))
    copied = _run(asked, "copy", _copy_job(asked.span), "fill", ())
    half = int(copied["host"]["read"]["bytes"])
    return SnapshotCosts(asked, copied["capacity_bytes"], tuple(cases), Copy(half, copied["simulated_ns"]))


def _case(asked: Asked, every: str, keep: int) -> Case:
    more = () if every == _OFF else (f"ftl.snapshots.every={every}", f"ftl.snapshots.keep={keep}")
    job = (
        f"[overwrite]\nrw=randwrite\nnorandommap\nbs=4k\nsize={100 * asked.span:g}%\n"
        f"ioengine=libaio\niodepth=4\ntime_based\nruntime={asked.time}\n"
    )
    result = _run(asked, "overwrite", job, "instant", more)
    write, seen = result["host"]["write"], result["ftl"]["snapshots"] or {}
    unit = result["flash"]["mapping_unit_bytes"]
    turnover = None
    if seen:
        between_s = nanoseconds("--every", every) / 1e9
        turnover = write["bandwidth_bytes_per_s"] * between_s / (asked.span * result["capacity_bytes"])
    return Case(
        every=every,
        keep=keep,
        turnover=turnover,
        iops=write["iops"],
        p99_ns=write["latency_ns"]["p99"],
        waf=result["waf"] if settled(result) else None,
        kept_bytes=seen.get("units_kept_max", 0) * unit,
        dropped_full=seen.get("dropped_full", 0),
        ram_bytes=seen.get("ram_bytes", 0),
        take_ns=seen["t_take_ns"]["mean"] if seen else None,
        take_bytes=seen["map_bytes_written"] // max(seen["checkpoints"], 1) if seen else 0,
    )


def _copy_job(span: float) -> str:
    part = f"{100 * span:g}%"
    common = f"bs=128k\nioengine=libaio\niodepth=8\nsize={part}\n"
    return f"[from]\nrw=read\n{common}[to]\nrw=write\noffset={part}\n{common}"


def _run(asked: Asked, name: str, job: str, precondition: State, more: Sequence[str]) -> dict[str, Any]:
    workload = Workload("fio", name, text=job)
    options = Options(seed=asked.seed, precondition=precondition)
    plan = Plan(asked.drive, workload, (*asked.overrides, *more), options)
    return drive(plan.open(), plan).document


def shown(found: SnapshotCosts) -> list[tuple[str, ...]]:
    """Return the cases as text."""
    return [
        (
            case.every,
            str(case.keep),
            q.percent(case.turnover),
            q.count(case.iops),
            q.duration(case.p99_ns),
            q.ratio(case.waf),
            q.size(case.kept_bytes),
            str(case.dropped_full),
            q.size(case.ram_bytes),
            q.duration(case.take_ns),
        )
        for case in found.cases
    ]


def sentence(found: SnapshotCosts) -> str:
    """Say what a snapshot gains over a copy."""
    taken = [case for case in found.cases if case.take_ns is not None]
    if not taken:
        return f"a copy of {q.size(found.copy.bytes)} takes {q.duration(found.copy.ns)}"
    first = min(taken, key=lambda case: case.take_ns or 0.0)
    return (
        f"a snapshot of the whole drive takes {q.duration(first.take_ns)} and writes "
        f"{q.size(first.take_bytes)}; a copy of {q.size(found.copy.bytes)} of it takes "
        f"{q.duration(found.copy.ns)} and reads and writes all of that"
    )


def page(found: SnapshotCosts) -> str:
    """Return the report: one self-contained HTML page."""
    off, kept = found.cases[0], found.asked.keep
    x = Axis("snapshots kept at most", zero=True, whole=True)

    def over_keep(value: Callable[[Case], float | None]) -> Mapping[str, Any]:
        lines = {}
        for every in found.asked.every:
            cases = [case for case in found.cases if case.every == every]
            name = f"every {every}: {q.percent(cases[0].turnover)} overwritten between two"
            lines[name] = ([0, *kept], [value(off), *(value(case) for case in cases)])
        return lines

    def drawn(title: str, value: Callable[[Case], float | None]) -> Any:
        return figures.lines(over_keep(value), x, Axis(title, zero=True))

    cost = {
        "waf": drawn("write amplification", lambda case: case.waf),
        "iops": drawn("writes/s", lambda case: case.iops),
        "p99": drawn("p99 of a write (ms)", lambda case: case.p99_ns / 1e6),
        "room": drawn("kept for snapshots at most (MiB)", lambda case: case.kept_bytes / 2**20),
    }
    facts = (
        q.size(found.capacity_bytes),
        f"{q.percent(found.asked.span)} of it overwritten at random, 4 KiB, depth 4, {found.asked.time}",
        f"seed {found.asked.seed}",
    )
    says = (
        "What a snapshot sees stays valid although the host has overwritten it: it takes spare room, and "
        "garbage collection moves it. The point at 0 is the drive without snapshots."
    )
    return sheet(
        "snapshots of a logical drive",
        found.asked.drive,
        sentence(found),
        facts,
        (Section("What they cost", says, cost, HEAD, shown(found)),),
    )
