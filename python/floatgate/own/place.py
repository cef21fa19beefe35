"""Placement rules in Python: policies that choose the placement handle of each host write."""

from dataclasses import dataclass
from typing import ClassVar, SupportsIndex

from floatgate.own.policy import Own


@dataclass(frozen=True)
class PlaceView:
    """What a policy may know of a host write that is about to be made."""

    offset: int  # first byte on the drive
    bytes: int  # length
    job: int  # job of a fio file, volume of a trace or flow that makes it, by number
    arrive_ns: int  # when it is made
    named: int | None  # the handle that the workload itself names; None: none
    handles: int  # handles of the drive
    drive_bytes: int  # bytes of the drive
    process: int | None = None  # the process that makes it, by its number in the trace; None: not known


class Policy(Own):
    """A placement rule. A run has one object, which is asked about each write: that costs time."""

    seam: ClassVar[str] = "host.place"
    must: ClassVar[tuple[str, ...]] = ("place",)
    may: ClassVar[tuple[str, ...]] = ("attach",)

    def place(self, view: PlaceView) -> SupportsIndex | None:
        """Return the placement handle of a write, from 0 to `view.handles` - 1, or None for no handle.

        Asked once for each write, in the order of the writes.
        """
        raise NotImplementedError

    def attach(self, handles: int, drive_bytes: int) -> None:
        """Make the rule's state, before any write, for a drive of so many placement handles and bytes."""
