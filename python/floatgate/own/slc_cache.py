"""SLC cache policies in Python: policies that choose the number of superblocks in SLC mode."""

from dataclasses import dataclass
from typing import ClassVar

from floatgate.own.policy import Own


@dataclass(frozen=True)
class CacheView:
    """What a policy may know of the drive and of one of its dies."""

    dies: int
    superblocks: int  # of a die
    superblock_bytes: int  # bytes that a superblock holds with one bit a cell
    spare: int  # superblocks of this die that no data need, were all data folded, beyond GC's reserve


class Policy(Own):
    """A policy for the size of the SLC cache. Configuration keys say how the cache is folded."""

    seam: ClassVar[str] = "ftl.slc_cache"
    must: ClassVar[tuple[str, ...]] = ("most",)
    may: ClassVar[tuple[str, ...]] = ("reserved",)

    def reserved(self, view: CacheView) -> int:
        """Return the number of superblocks of each die that belong to the SLC cache at all times.

        They are taken from over-provisioning. Asked before there is a die: `view.spare` is 0.
        """
        del view
        return 0

    def most(self, view: CacheView) -> int:
        """Return the greatest number of superblocks of a die in SLC mode now; at least the reserved ones."""
        raise NotImplementedError
