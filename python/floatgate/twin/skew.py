"""What a drive's buffer catches, and how much of a skewed pattern reaches the flash of a replica.

A buffer that holds as many pages on a replica, which has less flash, would catch far more. So what the
whole drive's buffer catches is reckoned, and the replica is given the rest, by a law of its own: of a page
that gets a part p of all writes, and stays for `buffered` of them, a part p / (1 + p buffered) leaves.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from floatgate.twin.pattern import Pattern

Numbers = np.ndarray[Any, np.dtype[np.float64]]

ZONES = 100  # of one percent of the accesses each: fio's percentages are whole
POINTS = 4096  # of Zipf's law between its first page and its last
ROUNDS = 6  # until a page waits as long as others take to leave
#: Part of a zone's writes that a replica's own buffer may catch.
CAUGHT = 0.1


@dataclass(frozen=True)
class Reaching:
    """How much of a pattern's writes reaches the flash."""

    part: float  # of the writes; the buffer catches the others
    sizes: tuple[float, ...] = ()  # parts of the space that get one percent each of it, the hottest first


def reaching(pattern: Pattern, pages: int, waiting: float) -> Reaching:
    """Return what reaches the flash of a drive with so many pages, of which so many wait in its buffer."""
    kind, _, value = pattern.distribution.partition(":")
    if kind == "zipf":
        found = _zipf(float(value), pages, waiting)
        for _ in range(ROUNDS):
            # A page waits until as many others have left, so for more writes than that.
            found = _zipf(float(value), pages, waiting / found.part)
        return found
    return Reaching(1.0)  # no page of a zone is written often enough


@cache
def _zipf(theta: float, pages: int, buffered: float) -> Reaching:
    ends = np.geomspace(0.5, pages + 0.5, POINTS)
    law: Numbers = np.log(ends) if abs(1 - theta) < 1e-6 else ends ** (1 - theta) / (1 - theta)
    accesses = np.diff(law) / (law[-1] - law[0])
    number = np.diff(ends)
    left = accesses / (1 + accesses / number * buffered)
    part = float(left.sum())
    up_to = np.concatenate([[0.0], np.cumsum(left) / part])
    ranks = np.interp(np.arange(ZONES + 1) / ZONES, up_to, ends - 0.5)
    return Reaching(part, tuple(float(one) for one in np.diff(ranks) / pages))


def zones(of: Reaching, kept: int, buffered: float, block: int) -> str:
    """Return what reaches the flash as fio's zones, on so many pages of so many bytes."""
    least = max(1, round(buffered / ZONES / CAUGHT))
    sizes = [max(least, round(part * kept)) for part in of.sizes]
    sizes[-1] = max(1, sizes[-1] + kept - sum(sizes))  # the coldest have what is too much for the hottest
    return "zoned_abs:" + ":".join(f"{100 // ZONES}/{size * block}" for size in sizes)
