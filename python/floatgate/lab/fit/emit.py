"""The page model as files: `[tables]` of program and erase times by wear, alone and in a chip file.

No date and no path stands in them: the same logs give the same bytes.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from floatgate.errors import InputError
from floatgate.files import TOML_MOST, read_text
from floatgate.lab.fit.gather import Kind
from floatgate.lab.fit.stream import Real
from floatgate.lab.fit.times import TimeFit
from floatgate.values.toml_list import listed

ROWS_MOST = 64  # that a chip file may have
ROWS_SMOOTH = 24  # for a law without steps


@dataclass(frozen=True)
class Source:
    """A file that was fitted."""

    name: str
    sha256: str
    entries: int


@dataclass(frozen=True)
class Row:
    """Times from some wear on."""

    pe_cycles: int
    t_prog_ns: tuple[float, ...]  # of each page type
    t_bers_ns: float


def rows(times: Mapping[Kind, TimeFit], types: int) -> list[Row]:
    """Return a row for each wear at which a time changes by a pulse, or for some where times are smooth.

    Empty when the logs do not tell the times of every page type and of erases.
    """
    wanted: list[Kind] = [*(("program", kind) for kind in range(types)), ("erase", 0)]
    if not all(kind in times for kind in wanted):
        return []
    fits = [times[kind] for kind in wanted]
    last = min(fit.wear_most for fit in fits)
    wears = sorted({0, *(wear for fit in fits for wear in _changes(fit, int(last)))})
    if len(wears) > ROWS_MOST:
        kept = np.linspace(0, len(wears) - 1, ROWS_MOST).round().astype(int)
        wears = [wears[place] for place in kept]
    at = np.array(wears, dtype=np.float64)
    values = [fit.at(at).tolist() for fit in fits]
    return [
        Row(wear, tuple(value[place] for value in values[:-1]), values[-1][place])
        for place, wear in enumerate(wears)
    ]


def _changes(fit: TimeFit, last: int) -> list[int]:
    """Return the wears, to the cycle, at which a fitted time changes."""
    grid = np.unique(np.rint(np.geomspace(1, max(last, 1), 400)).astype(np.int64))
    grid = np.concatenate([[0], grid])
    if fit.pulse is None:
        flat = fit.fitted.law.shape.name == "constant"
        return [] if flat else grid[np.linspace(0, len(grid) - 1, ROWS_SMOOTH).astype(int)].tolist()
    levels = fit.at(grid.astype(np.float64))
    changed = np.flatnonzero(levels[1:] != levels[:-1])
    return [_first_changed(fit, int(grid[at]), int(grid[at + 1])) for at in changed]


def _first_changed(fit: TimeFit, same: int, other: int) -> int:
    """Return the first wear after `same`, up to `other`, with another time."""
    level = _one(fit, same)
    wears = range(same + 1, other)
    return wears.start + bisect_left(wears, True, key=lambda wear: _one(fit, wear) != level)


def _one(fit: TimeFit, wear: int) -> float:
    at: Real = np.array([float(wear)])
    return float(fit.at(at)[0])


def provenance(sources: Sequence[Source], version: str) -> list[str]:
    """Return comment lines that say from which bytes the tables come."""
    head = [f"# Fitted by `floatgate fit`, version {version}; not to be edited. From:"]
    return head + [f"#   {one.name}: {one.entries} entries, sha256 {one.sha256}" for one in sources]


def tables(found: Sequence[Row], fits: Mapping[Kind, TimeFit]) -> list[str]:
    """Return the lines of `[tables]`."""
    return [
        "[tables]",
        *listed("pe_cycles", (str(row.pe_cycles) for row in found), "where a fitted time changes"),
        *listed("t_prog", (f'"{t:.0f}ns"' for row in found for t in row.t_prog_ns), _laws(fits, "program")),
        *listed("t_bers", (f'"{row.t_bers_ns:.0f}ns"' for row in found), _laws(fits, "erase")),
    ]


def _laws(fits: Mapping[Kind, TimeFit], operation: str) -> str:
    own = [fit for kind, fit in sorted(fits.items()) if kind[0] == operation]
    names = dict.fromkeys(fit.fitted.law.shape.formula for fit in own)
    warning = "" if all(fit.good for fit in own) else "; POOR: the data do not follow"
    return f"fitted: {'; '.join(names)}, w the wear in cycles{warning}"


def chip_file(source: Path, lines: Sequence[str]) -> str:
    """Return the text of a chip file with `lines` in the place of its own tables, if it had any.

    Raises InputError when something else stands below its tables.
    """
    text = read_text(source, "a chip file", TOML_MOST)
    before, found, after = text.partition("\n[tables]\n")
    if found and any(line.startswith("[") and not line.startswith("[tables.") for line in after.splitlines()):
        raise InputError(f"{source}: tables: expected as the last of the file")
    return before.rstrip("\n") + "\n\n" + "\n".join(lines) + "\n"
