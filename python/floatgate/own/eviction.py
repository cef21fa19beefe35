"""Eviction policies in Python, compiled: which kept unit the buffer lets go of next."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, SupportsIndex

from floatgate.own.compiled import Compiled, Question, View
from floatgate.own.lent import Random

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HELD, CLEAN = 2, 3  # how the core numbers them


class EvictionView(View):
    """What a policy may know when it chooses. Arrays are by slot; only kept slots may be chosen."""

    kept: int  # slots kept now
    keep: int  # how many may be kept
    lpn: "NDArray[np.uint32]"  # the logical unit that a slot holds
    _state: "NDArray[np.uint8]"
    random: Random

    spaced: ClassVar[bool] = True

    def is_dirty(self, slot: int) -> bool:
        """Return whether a slot holds data that the flash does not."""
        return bool(self._state[slot] == HELD)

    def is_kept(self, slot: int) -> bool:
        """Return whether a slot may be chosen."""
        return bool(self._state[slot] == HELD or self._state[slot] == CLEAN)


class Policy(Compiled):
    """An eviction policy, one object for the drive. It is asked where the buffer keeps more than it may.

    Slots are numbered from 0; each is kept from `on_keep` to `on_leave`. What is not defined costs nothing.
    """

    seam: ClassVar[str] = "ftl.buffer.eviction"
    must: ClassVar[tuple[str, ...]] = ("choose",)
    may: ClassVar[tuple[str, ...]] = (
        "attach",
        "is_drain",
        "pads",
        "on_keep",
        "on_use",
        "on_leave",
        "is_overdue",
    )
    questions: ClassVar[Mapping[str, Question]] = {
        "on_keep": Question({"slot": "int", "lpn": "int", "is_dirty": "bool"}),
        "on_use": Question({"slot": "int", "lpn": "int", "is_write": "bool"}),
        "on_leave": Question({"slot": "int", "lpn": "int"}),
        "choose": Question(view=EvictionView, answer=("int",)),
        "is_overdue": Question(answer=("bool",)),
    }

    def attach(self, slots: int, block_units: int) -> None:
        """Begin: so many slots, and units of a block of the map. Python, once: state is made here."""

    def is_drain(self) -> bool:
        """Return whether it is a queue in which nothing need wait: then the buffer keeps nothing. Python."""
        return False

    def pads(self) -> bool:
        """Return whether a block of which units leave is written whole, with a map of blocks. Python."""
        return False

    def on_keep(self, slot: int, lpn: int, is_dirty: bool) -> None:
        """Take note that a slot is kept from now on; `is_dirty`: with data that the flash does not hold."""

    def on_use(self, slot: int, lpn: int, is_write: bool) -> None:
        """Take note that the host read a kept slot, or wrote it anew."""

    def on_leave(self, slot: int, lpn: int) -> None:
        """Take note that a slot is kept no longer: chosen, trimmed, flushed or about to be programmed."""

    def choose(self, view: EvictionView) -> SupportsIndex:
        """Return one of the kept slots, of which there is at least one."""
        raise NotImplementedError

    def is_overdue(self) -> bool:
        """Return whether a unit should leave although there is room."""
        return False
