"""The Parquet files of a run: latency histogram, time series, and on request every request."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    import pyarrow.parquet as pq

    from floatgate import _core

LATENCY = "latency.parquet"
SERIES = "series.parquet"
REQUESTS = "requests.parquet"


def write_latency(folder: Path, histogram: dict[str, list[list[int]]]) -> None:
    """Write the latency histogram: one row per kind of request and latency, in order."""
    import pyarrow as pa

    rows = [(op, ns, count) for op, pairs in histogram.items() for ns, count in pairs]
    table = pa.table(
        {
            "op": pa.array([row[0] for row in rows], pa.string()),
            "latency_ns": pa.array([row[1] for row in rows], pa.int64()),
            "requests": pa.array([row[2] for row in rows], pa.int64()),
        }
    )
    _write(table, folder / LATENCY)


def write_series(folder: Path, series: dict[str, list[float | int | None]]) -> None:
    """Write the time series: one row per interval, a column per measure, units in the names."""
    import pyarrow as pa

    def column(name: str, values: list[float | int | None]) -> "pa.Array[Any]":
        return pa.array(values, pa.float64() if name.endswith("_mean") else pa.int64())

    _write(pa.table({name: column(name, values) for name, values in series.items()}), folder / SERIES)


def _write(table: "pa.Table", path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(table, path, compression="zstd")


class Takers:
    """Hands every request to each of those that want it, since they can be drained only once."""

    def __init__(self, takers: "Sequence[Taker]") -> None:
        self._takers = takers

    def drain(self, session: "_core.Session") -> None:
        """Take the requests completed since the last call."""
        batch = columns_to_batch(session.requests_schema(), session.requests())
        for taker in self._takers:
            taker.take(batch)

    def close(self) -> None:
        """End what each of them writes."""
        for taker in self._takers:
            taker.close()


class Taker(Protocol):
    """Wants every request."""

    def take(self, batch: "pa.RecordBatch") -> None:
        """Take requests as they were completed."""

    def close(self) -> None:
        """No more will come."""


class RequestSink:
    """Writes every request while the run goes on, one row group for each million."""

    ROWS = 1_000_000

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: pq.ParquetWriter | None = None
        self._pending: list[pa.RecordBatch] = []
        self._rows = 0

    def take(self, batch: "pa.RecordBatch") -> None:
        """Take requests as they were completed."""
        if self._writer is None:
            import pyarrow.parquet as pq

            self._writer = pq.ParquetWriter(self._path, batch.schema, compression="zstd")
        self._pending.append(batch)
        self._rows += batch.num_rows
        if self._rows >= self.ROWS:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        if self._writer and self._rows:
            self._writer.write_table(pa.Table.from_batches(self._pending).combine_chunks())
        self._pending, self._rows = [], 0

    def close(self) -> None:
        """Write what is left and end the file."""
        self._flush()
        if self._writer:
            self._writer.close()


def columns_to_batch(schema: list[tuple[str, str]], columns: dict[str, bytes]) -> "pa.RecordBatch":
    """Read little-endian columns without copying them."""
    import pyarrow as pa

    arrays: list[Any] = []
    for name, dtype in schema:
        kind: Any = pa.type_for_alias(dtype)  # type: ignore[call-overload]
        data = columns[name]
        rows = len(data) * 8 // kind.bit_width
        arrays.append(pa.Array.from_buffers(kind, rows, [None, pa.py_buffer(data)]))
    return pa.record_batch(arrays, names=[name for name, _ in schema])
