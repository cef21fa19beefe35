"""A finished run, as researchers use it: numbers by attribute, tables as Arrow, the report in one call."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floatgate import tables
from floatgate.arguments import path as as_path
from floatgate.folder import read_json
from floatgate.record import Record
from floatgate.temporary import Temporary, contents

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, repr=False)
class Run:
    """One finished run. Reads only its folder, so an old run opens as a new one does: `Run.open("out/x")`."""

    folder: Path
    document: Record
    _kept: Temporary | None = field(default=None, compare=False)  # where nobody named a folder

    @classmethod
    def open(cls, folder: str | Path) -> "Run":
        """Open a run folder, or the `run.json` in one.

        Raises InputError when it is not one.
        """
        folder = Path(as_path("folder", folder))
        folder = folder.parent if folder.name == "run.json" else folder
        return cls(folder, Record(read_json(folder / "run.json")))

    @classmethod
    def keeping(cls, made: Temporary) -> "Run":
        """Open the run in a temporary folder, which lives as long as this object and its copies."""
        folder = made.folder / "run"
        return cls(folder, Record(read_json(folder / "run.json")), made)

    def __copy__(self) -> "Run":
        return self

    def __deepcopy__(self, _memo: object) -> "Run":
        return self  # it cannot be changed, and its files are the same

    def __reduce__(self) -> tuple[Any, ...]:
        """Where the folder is a temporary one its files come along: it may be gone when this is read."""
        if self._kept is None:
            return Run, (self.folder, self.document)
        return _unpacked, (contents(self.folder),)

    @property
    def waf(self) -> float | None:
        """Mapping units programmed by all origins over those the host wrote; None without host writes."""
        value: float | None = self.document["waf"]
        return value

    @property
    def host(self) -> Record:
        """What the host saw, by kind of request: `run.host.read.iops`."""
        record: Record = self.document["host"]
        return record

    @property
    def latency(self) -> Record:
        """Latencies from arrival to completion in ns, by kind of request: `run.latency.read.p99`."""
        kinds = self.document.to_dict()["host"]
        return Record({kind: values.get("latency_ns") for kind, values in kinds.items()})

    @property
    def flash(self) -> Record:
        """Page operations by origin: `run.flash.programs.gc`."""
        record: Record = self.document["flash"]
        return record

    def series(self) -> "pa.Table":
        """Return the time series as an Arrow table; `.to_pandas()` makes it a data frame."""
        return self._table(tables.SERIES)

    def latency_histogram(self) -> "pa.Table":
        """Return the latency histogram: columns op, latency_ns, requests."""
        return self._table(tables.LATENCY)

    def requests(self) -> "pa.Table":
        """Return every request with where its time went.

        Raises FileNotFoundError when the run was not asked to keep them.
        """
        return self._table(tables.REQUESTS)

    def _table(self, name: str) -> "pa.Table":
        import pyarrow.parquet as pq

        table: pa.Table = pq.read_table(self.folder / name)
        return table

    def report(self, path: str | Path) -> Path:
        """Write the report, one self-contained HTML file."""
        from floatgate.report import write_report

        return write_report(self.folder, Path(as_path("path", path)))

    def headline(self) -> dict[str, Any]:
        """Return the handful of numbers that sum the run up, by name."""
        from floatgate.headline import headline

        return {metric.name: metric.value for metric in headline(self.document.to_dict())}

    def __repr__(self) -> str:
        document = self.document
        return f"Run({document['drive']}, {document['workload']['name']}, seed {document['seed']})"

    def _repr_html_(self) -> str:
        from floatgate.headline import headline
        from floatgate.report.html import render

        metrics = headline(self.document.to_dict())
        return render("headline.html", caption=repr(self), metrics=metrics)


def _unpacked(files: dict[str, bytes]) -> Run:
    """Put a pickled run of a temporary folder into one of this process's own."""
    return Run.keeping(Temporary.holding(files))
