"""Placement policies in Python, compiled: policies that choose the die of the next program unit."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, SupportsIndex

from floatgate.own.compiled import Compiled, Question, View
from floatgate.own.lent import Random
from floatgate.own.sets import first_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class PlacementView(View):
    """What a policy may know when it chooses a die. Dies are numbered channels first, then ways."""

    dies: int  # in the drive
    channels: int
    ways: int  # of a channel
    way_dies: int  # of a way
    planes: int  # of a die that operate apart
    lpn: int  # the first logical unit that will go there
    program_units: int  # mapping units of one program operation
    programs: "NDArray[np.uint32]"  # by die: program operations bound to it and not yet done
    _eligible: "NDArray[np.uint64]"
    random: Random

    def is_eligible(self, die: int) -> bool:
        """Return whether a die can take a program unit now: it has free space, and its queue is not full."""
        return bool(first_in(int(self._eligible[die >> 6]), die & 63) == die & 63)

    def next_eligible(self, start: int) -> int:
        """Return the first eligible die from `start` on, going on from die 0 at the end; -1 if none is."""
        words = len(self._eligible)
        word = start >> 6
        found = first_in(int(self._eligible[word]), start & 63)
        if found >= 0:
            return (word << 6) + found
        for _ in range(words):
            word = word + 1 if word + 1 < words else 0
            found = first_in(int(self._eligible[word]), 0)
            if found >= 0:
                return (word << 6) + found
        return -1


class Policy(Compiled):
    """A placement policy, which chooses dies; one object for the drive."""

    seam: ClassVar[str] = "ftl.placement"
    must: ClassVar[tuple[str, ...]] = ("choose",)
    may: ClassVar[tuple[str, ...]] = ("attach", "home")
    questions: ClassVar[Mapping[str, Question]] = {
        "choose": Question(view=PlacementView, answer=("int or None",)),
        "home": Question(view=PlacementView, answer=("int",)),
    }

    def attach(self, dies: int) -> None:
        """Make the policy's state, for a drive of `dies` dies. Called once, first, in plain Python."""

    def choose(self, view: PlacementView) -> SupportsIndex | None:
        """Return an eligible die, or None (or -1) to wait for a change. At least one die is eligible."""
        raise NotImplementedError

    def home(self, view: PlacementView) -> SupportsIndex:
        """Return the die that the address of a logical unit determines, for policies that go by addresses."""
        raise NotImplementedError
