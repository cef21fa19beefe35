"""Entries of the log of a simulated rig, of which a life makes millions: the core keeps them as numbers."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, overload

from floatgate.lab.chip import Entry, Operation

if TYPE_CHECKING:
    from floatgate._core import LogRows

AT_ONCE = 4096  # entries that are made, or lines
_entry = partial(tuple.__new__, Entry)  # as Entry._make, without a call in Python for each

Changes = dict[tuple[str, int | None], tuple[list[int], list[int]]]


def first_failure(entries: Sequence[Entry]) -> tuple[int, Operation] | None:
    """Return the cycle and the operation of the first entry that is not ok."""
    if isinstance(entries, Rows):
        return entries.failure()
    return next(((entry.cycle, entry.operation) for entry in entries if entry.status != "ok"), None)


def joined(several: Sequence[Sequence[Entry]]) -> Sequence[Entry]:
    """Return all entries of one after the other."""
    rows = [entries for entries in several if isinstance(entries, Rows)]
    if len(rows) == len(several):
        return Rows(part for one in rows for part in one.parts)
    return [*chain.from_iterable(several)]


def plain(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield entries as lines of CSV, many at once."""
    from floatgate._core import plain_lines

    rest = iter(entries)
    while some := list(islice(rest, AT_ONCE)):
        yield plain_lines(some)


class Rows(Sequence[Entry]):
    """Entries in the order in which they came, each made when it is looked at."""

    def __init__(self, parts: Iterable["LogRows"]) -> None:
        self.parts = tuple(part for part in parts if len(part))

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __iter__(self) -> Iterator[Entry]:
        for part in self.parts:
            for first in range(0, len(part), AT_ONCE):
                yield from map(_entry, part.tuples(first, first + AT_ONCE))

    @overload
    def __getitem__(self, index: int) -> Entry: ...

    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...

    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        if isinstance(index, slice):
            return list(self)[index]
        place = index + len(self) if index < 0 else index
        for part in self.parts:
            if 0 <= place < len(part):
                return _entry(part.tuples(place, place + 1)[0])
            place -= len(part)
        raise IndexError(index)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return NotImplemented
        return all(own == its for own, its in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def lines(self) -> Iterator[str]:
        """Yield the entries as lines of CSV, many at once."""
        for part in self.parts:
            for first in range(0, len(part), AT_ONCE):
                yield part.lines(first, first + AT_ONCE)

    def failure(self) -> tuple[int, Operation] | None:
        """Return the cycle and the operation of the first entry that is not ok."""
        return next((found for part in self.parts if (found := part.failure())), None)

    def changes(self) -> Changes:
        """Return the cycles in which the time of each operation and page changed, and these times in ns."""
        found: Changes = {}
        for operation, page, cycles, busy in chain.from_iterable(part.changes() for part in self.parts):
            known = found.setdefault((operation, page), ([], []))
            again = bool(known[1]) and known[1][-1] == busy[0]
            known[0].extend(cycles[again:])
            known[1].extend(busy[again:])
        return found


class Notes(Sequence[Entry]):
    """Entries that come one by one, and rows of many cycles between them, which stay as they are."""

    def __init__(self) -> None:
        self._parts: list[list[Entry] | Rows] = []

    def append(self, entry: Entry) -> None:
        """Write down an entry."""
        last = self._parts[-1] if self._parts else None
        if isinstance(last, list):
            last.append(entry)
        else:
            self._parts.append([entry])

    def extend(self, entries: Sequence[Entry]) -> None:
        """Write down several."""
        if isinstance(entries, Rows):
            self._parts.append(entries)
        else:
            for entry in entries:
                self.append(entry)

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def __iter__(self) -> Iterator[Entry]:
        return chain.from_iterable(self._parts)

    @overload
    def __getitem__(self, index: int) -> Entry: ...

    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...

    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        return list(self)[index]

    def lines(self) -> Iterator[str]:
        """Yield the entries as lines of CSV, many at once."""
        return chain.from_iterable(
            part.lines() if isinstance(part, Rows) else plain(part) for part in self._parts
        )
