"""One run of a study, in a worker: from its plan to its numbers."""

from dataclasses import dataclass
from functools import partial

from floatgate.errors import Fault, InputError
from floatgate.files.copies import as_named
from floatgate.inputs.plan import Plan
from floatgate.results.remarks import remarks
from floatgate.runs import session as sessions
from floatgate.study.numbers import numbers
from floatgate.study.pruning import Watch
from floatgate.study.store import Outcome
from floatgate.workers import stopping
from floatgate.workers.memory import room


@dataclass(frozen=True)
class Task:
    """A run and its key; with `watch`, one that may be ended early."""

    key: str
    plan: Plan
    watch: Watch | None = None


_reckoned: dict[tuple[str, tuple[str, ...]], int] = {}


def _memory_bytes(plan: Plan) -> int:
    """Reckon the memory of a drive once for all seeds and workloads: it takes a twentieth of a short run."""
    drive = (plan.drive, plan.overrides)
    if drive not in _reckoned:
        _reckoned[drive] = plan.memory_bytes()
    return _reckoned[drive]


def run(task: Task) -> Outcome | None:
    """Run it; None when the study was told to stop before it came to its end."""
    pruned = begun = False

    def stop() -> bool:
        return pruned or stopping()

    try:
        with room(partial(_memory_bytes, task.plan)):
            session = task.plan.open()
            begun = True
            watching = task.watch.begin(session) if task.watch else None

            def tell(progress: sessions.Progress) -> None:
                nonlocal pruned
                pruned = pruned or (watching is not None and watching(progress))

            events = task.watch.events if task.watch else None
            outcome = sessions.drive(session, task.plan, report=tell, stopped=stop, events=events)
    except InputError as error:
        return Outcome(task.key, "failed" if begun else "refused", as_named(str(error)))
    except Fault as error:
        return Outcome(task.key, "failed", as_named(str(error)))
    if outcome.interrupted and not pruned:
        return None
    found = numbers(outcome.document) | (watching.told() if watching else {})
    said = remarks(outcome.document)
    return Outcome(task.key, "pruned" if pruned else "done", None, found, said)
