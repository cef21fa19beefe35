"""The life of a block as its log tells it: busy times that hold until the next entry says otherwise."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, median

from floatgate.lab.chip import Entry, Operation
from floatgate.lab.rows import Changes, Rows, first_failure


@dataclass(frozen=True)
class Life:
    """What one block did from its first cycle on."""

    block: int
    entries: Sequence[Entry]
    cycles: int  # completed without failure
    failed: Operation | None  # what failed at last; None: it was still alive when the test ended

    @cached_property
    def _busy(self) -> Changes:
        """Cycles and busy times of each operation and page, changes only."""
        if isinstance(self.entries, Rows):
            return self.entries.changes()
        found: Changes = {}
        for _block, page, operation, cycle, busy_ns, _pulses, status, _error_bits in self.entries:
            if status != "ok":
                continue
            key = operation, page
            known = found.get(key)
            if known is None:
                found[key] = [cycle], [busy_ns]
            elif known[1][-1] != busy_ns:
                known[0].append(cycle)
                known[1].append(busy_ns)
        return found

    @cached_property
    def _pages(self) -> dict[str, list[int | None]]:
        """The pages on which each operation was logged."""
        found: dict[str, list[int | None]] = {}
        for kind, page in self._busy:
            found.setdefault(kind, []).append(page)
        return found

    def pages(self, operation: Operation) -> list[int | None]:
        """Return the pages on which an operation was logged; a lone None for erases."""
        return list(self._pages.get(operation, ()))

    def _of(self, operation: Operation, page: int | None) -> tuple[list[int], list[int]]:
        """Cycles and busy times of an operation on a page, or on the first page that was logged."""
        if page is None:
            page = next(iter(self._pages.get(operation, ())), None)
        return self._busy.get((operation, page), ([], []))

    def steps(self, operation: Operation, page: int | None = None) -> list[tuple[int, int]]:
        """Return the cycles from which on a busy time held, and that time; by default of the first page."""
        return list(zip(*self._of(operation, page), strict=True))

    def busy_ns(self, operation: Operation, cycle: int) -> int:
        """Return the busy time in a cycle of the life."""
        cycles, busy = self._of(operation, None)
        return busy[max(0, bisect_right(cycles, cycle) - 1)]

    def mean_ns(self, operation: Operation, first: int, page: int | None = None) -> float:
        """Return the mean busy time of the first `first` operations, or of all if the block lived shorter."""
        last = min(first, self.cycles)
        steps = [(cycle, busy) for cycle, busy in self.steps(operation, page) if cycle <= last]
        ends = [cycle for cycle, _ in steps[1:]] + [last + 1]
        total = sum(busy * (end - max(start, 1)) for (start, busy), end in zip(steps, ends, strict=True))
        return total / last

    def extremes_ns(self, operation: Operation, page: int | None = None) -> tuple[int, int]:
        """Return the shortest and the longest busy time of the life."""
        busy = self._of(operation, page)[1]
        return min(busy), max(busy)


def life(block: int, entries: Iterable[Entry], cycles: int) -> Life:
    """Make a life of what was logged while `cycles` cycles were asked for."""
    kept = entries if isinstance(entries, Rows) else tuple(entries)
    failure = first_failure(kept)
    if failure is None:
        return Life(block, kept, cycles, None)
    return Life(block, kept, failure[0] - 1, failure[1])


@dataclass(frozen=True)
class Summary:
    """Endurance of a group of blocks, in cycles."""

    blocks: int
    mean: float
    median: float
    least: int
    most: int


def summary(lives: Iterable[Life]) -> Summary:
    """Return the endurance of some blocks."""
    cycles = [life.cycles for life in lives]
    return Summary(len(cycles), fmean(cycles), median(cycles), min(cycles), max(cycles))
