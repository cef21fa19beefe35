"""A post: the process at a Dask worker that has the processes there do a command's work.

It is a command of its own there, as if its user had called it on that machine, in a folder with the files
that they named: it ends its work when it is told to, and when the worker is no more. The worker's own process
only waits for it, and so goes on to answer the scheduler.
"""

import pickle
import sys
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Any

from floatgate.errors import Fault, InputError
from floatgate.files import copies
from floatgate.workers.local import LocalCrew, local


@dataclass(frozen=True)
class Begin:
    """What a post is told first."""

    count: int  # of processes
    memory_bytes: int | None
    root: Path
    setup: bytes  # a pickled function, or None


@dataclass(frozen=True)
class Done:
    """What came of a piece of work: a pickled result, or a pickled error."""

    outcome: bytes
    failed: bool
    took_s: float


def piece(work: Callable[[Any], Any], item: Any) -> bytes:
    """Return a piece of work as it travels."""
    return pickle.dumps((work, item))


def do(what: bytes) -> Done:
    """Do a piece of work, in a process of the post; files in it have the names that the user gave them."""
    began = perf_counter()
    failed = False
    try:
        work, item = pickle.loads(what)
        found = work(item)
        outcome = pickle.dumps(found)
    except BaseException as error:
        failed, outcome = True, _pickled(error)
    return Done(outcome, failed, perf_counter() - began)


def _pickled(error: BaseException) -> bytes:
    """Return an error as it travels, with the user's names in it."""
    if isinstance(error, InputError | Fault):
        error = type(error)(copies.as_named(str(error)))
    with suppress(Exception):
        found = pickle.dumps(error)
        pickle.loads(found)
        return found
    return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))


def _settle(root: Path, setup: bytes) -> None:
    """Set up a process of the post."""
    copies.lie_below(root)
    own = pickle.loads(setup)
    if own is not None:
        own()


class Server:
    """The post's side of the talk with its Dask worker."""

    def __init__(self, line: "Connection[Any, Any]") -> None:
        self._line, self._writing = line, Lock()

    def serve(self) -> None:
        """Do what the worker asks for until it hangs up; running tasks are then told to stop."""
        begin: Begin = self._line.recv()
        count, setup = begin.count, partial(_settle, begin.root, begin.setup)
        with suppress(EOFError, ConnectionError), local(count, begin.memory_bytes, setup, count) as team:
            free = list(range(count))  # places at which running tasks note how far they are
            while True:
                word, *rest = self._line.recv()
                if word == "do":
                    self._begin(team, free, *rest)
                elif word == "stop":
                    team.stop()

    def _begin(self, team: LocalCrew, free: list[int], number: int, what: bytes) -> None:
        place = free.pop() if free else 0

        def end(future: "Future[Done]") -> None:
            free.append(place)
            try:
                answer = ("done", number, future.result())
            except BaseException as error:
                answer = ("done", number, Done(_pickled(error), True, 0.0))
            with suppress(OSError), self._writing:
                self._line.send(answer)

        team.submit(do, what, place).add_done_callback(end)


def main() -> None:
    """Be a post; the worker's end of the line is the process's argument, a file descriptor."""
    Server(Connection(int(sys.argv[1]))).serve()
