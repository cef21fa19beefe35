"""Processes of this machine, each with a thread here that hands it work and waits for what comes back.

A process that is killed at its work, as the system does when memory runs out, costs that work alone: it is
done once more by another process, and then given up.
"""

import multiprocessing
import os
import pickle
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from ctypes import Array, c_double
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from floatgate.errors import InputError, Killed
from floatgate.workers import here
from floatgate.workers.memory import Memory
from floatgate.workers.script import check_script
from floatgate.workers.stop import Stop

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnContext
    from multiprocessing.process import BaseProcess

T = TypeVar("T")
R = TypeVar("R")

AHEAD = (
    4  # pieces of work handed over for each process: none waits for the next, and a stop leaves few behind
)
KILLED_MOST = 2  # times that a process may be killed at one piece of work


@dataclass(eq=False)
class Piece:
    """A piece of work, and the future of what comes of it."""

    what: bytes
    future: "Future[Any]"
    killed: int = 0
    begun: bool = False  # and so no longer to be cancelled


@dataclass(eq=False)
class Process:
    """A process at the other end of a line."""

    process: "BaseProcess"
    line: "Connection[Any, Any]"
    ready: bool = False

    def ask(self, what: bytes) -> bytes:
        """Return what comes of a piece of work. Raises EOFError or OSError where the process is no more."""
        self.line.send_bytes(what)
        if not self.ready:
            self.line.recv_bytes()
            self.ready = True
        return self.line.recv_bytes()

    def ended(self) -> int | None:
        """Wait for its end; return its exit code, minus the signal that ended it."""
        self.line.close()
        self.process.join()
        return self.process.exitcode


class LocalCrew:
    """Processes that work until the block of `local` ends."""

    def __init__(
        self,
        context: "SpawnContext",
        count: int,
        memory: Memory,
        setup: Callable[[], None] | None,
        items: int,
    ) -> None:
        self.count = count
        self.ahead = AHEAD * count
        self._context, self._memory, self._setup = context, memory, setup
        self._stop = Stop(context)
        self._parts: Array[c_double] = context.RawArray("d", items)
        self._waiting: deque[Piece] = deque()
        self._threads: list[threading.Thread] = []
        self._free = 0  # threads without work
        self._over = False
        self._changed = threading.Condition()
        self._starting = threading.Lock()  # processes are started, and waited for, one after the other

    def submit(self, work: Callable[[T], R], item: T, index: int = 0) -> "Future[R]":
        """Hand over a piece of work; `index` is the place at which it notes how far it is."""
        future: Future[R] = Future()
        piece = Piece(pickle.dumps((work, item, index)), future)
        with self._changed:
            self._waiting.append(piece)
            if self._free < len(self._waiting) and len(self._threads) < self.count:
                thread = threading.Thread(target=self._serve, args=(len(self._threads),), daemon=True)
                self._threads.append(thread)
                thread.start()
            self._changed.notify()
        return future

    def part(self) -> float:
        """Return which part of everything is done, as far as work says it."""
        return sum(self._parts[:]) / len(self._parts)

    def stop(self) -> None:
        """Tell running tasks to stop: `stopping()` is true in them from now on."""
        self._stop.set()

    def stopped(self) -> bool:
        """Whether it was told."""
        return self._stop.is_set()

    def end(self, *, cancel: bool) -> None:
        """Return once all work is done and the processes have ended; `cancel`: without what is not begun."""
        with self._changed:
            self._over = True
            for piece in list(self._waiting) if cancel else ():
                if not piece.begun and piece.future.cancel():
                    self._waiting.remove(piece)
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _serve(self, place: int) -> None:
        """Hand the process at a place one piece of work after the other."""
        process: Process | None = None
        while (piece := self._next()) is not None:
            piece.begun = piece.begun or piece.future.set_running_or_notify_cancel()
            if not piece.begun:
                continue
            try:
                process = process or self._start(place)
            except Exception as error:  # such as a machine that has no more processes
                piece.future.set_exception(error)
                continue
            try:
                answer = process.ask(piece.what)
            except (EOFError, OSError):
                self._lost(piece, process, place)
                process = None
            else:
                _tell(piece.future, answer)
        if process is not None:
            with self._starting:
                process.ended()

    def _next(self) -> Piece | None:
        """Wait for a piece of work; None once there is none any more."""
        with self._changed:
            self._free += 1
            self._changed.wait_for(lambda: self._waiting or self._over)
            self._free -= 1
            return self._waiting.popleft() if self._waiting else None

    def _start(self, place: int) -> Process:
        """Start the process of a place."""
        near, far = self._context.Pipe()
        asked = (self._stop, self._memory, self._parts, self._setup, place)
        with self._starting:
            made = self._context.Process(target=here.work, args=(far, asked))
            made.start()
            far.close()
        return Process(made, near)

    def _lost(self, piece: Piece, process: Process, place: int) -> None:
        """Have the work of a process that is no more done again, or give it up."""
        with self._starting:
            code = process.ended()
        self._memory.forget(place)
        if not process.ready and code is not None and code >= 0:
            expected = 'expected the call under `if __name__ == "__main__":` where a script makes it'
            said = f"a process for the work ended as it began (exit code {code})"
            piece.future.set_exception(InputError(f"{said}: {expected}"))
            return
        piece.killed += 1
        if piece.killed < KILLED_MOST:
            with self._changed:
                self._waiting.appendleft(piece)
                self._changed.notify()
            return
        piece.future.set_exception(Killed.by(code, piece.killed))


def _tell(future: "Future[Any]", answer: bytes) -> None:
    """Give a future what came back."""
    try:
        failed, outcome = pickle.loads(answer)
    except BaseException as error:
        future.set_exception(error)
        return
    if failed:
        future.set_exception(outcome)
    else:
        future.set_result(outcome)


@contextmanager
def local(
    workers: int | None, memory_bytes: int | None, setup: Callable[[], None] | None, items: int
) -> Iterator[LocalCrew]:
    """Start the processes as work comes, and end them with the block.

    Raises InputError in a script that asks for them where each of them would.
    """
    check_script()
    context = multiprocessing.get_context("spawn")
    memory = Memory(context, memory_bytes)
    team = LocalCrew(context, workers or os.cpu_count() or 1, memory, setup, items)
    try:
        yield team
        team.end(cancel=False)
    except BaseException:
        team.stop()
        with suppress(KeyboardInterrupt):
            team.end(cancel=True)
        raise
