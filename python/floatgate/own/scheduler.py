"""Schedulers in Python, compiled: which waiting operation a die starts next."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, SupportsIndex

from floatgate.own.compiled import Compiled, Question, View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from floatgate.own.lent import Random

CLASSES = 5


class DieView(View):
    """What a scheduler may know about a die. Arrays are by class of operations, HOST_READ to ERASE."""

    urgent: bool  # the die is short of free superblocks: the host waits for garbage collection
    now_ns: int
    queued_ns: "NDArray[np.int64]"  # when the oldest operation of each class was queued, where one waits
    submitted: "NDArray[np.uint64]"  # its running number: lower came earlier
    random: "Random"
    _ready: int

    def is_ready(self, of: int) -> bool:
        """Return whether an operation of a class waits and may be chosen."""
        return self._ready >> of & 1 != 0

    def oldest(self, classes: int) -> int:
        """Return the ready class of a set, one bit each, whose oldest operation came first; -1: none is."""
        found = -1
        for of in range(CLASSES):
            if (self._ready & classes) >> of & 1 and (
                found < 0 or self.submitted[of] < self.submitted[found]
            ):
                found = of
        return found


class Policy(Compiled):
    """A scheduler, one object for all dies of the drive. Classes and kinds of operations are numbers."""

    HOST_READ, INTERNAL_READ, HOST_PROGRAM, INTERNAL_PROGRAM, ERASE = range(CLASSES)
    ALL = (1 << CLASSES) - 1  # classes
    RUNNING_PROGRAM, RUNNING_ERASE = 1, 2  # kinds that may be interrupted

    seam: ClassVar[str] = "controller.scheduler"
    must: ClassVar[tuple[str, ...]] = ("pick",)
    may: ClassVar[tuple[str, ...]] = ("attach", "suspends", "hastens_collection")
    questions: ClassVar[Mapping[str, Question]] = {
        "pick": Question(view=DieView, answer=("int",)),
        "suspends": Question({"running": "int", "remaining_ns": "int", "times": "int"}, answer=("bool",)),
    }

    def attach(self) -> None:
        """Begin. Called once, as Python: state is made here."""

    def hastens_collection(self) -> bool:
        """Return whether garbage collection of an urgent die goes before the host's programs. Asked once."""
        return False

    def pick(self, view: DieView) -> SupportsIndex:
        """Return one of the ready classes. Asked where more than one is."""
        raise NotImplementedError

    def suspends(self, running: int, remaining_ns: int, times: int) -> bool:
        """Return whether a host read that just arrived interrupts the running program or erase.

        That has `remaining_ns` to go and was suspended `times` times before.
        """
        del running, remaining_ns, times
        return False
