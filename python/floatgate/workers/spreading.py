"""A list of items, each done by a crew: the results in the order of the items."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path
from typing import Literal, TypedDict, TypeVar

from floatgate.workers.crews import Crew, crew, scheduler_of

T = TypeVar("T")
R = TypeVar("R")

# What becomes of work that is not begun when the command is told to stop: it is left out, or it begins and
# finds that it should stop.
Waiting = Literal["left out", "begins"]


class How(TypedDict, total=False):
    """Workers, scheduler and end of a command's runs, as keywords of `spread`."""

    workers: int | None
    scheduler: str | None
    stopped: Callable[[], bool]


def spread(
    work: Callable[[T], R],
    items: Sequence[T],
    *,
    workers: int | None = None,
    memory_bytes: int | None = None,
    scheduler: str | None = None,
    inputs: Sequence[Path] = (),
    cost: Callable[[T], float] = lambda _item: 0.0,
    waiting: Waiting = "left out",
    setup: Callable[[], None] | None = None,
    watch: Callable[[list[int], float], None] = lambda _done, _part: None,
    stopped: Callable[[], bool] = lambda: False,
) -> list[R | None]:
    """Do `work` on each item, as many at once as there are workers, and return what came out, in order.

    Workers are those of `crew`. The greatest `cost` begins first. `watch` is told, ten times a second, which
    items are done, and how much of everything, as far as work says it (`note`).

    `stopped` ends it: running tasks see `stopping()`. None stands for what was left out, or ended
    by KeyboardInterrupt. The outcome does not depend on the number of workers, or where they are. Raises what
    the first work raised; the other work is then stopped.
    """
    if not items:
        return []
    scheduler = scheduler_of(scheduler, workers)
    with crew(
        workers=min(workers or os.cpu_count() or 1, len(items)) if scheduler is None else None,
        memory_bytes=memory_bytes,
        scheduler=scheduler,
        inputs=inputs,
        setup=setup,
        items=len(items),
    ) as team:
        order = sorted(range(len(items)), key=lambda index: -cost(items[index]))
        futures = {index: team.submit(work, items[index], index) for index in order}
        _watch(futures, team, waiting, lambda done: watch(done, team.part()), stopped)
    return [_outcome(futures[index]) for index in range(len(items))]


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
