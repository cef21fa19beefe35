"""Garbage collection triggers in Python: policies that decide when garbage collection works on a die."""

from dataclasses import dataclass
from typing import ClassVar

from floatgate.own.policy import Own


@dataclass(frozen=True)
class TriggerView:
    """What a trigger may know of a die."""

    free: int  # free superblocks, and those about to be erased
    superblocks: int  # in use
    garbage_units: int  # invalid mapping units in closed superblocks
    superblock_units: int  # mapping units of a superblock


class Policy(Own):
    """A garbage collection trigger, asked at each step of a collection.

    Of all policies in Python it costs the most time.
    """

    seam: ClassVar[str] = "ftl.gc.trigger"
    must: ClassVar[tuple[str, ...]] = ("foreground", "foreground_limit")
    may: ClassVar[tuple[str, ...]] = ("background", "worthwhile", "idle_after_ns")

    def foreground(self, view: TriggerView) -> bool:
        """Return whether garbage collection should start or go on although the host may be waiting."""
        raise NotImplementedError

    def foreground_limit(self) -> int:
        """Return the greatest number of free superblocks of a die at which `foreground` can be true.

        Asked once. The drive withholds that much space from the host, so that each such collection can gain
        something.
        """
        raise NotImplementedError

    def background(self, view: TriggerView) -> bool:
        """Return whether garbage collection should start or go on while the die has nothing else to do."""
        del view
        return False

    def worthwhile(self, gain: int, units: int) -> bool:
        """Return whether a victim that frees `gain` of its `units` units is worth collecting in idle time."""
        del units
        return gain > 0

    def idle_after_ns(self) -> int | None:
        """Return the time in ns for which a die must have been idle before background collection starts.

        None: there is no background collection. Asked once.
        """
        return None
