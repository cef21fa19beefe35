"""Eviction policies in Python, compiled: policies that choose which unit leaves the write buffer next."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, SupportsIndex

from floatgate.own.compiled import Compiled, Question, View
from floatgate.own.lent import Random

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HELD, CLEAN = 2, 3  # how the core numbers them


class EvictionView(View):
    """What a policy may know of the write buffer. Arrays are by slot; only kept slots may be chosen."""

    kept: int  # slots kept now
    keep: int  # how many may be kept
    lpn: "NDArray[np.uint32]"  # the logical unit that a slot holds
    random: Random
    _state: "NDArray[np.uint8]"

    layout: ClassVar[Mapping[str, str]] = {
        "kept": "int",
        "keep": "int",
        "lpn": "u4[:]",
        "_state": "u1[:]",
        "random": "random",
    }

    def is_dirty(self, slot: int) -> bool:
        """Return whether a kept slot holds data that the flash does not (a dirty unit)."""
        return bool(self._state[slot] == HELD)

    def is_kept(self, slot: int) -> bool:
        """Return whether the buffer keeps the unit in a slot, so that the policy may choose the slot."""
        return bool(self._state[slot] == HELD or self._state[slot] == CLEAN)


class Policy(Compiled):
    """An eviction policy of the write buffer; one object for the drive.

    The policy is asked when the buffer keeps more slots than it may. Slots are numbered from 0; each is kept
    from `on_keep` to `on_leave`. A notification that the class does not define takes no time.
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
        """Make the policy's state, for a buffer of `slots` slots.

        `block_units` is the number of mapping units of a block of the map. Called once, in plain Python,
        before the buffer is used.
        """

    def is_drain(self) -> bool:
        """Return True if by default no slot is kept: units leave in order of arrival. In plain Python."""
        return False

    def pads(self) -> bool:
        """Return True if a logical block that is evicted is programmed whole, with units read from flash.

        It matters only on a drive whose map is of blocks. Asked once, in plain Python.
        """
        return False

    def on_keep(self, slot: int, lpn: int, is_dirty: bool) -> None:
        """Take note that the buffer keeps a slot from now on; `is_dirty`: its data are not on flash."""

    def on_use(self, slot: int, lpn: int, is_write: bool) -> None:
        """Take note that the host read a kept slot or, if `is_write`, overwrote it."""

    def on_leave(self, slot: int, lpn: int) -> None:
        """Take note that a slot is kept no longer: chosen, trimmed, flushed or about to be programmed."""

    def choose(self, view: EvictionView) -> SupportsIndex:
        """Return the kept slot to evict next; at least one slot is kept."""
        raise NotImplementedError

    def is_overdue(self) -> bool:
        """Return whether a unit should be evicted although the write buffer has free space."""
        return False
