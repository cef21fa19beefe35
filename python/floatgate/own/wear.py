"""Wear policies in Python: which free superblock is opened next, and which cold data moves."""

from typing import ClassVar, Protocol, SupportsIndex

from floatgate.own.lent import DieView
from floatgate.own.policy import Own


class WearView(DieView, Protocol):
    """What a policy may know after an erase; candidates are closed superblocks that could be relocated."""

    @property
    def erased(self) -> int:
        """The superblock just erased."""

    @property
    def erases(self) -> int:
        """Erases of this die so far."""


class Policy(Own):
    """A wear policy. Each die has its own object; superblocks are numbered within the die."""

    seam: ClassVar[str] = "ftl.wear"
    must: ClassVar[tuple[str, ...]] = ("free_rank",)
    may: ClassVar[tuple[str, ...]] = ("on_erase", "relocate", "spreads", "held_back")

    def free_rank(self, superblock: int, pe_cycles: int, erases: int) -> SupportsIndex:
        """Return a rank of at least 0: the free superblock of the lowest one is opened next.

        `erases` counts the die's erases when it became free: returning it gives first freed, first used.
        """
        raise NotImplementedError

    def on_erase(self, superblock: int, pe_cycles: int, erase_ns: int, program_ns: int) -> None:
        """Take note that a superblock was erased; told before it is ranked among the free ones.

        `pe_cycles` has this erase in it; `erase_ns` is how long it kept the superblock busy, `program_ns` how
        long a program of its first page did in the cycle that ends.
        """

    def relocate(self, view: WearView) -> SupportsIndex | None:
        """Return one of `view.candidates` whose data should move now, or None. Asked after each erase."""

    def spreads(self) -> bool:
        """Return False where free superblocks may wait as long as others can be worn instead. Asked once."""
        return True

    def held_back(self) -> float:
        """Return the part of the spare superblocks, 0 to 0.9, that is left unused. Asked once."""
        return 0.0
