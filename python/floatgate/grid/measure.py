"""Runs one point until its rate is steady, or its time is over."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from floatgate.grid import steady
from floatgate.grid.disk.model import Disk
from floatgate.grid.disk.simulate import CacheTimes, Load, run as simulate_disk
from floatgate.grid.point import INTERRUPTED, NOT_REACHED, STEADY, Point, Setting
from floatgate.inputs.plan import Plan
from floatgate.inputs.workload import Workload
from floatgate.options import Options
from floatgate.results.amplification import settled
from floatgate.results.confidence import Interval
from floatgate.runs import session as sessions
from floatgate.workers.memory import room_for

if TYPE_CHECKING:
    from floatgate import _core

Numbers = np.ndarray[Any, np.dtype[Any]]

LEAST_REQUESTS = 1000
LEAST_SEQUENTIAL = 32 << 20  # bytes: some tens of superblocks, so that their borders are part of every batch
BUFFERS = 4  # a write-back buffer must have been filled so many times before its drive's rate shows
LOOK_AGAIN = 1.25  # growth between two looks
SLICE = 20_000  # events between two chances to look, the same everywhere: so is then what is found


@dataclass(frozen=True)
class Rule:
    """When a point is over."""

    name: str = "batches"  # or "snia"
    seconds: float = 60.0  # simulated; SNIA: of a round
    precision: float = steady.PRECISION

    @property
    def limit_s(self) -> float:
        """Simulated seconds after which a point is given up."""
        return self.seconds * (steady.SNIA_MOST_ROUNDS if self.name == "snia" else 1)


@dataclass(frozen=True)
class Task:
    """A point to be measured, with all it needs in another process."""

    setting: Setting
    drive: str
    overrides: tuple[str, ...]
    options: Options
    file_bytes: int
    rule: Rule
    buffer_bytes: int  # of a write-back buffer; 0 without one
    disk: Disk | None = None  # a magnetic disk instead of a flash drive
    cache: CacheTimes | None = None  # of its flash cache

    def plan(self) -> Plan:
        """Return the run behind the point."""
        job = self.setting.job(self.file_bytes, self.rule.limit_s)
        return Plan(self.drive, Workload("fio", self.setting.name, text=job), self.overrides, self.options)

    @property
    def least_requests(self) -> int:
        """Requests before the first look."""
        block = self.setting.block_bytes
        least = LEAST_REQUESTS
        if self.setting.pattern == "sequential":
            least = max(least, LEAST_SEQUENTIAL // block)
        if self.setting.op == "write":
            least = max(least, BUFFERS * self.buffer_bytes // block)
        return least


def measure(task: Task, stopped: Callable[[], bool] = lambda: False) -> Point:
    """Run a point. Raises InputError or Fault as a run does."""
    seen = _Rounds(task) if task.rule.name == "snia" else _Batches(task)
    if task.disk is not None:
        return _measure_disk(task, task.disk, seen, stopped)
    plan = task.plan()
    with room_for(plan):
        return _measure_flash(task, plan, seen, stopped)


def _measure_flash(task: Task, plan: Plan, seen: "_Seen", stopped: Callable[[], bool]) -> Point:
    """Run a point on a flash drive."""
    session = plan.open()

    def over() -> bool:
        return seen.verdict.steady or stopped()

    outcome = sessions.drive(session, plan, sinks=(seen,), stopped=over, events=SLICE)
    seen.drain(session)
    if not seen.verdict.steady:
        if outcome.interrupted and stopped():
            return Point(task.setting, INTERRUPTED, simulated_ns=seen.end_ns)
        return Point(task.setting, NOT_REACHED, simulated_ns=seen.end_ns, windows=seen.windows)
    document = outcome.document
    collected = bool(document["flash"]["programs"].get("gc"))
    # A figure of how full the buffer is would be taken for one of the flash.
    waf = document["waf"] if settled(document) else None
    return replace(seen.point(), waf=waf, collected=collected)


def _measure_disk(task: Task, disk: Disk, seen: "_Seen", stopped: Callable[[], bool]) -> Point:
    """Run a point on a magnetic disk."""
    setting = task.setting
    random, write = setting.pattern == "random", setting.op == "write"
    load = Load(random, write, setting.block_bytes, setting.depth, task.file_bytes, task.options.seed)
    for part in simulate_disk(disk, load, task.cache):
        done = np.array(part.done_ns, np.uint64)
        seen.take(done, np.array(part.latency_ns, np.uint64), part.stages_ns)
        if seen.verdict.steady:
            return seen.point()
        if stopped():
            break
        if seen.end_ns > task.rule.limit_s * 1e9:
            return Point(setting, NOT_REACHED, simulated_ns=seen.end_ns, windows=seen.windows)
    return Point(setting, INTERRUPTED, simulated_ns=seen.end_ns)


class _Seen:
    """Takes completions, in their order, until a rule is satisfied."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.verdict = steady.Verdict(False)
        self.windows: tuple[float, ...] = ()
        self.end_ns = 0
        self.count = 0
        self._parts: list[tuple[Numbers, Numbers]] = []  # completion and latency in ns
        self._stages: list[tuple[int, dict[str, float]]] = []  # last request of a part, sums by stage

    def drain(self, session: "_core.Session") -> None:
        """Take the requests completed since the last call."""
        rows = session.requests()
        done = np.frombuffer(rows.column_bytes("complete_ns"), np.uint64)
        if not len(done) or self.verdict.steady:
            return
        arrived = np.frombuffer(rows.column_bytes("arrive_ns"), np.uint64)
        sums = {
            name.removesuffix("_ns"): float(np.frombuffer(rows.column_bytes(name), np.uint64).sum())
            for name, *_ in rows.columns
            if name.endswith("_ns") and name not in ("arrive_ns", "complete_ns")
        }
        self.take(done, done - arrived, sums)

    def take(self, done: Numbers, latency: Numbers, stage_sums: dict[str, float]) -> None:
        """Take some requests: when they were done, how long they took, where their time went."""
        self._parts.append((done, latency))
        self.count += len(done)
        self.end_ns = int(done.max())
        self._stages.append((self.count, stage_sums))
        self.look()

    def look(self) -> None:
        """Judge what was seen so far, where it is time to."""
        raise NotImplementedError

    def everything(self) -> tuple[Numbers, Numbers]:
        """Completions and latencies in the order of completion."""
        done = np.concatenate([part[0] for part in self._parts])
        latency = np.concatenate([part[1] for part in self._parts])
        order = np.argsort(done, kind="stable")
        self._parts = [(done[order], latency[order])]
        return self._parts[0]

    def made(self, first: int, last: int, interval: Interval) -> Point:
        """Return the point whose rate the requests from `first` to `last` gave."""
        latency = self.everything()[1][first:last]
        # By parts, not by requests: keeping every stage of every request would take gigabytes.
        parts = [(end, sums) for end, sums in self._stages if end > first]
        before = max((end for end, _ in self._stages if end <= first), default=0)
        counted = self.count - before
        return Point(
            self.task.setting,
            STEADY,
            iops=interval.mean,
            iops_ci95=interval.half_width,
            latency_ns_mean=float(latency.mean()),
            latency_ns_p50=float(np.percentile(latency, 50)),
            latency_ns_p99=float(np.percentile(latency, 99)),
            requests=len(latency),
            simulated_ns=self.end_ns,
            windows=self.windows,
            steady_from=self.verdict.first,
            stages_ns={name: sum(sums[name] for _, sums in parts) / counted for name in parts[0][1]},
        )

    def point(self) -> Point:
        """Return the point, once it is steady."""
        raise NotImplementedError


