"""A word from a command to its worker processes: stop. No lock is held, so a worker may die at any moment.

An event of `multiprocessing` waits, when it is set, for every process that slept on it, killed ones too.
"""

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
        """Whether it was said."""
        return bool(self._said.value)

    def wait(self) -> None:
        """Return once it was said."""
        while not self.is_set():
            time.sleep(POLLED_EVERY_S)
