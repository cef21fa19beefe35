"""Triggers in Python: when garbage collection works on a die."""

from dataclasses import dataclass
from typing import ClassVar

from floatgate.own.policy import Own


@dataclass(frozen=True)
class TriggerView:
    """What a policy may know about a die."""

    free: int  # free superblocks, and those about to be erased
    superblocks: int  # in use
    garbage_units: int  # invalid mapping units in closed superblocks
    superblock_units: int  # mapping units of a superblock


class Policy(Own):
    """A trigger. Asked at each step of a collection: of the seams in Python, the one that costs most."""

    seam: ClassVar[str] = "ftl.gc.trigger"
    must: ClassVar[tuple[str, ...]] = ("foreground", "foreground_limit")
    may: ClassVar[tuple[str, ...]] = ("background", "worthwhile", "idle_after_ns")

    def foreground(self, view: TriggerView) -> bool:
        """Return whether a collection should start or go on although the host may be waiting."""
        raise NotImplementedError

    def foreground_limit(self) -> int:
        """Return the most free superblocks at which `foreground` can be true. Asked once.

        The drive keeps that much space from the host, so that every such collection has something to gain.
        """
        raise NotImplementedError

    def background(self, view: TriggerView) -> bool:
        """Return whether a collection should start or go on while the die has nothing else to do."""
        del view
        return False

    def worthwhile(self, gain: int, units: int) -> bool:
        """Return whether a victim that gives back `gain` of its `units` is worth it in the background."""
        del units
        return gain > 0

    def idle_after_ns(self) -> int | None:
        """Return how long a die must have been idle before background work; None: never. Asked once."""
        return None
