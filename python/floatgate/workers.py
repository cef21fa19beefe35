"""Many independent pieces of work, spread over processes: the one place of the package that starts any."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from ctypes import Array, c_double
from typing import Literal, TypeVar

from floatgate.memory import Memory, share
from floatgate.stop import Stop, at_work, end_with_command

T = TypeVar("T")
R = TypeVar("R")

# What becomes of work that is not begun when the command is told to stop: it is left out, or it begins and
# finds that it should stop.
Waiting = Literal["left out", "begins"]


def spread(
    work: Callable[[T], R],
    items: Sequence[T],
    *,
    workers: int | None = None,
    memory_bytes: int | None = None,
    cost: Callable[[T], float] = lambda _item: 0.0,
    waiting: Waiting = "left out",
    setup: Callable[[], None] | None = None,
    watch: Callable[[list[int], float], None] = lambda _done, _part: None,
    stopped: Callable[[], bool] = lambda: False,
) -> list[R | None]:
    """Do `work` on each item, as many at once as there are processors, and return what came out, in order.

    `work` is a function of a module, and what goes in and out can be pickled. The greatest `cost` begins
    first; drives of all workers together have `memory_bytes`, or what the machine has. Each worker calls
    `setup` before its first work. `watch` is told, ten times a second, which items are done, and how much of
    everything, as far as work says it (`note`).

    `stopped` ends it: work that is under way sees `stopping()`. None stands for what was left out, or ended
    by KeyboardInterrupt. The outcome does not depend on the number of workers. Raises what the first work
    raised; the other work is then stopped.
    """
    if not items:
        return []
    with crew(
        workers=min(workers or os.cpu_count() or 1, len(items)),
        memory_bytes=memory_bytes,
        setup=setup,
        items=len(items),
    ) as team:
        order = sorted(range(len(items)), key=lambda index: -cost(items[index]))
        futures = {index: team.submit(work, items[index], index) for index in order}
        _watch(futures, team, waiting, lambda done: watch(done, team.part()), stopped)
    return [_outcome(futures[index]) for index in range(len(items))]


class Crew:
    """Processes that work until the block of `crew` ends."""

    def __init__(self, pool: ProcessPoolExecutor, count: int, stop: Stop, parts: "Array[c_double]") -> None:
        self.count = count  # how many pieces of work go on at once
        self._pool, self._stop, self._parts = pool, stop, parts

    def submit(self, work: Callable[[T], R], item: T, index: int = 0) -> "Future[R]":
        """Hand over a piece of work; `index` is the place at which it notes how far it is."""
        return self._pool.submit(_one, work, item, index)

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
def crew(
    *,
    workers: int | None = None,
    memory_bytes: int | None = None,
    setup: Callable[[], None] | None = None,
    items: int = 1,
) -> Iterator[Crew]:
    """Give processes to hand work to, as many as there are processors; when the block ends, so do they.

    Work is a function of a module, and what goes in and out can be pickled. The drives of all workers
    together have `memory_bytes`, or what the machine has; each worker calls `setup` before its first work.
    There is room for `items` to note how far they are. A block that raises stops what is under way.
    """
    context = multiprocessing.get_context("spawn")
    stop, memory = Stop(context), Memory(context, memory_bytes)
    count, parts = workers or os.cpu_count() or 1, context.RawArray("d", items)
    begin = (stop, memory, parts, setup)
    with ProcessPoolExecutor(count, context, initializer=_begin, initargs=begin) as pool:
        try:
            yield Crew(pool, count, stop, parts)
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def _watch(
    futures: "dict[int, Future[R]]",
    team: Crew,
    waiting: Waiting,
    watch: Callable[[list[int]], None],
    stopped: Callable[[], bool],
) -> None:
    left = set(futures.values())
    while left:
        if stopped() and not team.stopped():
            team.stop()
            if waiting == "left out":
                for future in left:
                    future.cancel()
        done, left = wait(left, timeout=0.1, return_when=FIRST_COMPLETED)
        for future in done:
            _outcome(future)
        watch([index for index, future in futures.items() if future not in left])


def _outcome(future: "Future[R]") -> R | None:
    """What came out, None where it was stopped."""
    if future.cancelled():
        return None
    try:
        return future.result()
    except KeyboardInterrupt:
        return None


_stop: Stop | None = None
_parts: Array[c_double] | None = None
_at = 0  # the item that this worker works on


def note(part: float) -> None:
    """Say which part of this worker's item is done."""
    assert _parts is not None
    _parts[_at] = part


def stopping() -> bool:
    """Whether the command of this worker was told to stop, or is no more; never outside of workers."""
    return _stop is not None and _stop.is_set()


def wait_for_stop() -> None:
    """Return once the command of this worker was told to stop."""
    assert _stop is not None
    _stop.wait()


def _begin(stop: Stop, memory: Memory, parts: Array[c_double], setup: Callable[[], None] | None) -> None:
    """Set a worker up: Ctrl-C reaches it only through its command, so that all end the same way."""
    global _stop, _parts
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_command()
    share(memory)
    _stop, _parts = stop, parts
    if setup is not None:
        setup()


def _one(work: Callable[[T], R], item: T, index: int) -> R:
    """Do one piece of work in a worker."""
    global _at
    _at = index
    with at_work():
        done = work(item)
    note(1.0)
    return done