class _Batches(_Seen):
    """Batch means: the first half of what was seen is the warm-up, the second is cut into equal batches."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self._next = task.least_requests

    def look(self) -> None:
        if self.count < self._next:
            return
        self._next = int(self.count * LOOK_AGAIN)
        done = self.everything()[0]
        size = len(done) // 2 // steady.BATCHES
        self._last = len(done)
        self._first = len(done) - size * steady.BATCHES
        edges = done[self._first - 1 :: size].astype(np.float64)
        took = np.diff(edges)
        if not took.all():
            return
        self.windows = tuple(float(rate) for rate in size / took * 1e9)
        self.verdict = steady.batch_means(self.windows, self.task.rule.precision)

    def point(self) -> Point:
        assert self.verdict.interval is not None
        # The mean of rates over equal counts would favour quick batches: the rate is count over time.
        done = self.everything()[0]
        took = float(done[self._last - 1] - done[self._first - 1])
        rate = (self._last - self._first) / took * 1e9
        half = self.verdict.interval.half_width
        return self.made(self._first, self._last, Interval(rate, half, steady.BATCHES))


class _Rounds(_Seen):
    """SNIA: rounds of equal simulated time, judged one by one."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self._round_ns = int(task.rule.seconds * 1e9)

    def look(self) -> None:
        complete = min(self.end_ns // self._round_ns, steady.SNIA_MOST_ROUNDS)
        if complete == len(self.windows):
            return
        done = self.everything()[0]
        edges = np.arange(complete + 1, dtype=np.uint64) * np.uint64(self._round_ns)
        self._edges = np.searchsorted(done, edges, side="left")
        rates = np.diff(self._edges) / self._round_ns * 1e9
        for rounds in range(len(self.windows) + 1, complete + 1):
            self.windows = tuple(float(rate) for rate in rates[:rounds])
            self.verdict = steady.snia(self.windows)
            if self.verdict.steady:
                return

    def point(self) -> Point:
        assert self.verdict.interval is not None
        last = len(self.windows)
        return self.made(int(self._edges[self.verdict.first]), int(self._edges[last]), self.verdict.interval)
