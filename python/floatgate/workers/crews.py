"""Who work is handed to: the processes of this machine, or a cluster."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

from floatgate.errors import InputError

T = TypeVar("T")
R = TypeVar("R")

VARIABLE = "FLOATGATE_SCHEDULER"


class Crew(Protocol):
    """Workers that work until the block of `crew` ends."""

    @property
    def count(self) -> int:
        """How many pieces of work go on at once; of a cluster, now."""

    @property
    def ahead(self) -> int:
        """How many pieces of work to have handed over, so that no worker waits for the next."""

    def submit(self, work: Callable[[T], R], item: T, index: int = 0) -> "Future[R]":
        """Hand over a piece of work; `index` is the place at which it notes how far it is.

        A future that is cancelled in time is not begun; one that is not ends, if need be by `stopping()`.
        """

    def part(self) -> float:
        """Return which part of everything is done, as far as work says it."""

    def stop(self) -> None:
        """Tell running tasks to stop: `stopping()` is true in them from now on."""

    def stopped(self) -> bool:
        """Whether it was told."""


@contextmanager
def crew(
    *,
    workers: int | None = None,
    memory_bytes: int | None = None,
    scheduler: str | None = None,
    inputs: Sequence[Path] = (),
    setup: Callable[[], None] | None = None,
    items: int = 1,
) -> Iterator[Crew]:
    """Give workers to hand work to; when the block ends, so do they.

    They are processes of this machine, `workers` of them or as many as there are processors. Or they are
    those of a Dask cluster: the one whose `scheduler` is given, or where nothing is said here, the one that
    FLOATGATE_SCHEDULER names. They get the content of the files `inputs`, which work finds there by the names
    that they have here. The drives of all processes of a machine together have `memory_bytes`, or what
    it has; each process calls `setup` before its first work. There is room for `items` to note how far they
    are. A block that raises stops running tasks.

    Raises InputError where the scheduler does not answer, or has workers of another Floatgate.
    """
    found = scheduler_of(scheduler, workers)
    if found is not None:
        from floatgate.workers.cluster import cluster

        with cluster(found, memory_bytes, inputs, setup, items) as team:
            yield team
        return
    from floatgate.workers.local import local

    with local(workers, memory_bytes, setup, items) as team:
        yield team


def scheduler_of(scheduler: str | None, workers: int | None) -> str | None:
    """Return the scheduler that was asked for, or that the environment names where nothing was asked for."""
    if scheduler is not None and workers is not None:
        expected = "expected --workers without --scheduler, or a cluster with as many"
        raise InputError(f"--workers {workers}: a cluster has its own number of workers: {expected}")
    option = "--scheduler"
    if scheduler is None and workers is None:
        scheduler, option = os.environ.get(VARIABLE) or None, VARIABLE
    if scheduler is not None and not re.fullmatch(r"[a-z]+://[^\s/]+:[0-9]+/?", scheduler):
        raise InputError(f"{option} {scheduler}: expected the address of a Dask scheduler, tcp://HOST:PORT")
    return scheduler
