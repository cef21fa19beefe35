"""Processes of this machine."""

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from ctypes import Array, c_double
from typing import TypeVar

from floatgate.memory import Memory
from floatgate.stop import Stop
from floatgate.workers import here

T = TypeVar("T")
R = TypeVar("R")

AHEAD = (
    4  # pieces of work handed over for each process: none waits for the next, and a stop leaves few behind
)


class LocalCrew:
    """Processes that work until the block of `local` ends."""

    def __init__(self, pool: ProcessPoolExecutor, count: int, stop: Stop, parts: "Array[c_double]") -> None:
        self.count = count
        self.ahead = AHEAD * count
        self._pool, self._stop, self._parts = pool, stop, parts

    def submit(self, work: Callable[[T], R], item: T, index: int = 0) -> "Future[R]":
        """Hand over a piece of work; `index` is the place at which it notes how far it is."""
        return self._pool.submit(here.one, work, item, index)

    def part(self) -> float:
        """Return which part of everything is done, as far as work says it."""
        return sum(self._parts[:]) / len(self._parts)

    def stop(self) -> None:
        """Tell work under way to stop: `stopping()` is true in it from now on."""
        self._stop.set()

    def stopped(self) -> bool:
        """Whether it was told."""
        return self._stop.is_set()


@contextmanager
def local(
    workers: int | None, memory_bytes: int | None, setup: Callable[[], None] | None, items: int
) -> Iterator[LocalCrew]:
    """Start the processes, and end them with the block."""
    context = multiprocessing.get_context("spawn")
    stop, memory = Stop(context), Memory(context, memory_bytes)
    count, parts = workers or os.cpu_count() or 1, context.RawArray("d", items)
    begin = (stop, memory, parts, setup)
    with ProcessPoolExecutor(count, context, initializer=here.begin, initargs=begin) as pool:
        try:
            yield LocalCrew(pool, count, stop, parts)
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
