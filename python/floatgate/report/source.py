"""What a report is made of: the files of one run folder, and nothing else."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from floatgate import _core
from floatgate.errors import InputError, one_line
from floatgate.report.tail import Tail, tails
from floatgate.results import tables
from floatgate.results.fio_json import Histogram, read_histograms
from floatgate.results.folder import read_json
from floatgate.results.headline import KINDS


@dataclass(frozen=True)
class Source:
    """The contents of a run folder."""

    document: dict[str, Any]
    histograms: dict[str, Histogram]
    series: dict[str, list[Any]]
    folder: Path

    @cached_property
    def tails(self) -> list[Tail] | None:
        """The slowest reads and writes, where the run kept its requests; None of too many."""
        return tails(self.folder)

    @classmethod
    def read(cls, folder: Path, *, is_own: bool = False) -> "Source":
        """Read a run folder; what this process wrote itself needs no check against the schema.

        Raises InputError when a file is missing or damaged.
        """
        document = _document(folder / "run.json", is_own)
        latency = _table(folder / tables.LATENCY, {"op": "string", "latency_ns": "int", "requests": "int"})
        series = _table(folder / tables.SERIES, {"time_ns": "int", "width_ns": "int"})
        return cls(document, read_histograms(latency), series.to_pydict(), folder)


def _document(path: Path, is_own: bool) -> dict[str, Any]:
    if is_own:
        return read_json(path)
    from floatgate.results.versions import read_document

    return read_document(path)


_ROWS_MOST = 1 << 24
_COLUMN = re.compile(r"[a-z0-9_]{1,64}")


def _table(path: Path, needed: dict[str, str]) -> Any:
    """Read a table with the columns that are `needed`; all others hold numbers."""
    try:
        table = tables.Table.read(path, rows_most=_ROWS_MOST)
        kinds = {column.name: column.type for column in table.columns}
        for name in {**needed, **kinds}:
            expected = needed.get(name, "int or double")
            found = kinds.get(name, "nothing").rstrip("0123456789")
            if not _COLUMN.fullmatch(name) or found not in expected.split(" or "):
                raise InputError(f"{path}: column {one_line(name)[:80]}: {found}: expected {expected}")
        if any(None in table.column(name) for name in needed):
            raise InputError(f"{path}: a gap in {' or '.join(needed)}: expected a file that floatgate wrote")
        if "op" in needed and not set(table.column("op")) <= set(KINDS):
            raise InputError(f"{path}: op: expected {', '.join(KINDS)}")
        return table
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file: expected a whole run folder") from error
    except (_core.InputError, _core.BrokenInvariant, OSError) as error:
        raise InputError(f"{path}: {one_line(error)}: expected a file that floatgate wrote") from error
