"""A finished run, as researchers use it: numbers by attribute, tables as Arrow, the report in one call."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from floatgate._generated import results
from floatgate.files.temporary import Temporary, contents
from floatgate.results import tables
from floatgate.results.versions import read
from floatgate.values.arguments import path as as_path
from floatgate.values.section import Section


@dataclass(frozen=True, slots=True, repr=False)
class Latencies(Section):
    """Latencies in ns by kind of request; those of a kind that did not occur are all None."""

    read: results.Latency
    write: results.Latency
    trim: results.Latency
    flush: results.Latency


@dataclass(frozen=True, repr=False)
class Run:
    """One finished run. Reads only its folder, so an old run opens as a new one does: `Run.open("out/x")`."""

    folder: Path
    document: results.RunResult
    _kept: Temporary | None = field(default=None, compare=False)  # where no folder was named

    @classmethod
    def open(cls, folder: str | Path) -> "Run":
        """Open a run folder, or the `run.json` in one.

        Raises InputError when it is not one.
        """
        folder = Path(as_path("folder", folder))
        folder = folder.parent if folder.name == "run.json" else folder
        return cls(folder, read(folder / "run.json"))

    @classmethod
    def keeping(cls, made: Temporary) -> "Run":
        """Open the run in a temporary folder, which lives as long as this object and its copies."""
        folder = made.folder / "run"
        return cls(folder, read(folder / "run.json"), made)

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
        """Bytes programmed by all origins over those the host wrote; None without host writes.

        Where `document.waf_bytes.settled` is False, it says how full the buffer is.
        """
        return self.document.waf

    @property
    def host(self) -> results.Host:
        """What the host saw, by kind of request: `run.host.read.iops`."""
        return self.document.host

    @property
    def latency(self) -> "Latencies":
        """Latencies from arrival to completion in ns, by kind of request: `run.latency.read.p99`."""
        host = self.document.host
        kinds = (host.read, host.write, host.trim, host.flush)
        return Latencies(*(kind.latency_ns for kind in kinds))

    @property
    def flash(self) -> results.Flash:
        """Page operations by origin: `run.flash.programs.gc`."""
        return self.document.flash

    @property
    def ftl(self) -> results.FtlSections:
        """What the firmware did, by the section of the configuration: `run.ftl.gc.victims`."""
        return self.document.ftl

    def series(self) -> "tables.Table":
        """Return the time series; `.to_pandas()` and `.to_polars()` make it a data frame."""
        return self._table(tables.SERIES)

    def latency_histogram(self) -> "tables.Table":
        """Return the latency histogram: columns op, latency_ns, requests."""
        return self._table(tables.LATENCY)

    def requests(self) -> "tables.Table":
        """Return every request with where its time went.

        Raises FileNotFoundError when the run was not asked to keep them.
        """
        return self._table(tables.REQUESTS)

    def _table(self, name: str) -> "tables.Table":
        return tables.Table.read(self.folder / name)

    def report(self, path: str | Path) -> Path:
        """Write the report, one self-contained HTML file."""
        from floatgate.report import write_report

        return write_report(self.folder, Path(as_path("path", path)))

    def headline(self) -> dict[str, Any]:
        """Return the handful of numbers that sum the run up, by name."""
        from floatgate.results.headline import headline

        return {metric.name: metric.value for metric in headline(self.document.to_dict())}

    def __repr__(self) -> str:
        document = self.document
        return f"Run({document.drive}, {document.workload.name}, seed {document.seed})"

    def _repr_html_(self) -> str:
        from floatgate.report import in_notebook

        return in_notebook(self.folder, repr(self))


def _unpacked(files: dict[str, bytes]) -> Run:
    """Put a pickled run of a temporary folder into one of this process's own."""
    return Run.keeping(Temporary.holding(files))
