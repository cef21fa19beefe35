"""Busy times as a rig with a real clock measures them, read as the few times that there are.

A chip counts whole pulses, so a block's times lie on few levels; a rig's jitter spreads each of them. The
levels are learned from lives: times that in order lie closer together than the jitter are one level. Wear
only grows, so times that went back from one line of the log to the next tell how large the jitter is; those
of an exact rig never do, and are left as they are.

Not modelled: levels closer together than twice the jitter, which count as one; single lines far off, as an
interrupted rig may write.
"""

from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import sqrt
from statistics import median

from floatgate.lab.chip import Entry, Operation
from floatgate.lab.lives import Life

NORMAL = 0.6745  # the median of the absolute value of a standard normal
APART = 2.0  # standard deviations of the jitter without any time between two levels
OPERATIONS: tuple[Operation, ...] = ("program", "erase")


@dataclass(frozen=True)
class Ladder:
    """The levels of one operation, ns, rising, and where one ends and the next begins."""

    levels: tuple[int, ...]
    ends: tuple[float, ...]

    @classmethod
    def of(cls, times: Iterable[int], jitter_ns: float) -> "Ladder":
        """Gather times, in ns, that are no farther apart than a rig with this jitter makes them."""
        rising = sorted(times)
        groups = [[rising[0]]]
        for before, now in pairwise(rising):
            if now - before > APART * jitter_ns:
                groups.append([])
            groups[-1].append(now)
        ends = tuple((one[-1] + other[0]) / 2 for one, other in pairwise(groups))
        return cls(tuple(round(median(group)) for group in groups), ends)

    def nearest(self, busy_ns: int) -> int:
        """Return the level, in ns, of a measured time."""
        return self.levels[bisect(self.ends, busy_ns)]


@dataclass(frozen=True)
class Levels:
    """The levels of each operation on each page; none for what an exact rig measured."""

    ladders: Mapping[tuple[Operation, int | None], Ladder]

    @classmethod
    def learn(cls, lives: Sequence[Life]) -> "Levels":
        """Learn the levels from whole lives."""
        ladders = {}
        for key in {(entry.operation, entry.page) for life in lives for entry in life.entries}:
            if key[0] not in OPERATIONS:
                continue
            logs = [_times(life, key) for life in lives]
            sign = 1 if key[0] == "program" else -1
            back = [
                now - before for log in logs for before, now in pairwise(log) if sign * (now - before) > 0
            ]
            jitter_ns = median(map(abs, back)) / NORMAL / sqrt(2) if back else 0.0
            if jitter_ns > 0:
                ladders[key] = Ladder.of((time for log in logs for time in log), jitter_ns)
        return cls(ladders)

    def read(self, life: Life) -> Life:
        """Return the life with each time on its level, changes only. No time is read in view of a later one.

        Wear only grows: programs that got shorter stay so, and erases that got longer.
        """
        if not self.ladders:
            return life
        kept: list[Entry] = []
        held: dict[tuple[Operation, int | None], int] = {}
        for entry in life.entries:
            key = (entry.operation, entry.page)
            ladder = self.ladders.get(key)
            if ladder is None or entry.status != "ok":
                kept.append(entry)
                continue
            level, before = ladder.nearest(entry.busy_ns), held.get(key)
            if before is None or (level < before if entry.operation == "program" else level > before):
                held[key] = level
                kept.append(entry._replace(busy_ns=level))
        return replace(life, entries=tuple(kept))


def _times(life: Life, key: tuple[Operation, int | None]) -> list[int]:
    return [
        entry.busy_ns
        for entry in life.entries
        if (entry.operation, entry.page) == key and entry.status == "ok"
    ]
