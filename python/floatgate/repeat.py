"""The same run with several seeds, in parallel processes, and what the seeds agree on."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, Future, ProcessPoolExecutor, wait
from ctypes import Array, c_double
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from floatgate import called
from floatgate.confidence import Interval, confidence_interval
from floatgate.execute import Listeners, run_into
from floatgate.folder import atomically, read_json, write_json
from floatgate.headline import Metric, headline
from floatgate.memory import Memory, share
from floatgate.session import Plan, Progress
from floatgate.state import together
from floatgate.stop import Stop, at_work, end_with_command

REPEAT = "repeat.json"
LEVEL = 0.95


@dataclass(frozen=True)
class Repeated:
    """What N seeds gave."""

    seeds: tuple[int, ...]
    metrics: tuple[tuple[Metric, Interval | None], ...]  # of the headline; None where a run lacks it
    interrupted: bool
    document: dict[str, Any]  # as repeat.json


def repeat(
    plan: Plan,
    times: int,
    out: Path,
    *,
    report: bool = True,
    force: bool = False,
    workers: int | None = None,
    progress: Callable[[float], None] = lambda _fraction: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Repeated:
    """Run `plan` with `times` seeds from its own upwards; one run folder per seed, and `repeat.json`.

    The outcome does not depend on the number of workers. Raises InputError or Fault, from any seed.
    """
    seeds = tuple(range(plan.options.seed, plan.options.seed + times))
    with atomically(out, force=force) as partial:
        _run_all(plan, seeds, partial, report, workers or os.cpu_count() or 1, progress, stopped)
        documents = [read_json(partial / f"seed-{seed}" / "run.json") for seed in seeds]
        document = _summary(plan, seeds, documents)
        write_json(partial / REPEAT, document)
    metrics = tuple(summarise(documents))
    return Repeated(seeds, metrics, document["interrupted"], document)


def _run_all(
    plan: Plan,
    seeds: tuple[int, ...],
    folder: Path,
    report: bool,
    workers: int,
    progress: Callable[[float], None],
    stopped: Callable[[], bool],
) -> None:
    """Spread the seeds over processes; a stop is passed on to all of them."""
    context = multiprocessing.get_context("spawn")
    stop, fractions = Stop(context), context.RawArray("d", len(seeds))
    memory = Memory(context, plan.options.memory_bytes())
    with ProcessPoolExecutor(
        min(workers, len(seeds)), context, initializer=_begin, initargs=(stop, memory, fractions)
    ) as pool:
        futures: list[Future[None]] = []
        for index, seed in enumerate(seeds):
            one = replace(plan, options=replace(plan.options, seed=seed))
            futures.append(pool.submit(_one, index, one, folder / f"seed-{seed}", report and index == 0))
        try:
            _watch(futures, stop, fractions, progress, stopped)
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def _watch(
    futures: list[Future[None]],
    stop: Stop,
    fractions: Array[c_double],
    progress: Callable[[float], None],
    stopped: Callable[[], bool],
) -> None:
    left = set(futures)
    while left:
        done, left = wait(left, timeout=0.1, return_when=FIRST_EXCEPTION)
        for future in done:
            future.result()
        progress(sum(fractions[:]) / len(futures))
        if stopped():
            stop.set()


_stop: Stop | None = None
_fractions: Array[c_double] | None = None


def _begin(stop: Stop, memory: Memory, fractions: Array[c_double]) -> None:
    """Set a worker up: Ctrl-C reaches it only through the parent, so that all end the same way."""
    global _stop, _fractions
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_command()
    share(memory)
    _stop, _fractions = stop, fractions


def _one(index: int, plan: Plan, folder: Path, report: bool) -> None:
    """Run one seed in a worker."""
    assert _stop is not None
    assert _fractions is not None
    stop, fractions = _stop, _fractions

    def note(progress: Progress) -> None:
        if progress.fraction is not None:
            fractions[index] = progress.fraction

    with at_work():
        folder.mkdir()
        run_into(plan, folder, report=report, listeners=Listeners(progress=note, stopped=stop.is_set))
    fractions[index] = 1.0


def summarise(documents: list[dict[str, Any]]) -> list[tuple[Metric, Interval | None]]:
    """Return each headline metric with its interval over the runs; None where a run lacks a number."""
    columns = [{metric.name: metric.value for metric in headline(document)} for document in documents]
    rows: list[tuple[Metric, Interval | None]] = []
    for metric in headline(documents[0]):
        values = [column.get(metric.name) for column in columns]
        numbers = [value for value in values if value is not None]
        whole = len(numbers) == len(documents)
        rows.append((metric, confidence_interval(numbers, LEVEL) if whole else None))
    return rows


def _summary(plan: Plan, seeds: tuple[int, ...], documents: list[dict[str, Any]]) -> dict[str, Any]:
    first = documents[0]
    return {
        "version": first["version"],
        "drive": first["drive"],
        "workload": plan.workload.source,
        "seeds": list(seeds),
        "confidence_level": LEVEL,
        "state": together(documents),
        "interrupted": any(document["interrupted"] for document in documents),
        "metrics": {
            metric.name: None
            if interval is None
            else {"mean": interval.mean, "half_width": interval.half_width, "samples": interval.samples}
            for metric, interval in summarise(documents)
        },
    }


called.answers(__name__, "floatgate.api.run")
