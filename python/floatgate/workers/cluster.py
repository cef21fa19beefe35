"""A Dask cluster that is there already, as a crew.

A task of the cluster is a batch of short work or one piece of long work: a task costs some milliseconds. What
a dead worker had is done again by another: the scheduler sees to it for tasks, and what a task could not do
comes back here and is handed over again. Each piece of work is told of once, when its result is here.
"""

import asyncio
import logging
import os
import pickle
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from floatgate.errors import InputError, Killed, one_line
from floatgate.files import MIB, digest
from floatgate.workers import worker
from floatgate.workers.arriving import arrived
from floatgate.workers.identity import identity
from floatgate.workers.post import Done, piece
from floatgate.workers.worker import Job, Unready

if TYPE_CHECKING:
    from distributed import Client, Future as Task

T = TypeVar("T")
R = TypeVar("R")

WITHIN, WITHIN_S = "FLOATGATE_SCHEDULER_TIMEOUT", "5s"
LEAST_S = 0.25  # of work in a task, where there is enough of it
OF_SCHEDULER_S = 0.004  # that a task costs it: with many workers, tasks are longer
MOST = 64  # pieces of work in a task
AHEAD = 2  # tasks for each process
LOST_MOST = 3  # times that a piece of work may be lost with the process that did it
COUNT_EVERY_S = 1.0
PART = 8 * MIB  # of a file, as it travels


@dataclass
class Piece:
    """A piece of work, and who waits for it."""

    what: bytes
    future: "Future[Any]"
    index: int
    lost: int = 0
    begun: bool = False  # and so no longer to be cancelled


