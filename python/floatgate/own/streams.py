"""Stream policies in Python: which open superblock a unit joins."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, SupportsIndex

from floatgate.own.policy import Own


@dataclass(frozen=True)
class UnitView:
    """What a policy may know of a unit that is about to be written."""

    lpn: int  # the unit; numbers above those of the host's units are parts of a map on flash
    moved: bool  # it is moved; else the host writes it
    hint: int | None  # what the host said of it; None: nothing
    age: int | None  # units that the host wrote to the drive since it wrote this one last; None: never
    writes: int  # how often the host wrote it before; halved whenever their mean reaches 16
    writes_mean: float  # the mean of that over all units that were written
    last: int | None  # the stream of the superblock that it lies in now


class Policy(Own):
    """A stream policy. A drive has one object, which is asked about each unit: that costs time."""

    seam: ClassVar[str] = "ftl.streams"
    must: ClassVar[tuple[str, ...]] = ("streams", "join")
    may: ClassVar[tuple[str, ...]] = ("notes", "on_reclaim")

    def streams(self) -> Sequence[tuple[str, str]]:
        """Return the streams of each die: a name each, and `host`, `moved` or `both`. Asked once."""
        raise NotImplementedError

    def join(self, view: UnitView) -> SupportsIndex:
        """Return the number of the stream that a unit joins, one that takes such data.

        May be asked of one unit several times before it is written.
        """
        raise NotImplementedError

    def notes(self) -> Sequence[str]:
        """Return what is noted of units: `writes` (how often), `times` (when). Asked once."""
        return ()

    def on_reclaim(self, stream: int, lived: int) -> None:
        """Collection takes a superblock, in whose life the host wrote so many units. Needs `times`."""
