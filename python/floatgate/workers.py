"""Many independent pieces of work, spread over processes: the one place of the package that starts any."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
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
    context = multiprocessing.get_context("spawn")
    stop, memory = Stop(context), Memory(context, memory_bytes)
    count = min(workers or os.cpu_count() or 1, len(items))
    parts = context.RawArray("d", len(items))
    begin = (stop, memory, parts, setup)
    with ProcessPoolExecutor(count, context, initializer=_begin, initargs=begin) as pool:
        order = sorted(range(len(items)), key=lambda index: -cost(items[index]))
        futures = {index: pool.submit(_one, work, items[index], index) for index in order}
        try:
            _watch(futures, stop, waiting, lambda done: watch(done, sum(parts[:]) / len(parts)), stopped)
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [_outcome(futures[index]) for index in range(len(items))]


def _watch(
    futures: "dict[int, Future[R]]",
    stop: Stop,
    waiting: Waiting,
    watch: Callable[[list[int]], None],
    stopped: Callable[[], bool],
) -> None:
    left = set(futures.values())
    while left:
        if stopped() and not stop.is_set():
            stop.set()
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
