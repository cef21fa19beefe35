"""Rules in Python that place the host's writes: which placement handle each carries."""

from dataclasses import dataclass
from typing import ClassVar, SupportsIndex

from floatgate.own.policy import Own


@dataclass(frozen=True)
class PlaceView:
    """What a rule may know of a write that is about to be made."""

    offset: int  # first byte on the drive
    bytes: int  # length
    job: int  # job of a fio file, volume of a trace or flow that makes it, by number
    arrive_ns: int  # when it is made
    named: int | None  # the handle that the workload itself names; None: none
    handles: int  # handles of the drive
    drive_bytes: int  # bytes of the drive
    process: int | None = None  # the process that makes it, by its number in the trace; None: not known


class Policy(Own):
    """A rule of placement. A run has one object, which is asked about each write: that costs time."""

    seam: ClassVar[str] = "host.place"
    must: ClassVar[tuple[str, ...]] = ("place",)
    may: ClassVar[tuple[str, ...]] = ("attach",)

    def place(self, view: PlaceView) -> SupportsIndex | None:
        """Return the handle of a write, from 0 to `view.handles` - 1, or None for no identifier.

        Asked once for each write, in their order.
        """
        raise NotImplementedError

    def attach(self, handles: int, drive_bytes: int) -> None:
        """Make what the rule keeps, before the first write, for a drive of so many handles and bytes."""
