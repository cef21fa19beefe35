"""Hands the runs of a study to workers, keeps what comes back at once, and says how far it is."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace

from floatgate.errors import Killed
from floatgate.inputs.plan import Plan
from floatgate.study.check import Checked
from floatgate.study.design import affordable
from floatgate.study.identity import override
from floatgate.study.leader import Leader
from floatgate.study.one import Task, run as run_one
from floatgate.study.pruning import COLUMN, Curve, Watch, curve
from floatgate.study.spec import ENV, SEARCHES
from floatgate.study.store import Outcome, Store
from floatgate.study.table import Run
from floatgate.workers import Crew

WAIT_S = 0.1  # for the next run to end, before the stop is looked at


@dataclass(frozen=True)
class Progress:
    """How far a study is."""

    total: int  # runs; of a search at most, as it may ask for one twice
    there: int  # of them in the folder, however they ended
    running: int
    failed: int
    refused: int
    new: int  # that this command did
    best: str


@dataclass(frozen=True)
class Listener:
    """Who is told what while a study goes on."""

    began: Callable[[int, int, list[str]], None] = lambda _there, _total, _changes: None
    moved: Callable[[Progress], None] = lambda _progress: None
    stopped: Callable[[], bool] = lambda: False


@dataclass
class Conductor:
    """One command at work on a study. `outcomes` has the numbers that are needed again, by key."""

    checked: Checked
    store: Store
    team: Crew
    listener: Listener
    outcomes: dict[str, Outcome]
    deadline: float | None  # as time.monotonic has it
    new: int = 0
    total: int = 0
    _curves: dict[tuple[str, int], list[Curve]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        spec = self.checked.spec
        self._leader = Leader(spec)
        if spec.search.method in SEARCHES:  # what it will ask for is not known, but how much at most
            self.total = affordable(spec) * spec.runs_each

    def play(self, runs: Sequence[Run], missing: Sequence[Run]) -> str | None:
        """Run what is missing of a round. Return why it ended before its end: told, or out of time."""
        if self.checked.spec.search.method not in SEARCHES:
            self.total += len(runs)
        for run in runs:
            if run.key in self.outcomes:
                self._leader.heard(run, self.outcomes[run.key])
        # Two commands that work on one study meet in the middle.
        ended = self._submit_all(iter(missing[::-1] if self.store.others() else missing))
        if ended is None:
            for run in runs:
                self._remember(run, self.outcomes[run.key])
        return ended

    def _submit_all(self, left: Iterator[Run]) -> str | None:
        running: dict[Future[Outcome | None], Run] = {}
        ended = None
        try:
            while True:
                ended = ended or self._ended()
                if ended == "stopped":
                    return ended
                if ended is None:
                    self._submit(left, running)
                if not running:
                    return ended
                done, _ = wait(running, timeout=WAIT_S, return_when=FIRST_COMPLETED)
                for future in done:
                    run = running.pop(future)
                    self._take(run, _outcome(run, future))
                self._tell(len(running))
        finally:
            if running:
                self.team.stop()
                for future in running:
                    future.cancel()

    def _submit(self, left: Iterator[Run], running: "dict[Future[Outcome | None], Run]") -> None:
        """Hand over as many runs as keep the workers busy; what another command did meanwhile is taken."""
        while len(running) < self.team.ahead:
            run = next(left, None)
            if run is None:
                return
            if run.key not in self.outcomes and self.store.news():
                self.outcomes.update(self.store.outcomes(self.checked.spec.needed))
            if run.key in self.outcomes:
                self._leader.heard(run, self.outcomes[run.key])
            else:
                running[self.team.submit(run_one, self.task(run))] = run

    def _ended(self) -> str | None:
        if self.listener.stopped():
            return "stopped"
        return "time" if self.deadline is not None and time.monotonic() > self.deadline else None

    def _take(self, run: Run, outcome: Outcome | None) -> None:
        """Keep what became of a run; one that was stopped is as if it had not begun."""
        if outcome is None:
            return
        self.store.add(outcome)
        kept = {name: outcome.numbers[name] for name in self.checked.spec.needed if name in outcome.numbers}
        kept |= {name: value for name, value in outcome.numbers.items() if name.startswith(COLUMN)}
        self.outcomes[run.key] = replace(outcome, numbers=kept, remarks=())  # they are in the store
        self.new += 1
        self._leader.heard(run, self.outcomes[run.key])

    def _tell(self, running: int) -> None:
        leader = self._leader
        self.listener.moved(
            Progress(
                self.total, leader.there, running, leader.failed, leader.refused, self.new, leader.best()
            )
        )

    def task(self, run: Run) -> Task:
        """Return what a worker needs to know of a run."""
        spec = self.checked.spec
        env = dict(spec.env) | {
            name.removeprefix(ENV): str(value) for name, value in run.values.items() if name.startswith(ENV)
        }
        workload = self.checked.workloads[run.workload]
        if env and workload.kind == "fio":
            workload = replace(workload, variables=tuple(sorted(env.items())))
        values = [
            *spec.fixed,
            *((name, value) for name, value in run.values.items() if not name.startswith(ENV)),
        ]
        plan = Plan(
            run.drive,
            workload,
            tuple(override(name, value) for name, value in values),
            replace(self.checked.options, seed=run.seed),
        )
        return Task(run.key, plan, self._watch(run))

    def _watch(self, run: Run) -> Watch | None:
        spec = self.checked.spec
        if spec.search.pruner is None:
            return None
        before = tuple(self._curves.get((run.workload, run.seed), ()))
        return Watch(spec.search.pruner, spec.objectives[0], before)

    def _remember(self, run: Run, outcome: Outcome) -> None:
        """Note how a run went, for those of later rounds to be held against."""
        found = curve(outcome.numbers)
        if found and outcome.status == "done":
            self._curves.setdefault((run.workload, run.seed), []).append(found)


def _outcome(run: Run, future: "Future[Outcome | None]") -> Outcome | None:
    """What became of a run; one whose processes were killed has failed, and costs no other."""
    try:
        return future.result()
    except Killed as error:
        return Outcome(run.key, "failed", str(error))
