"""From a chip to a folder: experiments one after the other, their logs, and the report."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from floatgate.lab.bench import Bench, Kept, OutOfBlocksError, Source, StoppedError
from floatgate.lab.chip import Identity
from floatgate.lab.experiment import Experiment, Result
from floatgate.lab.log import write_log
from floatgate.lab.simulated import SimulatedSource
from floatgate.results import notebook
from floatgate.results.folder import atomically, write_json
from floatgate.workers import note, spread, stopping
from floatgate.workers.crews import scheduler_of
from floatgate.workers.inputs import of_chip

DOCUMENT, REPORT, LOGS = "characterize.json", "report.html", "logs"


@dataclass(frozen=True)
class Progress:
    """How far all experiments are."""

    fraction: float
    title: str  # of the experiment that runs
    number: int  # from 1
    total: int


@dataclass(frozen=True)
class Outcome:
    """What became of an experiment: a result, or the reason why there is none."""

    experiment: Experiment
    result: Result | None
    reason: str = ""  # why there is no result, or why it is not whole

    @property
    def state(self) -> str:
        """`done`, `interrupted`, `not possible` or `not run`."""
        if self.result is not None:
            return "interrupted" if self.reason else "done"
        return "not run" if self.reason == NOT_RUN else "not possible"


NOT_RUN = "interrupted before it"


@dataclass(frozen=True)
class Characterized:
    """A chip, and what was found."""

    identity: Identity
    seed: int | None
    blocks: int
    version: str
    outcomes: tuple[Outcome, ...]

    @property
    def interrupted(self) -> bool:
        """Whether something is missing because it was stopped."""
        return any(outcome.state in ("interrupted", "not run") for outcome in self.outcomes)

    def document(self) -> dict[str, Any]:
        """Return everything but the figures, for programs."""
        identity = asdict(self.identity) | {"device_id": self.identity.device_id.hex()}
        del identity["wordlines"], identity["page_bits"]  # as long as a block has pages
        return {
            "version": self.version,
            "chip": self.identity.name,
            "seed": self.seed,
            "blocks": self.blocks,
            "interrupted": self.interrupted,
            "identity": identity | {"states": list(self.identity.states)},
            "experiments": {
                outcome.experiment.name: {
                    "title": outcome.experiment.title,
                    "source": outcome.experiment.source,
                    "state": outcome.state,
                    "reason": outcome.reason or None,
                    "finding": outcome.result.says if outcome.result else None,
                    "numbers": outcome.result.numbers if outcome.result else None,
                }
                for outcome in self.outcomes
            },
        }

    def _repr_html_(self) -> str:
        rows = (
            (one.experiment.title, one.result.says if one.result else f"{one.state}: {one.reason}")
            for one in self.outcomes
        )
        return notebook.table(f"{self.identity.name}: {self.identity.title}", ("experiment", "finding"), rows)


def characterize(
    source: Source,
    experiments: Sequence[Experiment],
    blocks: int,
    out: Path,
    *,
    force: bool = False,
    workers: int | None = 1,
    scheduler: str | None = None,
    progress: Callable[[Progress], None] = lambda _progress: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Characterized:
    """Ask the chip every question and write `out`: characterize.json, report.html and the logs.

    `workers` and `scheduler` are as in `ask`. When `stopped`, what was measured until then is written all the
    same. Raises InputError for a number of blocks the chip does not have, or an unwritable folder.
    """
    from floatgate.lab.report import page

    bench = Bench(source, blocks, stopped=stopped)
    with atomically(out, force=force) as partial:
        done = ask(bench, experiments, workers, scheduler, progress)
        write_json(partial / DOCUMENT, done.document())
        (partial / REPORT).write_text(page(done, sorted(bench.logs)), encoding="utf-8")
        _write_logs(bench, done, partial / LOGS)
    return done


def ask(
    bench: Bench,
    experiments: Sequence[Experiment],
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Callable[[Progress], None] = lambda _progress: None,
) -> Characterized:
    """Run `experiments` on the bench, or each on one like it, where its chip can be had as new.

    `workers` and `scheduler` are as in `floatgate.workers.crew`; what is found does not depend on them.
    """
    there = scheduler_of(scheduler, workers)
    alone = workers == 1 or (len(experiments) == 1 and there is None)
    if alone or not isinstance(bench.source, SimulatedSource):
        return measure(bench, experiments, progress)
    total = len(experiments)

    def watch(done: list[int], part: float) -> None:
        first = next((index for index in range(total) if index not in done), total - 1)
        progress(Progress(part, experiments[first].title, len(done), total))

    found = spread(
        _one,
        [(bench.source, bench.blocks, one, number) for number, one in enumerate(experiments)],
        workers=workers,
        scheduler=there,
        inputs=of_chip(bench.source.chip),
        cost=lambda item: item[3],  # of most chips, the later ones take longer
        waiting="begins",
        watch=watch,
        stopped=bench.stopped,
    )
    outcomes = []
    for experiment, one in zip(experiments, found, strict=True):
        outcome, logs = one or (Outcome(experiment, None, NOT_RUN), {})
        bench.logs.update(logs)
        outcomes.append(outcome)
    return _characterized(bench, outcomes)


def _one(item: tuple[Source, int, Experiment, int]) -> tuple[Outcome, dict[str, Kept]]:
    """Run one experiment in a worker, on a bench of its own."""
    source, blocks, experiment, _number = item
    bench = Bench(source, blocks, note, stopping, experiment=experiment.name)
    return _ask(bench, experiment), bench.logs


def measure(
    bench: Bench,
    experiments: Sequence[Experiment],
    progress: Callable[[Progress], None] = lambda _progress: None,
) -> Characterized:
    """Run `experiments` on the bench."""
    outcomes = []
    total = len(experiments)
    for index, experiment in enumerate(experiments):
        title = experiment.title

        def show(fraction: float, index: int = index, title: str = title) -> None:
            progress(Progress((index + fraction) / total, title, index + 1, total))

        bench.progress, bench.experiment = show, experiment.name
        show(0.0)
        outcomes.append(_ask(bench, experiment))
    return _characterized(bench, outcomes)


def _characterized(bench: Bench, outcomes: Sequence[Outcome]) -> Characterized:
    from floatgate._core import version

    return Characterized(bench.identity, bench.source.seed, bench.blocks, version(), tuple(outcomes))


def _ask(bench: Bench, experiment: Experiment) -> Outcome:
    if bench.stopped():
        return Outcome(experiment, None, NOT_RUN)
    reason = experiment.lacks(bench)
    if reason:
        return Outcome(experiment, None, reason)
    try:
        result = experiment.run(bench)
    except StoppedError:
        return Outcome(experiment, None, NOT_RUN)
    except OutOfBlocksError as error:
        return Outcome(experiment, None, str(error))
    return Outcome(experiment, result, "interrupted: from fewer blocks" if bench.stopped() else "")


def _write_logs(bench: Bench, done: Characterized, folder: Path) -> None:
    folder.mkdir()
    for name, kept in sorted(bench.logs.items()):
        head = {
            "chip": done.identity.name,
            "seed": "real silicon" if done.seed is None else str(done.seed),
            "temperature": f"{kept.celsius:g} C",
            # What the chip interface asks of every rig; a simulated chip keeps to a stricter rule.
            "sampled": "changes 1-2-5" if isinstance(bench.source, SimulatedSource) else "changes",
            "version": done.version,
        }
        write_log(folder / f"{name}.csv", head, kept.entries)
