"""Where the time of the slowest requests went: from the table of every request, where the run kept it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from floatgate import _core
from floatgate.errors import InputError, one_line
from floatgate.report import words
from floatgate.report.said import Said, Strong, said
from floatgate.results.tables import REQUESTS
from floatgate.values import quantities as q

SHARE = 0.01  # of the requests of a kind: the slowest
LEAST = 10  # requests that this share must be
ROWS_MOST = 1 << 22  # requests of a run of which the slowest are looked for: more take gigabytes

_CODES: dict[str, Literal["B", "Q"]] = {"uint8": "B", "uint64": "Q"}


@dataclass(frozen=True)
class Tail:
    """The slowest requests of a kind."""

    kind: str
    requests: int
    least_ns: int  # latency of the quickest of them
    stages: dict[str, float]  # mean time in ns of one of them, by stage

    @property
    def mean_ns(self) -> float:
        """Mean latency of one of them, in ns."""
        return sum(self.stages.values())


def tails(folder: Path) -> list[Tail] | None:
    """Return the slowest reads and writes of a run that kept its requests, where each kind has enough.

    None where the run kept more than can be looked at. Raises InputError for a table that is damaged.
    """
    path = folder / REQUESTS
    if not path.is_file():
        return []
    try:
        table = _core.read_parquet(path, ROWS_MOST)
    except (_core.InputError, _core.BrokenInvariant, OSError) as error:
        if f"rows: expected at most {ROWS_MOST}" in str(error):
            return None
        raise InputError(f"{path}: {one_line(error)}: expected a file that floatgate wrote") from error
    kinds = {name: kind for name, kind, *_ in table.columns}

    def column(name: str) -> "memoryview[int]":
        kind = kinds.get(name, "nothing")
        if kind not in _CODES or not table.complete(name):
            raise InputError(f"{path}: column {name}: {kind}: expected whole numbers without a gap")
        return memoryview(table.column_bytes(name)).cast(_CODES[kind])

    arrived, done = column("arrive_ns"), column("complete_ns")
    counted = zip(column("op"), column("measured"), column("failed"), strict=True)
    rows: dict[int, list[int]] = {}
    for row, (op, measured, failed) in enumerate(counted):
        if measured and not failed:
            rows.setdefault(op, []).append(row)
    stages = {name: column(f"{name}_ns") for name in words.STAGES if f"{name}_ns" in kinds}
    found = []
    for op, kind in enumerate(("read", "write")):
        mine = rows.get(op, [])
        if len(mine) * SHARE < LEAST:
            continue
        mine.sort(key=lambda row: arrived[row] - done[row])  # the slowest first
        mine = mine[: int(len(mine) * SHARE)]
        means = {name: sum(values[row] for row in mine) / len(mine) for name, values in stages.items()}
        found.append(Tail(kind, len(mine), done[mine[-1]] - arrived[mine[-1]], means))
    return found


def in_words(found: list[Tail] | None) -> Said:
    """Say what takes most of the slowest requests' time."""
    if found is None:
        return [f"The slowest 1 % are not shown: of more than {ROWS_MOST:,} requests, see {REQUESTS}."]
    pieces: list[str | Strong] = []
    for one in found:
        name, most = max(one.stages.items(), key=lambda stage: stage[1])
        pieces += said(
            "The slowest 1 % of {}s, {} of {} and more, take {} on average; the largest part is {} with {}. ",
            one.kind,
            f"{one.requests:,}",
            q.duration(one.least_ns),
            q.duration(one.mean_ns),
            Strong(words.stage(name)),
            q.percent(most / one.mean_ns),
        )
    return pieces
