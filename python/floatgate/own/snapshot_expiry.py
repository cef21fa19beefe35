"""Expiry of snapshots in Python: policies that choose which snapshot of the logical drive is dropped."""

from dataclasses import dataclass
from typing import ClassVar, Literal, SupportsIndex

from floatgate.own.policy import Own


@dataclass(frozen=True)
class ExpiryView:
    """What a policy may know. The lists have an entry for each snapshot that may go, the oldest first."""

    serials: list[int]  # their numbers: the first of a drive is 0
    taken_ns: list[int]  # their moments: ns of simulated time
    differences: list[int]  # units first overwritten or trimmed after each and before the next
    reason: Literal["count", "room"]  # more than `keep` were taken, or a write needs room
    now_ns: int  # simulated time
    keep: int  # the most snapshots that are kept
    units: int  # mapping units kept for snapshots only
    room: int  # the most there may be


class Policy(Own):
    """A policy that chooses which snapshot is dropped. A drive has one object."""

    seam: ClassVar[str] = "ftl.snapshots.expiry"
    must: ClassVar[tuple[str, ...]] = ("expire",)
    may: ClassVar[tuple[str, ...]] = ()

    def expire(self, view: ExpiryView) -> SupportsIndex:
        """Return the number of the snapshot to drop: one of `view.serials`, of which there is at least one.

        The snapshot just taken is not among them, unless space is lacking.
        """
        raise NotImplementedError
