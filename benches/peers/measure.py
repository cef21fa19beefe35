"""Processor time of whole processes, and medians with their spread."""

import os
import resource
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from types import ModuleType

from peers import flashsim, mqsim, ours, simplessd
from peers.cases import OURS, Case, Job, Outcome

SIMULATORS: Mapping[str, ModuleType] = {
    OURS: ours,
    "mqsim": mqsim,
    "simplessd": simplessd,
    "flashsim": flashsim,
}


class Failed(Exception):
    """A simulator did not do what it was asked, in one line."""


@dataclass(frozen=True)
class Run:
    """What a process took, and what it says."""

    cpu_s: float
    outcome: Outcome


@dataclass(frozen=True)
class Spread:
    """The median of several values, with the least and the most."""

    middle: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "Spread":
        """The spread of these values."""
        known = sorted(values)
        return cls(median(known), known[0], known[-1])


@dataclass(frozen=True)
class Line:
    """What was measured of one simulator in one case."""

    case: Case
    simulator: str
    rounds: int
    cpu_s: Spread
    requests_per_s: Spread
    pages_per_s: Spread | None
    pages_per_request: float | None
    mean_us: float | None


def cpu_s() -> float:
    """Processor time of all processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def environment() -> dict[str, str]:
    """Python keeps what it compiled, as in any installation, and the user's own variable does not matter."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(simulator: str, binary: str, case: Case, requests: int, traces: Path) -> Run:
    """Run one process to its end, in a folder of its own."""
    module = SIMULATORS[simulator]
    with TemporaryDirectory() as temporary:
        job = Job(case, requests, Path(temporary), traces)
        words = module.command(binary, job)
        before = cpu_s()
        done = subprocess.run(
            words,
            cwd=temporary,
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
        )
        took = cpu_s() - before
        if done.returncode != 0:
            said = (done.stderr.strip() or done.stdout.strip() or "nothing").splitlines()[-1]
            raise Failed(f"{simulator}, {case.name}: exit status {done.returncode}: {said}")
        try:
            outcome = module.read(done.stdout, job)
        except (OSError, ValueError) as error:
            raise Failed(f"{simulator}, {case.name}: {error}") from None
        # MQSim leaves out the answers to requests in flight at its end.
        if outcome.requests < 0.99 * requests:
            raise Failed(
                f"{simulator}, {case.name}: expected {requests:,} requests, found {outcome.requests:,}"
            )
    return Run(took, outcome)


def measure(case: Case, binaries: Mapping[str, str], traces: Path, rounds: int) -> list[Line]:
    """Run a case on each simulator in turn, so often."""
    taking = {name: counts for name in binaries if (counts := case.counts(name)) is not None}
    if len(taking) < 2:
        return []
    runs: dict[str, list[list[Run]]] = {name: [] for name in taking}
    for _ in range(rounds):
        for name, counts in taking.items():
            runs[name].append([run(name, binaries[name], case, count, traces) for count in counts])
    return [line(case, name, runs[name]) for name in taking]


def line(case: Case, simulator: str, rounds: Sequence[Sequence[Run]]) -> Line:
    """What several rounds show, each of one run, or of a short and a long one."""
    took, requests, pages = [], [], []
    for round_ in rounds:
        first = round_[0] if len(round_) == 2 else Run(0.0, Outcome(0, 0, None))
        last = round_[-1]
        seconds = last.cpu_s - first.cpu_s
        if seconds <= 0:
            raise Failed(f"{simulator}, {case.name}: the longer run took less time than the shorter one")
        took.append(seconds)
        requests.append(last.outcome.requests - first.outcome.requests)
        if last.outcome.page_operations is not None and first.outcome.page_operations is not None:
            pages.append(last.outcome.page_operations - first.outcome.page_operations)
    counted = len(pages) == len(rounds)
    return Line(
        case,
        simulator,
        len(rounds),
        Spread.of(took),
        Spread.of(count / seconds for count, seconds in zip(requests, took, strict=True)),
        Spread.of(count / seconds for count, seconds in zip(pages, took, strict=True)) if counted else None,
        sum(pages) / sum(requests) if counted else None,
        rounds[-1][-1].outcome.mean_us,
    )
