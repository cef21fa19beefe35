"""What the user sees: tables on standard output, progress and remarks on standard error."""

import json
import sys
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from floatgate import quantities as q
from floatgate.headline import at, headline

if TYPE_CHECKING:
    from floatgate import session
    from floatgate.repeat import Repeated

_WIDE = 160  # where nobody looks through a window of some width, in a file or a pipe, nothing is cut

out = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else _WIDE)
err = Console(stderr=True, highlight=False, soft_wrap=True)

_INTERRUPTED = 130


class _Bar:
    """A progress bar with an estimate, on a terminal only: a log file gets no bars."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.description:<14}"),
            BarColumn(bar_width=30),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=err,
            transient=True,
            disable=not err.is_terminal,
        )
        self._task = self._progress.add_task("starting", total=None, note="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()


class RunProgress(_Bar):
    """The progress of one run."""

    def __init__(self) -> None:
        super().__init__()
        self._phase = ""

    def describe(self, text: str) -> None:
        """Say what will be run, before it is."""
        for line in describe_lines(json.loads(text)):
            err.print(line, markup=False)

    def update(self, progress: "session.Progress") -> None:
        """Show how far the run is."""
        if progress.phase != self._phase:
            self._phase = progress.phase
            self._progress.reset(self._task, description=progress.phase, total=None, note="")
        note = f"{q.count(progress.host_requests)} requests, {q.duration(progress.simulated_ns)} simulated"
        total = None if progress.fraction is None else 1.0
        self._progress.update(self._task, completed=progress.fraction or 0.0, total=total, note=note)


class RepeatProgress(_Bar):
    """The progress of several seeds together."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self._progress.update(self._task, description=f"{times} seeds", total=1.0)

    def update(self, fraction: float) -> None:
        """Show how far all seeds are, on average."""
        self._progress.update(self._task, completed=fraction)


def describe_lines(description: dict[str, Any]) -> list[str]:
    """Return what a run is about to do, in lines of `key: value`."""
    width = max((len(key) for key in description), default=0)
    return [
        f"{key.replace('_', ' '):<{width}}  {_plain(key, value)}"
        for key, value in description.items()
        if value
    ]


def _plain(key: str, value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {_plain(name, item)}" for name, item in value.items())
    if isinstance(value, list):
        return "; ".join(_plain(key, item) for item in value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if key.endswith("bytes"):
        return q.size(value)
    if key.endswith("_ns"):
        return q.duration(value)
    return q.count(value)


def print_json(document: Any) -> None:
    """Print a document as JSON, and nothing else."""
    json.dump(document, sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")


def print_result(document: dict[str, Any]) -> None:
    """Print what one run found."""
    title = f"{name_of(document['drive'])}, {document['workload']['name']}, seed {document['seed']}"
    out.print(title, markup=False, style="bold")
    out.print(_host_table(document))
    out.print(_flash_table(document))
    for metric in headline(document):
        if not metric.name.startswith("host."):
            out.print(f"{metric.title:<22} {metric.shown}", markup=False)
    engine = document["engine"]
    speed = q.count(engine.get("page_operations_per_s"))
    out.print(
        f"{'simulated':<22} {q.duration(document['simulated_ns'])} in {engine['wall_s']:.2f} s"
        f" ({speed} page operations/s)",
        markup=False,
    )


def _host_table(document: dict[str, Any]) -> Table:
    failed = any(isinstance(side, dict) and side.get("failed") for side in document["host"].values())
    columns = (
        "requests",
        *(("failed",) if failed else ()),
        "IOPS",
        "bandwidth",
        "mean",
        "p50",
        "p99",
        "p99.9",
        "max",
    )
    table = _table("host", *columns)
    for kind, side in document["host"].items():
        if not isinstance(side, dict) or not side["requests"]:
            continue
        latency = [
            q.duration(at(side, f"latency_ns.{name}")) for name in ("mean", "p50", "p99", "p999", "max")
        ]
        table.add_row(
            kind,
            q.count(side["requests"]),
            *((q.count(side.get("failed")),) if failed else ()),
            q.count(side.get("iops")),
            q.bandwidth(side.get("bandwidth_bytes_per_s")),
            *latency,
        )
    return table


def _flash_table(document: dict[str, Any]) -> Table:
    flash = document["flash"]
    origins = list(dict.fromkeys(origin for counts in flash.values() for origin, n in counts.items() if n))
    origins.sort(key=lambda origin: origin == "total")
    table = _table("flash pages", *origins)
    for operation, counts in flash.items():
        table.add_row(operation, *(q.count(counts.get(origin)) for origin in origins))
    return table


def print_repeated(repeated: "Repeated") -> None:
    """Print means and confidence intervals over seeds."""
    seeds = repeated.seeds
    out.print(f"{len(seeds)} seeds, {seeds[0]} to {seeds[-1]}", markup=False, style="bold")
    table = _table("metric", "mean", "+/- 95 %", "relative")
    for metric, interval in repeated.metrics:
        if interval is None or interval.half_width is None:
            continue
        relative = interval.half_width / interval.mean if interval.mean else None
        table.add_row(
            metric.title, metric.show(interval.mean), metric.show(interval.half_width), q.percent(relative)
        )
    out.print(table)


def farewell(interrupted: bool, folder: Path, report: bool, below: str = "") -> int:
    """Say where the results are; return the exit code."""
    where = folder / below / "report.html" if report else folder
    if interrupted:
        err.print(f"interrupted: {folder} holds what was done until then", markup=False)
        return _INTERRUPTED
    err.print(f"wrote {where}", markup=False)
    return 0


def name_of(value: Any) -> str:
    """The name of a drive or chip, given as its name or as an object with one."""
    return str(value["name"] if isinstance(value, dict) else value)


def _table(first: str, *columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column(first, no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table
