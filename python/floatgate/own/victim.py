"""Victim policies in Python: which closed superblock garbage collection reclaims next."""

from typing import ClassVar, Protocol, SupportsIndex

from floatgate.own.lent import DieView
from floatgate.own.policy import Own


class VictimView(DieView, Protocol):
    """What a policy may know when it chooses a victim."""

    @property
    def units_per_superblock(self) -> int:
        """Mapping units that a superblock holds."""


class Policy(Own):
    """A victim policy. Each die has its own object; superblocks are numbered within the die.

    `pick` is asked when garbage collection needs a superblock to reclaim. The rest is told as it happens, to
    classes that define it: a superblock is a candidate from `on_close` to `on_reclaim`.
    """

    seam: ClassVar[str] = "ftl.gc.victim"
    must: ClassVar[tuple[str, ...]] = ("pick",)
    may: ClassVar[tuple[str, ...]] = ("attach", "stand_for", "on_close", "on_invalidate", "on_reclaim")

    def attach(self, superblocks: int, units_per_superblock: int) -> None:
        """Begin: the die has so many superblocks of so many mapping units. Called once, before all else."""

    def stand_for(self, part: float) -> None:
        """Take this die for `part` of one with more superblocks: what is counted in superblocks shrinks."""

    def pick(self, view: VictimView) -> SupportsIndex:
        """Return one of `view.candidates`, of which there is at least one."""
        raise NotImplementedError

    def on_close(self, superblock: int, valid_units: int) -> None:
        """`superblock` became a candidate, with so many valid units."""

    def on_invalidate(self, superblock: int, valid_units: int) -> None:
        """A unit of the candidate `superblock` became invalid; so many are left. Told often: costs time."""

    def on_reclaim(self, superblock: int) -> None:
        """`superblock` is no longer a candidate: it was picked, here or by wear levelling, or it failed."""
