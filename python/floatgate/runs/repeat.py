"""The same run with several seeds, in parallel processes: what the seeds agree on, and what each said."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import Any, Unpack

from floatgate.errors import Ended
from floatgate.inputs.plan import Plan
from floatgate.results import flags
from floatgate.results.confidence import Interval, confidence_interval
from floatgate.results.drive_state import together
from floatgate.results.flags import Raised, Said
from floatgate.results.folder import atomically, read_json, write_json
from floatgate.results.headline import Metric, headline
from floatgate.runs.execute import Listeners, note_part, run_into
from floatgate.workers import How, spread, stopping, writing
from floatgate.workers.inputs import of_plan

REPEAT = "repeat.json"
LEVEL = 0.95


@dataclass(frozen=True)
class Repeated:
    """What N seeds gave; ended before the last of them, what each seed that came to its end gave."""

    seeds: tuple[int, ...]
    metrics: tuple[tuple[Metric, Interval | None], ...]  # of the headline; None where a run lacks it
    interrupted: bool
    document: dict[str, Any]  # as repeat.json
    flags: Mapping[str, tuple[Raised, ...]]  # of each metric that has any, by its name
    remarks: tuple[Said, ...]  # of all runs, each kind once
    asked: int  # number of seeds that were to be run
    ended: BaseException | None = None  # the signal that ended it, to be raised when what is kept is told

    @property
    def finished(self) -> int:
        """Number of seeds that came to their end; where it is 0, numbers are of runs that did not."""
        return 0 if self.document.get("seeds_finished") == 0 else len(self.seeds)


def repeat(
    plan: Plan,
    times: int,
    out: Path,
    *,
    report: bool = True,
    force: bool = False,
    progress: Callable[[float], None] = lambda _fraction: None,
    **how: Unpack[How],
) -> Repeated:
    """Run `plan` with `times` seeds from its own upwards; one run folder per seed, and `repeat.json`.

    The outcome does not depend on the number of workers. A stop, and a signal, leave the seeds that came to
    their end; where none did, a stop leaves what each did until then. Raises InputError or Fault, from any
    seed.
    """
    asked = tuple(range(plan.options.seed, plan.options.seed + times))
    written: list[int] = []  # indices of seeds whose folders are there
    ended: BaseException | None = None
    with atomically(out, force=force) as partial:
        try:
            _run_all(plan, asked, partial, report, written, progress, how)
        except (Ended, KeyboardInterrupt) as end:
            ended = end
        documents = {asked[index]: _document(partial, asked[index]) for index in sorted(written)}
        whole = {seed: document for seed, document in documents.items() if not document["interrupted"]}
        if ended and not whole:
            raise ended
        seeds = tuple(whole or documents)
        for left in {*(f"seed-{seed}" for seed in asked)} - {f"seed-{seed}" for seed in seeds}:
            rmtree(partial / left, ignore_errors=True)
        found = [documents[seed] for seed in seeds]
        document = _summary(plan, seeds, found)
        if len(whole) < times:
            document |= {"interrupted": True, "seeds_asked": times, "seeds_finished": len(whole)}
        write_json(partial / REPEAT, document)
    said = flags.together([document["remarks"] for document in found])
    metrics = tuple(summarise(found))
    return Repeated(seeds, metrics, document["interrupted"], document, flags_of(found), said, times, ended)


def _document(folder: Path, seed: int) -> dict[str, Any]:
    return read_json(folder / f"seed-{seed}" / "run.json")


_Seed = tuple[Plan, Path, bool]  # the run, its folder, and whether it has a report


def _run_all(
    plan: Plan,
    seeds: tuple[int, ...],
    folder: Path,
    report: bool,
    written: list[int],
    progress: Callable[[float], None],
    how: How,
) -> None:
    """Spread the seeds over processes; a stop is passed on to all of them. Notes what is `written`."""

    def watch(done: list[int], part: float) -> None:
        written[:] = done
        progress(part)

    spread(
        _one,
        [
            (
                replace(plan, options=replace(plan.options, seed=seed)),
                folder / f"seed-{seed}",
                report and not index,
            )
            for index, seed in enumerate(seeds)
        ],
        inputs=of_plan(plan),
        memory_bytes=plan.options.memory_bytes(),
        waiting="begins",  # each leaves a folder of what was done
        watch=watch,
        **how,
    )


def _one(seed: _Seed) -> Any:
    """Run one seed in a worker."""
    plan, folder, report = seed

    def write(place: Path) -> None:
        run_into(plan, place, report=report, listeners=Listeners(progress=note_part, stopped=stopping))

    return writing(folder, write)


def summarise(documents: list[dict[str, Any]]) -> list[tuple[Metric, Interval | None]]:
    """Return each headline metric with its interval over the runs; None where a run lacks a number."""
    return [
        (metric, confidence_interval(known, LEVEL) if len(known) == len(documents) else None)
        for metric, known in _columns(documents)
    ]


def flags_of(documents: list[dict[str, Any]]) -> dict[str, tuple[Raised, ...]]:
    """Return the flags of each headline metric that one of the runs flags, or lacks."""
    kinds = flags.kinds_of(document["remarks"] for document in documents)
    found = {}
    for metric, known in _columns(documents):
        raised = flags.flagged(metric.name, kinds)
        if 0 < len(known) < len(documents) and not raised:
            lacking = len(documents) - len(known)
            raised = (Raised("no_value", "no value", lacking, len(documents)),)
        if raised:
            found[metric.name] = raised
    return found


def _columns(documents: list[dict[str, Any]]) -> list[tuple[Metric, list[float]]]:
    """Return each metric that any of the runs has, in the headline's order, with the numbers there are."""
    metrics: list[Metric] = []
    values: dict[str, list[float]] = {}
    for document in documents:
        place = 0
        for metric in headline(document):
            if metric.name not in values:
                metrics.insert(place, metric)
                values[metric.name] = []
            place = next(at for at, one in enumerate(metrics) if one.name == metric.name) + 1
            if metric.value is not None:
                values[metric.name].append(metric.value)
    return [(metric, values[metric.name]) for metric in metrics]


def _summary(plan: Plan, seeds: tuple[int, ...], documents: list[dict[str, Any]]) -> dict[str, Any]:
    first = documents[0]
    raised = flags_of(documents)
    return {
        "version": first["version"],
        "drive": first["drive"],
        "workload": plan.workload.source,
        "seeds": list(seeds),
        "confidence_level": LEVEL,
        "state": together(documents),
        "interrupted": any(document["interrupted"] for document in documents),
        "metrics": {
            metric.name: {
                "mean": None if interval is None else interval.mean,
                "half_width": None if interval is None else interval.half_width,
                "samples": len(known),
                "flags": flags.as_document(raised.get(metric.name, ())),
            }
            for (metric, interval), (_, known) in zip(summarise(documents), _columns(documents), strict=True)
        },
        "remarks": flags.as_document(flags.together([document["remarks"] for document in documents])),
    }
