"""One run from plan to run folder."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floatgate import session as sessions
from floatgate import tables
from floatgate.again import invocation
from floatgate.folder import atomically, write_json
from floatgate.remarks import remarks
from floatgate.session import Plan, Progress

if TYPE_CHECKING:
    from floatgate import _core

TIMELINE = "timeline.perfetto-trace"


@dataclass(frozen=True)
class Listeners:
    """Who is told what while a run goes on."""

    described: Callable[[str], None] = lambda _text: None
    progress: Callable[[Progress], None] | None = None
    stopped: Callable[[], bool] = lambda: False


def run_to_folder(
    plan: Plan, out: Path, *, report: bool, listeners: Listeners, force: bool = False
) -> dict[str, Any]:
    """Run `plan` and write the folder `out`; return its `run.json`.

    Raises InputError or Fault; then `out` is as it was before.
    """
    with atomically(out, force=force) as partial:
        return run_into(plan, partial, report=report, listeners=listeners)


def run_into(plan: Plan, folder: Path, *, report: bool, listeners: Listeners) -> dict[str, Any]:
    """Run `plan` and write its files into a folder that is there already."""
    session = plan.open()
    listeners.described(session.describe())
    with _sinks(plan, folder, session) as sinks:
        outcome = sessions.drive(
            session, plan, sinks=sinks, report=listeners.progress, stopped=listeners.stopped
        )
        for sink in sinks:
            sink.drain(session)
    document = outcome.document
    document["invocation"] = invocation(plan)
    document["remarks"] = remarks(document)
    if plan.workload.notes:
        translated = "mqsim" if plan.workload.kind == "flows" else "diskspd"
        document["workload"]["notes"][translated] = "; ".join(plan.workload.notes)
    tables.write_latency(folder, document.pop("histogram"))
    tables.write_series(folder, document.pop("series"))
    write_json(folder / "run.json", document)
    if report:
        from floatgate.report import write_report

        write_report(folder, folder / "report.html")
    return document


@contextmanager
def _sinks(plan: Plan, folder: Path, session: "_core.Session") -> Iterator[tuple[sessions.Sink, ...]]:
    """Open the files that grow while the run goes on, and close them after it."""
    opened: list[tables.RequestSink | Any] = []
    if plan.options.requests:
        opened.append(tables.RequestSink(folder / tables.REQUESTS))
    if plan.options.timeline:
        from floatgate.timeline import TimelineSink

        opened.append(TimelineSink(folder / TIMELINE, session))
    try:
        yield tuple(opened)
    finally:
        for sink in opened:
            sink.close()
