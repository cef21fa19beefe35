"""Runs the cases of papers in parallel processes."""

import _thread
import signal
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from floatgate.errors import InputError
from floatgate.files import copies, shipped
from floatgate.reproduce import paper as papers
from floatgate.reproduce.case import Case, Finding
from floatgate.reproduce.paper import Paper
from floatgate.workers import How, spread, stopping, wait_for_stop
from floatgate.workers.inputs import below

Task = tuple[Paper, Case]


@dataclass(frozen=True)
class Progress:
    """How far all cases are."""

    fraction: float
    done: int
    total: int


def tasks(chosen: Iterable[Paper], full: bool, *, causes: bool = False) -> list[Task]:
    """Return every case of the papers, or the experiments behind their explanations.

    Raises InputError when a paper names two cases alike.
    """
    every: list[Task] = []
    for paper in chosen:
        cases = paper.causes() if causes else paper.cases(full)
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
    progress: Callable[[Progress], None] = lambda _progress: None,
    **how: Unpack[How],
) -> list[Finding | None]:
    """Run the cases, the long ones first, and return what they found in the order given.

    None stands for a case that did not come to its end because `stopped` said so. What is found does not
    depend on the number of workers. Raises InputError or Fault, from any case.
    """
    total = sum(case.cost for _, case in every)

    def watch(done: list[int], _part: float) -> None:
        cost = sum(every[index][1].cost for index in done)
        progress(Progress(cost / total, len(done), len(every)))

    return spread(
        _one,
        [(paper.folder.absolute(), case, full) for paper, case in every],
        inputs=_inputs(every),
        cost=_cost,
        setup=_listen,
        watch=watch,
        **how,
    )


_Work = tuple[Path, Case, bool]


def _inputs(every: Iterable[Task]) -> list[Path]:
    """What lies in the folders of papers that do not come with Floatgate."""
    folders = dict.fromkeys(paper.folder.absolute() for paper, _ in every)
    own = [folder for folder in folders if not folder.is_relative_to(shipped.papers())]
    return [file for folder in own for file in below(folder)]


def _here(folder: Path) -> Path:
    """Where a paper lies: at a worker on another machine a copy, or what comes with Floatgate there."""
    there = Path(copies.place(str(folder)))
    return there if there != folder or not copies.away() else shipped.papers() / folder.name


def _cost(work: _Work) -> float:
    return work[1].cost


def _listen() -> None:
    """Pass a stop on as a Ctrl-C of the worker's own: it ends the simulation that runs, not the worker."""
    signal.signal(signal.SIGINT, lambda *_: None)  # not SIG_IGN, which a run would leave in force

    def listen() -> None:
        wait_for_stop()
        while True:  # a run that was just beginning may not have heard the first
            _thread.interrupt_main()
            time.sleep(1)

    threading.Thread(target=listen, daemon=True).start()


def _one(work: _Work) -> Finding:
    """Run one case in a worker."""
    folder, case, full = work
    if stopping():
        raise KeyboardInterrupt
    try:
        return papers.load(_here(folder)).run(case, full)
    except InputError as error:
        raise InputError(f"{folder.name}: {case.exhibit}, {case.name}: {error}") from error
