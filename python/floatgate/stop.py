"""A word from a command to its worker processes: stop. No lock is held, so a worker may die at any moment.

A command that was killed says it, too: its workers would go on for nobody.

An event of `multiprocessing` waits, when it is set, for every process that slept on it, killed ones too.
"""

import multiprocessing
import time
from multiprocessing.context import BaseContext
from typing import Any

POLLED_EVERY_S = 0.1


class Stop:
    """Not said at first; said once, it stays said. It goes to a worker as an argument of its initialiser."""

    def __init__(self, context: BaseContext) -> None:
        self._said: Any = context.RawValue("b", 0)

    def set(self) -> None:
        """Say it."""
        self._said.value = 1

    def is_set(self) -> bool:
        """Whether it was said, or the command is no more."""
        command = multiprocessing.parent_process()
        return bool(self._said.value) or (command is not None and not command.is_alive())

    def wait(self) -> None:
        """Return once it was said."""
        while not self.is_set():
            time.sleep(POLLED_EVERY_S)
