"""SLC caches in Python: which superblocks cache the host's data."""

from dataclasses import dataclass
from typing import ClassVar

from floatgate.own.policy import Own


@dataclass(frozen=True)
class CacheView:
    """What a policy may know about the drive and one of its dies."""

    dies: int
    superblocks: int  # of a die
    superblock_bytes: int  # bytes that a superblock holds with one bit a cell
    spare: int  # superblocks of this die that no data need, were all data folded, beyond GC's reserve


class Policy(Own):
    """A size of the SLC cache. How it is folded is asked by keys, as of the policies in the catalogue."""

    seam: ClassVar[str] = "ftl.slc_cache"
    must: ClassVar[tuple[str, ...]] = ("most",)
    may: ClassVar[tuple[str, ...]] = ("reserved",)

    def reserved(self, view: CacheView) -> int:
        """Return the superblocks of each die that are the cache's at all times: no room for the data.

        Asked before there is a die: `view.spare` is 0.
        """
        del view
        return 0

    def most(self, view: CacheView) -> int:
        """Return the most superblocks of a die that may hold one bit a cell now: at least the reserved."""
        raise NotImplementedError
