"""Adds up what logs tell, block by block and by wear, in memory that does not grow with the log's length."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from floatgate.errors import InputError
from floatgate.lab.fit.columns import Head
from floatgate.lab.fit.gaps import Gaps
from floatgate.lab.fit.last import Last, columns
from floatgate.lab.fit.part import Part
from floatgate.lab.fit.sampling import Sampling
from floatgate.lab.fit.stream import NONE, OPERATIONS, PROGRAM, READ, Batch, Real, Truth, Whole, batches

# Wear is the cycles completed before: 0 in the first cycle. Twelve bins a decade; single cycles at first.
EDGES: Whole = np.unique(np.concatenate([[0, 1], np.rint(10 ** (np.arange(0, 12 * 18) / 12))])).astype(
    np.int64
)
BINS = len(EDGES) - 1
LEVELS_MOST = 20_000  # different busy times that are kept; beyond, they are rounded

Kind = tuple[str, int]  # an operation, and a page type


@dataclass
class ByWear:
    """Sums of a value and of its weight, for each block (rows) and bin of wear (columns)."""

    weight: Real = field(default_factory=lambda: np.zeros((0, BINS)))
    total: Real = field(default_factory=lambda: np.zeros((0, BINS)))
    wear: Real = field(default_factory=lambda: np.zeros(BINS))  # weight times wear

    def add(self, rows: Whole, bins: Whole, weight: Real, total: Real, wear: Real) -> None:
        """Add to some places; rows count the blocks of all logs."""
        most = int(rows.max(initial=-1)) + 1
        if most > len(self.weight):
            grown = (most - len(self.weight), BINS)
            self.weight = np.concatenate([self.weight, np.zeros(grown)])
            self.total = np.concatenate([self.total, np.zeros(grown)])
        place = rows * BINS + bins
        size = self.weight.size
        self.weight += np.bincount(place, weight, size).reshape(self.weight.shape)
        self.total += np.bincount(place, total, size).reshape(self.total.shape)
        self.wear += np.bincount(bins, weight * wear, BINS)


@dataclass
class Levels:
    """How often each busy time was logged."""

    ns: Real = field(default_factory=lambda: np.empty(0))
    count: Real = field(default_factory=lambda: np.empty(0))
    resolution_ns: float = 1.0

    def add(self, ns: Real) -> None:
        """Count some more."""
        values = np.concatenate([self.ns, ns])
        counts = np.concatenate([self.count, np.ones(len(ns))])
        while True:
            rounded, place = np.unique(
                np.rint(values / self.resolution_ns) * self.resolution_ns, return_inverse=True
            )
            self.ns = rounded.astype(np.float64)
            if len(rounded) <= LEVELS_MOST:
                break
            self.resolution_ns *= 10
        self.count = np.bincount(place, counts, len(self.ns)).astype(np.float64)


@dataclass(frozen=True)
class Life:
    """How far a block came."""

    log: int
    block: int
    cycles: int  # completed
    failed: str | None  # the operation that failed; None: alive when the log ends


@dataclass
class Gathered:
    """What all logs tell."""

    part: Part | None
    entries: int = 0
    cycles_most: int = 0
    lives: list[Life] = field(default_factory=list)
    times: dict[Kind, ByWear] = field(default_factory=dict)
    levels: dict[Kind, Levels] = field(default_factory=dict)
    errors: dict[int, ByWear] = field(default_factory=dict)  # by page type: wrong bits over bits read
    _rows: dict[tuple[int, int], int] = field(default_factory=dict)

    def rows(self, log: int, blocks: Whole) -> Whole:
        """Return the row of each block of a log."""
        known, place = np.unique(blocks, return_inverse=True)
        rows = [self._rows.setdefault((log, block), len(self._rows)) for block in known.tolist()]
        return np.array(rows, dtype=np.int64)[place]


class Gatherer:
    """Takes logs one after the other."""

    def __init__(self, part: Part | None) -> None:
        self.found = Gathered(part)
        self._part = part
        self._logs = 0

    def take(self, head: Head, sampling: Sampling) -> int:
        """Take a whole log; return how many entries it has. Raises InputError where it is not whole."""
        gaps = Gaps(head.path, sampling, self._part.pages_per_program if self._part else 1)
        tracks = Last(2)  # cycle and busy time of the last entry of each block, page and operation
        entries = 0
        for batch in batches(head):
            gaps.take(batch)
            self._times(batch, tracks, sampling)
            self._errors(head.path, batch)
            entries += len(batch)
        if not entries:
            raise InputError(f"{head.path}: no entries: expected at least one operation")
        done = gaps.lives.completed()
        if sampling.holds:
            self._hold(tracks, done)
        for block, cycles in done.items():
            failure = gaps.lives.failed.get(block)
            self.found.lives.append(Life(self._logs, block, cycles, failure[1] if failure else None))
            self.found.cycles_most = max(self.found.cycles_most, cycles)
        self.found.entries += entries
        self._logs += 1
        return entries

    def _types(self, operation: int, page: Whole) -> Whole:
        """Return the page type of each entry; 0 where all are alike."""
        if (
            self._part is None
            or operation not in (READ, PROGRAM)
            or (operation == PROGRAM and self._part.one_shot)
        ):
            return np.zeros(len(page), dtype=np.int64)
        return page % self._part.bits

    def _counted(self, batch: Batch) -> Truth:
        """Return which entries tell how long an operation takes: entries that succeeded and wrote."""
        counted = ~batch.failed
        if self._part is not None and self._part.one_shot:
            # The other pages of a wordline only load their data: the last one's program writes them all.
            counted &= (batch.operation != PROGRAM) | (batch.page % self._part.bits == self._part.bits - 1)
        return counted

    def _times(self, batch: Batch, tracks: Last, sampling: Sampling) -> None:
        counted = self._counted(batch)
        for operation, types, at in self._kinds(batch.operation, batch.page, counted):
            kind = OPERATIONS[operation], types
            self.found.levels.setdefault(kind, Levels()).add(batch.busy_ns[at])
            if not sampling.holds or operation == READ:
                self._add(kind, batch.block[at], batch.cycle[at], batch.cycle[at] + 1, batch.busy_ns[at])
        if not sampling.holds:
            return
        at = counted & (batch.operation != READ)
        keys = (batch.block[at] << 24) + ((batch.page[at] + 1) << 2) + batch.operation[at]
        before = tracks.before(keys, columns(batch.cycle[at], batch.busy_ns[at]))
        held = np.flatnonzero(~np.isnan(before[:, 0]))
        whole = np.flatnonzero(at)[held]
        self._held(
            batch.block[whole],
            batch.page[whole],
            batch.operation[whole],
            before[held, 0].astype(np.int64),
            batch.cycle[whole],
            before[held, 1],
        )

    def _hold(self, tracks: Last, done: dict[int, int]) -> None:
        """Let the last entry of each track hold to the end of its block's life."""
        block = tracks.keys >> 24
        ends = np.array([done[one] for one in block.tolist()], dtype=np.int64) + 1
        start = tracks.rows[:, 0].astype(np.int64)
        page = ((tracks.keys >> 2) & ((1 << 22) - 1)) - 1
        ends = np.maximum(ends, start + 1)
        self._held(block, page, tracks.keys & 3, start, ends, tracks.rows[:, 1])

    def _held(self, block: Whole, page: Whole, operation: Whole, start: Whole, end: Whole, ns: Real) -> None:
        every = np.ones(len(block), dtype=bool)
        for one, types, at in self._kinds(operation, page, every):
            self._add((OPERATIONS[one], types), block[at], start[at], end[at], ns[at])

    def _kinds(self, operation: Whole, page: Whole, wanted: Truth) -> Iterator[tuple[int, int, Whole]]:
        """Split entries by operation and page type: gives the places of each."""
        for one in range(len(OPERATIONS)):
            at = np.flatnonzero(wanted & (operation == one))
            types = self._types(one, page[at])
            for kind in np.unique(types).tolist():
                yield one, kind, at[types == kind]

    def _add(self, kind: Kind, block: Whole, start: Whole, end: Whole, ns: Real) -> None:
        """Count a busy time in the cycles from `start` up to `end`, spread over the bins of wear."""
        low, high = start - 1, np.maximum(end - 1, start - 1)
        first = np.searchsorted(EDGES, low, side="right") - 1
        last = np.where(high > low, np.searchsorted(EDGES, high - 1, side="right") - 1, first - 1)
        spans = last - first + 1
        entry = np.repeat(np.arange(len(block)), spans)
        bins = first[entry] + np.arange(len(entry)) - np.repeat(np.cumsum(spans) - spans, spans)
        begin = np.maximum(low[entry], EDGES[bins])
        stop = np.minimum(high[entry], EDGES[bins + 1])
        weight = (stop - begin).astype(np.float64)
        rows = self.found.rows(self._logs, block)[entry]
        series = self.found.times.setdefault(kind, ByWear())
        series.add(rows, bins, weight, weight * ns[entry], 0.5 * (begin + stop - 1))

    def _errors(self, path: Path, batch: Batch) -> None:
        at = np.flatnonzero((batch.operation == READ) & (batch.errors != NONE) & ~batch.failed)
        if not len(at):
            return
        bits = batch.bits[at]
        unknown = bits == NONE
        if unknown.any():
            if self._part is None:
                place = int(at[int(np.argmax(unknown))])
                raise InputError(
                    f"{path}:{batch.first_line + place}: error_bits = {batch.errors[place]}: "
                    "expected bits_read beside it, or the chip (--chip)"
                )
            bits = np.where(unknown, self._part.page_bits, bits)
        wear = batch.cycle[at] - 1
        bins = np.searchsorted(EDGES, wear, side="right") - 1
        rows = self.found.rows(self._logs, batch.block[at])
        types = self._types(READ, batch.page[at])
        for kind in np.unique(types).tolist():
            of = types == kind
            series = self.found.errors.setdefault(kind, ByWear())
            weight = bits[of].astype(np.float64)
            series.add(
                rows[of],
                bins[of],
                weight,
                batch.errors[at][of].astype(np.float64),
                wear[of].astype(np.float64),
            )
