"""Memory that the drives of one command share: each waits until those at work leave it room.

A process that has room may be killed at any moment: its pool ends with it, and none goes on waiting for a
command that is no more.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from floatgate import _core
from floatgate.inputs.plan import Plan
from floatgate.workers.stop import POLLED_EVERY_S, parent_process

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

LOCKED_FOR_S = 1.0  # at most, by a process that lives; it takes microseconds
PLACES = 4096  # processes of a command that can share


class Memory:
    """The bytes of `limit`, or what the machine has. It goes to a worker as an initialiser's argument."""

    def __init__(self, context: "BaseContext", limit: int | None = None) -> None:
        self.limit = _core.free_memory_bytes() if limit is None else limit
        self.place = 0  # of this process among the processes that share
        self._lock: Any = context.Lock()
        self._taken: Any = context.RawArray("Q", PLACES)  # by the process of each place
        self._most: Any = context.RawValue("Q", 0)

    @property
    def most(self) -> int:
        """The most that was taken at once."""
        return int(self._most.value)

    def take(self, needed: int) -> bool:
        """Take `needed` bytes if they are left.

        Who is alone gets them: the core says whether they are too many.
        """
        if not self._lock.acquire(timeout=LOCKED_FOR_S):
            return False
        try:
            others = sum(self._taken)
            if others and self.limit is not None and others + needed > self.limit:
                return False
            self._taken[self.place] += needed
            self._most.value = max(others + needed, self._most.value)
        finally:
            self._lock.release()
        return True

    def give(self, taken: int) -> None:
        """Give back what was taken."""
        locked = self._lock.acquire(timeout=LOCKED_FOR_S)
        self._taken[self.place] -= taken
        if locked:
            self._lock.release()

    def forget(self, place: int) -> None:
        """Give back what the process of a place had, which was killed; if it had the lock, that, too."""
        self._lock.acquire(timeout=LOCKED_FOR_S)
        self._taken[place % PLACES] = 0
        self._lock.release()

    @contextmanager
    def room(self, needed: int) -> Iterator[None]:
        """Wait for `needed` bytes and have them inside the block, which must not ask for more."""
        command = parent_process()
        while not self.take(needed):
            if command is not None and not command.is_alive():
                raise KeyboardInterrupt
            time.sleep(POLLED_EVERY_S)
        try:
            yield
        finally:
            self.give(needed)


_shared: Memory | None = None


def share(memory: Memory, place: int = 0) -> None:
    """Let the runs of this worker, the one of a place, share `memory` with those of the others."""
    global _shared
    _shared = memory
    _shared.place = place % PLACES


def room_for(plan: Plan) -> AbstractContextManager[None]:
    """Have room for the drive of `plan` inside the block, at once in a process that shares no memory."""
    return room(plan.memory_bytes)


@contextmanager
def room(needed: Callable[[], int]) -> Iterator[None]:
    """Have room for so many bytes inside the block, at once in a process that shares no memory."""
    if _shared is None:
        yield
        return
    with _shared.room(needed()):
        yield
