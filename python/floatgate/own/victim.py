"""Victim policies in Python: policies that choose the closed superblock that is reclaimed next."""

from typing import ClassVar, Protocol, SupportsIndex

from floatgate.own.lent import DieView
from floatgate.own.policy import Own


class VictimView(DieView, Protocol):
    """What a policy may know of a die when it chooses a victim of garbage collection."""

    @property
    def units_per_superblock(self) -> int:
        """Number of mapping units that a superblock holds."""


class Policy(Own):
    """A victim policy. Each die has its own object; superblocks are numbered within the die.

    `pick` is asked when garbage collection needs a superblock to reclaim. The other methods are
    notifications, for classes that define them: a superblock is a candidate from `on_close` to `on_reclaim`.
    """

    seam: ClassVar[str] = "ftl.gc.victim"
    must: ClassVar[tuple[str, ...]] = ("pick",)
    may: ClassVar[tuple[str, ...]] = ("attach", "stand_for", "on_close", "on_invalidate", "on_reclaim")

    def attach(self, superblocks: int, units_per_superblock: int) -> None:
        """Make the policy's state. Called once, before all else.

        The die has `superblocks` superblocks of `units_per_superblock` mapping units each.
        """

    def stand_for(self, part: float) -> None:
        """Take note that the die stands for a larger one, of whose superblocks it has the fraction `part`.

        Settings that are counted in superblocks shrink by that factor.
        """

    def pick(self, view: VictimView) -> SupportsIndex:
        """Return the victim: one of `view.candidates`, of which there is at least one."""
        raise NotImplementedError

    def on_close(self, superblock: int, valid_units: int) -> None:
        """Take note that `superblock` became a candidate, with `valid_units` valid mapping units."""

    def on_invalidate(self, superblock: int, valid_units: int) -> None:
        """Take note that a unit of the candidate `superblock` became invalid; `valid_units` are still valid.

        Called often: a class that defines it makes the drive slower to simulate.
        """

    def on_reclaim(self, superblock: int) -> None:
        """Take note that `superblock` is no longer a candidate.

        Garbage collection or wear levelling picked it, or it failed.
        """
