"""The tables of a run: latency histogram, time series, and on request every request, as Parquet and Arrow."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from floatgate import _core
from floatgate.extras import needed

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

LATENCY = "latency.parquet"
SERIES = "series.parquet"
REQUESTS = "requests.parquet"

_ROWS_MOST = 1 << 62


@dataclass(frozen=True)
class Column:
    """One column of a table: what its numbers count and what they say."""

    name: str
    type: str
    unit: str
    meaning: str


@cache
def described(file: str) -> tuple[Column, ...]:
    """Return the columns of a run's table, as the core defines them."""
    found = next(table for table in json.loads(_core.table_columns()) if table["file"] == file)
    return tuple(Column(**column) for column in found["columns"])


class Table:
    """Columns of equal length, some with gaps (None).

    Any library that reads Arrow takes it without copying: `polars.DataFrame(table)`, `pyarrow.table(table)`,
    `duckdb.from_arrow(table)`. `columns` says the unit and meaning of each.
    """

    def __init__(self, core: "_core.Table") -> None:
        self._core = core

    @classmethod
    def read(cls, path: Path, *, rows_most: int = _ROWS_MOST) -> "Table":
        """Read a Parquet file.

        Raises FileNotFoundError or OSError, and InputError when it is not readable or has too many rows.
        """
        return cls(_core.read_parquet(path, rows_most))

    @classmethod
    def of(cls, columns: Iterable[Column], values: Mapping[str, Sequence[Any]]) -> "Table":
        """Make a table of lists of equal length; `columns` has one entry for each."""
        known = [(column.name, column.type, column.unit, column.meaning) for column in columns]
        undescribed = set(values) - {column[0] for column in known}
        if undescribed:
            raise ValueError(f"columns without a description: {', '.join(sorted(undescribed))}")
        return cls(_core.Table([column for column in known if column[0] in values], dict(values)))

    def write(self, path: Path) -> None:
        """Write a Parquet file, with unit and meaning of each column."""
        writer = _core.Writer(path)
        writer.write(self._core)
        writer.close()

    @property
    def num_rows(self) -> int:
        """How many rows there are."""
        return self._core.num_rows

    def __len__(self) -> int:
        return self.num_rows

    @property
    def columns(self) -> tuple[Column, ...]:
        """Name, type, unit and meaning of each column."""
        return tuple(Column(*column) for column in self._core.columns)

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, in order."""
        return [column.name for column in self.columns]

    def column(self, name: str) -> list[Any]:
        """Return the values of a column; a gap is None. Raises KeyError."""
        return self._core.column(name)

    __getitem__ = column

    def to_pydict(self) -> dict[str, list[Any]]:
        """Return the columns by name."""
        return {name: self.column(name) for name in self.column_names}

    def to_pylist(self) -> list[dict[str, Any]]:
        """Return the rows, each by name."""
        names = self.column_names
        return [
            dict(zip(names, row, strict=True))
            for row in zip(*(self.column(name) for name in names), strict=True)
        ]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand the table to a library that reads Arrow."""
        return self._core.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> "pd.DataFrame":
        """Return a pandas data frame; columns with gaps have pandas' own nullable types.

        Raises InputError when pandas is not installed.
        """
        pandas, numpy = needed("pandas"), needed("numpy")
        frame = {}
        for column in self.columns:
            if column.type != "string" and self._core.complete(column.name):
                kind = {"double": "float64"}.get(column.type, column.type)
                frame[column.name] = numpy.frombuffer(self._core.column_bytes(column.name), kind)
            else:
                kind = {"double": "Float64", "int64": "Int64"}.get(column.type, column.type)
                frame[column.name] = pandas.array(self.column(column.name), dtype=kind)
        result: pd.DataFrame = pandas.DataFrame(frame)
        return result

    def to_polars(self) -> "pl.DataFrame":
        """Return a polars data frame. Raises InputError when polars is not installed."""
        result: pl.DataFrame = needed("polars").DataFrame(self)
        return result

    def to_arrow(self) -> "pa.Table":
        """Return a table of pyarrow's. Raises InputError when pyarrow is not installed."""
        result: pa.Table = needed("pyarrow").table(self)
        return result

    def __repr__(self) -> str:
        return f"Table({self.num_rows} rows: {', '.join(self.column_names)})"


def write_latency(folder: Path, histogram: dict[str, list[list[int]]]) -> None:
    """Write the latency histogram: one row per kind of request and latency, in order."""
    rows = [(op, ns, count) for op, pairs in histogram.items() for ns, count in pairs]
    columns: Iterable[tuple[Any, ...]] = zip(*rows, strict=True) if rows else ((), (), ())
    values = dict(zip(("op", "latency_ns", "requests"), map(list, columns), strict=True))
    Table.of(described(LATENCY), values).write(folder / LATENCY)


def write_series(folder: Path, series: dict[str, list[float | int | None]]) -> None:
    """Write the time series: one row per interval, a column per measure, units in the names."""
    Table.of(described(SERIES), series).write(folder / SERIES)


class Takers:
    """Hands every request to each reader that wants it, since requests can be drained only once."""

    def __init__(self, takers: "Sequence[Taker]") -> None:
        self._takers = takers

    def drain(self, session: "_core.Session") -> None:
        """Take the requests completed since the last call."""
        batch = session.requests()
        for taker in self._takers:
            taker.take(batch)

    def close(self) -> None:
        """End what each of them writes."""
        for taker in self._takers:
            taker.close()


class Taker(Protocol):
    """Wants every request."""

    def take(self, batch: "_core.Table") -> None:
        """Take requests as they were completed."""

    def close(self) -> None:
        """No more will come."""


class RequestSink:
    """Writes every request while the run goes on; the core groups the rows."""

    def __init__(self, path: Path) -> None:
        self._writer = _core.Writer(path)

    def take(self, batch: "_core.Table") -> None:
        """Take requests as they were completed."""
        self._writer.write(batch)

    def close(self) -> None:
        """Write what is left and end the file."""
        self._writer.close()
