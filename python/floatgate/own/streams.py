"""Stream policies in Python: policies that choose the write stream, and so the open superblock, of a unit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, SupportsIndex

from floatgate.own.policy import Own


@dataclass(frozen=True)
class UnitView:
    """What a policy may know of a mapping unit that is about to be written."""

    lpn: int  # the unit; numbers above those of the host's units are parts of a map on flash
    moved: bool  # it is moved; else the host writes it
    hint: int | None  # what the host said of it; None: nothing
    age: int | None  # units that the host wrote to the drive since it wrote this one last; None: never
    writes: int  # how often the host wrote it before; halved whenever their mean reaches 16
    writes_mean: float  # the mean of that over all units that were written
    last: int | None  # the stream of the superblock that it lies in now


class Policy(Own):
    """A policy of write streams. A drive has one object, which is asked about each unit: that costs time."""

    seam: ClassVar[str] = "ftl.streams"
    must: ClassVar[tuple[str, ...]] = ("streams", "join")
    may: ClassVar[tuple[str, ...]] = ("notes", "on_reclaim")

    def streams(self) -> Sequence[tuple[str, str]]:
        """Return the write streams of each die, each as a name and the data that it takes.

        The data are `host`, `moved` (relocated) or `both`. Asked once.
        """
        raise NotImplementedError

    def join(self, view: UnitView) -> SupportsIndex:
        """Return the number of the stream that a unit joins; the stream must take data of the unit's kind.

        May be asked several times about one unit before the unit is written.
        """
        raise NotImplementedError

    def notes(self) -> Sequence[str]:
        """Return what the drive must record of units: `writes` (number), `times` (last write). Asked once."""
        return ()

    def on_reclaim(self, stream: int, lived: int) -> None:
        """Take note that garbage collection takes a superblock of `stream`.

        The host wrote `lived` units to the drive since the superblock was opened. Called only with `times` in
        `notes`.
        """
