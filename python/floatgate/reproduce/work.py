"""Runs the cases of papers in parallel processes."""

import _thread
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from floatgate.errors import InputError
from floatgate.memory import Memory, share
from floatgate.reproduce import paper as papers
from floatgate.reproduce.case import Case, Finding
from floatgate.reproduce.paper import Paper
from floatgate.reproduce.simulate import stop_with, stopping
from floatgate.stop import Stop, at_work, end_with_command

Task = tuple[Paper, Case]


@dataclass(frozen=True)
class Progress:
    """How far all cases are."""

    fraction: float
    done: int
    total: int


def tasks(chosen: Iterable[Paper], full: bool) -> list[Task]:
    """Return every case of the papers. Raises InputError when a paper names two cases alike."""
    every: list[Task] = []
    for paper in chosen:
        cases = paper.cases(full)
        names = [(case.exhibit, case.name) for case in cases]
        for name in names:
            if names.count(name) > 1:
                raise InputError(
                    f"{paper.folder}: {', '.join(name)}: two cases of one name: expected each once"
                )
        every += [(paper, case) for case in cases]
    return every


def run_all(
    every: list[Task],
    full: bool,
    *,
    workers: int | None = None,
    progress: Callable[[Progress], None] = lambda _progress: None,
    stopped: Callable[[], bool] = lambda: False,
) -> list[Finding | None]:
    """Run the cases, the long ones first, and return what they found in the order given.

    None stands for a case that did not come to its end because `stopped` said so. What is found does not
    depend on the number of workers. Raises InputError or Fault, from any case.
    """
    context = multiprocessing.get_context("spawn")
    stop, memory = Stop(context), Memory(context)
    count = max(1, min(workers or os.cpu_count() or 1, len(every)))
    with ProcessPoolExecutor(count, context, initializer=_begin, initargs=(stop, memory)) as pool:
        order = sorted(range(len(every)), key=lambda index: -every[index][1].cost)
        futures = {index: pool.submit(_one, every[index][0].folder, every[index][1], full) for index in order}
        try:
            _watch(every, futures, stop, progress, stopped)
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [_finding(futures[index]) for index in range(len(every))]


def _watch(
    every: list[Task],
    futures: dict[int, "Future[Finding]"],
    stop: Stop,
    progress: Callable[[Progress], None],
    stopped: Callable[[], bool],
) -> None:
    left = set(futures.values())
    total = sum(case.cost for _, case in every)
    while left:
        if stopped() and not stop.is_set():
            stop.set()
            for future in left:
                future.cancel()
        done, left = wait(left, timeout=0.1, return_when=FIRST_COMPLETED)
        for future in done:
            _finding(future)
        finished = [index for index, future in futures.items() if future not in left]
        cost = sum(every[index][1].cost for index in finished)
        progress(Progress(cost / total, len(finished), len(every)))


def _finding(future: "Future[Finding]") -> Finding | None:
    """Return what a case found, None when it was stopped."""
    if future.cancelled():
        return None
    try:
        return future.result()
    except KeyboardInterrupt:
        return None


def _begin(stop: Stop, memory: Memory) -> None:
    """Set a worker up. Ctrl-C ends the simulation that runs, if any, and not the worker.

    A stop that only the parent heard of is passed on as a Ctrl-C of the worker's own.
    """
    signal.signal(signal.SIGINT, lambda *_: None)  # not SIG_IGN, which a run would leave in force
    end_with_command()
    share(memory)
    stop_with(stop)

    def listen() -> None:
        stop.wait()
        while True:  # a run that was just beginning may not have heard the first
            _thread.interrupt_main()
            time.sleep(1)

    threading.Thread(target=listen, daemon=True).start()


def _one(folder: Path, case: Case, full: bool) -> Finding:
    """Run one case in a worker."""
    if stopping():
        raise KeyboardInterrupt
    try:
        with at_work():
            return papers.load(folder).run(case, full)
    except InputError as error:
        raise InputError(f"{folder.name}: {case.exhibit}, {case.name}: {error}") from error
