"""A word from a command to its worker processes: stop. No lock is held, so a worker may die at any moment.

A command that was killed says it, too: its workers would go on for no command.

An event of `multiprocessing` waits, when it is set, for every process that slept on it, killed ones too.
"""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess

POLLED_EVERY_S = 0.1


def parent_process() -> "BaseProcess | None":
    """Return the command whose worker this process is; none where it is a command itself."""
    import multiprocessing

    return multiprocessing.parent_process()


class Stop:
    """Not said at first; said once, it stays said. It goes to a worker as an argument of its initialiser."""

    def __init__(self, context: "BaseContext") -> None:
        self._said: Any = context.RawValue("b", 0)

    def set(self) -> None:
        """Say it."""
        self._said.value = 1

    def is_set(self) -> bool:
        """Whether it was said, or the command is no more."""
        command = parent_process()
        return bool(self._said.value) or (command is not None and not command.is_alive())

    def wait(self) -> None:
        """Return once it was said."""
        while not self.is_set():
            time.sleep(POLLED_EVERY_S)


_work = threading.Lock()


@contextmanager
def at_work() -> Iterator[None]:
    """A worker has work, which ends by itself when it is told to stop, and clears up after itself."""
    with _work:
        yield


def end_with_command() -> None:
    """End this worker when its command is no more: without work it would wait for some for ever.

    A worker holds both ends of the pipe that work comes through, so that it never sees the other end close.
    """
    command = parent_process()

    def watch() -> None:
        assert command is not None
        command.join()
        with _work:
            os._exit(1)

    if command is not None:
        threading.Thread(target=watch, daemon=True).start()
