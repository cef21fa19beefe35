"""Is a log whole? What is missing in one would be taken for something that a chip did; such a log is refused.

Lines of one block stand in the order of time; blocks may take turns. A cycle is the programs of a block and
the erase that ends them. Under each declaration about its cycles (`sampling.py`), a gap is

- a cycle number below that of the line before, or a clock that runs backwards;
- a program or erase in a cycle that an erase has ended already;
- a page programmed that was programmed already, or lies below the last one: a program without an erase
  before it;
- a program or erase that succeeds after one of the block's has failed.

Where all operations of a cycle are logged (`every`, `N`, and the cycles 1, 2, 5, 10 ... of `changes
1-2-5`), also

- a page above the next one, or a first page above 0: pages are skipped. Parts that write whole wordlines
  may log the last page of each. The last pages of a block may be left out: a rig may write part of a block.
- a read with `error_bits` of a page that this cycle has not programmed (`every`, `N`).

Where the cycles are declared, also

- a first cycle other than 1 (`N`: above N; `some`: any);
- `every`, `N`: a cycle that is not the next one, or that follows one whose erase is missing;
- `changes 1-2-5`: a cycle 1, 2, 5, 10 ... without its erase.

What no rule can see: lines missing at the end, and changes missing from `changes`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from floatgate.errors import InputError
from floatgate.lab.fit.last import Last, columns
from floatgate.lab.fit.sampling import GRID, Sampling
from floatgate.lab.fit.stream import ERASE, NONE, OPERATIONS, PROGRAM, READ, Batch, Real, Truth, Whole

_DECLARE = "or the rule declared (# sampled: ..., --sampled)"


@dataclass
class Lives:
    """What became of each block."""

    last: Last = field(default_factory=lambda: Last(4))  # operation, page, cycle, failed of the last write
    failed: dict[int, tuple[int, str]] = field(
        default_factory=dict
    )  # cycle and operation of the first failure

    def completed(self) -> dict[int, int]:
        """Return the cycles that each block has completed."""
        done = {}
        for block, (operation, _page, cycle, _failed) in zip(
            self.last.keys.tolist(), self.last.rows.tolist(), strict=True
        ):
            first = self.failed.get(block)
            done[block] = int(cycle) - (operation != ERASE) if first is None else first[0] - 1
        return done


class Gaps:
    """Looks through the batches of one log."""

    def __init__(self, path: Path, sampling: Sampling, pages_per_program: int) -> None:
        self.lives = Lives()
        self._path = path
        self._sampling = sampling
        self._step = pages_per_program
        self._any = Last(1)
        self._erases = Last(1)
        self._clock_ns = -np.inf

    def take(self, batch: Batch) -> None:
        """Look at the next batch. Raises InputError for the first line that does not fit those before it."""
        found = _Found(self._path, batch)
        writes = batch.operation != READ
        cycle = batch.cycle.astype(np.float64)
        before = self._any.before(batch.block, columns(cycle))[:, 0]
        rows = columns(batch.operation, batch.page, cycle, batch.failed)
        write = self.lives.last.before(batch.block, rows, writes)
        erase = self._erases.before(batch.block, columns(cycle), batch.operation == ERASE)[:, 0]
        self._clock(batch, found)
        self._order(batch, found, before, write)
        self._pages(batch, found, write)
        self._cycles(batch, found, before, write, erase)
        found.refuse()
        self._fail(batch)

    def _clock(self, batch: Batch, found: "_Found") -> None:
        if batch.clock_ns is None:
            return
        earlier = np.concatenate([[self._clock_ns], batch.clock_ns[:-1]])
        found.add(
            batch.clock_ns < earlier, lambda _: "time runs backwards: expected no less than the line before"
        )
        self._clock_ns = float(batch.clock_ns[-1])

    def _order(self, batch: Batch, found: "_Found", before: Real, write: Real) -> None:
        operation, page, cycle, failed = write.T
        writes, same = batch.operation != READ, batch.cycle == cycle
        found.add(
            batch.cycle < before, lambda at: f"cycles run backwards: expected {before[at]:.0f} or later"
        )
        found.add(
            writes & (failed == 1) & ~batch.failed,
            lambda at: f"a gap: its {_name(operation[at])} failed in cycle {cycle[at]:.0f}: expected no more",
        )
        ok = writes & (failed == 0)
        found.add(
            ok & same & (operation == ERASE),
            lambda at: f"a gap: an erase ended this cycle already: expected cycle {cycle[at] + 1:.0f}",
        )
        found.add(
            ok & same & (operation == PROGRAM) & (batch.operation == PROGRAM) & (batch.page <= page),
            lambda at: (
                f"a program without an erase before it: expected one above {page[at]:.0f}, or an erase"
            ),
        )

    def _pages(self, batch: Batch, found: "_Found", write: Real) -> None:
        operation, page, cycle, _ = write.T
        strict = self._whole_cycles(batch.cycle)
        follows = (operation == PROGRAM) & (batch.cycle == cycle)
        programs = strict & (batch.operation == PROGRAM) & ~batch.failed
        last = np.where(follows, page, NONE)
        skips = ~np.isin(batch.page - last, (1, self._step))
        found.add(
            programs & skips,
            lambda at: f"a gap: a page is skipped: expected page {last[at] + 1:.0f}",
        )
        if self._sampling.stride is not None:
            unwritten = (batch.operation == READ) & (batch.errors != NONE) & (batch.page > last)
            found.add(unwritten, lambda _: "a gap: errors of a page that this cycle has not programmed")

    def _whole_cycles(self, cycle: Whole) -> Truth:
        """Return in which cycles every operation must have been logged."""
        if self._sampling.grid:
            return np.isin(cycle, GRID)
        return np.full(len(cycle), self._sampling.stride is not None)

    def _cycles(self, batch: Batch, found: "_Found", before: Real, write: Real, erase: Real) -> None:
        rule, cycle = self._sampling, batch.cycle
        if rule.text != "some":
            most = rule.stride or 1
            expected = "1" if most == 1 else f"at most {most}"
            found.add(
                np.isnan(before) & (cycle > most),
                lambda _: f"a gap: expected its log to begin with cycle {expected}",
            )
        operation, _page, last, _failed = write.T
        if rule.grid:
            done = np.searchsorted(GRID, np.nan_to_num(erase), side="right")
            missing = (batch.operation != READ) & (np.searchsorted(GRID, cycle) > done)
            found.add(missing, lambda at: f"a gap: expected the erase of cycle {GRID[done[at]]} before it")
        if rule.stride is None:
            return
        later = (batch.operation != READ) & (cycle > last)
        found.add(
            later & (operation == PROGRAM),
            lambda at: f"a gap: cycle {last[at]:.0f} was not erased: expected its erase first, {_DECLARE}",
        )
        expected_cycle = last + rule.stride
        fits = (cycle == expected_cycle) | ((last == 1) & (cycle == rule.stride))
        found.add(
            later & (operation == ERASE) & ~fits,
            lambda at: f"a gap: expected cycle {expected_cycle[at]:.0f}, {_DECLARE}",
        )

    def _fail(self, batch: Batch) -> None:
        writes = batch.failed & (batch.operation != READ)
        for at in np.flatnonzero(writes).tolist():
            block = int(batch.block[at])
            known = int(batch.cycle[at]), OPERATIONS[int(batch.operation[at])]
            self.lives.failed.setdefault(block, known)


def _name(operation: float) -> str:
    return OPERATIONS[int(operation)]


class _Found:
    """The first line that breaks a rule."""

    def __init__(self, path: Path, batch: Batch) -> None:
        self._path, self._batch = path, batch
        self._at = len(batch)
        self._says = ""

    def add(self, bad: Truth, says: Callable[[int], str]) -> None:
        """Note where `bad` first holds, if that is before everything noted so far."""
        at = int(np.argmax(bad))
        if bad[at] and at < self._at:
            self._at, self._says = at, says(at)

    def refuse(self) -> None:
        """Raise InputError for what was noted."""
        if not self._says:
            return
        batch, at = self._batch, self._at
        page = "" if batch.page[at] == NONE else f", page {batch.page[at]}"
        what = (
            f"block {batch.block[at]}{page}, {OPERATIONS[int(batch.operation[at])]}, cycle {batch.cycle[at]}"
        )
        raise InputError(f"{self._path}:{batch.first_line + at}: {what}: {self._says}")