@dataclass
class ClusterCrew:
    """The workers of a Dask cluster."""

    client: "Client"
    job: Job
    files: Mapping[str, Path]  # inputs by their hashes
    items: int
    _waiting: deque[Piece] = field(default_factory=deque)
    _tasks: "dict[str, tuple[Task[Any], list[Piece]]]" = field(default_factory=dict)
    _told: bool = False
    _over: bool = False
    _done: int = 0
    _took_s: float | None = None  # a piece of work, of late
    _counted: tuple[float, int] = (-1e9, 1)

    def __post_init__(self) -> None:
        self._lock = threading.RLock()
        self._idle = threading.Condition(self._lock)

    @property
    def count(self) -> int:
        """How many pieces of work go on at once, now."""
        if time.monotonic() - self._counted[0] > COUNT_EVERY_S:
            with suppress(Exception):
                threads = sum(self.client.nthreads().values())  # type: ignore[no-untyped-call]
                self._counted = (time.monotonic(), max(threads, 1))
        return self._counted[1]

    @property
    def ahead(self) -> int:
        """How many pieces of work to have handed over, so that no worker waits for the next."""
        return (AHEAD + 1) * self.count * self._batch()

    def submit(self, work: Callable[[T], R], item: T, index: int = 0) -> "Future[R]":
        """Hand over a piece of work."""
        future: Future[R] = Future()
        with self._lock:
            self._waiting.append(Piece(piece(work, item), future, index))
        self._fill()
        return future

    def part(self) -> float:
        """Return which part of all items is done."""
        return self._done / self.items

    def stop(self) -> None:
        """Tell running tasks to stop."""
        self._told = True
        self._everywhere(worker.stop)

    def stopped(self) -> bool:
        """Whether it was told."""
        return self._told

    def wait(self) -> None:
        """Return once no task runs."""
        with self._idle:
            self._idle.wait_for(lambda: not self._tasks and not self._waiting)

    def end(self) -> None:
        """End running tasks, and the posts of this command."""
        with self._lock:
            self._over = True
            pieces = [*self._waiting, *(one for _, batch in self._tasks.values() for one in batch)]
            tasks = [task for task, _ in self._tasks.values()]
            self._waiting.clear()
        for one in pieces:
            one.future.cancel()
        with suppress(Exception):
            if tasks:
                self.client.cancel(tasks, force=True)  # type: ignore[no-untyped-call]
        self._everywhere(worker.end).join(timeout=5)

    def _everywhere(self, say: Callable[[str], Any]) -> threading.Thread:
        """Call a function on all workers; one that does not answer is not waited for."""

        def tell() -> None:
            with suppress(Exception):
                self.client.run(say, self.job.key, on_error="ignore")

        thread = threading.Thread(target=tell, daemon=True)
        thread.start()
        return thread

    def _batch(self) -> int:
        """How many pieces of work a task has."""
        if self._took_s is None:
            return 1
        wanted = max(LEAST_S, self._counted[1] * OF_SCHEDULER_S)
        return min(max(int(wanted / max(self._took_s, 1e-4)), 1), MOST)

    def _fill(self) -> None:
        """Make tasks of what waits, as many as keep the workers busy."""
        count = self.count
        with self._lock:
            while self._waiting and len(self._tasks) < AHEAD * count and not self._over:
                # What is left goes round: the last tasks should not be longer than the others.
                share = -(-len(self._waiting) // (AHEAD * count - len(self._tasks)))
                batch: list[Piece] = []
                while self._waiting and len(batch) < min(self._batch(), share):
                    one = self._waiting.popleft()
                    one.begun = one.begun or one.future.set_running_or_notify_cancel()
                    if one.begun:
                        batch.append(one)
                if batch:
                    self._hand_over(batch)
            self._idle.notify_all()

    def _hand_over(self, batch: list[Piece]) -> None:
        key = f"floatgate-{self.job.key}-{uuid4().hex}"
        what = [one.what for one in batch]
        try:
            task = self.client.submit(worker.work, self.job, what, self._told, key=key, pure=False)
        except Exception as error:
            self._fail(batch, error)
            return
        self._tasks[key] = (task, batch)
        task.add_done_callback(self._ended)  # type: ignore[no-untyped-call]

    def _ended(self, task: "Task[Any]") -> None:
        """Take what a task brought; called in a thread of Dask's, one task after the other."""
        if self._over:
            return
        key = str(task.key)
        batch = self._tasks[key][1]
        again: list[Piece] = []
        try:
            found = task.result()
            if isinstance(found, Unready):
                self._make_ready(found)
                again = batch
            else:
                again = self._take(batch, found)
        except BaseException as error:
            self._fail(batch, error)
        with self._lock:
            self._waiting.extendleft(reversed(again))
            del self._tasks[key]
        self._fill()

    def _take(self, batch: list[Piece], found: list[Done | None]) -> list[Piece]:
        """Tell the callers that wait; return what is to be done again."""
        again = []
        for one, done in zip(batch, found, strict=True):
            if done is None:
                one.lost += 1
                if one.lost < LOST_MOST:
                    again.append(one)
                else:
                    said = f"lost {one.lost} times with the process that did it: expected enough memory"
                    one.future.set_exception(Killed(f"{self.address}: work was {said}"))
                continue
            self._took_s = done.took_s if self._took_s is None else 0.8 * self._took_s + 0.2 * done.took_s
            self._done += 1
            try:
                outcome = pickle.loads(done.outcome)
                if not done.failed:
                    outcome = arrived(outcome)
            except BaseException as error:
                one.future.set_exception(error)
                continue
            if done.failed:
                one.future.set_exception(outcome)
            else:
                one.future.set_result(outcome)
        return again

    def _fail(self, batch: list[Piece], error: BaseException) -> None:
        """Say why a task came to nothing."""
        if not isinstance(error, InputError):
            address = self.address
            if isinstance(error, CancelledError) or type(error).__name__ == "FutureCancelledError":
                error = InputError(f"{address}: the scheduler is gone: expected it until the end")
            else:
                said = one_line(f"{type(error).__name__}: {error}")
                error = InputError(f"{address}: {said}: expected workers that stay alive, of this Floatgate")
        for one in batch:
            if not one.future.done():
                one.future.set_exception(error)

    @property
    def address(self) -> str:
        """Where the scheduler is."""
        return str(self.client.scheduler.address) if self.client.scheduler else "the cluster"

    def _make_ready(self, found: Unready) -> None:
        """Give a worker that came later what it lacks. Raises InputError where it is another Floatgate."""
        if found.identity is not None:
            raise _other(found.worker, found.identity, self.job.identity)
        _send(self.client, [found.worker], {one: self.files[one] for one in found.lacks})


def _other(address: str, found: str, mine: str) -> InputError:
    return InputError(f"{address}: a worker with Floatgate {found}: expected {mine}, as here")


@contextmanager
def cluster(
    scheduler: str,
    memory_bytes: int | None,
    inputs: Sequence[Path],
    setup: Callable[[], None] | None,
    items: int,
) -> Iterator[ClusterCrew]:
    """Give the workers of a scheduler, with the inputs at hand. Raises InputError."""
    files = {name: digest(name) for name in dict.fromkeys(map(str, inputs))}
    job = Job(
        uuid4().hex[:12],
        identity(),
        str(Path.cwd()),
        tuple(files.items()),
        memory_bytes,
        pickle.dumps(setup),
    )
    by_content = {content: Path(name) for name, content in files.items()}
    with _quiet(), _client(scheduler) as client:
        _prepare(client, job, by_content)
        team = ClusterCrew(client, job, by_content, items)
        try:
            yield team
            team.wait()
        finally:
            team.end()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's own words off the terminal: what matters of them is an error of ours."""
    log = logging.getLogger("distributed")
    before = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(before)


@contextmanager
def _client(scheduler: str) -> Iterator["Client"]:
    """Connect. Raises InputError where no scheduler answers in time, or there is no worker by then."""
    from floatgate.extras import needed
    from floatgate.options import nanoseconds

    distributed = needed("distributed")
    within = os.environ.get(WITHIN, WITHIN_S)
    seconds = nanoseconds(WITHIN, within) / 1e9
    expected = f"expected a Dask scheduler, such as tcp://HOST:8786 ({WITHIN} says how long to wait)"
    try:
        # A thread of its own has no event loop yet, which a notebook's has.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, asyncio.wait_for(_answer(scheduler), seconds)).result()
        client = distributed.Client(scheduler, timeout=seconds, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise InputError(f"{scheduler}: no answer in {within}: {expected}") from error
    except Exception as error:
        raise InputError(f"{scheduler}: {one_line(error)}: {expected}") from error
    try:
        try:
            client.wait_for_workers(1, timeout=seconds)
        except TimeoutError as error:
            expects = f"expected one, by `dask worker {scheduler}` ({WITHIN} says how long to wait)"
            raise InputError(f"{scheduler}: no worker in {within}: {expects}") from error
        yield client
    finally:
        client.close(timeout=seconds)


async def _answer(scheduler: str) -> None:
    """Return once the scheduler answers: a client waits for ever where a port is open and says nothing."""
    import distributed

    plain: Any = distributed
    security = plain.Security().get_connection_args("client")
    async with plain.rpc(scheduler, connection_args=security) as line:
        await line.identity()


def _prepare(client: "Client", job: Job, files: Mapping[str, Path]) -> None:
    """See that every worker is this Floatgate, and that every cache has the inputs. Raises InputError."""
    caches: dict[str, tuple[str, list[str]]] = {}
    for address, found in client.run(worker.look, job, on_error="return").items():
        if isinstance(found, OSError):
            continue  # It has just gone.
        if isinstance(found, BaseException):
            raise _other(address, f"that does not answer ({one_line(found)[:200]})", job.identity)
        its_own, cache, lacks = found
        if its_own != job.identity:
            raise _other(address, its_own, job.identity)
        caches.setdefault(cache, (address, lacks))
    for content, path in files.items():
        addresses = [address for address, lacks in caches.values() if content in lacks]
        if addresses:
            _send(client, addresses, {content: path})


def _send(client: "Client", addresses: Sequence[str], files: Mapping[str, Path]) -> None:
    """Send files to workers, part by part. Raises InputError where one was changed meanwhile."""
    for content, path in files.items():
        letter, left = uuid4().hex[:8], path.stat().st_size
        with path.open("rb") as file:
            while True:
                part = file.read(PART)
                left -= len(part)
                last = left <= 0 or not part
                client.run(worker.receive, content, letter, part, last, workers=list(addresses))
                if last:
                    break
        if digest(path) != content:
            raise InputError(f"{path}: was changed while it was read: expected a file that stays as it is")
