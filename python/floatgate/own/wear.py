"""Wear levelling policies in Python: which free superblock is opened next, which cold data are relocated."""

from typing import ClassVar, Protocol, SupportsIndex

from floatgate.own.lent import DieView
from floatgate.own.policy import Own


class WearView(DieView, Protocol):
    """What a policy may know after an erase; candidates are closed superblocks that could be relocated."""

    @property
    def erased(self) -> int:
        """Superblock of the die that was just erased."""

    @property
    def erases(self) -> int:
        """Number of erases of this die so far."""


class Policy(Own):
    """A wear levelling policy. Each die has its own object; superblocks are numbered within the die."""

    seam: ClassVar[str] = "ftl.wear"
    must: ClassVar[tuple[str, ...]] = ("free_rank",)
    may: ClassVar[tuple[str, ...]] = ("on_erase", "relocate", "spreads", "held_back")

    def free_rank(self, superblock: int, pe_cycles: int, erases: int) -> SupportsIndex:
        """Return the rank of a free superblock, at least 0: the superblock of the lowest rank is opened next.

        `erases` is the die's number of erases when the superblock became free: returning it gives first
        freed, first used.
        """
        raise NotImplementedError

    def on_erase(self, superblock: int, pe_cycles: int, erase_ns: int, program_ns: int) -> None:
        """Take note that a superblock was erased; called before it is ranked among the free ones.

        `pe_cycles` includes this erase; `erase_ns` is the duration of the erase, and `program_ns` the program
        time of the superblock's first page at its wear before this erase.
        """

    def relocate(self, view: WearView) -> SupportsIndex | None:
        """Return the one of `view.candidates` whose data are to be relocated now, or None.

        Asked after each erase.
        """

    def spreads(self) -> bool:
        """Return False if free superblocks may stay unused as long as others can be worn. Asked once."""
        return True

    def held_back(self) -> float:
        """Return the fraction, 0 to 0.9, of the superblocks not needed for host data that stays free.

        Asked once. Fewer superblocks then rotate, and garbage collection has less space to work with.
        """
        return 0.0
