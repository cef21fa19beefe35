"""One run from plan to run folder."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floatgate import _core
from floatgate.inputs import fio
from floatgate.inputs.plan import Plan
from floatgate.results import tables
from floatgate.results.folder import atomically, write_json
from floatgate.results.remarks import remarks
from floatgate.runs import session as sessions
from floatgate.runs.invocation import invocation
from floatgate.runs.session import Progress
from floatgate.workers import note, stopping
from floatgate.workers.memory import room_for

if TYPE_CHECKING:
    from floatgate.inputs.fio.logs import Asked

TIMELINE = "timeline.perfetto-trace"


@dataclass(frozen=True)
class Listeners:
    """Who is told what while a run goes on."""

    described: Callable[[str], None] = lambda _text: None
    progress: Callable[[Progress], None] | None = None
    stopped: Callable[[], bool] = lambda: False


def note_part(progress: Progress) -> None:
    """Note in a worker how far its run is."""
    if progress.fraction is not None:
        note(progress.fraction)


def in_worker(plan: Plan) -> sessions.Outcome:
    """Run `plan` in a worker, which notes how far it is, until its command is told to stop."""
    with room_for(plan):
        return sessions.drive(plan.open(), plan, report=note_part, stopped=stopping)


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
    with room_for(plan):
        return _run_into(plan, folder, report, listeners)


def _run_into(plan: Plan, folder: Path, report: bool, listeners: Listeners) -> dict[str, Any]:
    jobs = _jobs(plan)
    logs = _logs(jobs)
    session = plan.open(requests=bool(logs))
    listeners.described(session.describe())
    with _sinks(plan, folder, logs) as sinks:
        outcome = sessions.drive(
            session, plan, sinks=sinks, report=listeners.progress, stopped=listeners.stopped
        )
        for sink in sinks:
            sink.drain(session)
    document = outcome.document
    if plan.workload.kind == "trace":
        document["workload"]["name"] = plan.workload.named(document["workload"]["name"])
    document["invocation"] = invocation(plan, document["config"])
    document["remarks"] = remarks(document)
    if plan.workload.notes:
        document["workload"]["notes"][_translated(plan)] = "; ".join(plan.workload.notes)
    document["workload"]["jobs"] = jobs
    tables.write_latency(folder, document.pop("histogram"))
    tables.write_series(folder, document.pop("series"))
    write_json(folder / "run.json", document)
    if report:
        from floatgate.report import write_report

        write_report(folder, folder / "report.html", is_own=True)
    return document


def _jobs(plan: Plan) -> list[dict[str, Any]]:
    """The fio jobs of the workload, with their options as written; none where it is something else."""
    if plan.workload.kind not in ("fio", "generator"):
        return []
    return json.loads(_core.fio_jobs(plan.workload.to_json())) or []


def _logs(jobs: list[dict[str, Any]]) -> "list[Asked]":
    """The logs that the jobs ask for."""
    if not any(key.endswith("_log") for job in jobs for key in job["options"]):
        return []
    from floatgate.inputs.fio.logs import wanted

    return wanted(jobs)


def _translated(plan: Plan) -> str:
    """Whose the workload was before it became jobs or flows."""
    if plan.workload.kind == "flows":
        return "mqsim"
    return "fio" if fio.is_command(plan.workload.source) else "diskspd"


@contextmanager
def _sinks(plan: Plan, folder: Path, logs: "list[Asked]") -> Iterator[tuple[sessions.Sink, ...]]:
    """Open the files that grow while the run goes on, and close them after it."""
    opened: list[Any] = []
    takers: list[tables.Taker] = []
    if plan.options.requests:
        takers.append(tables.RequestSink(folder / tables.REQUESTS))
    if logs:
        from floatgate.inputs.fio.logs import LogSink

        takers.append(LogSink(folder, logs))
    if takers:
        opened.append(tables.Takers(takers))
    if plan.options.timeline:
        from floatgate.results.timeline import TimelineSink

        opened.append(TimelineSink(folder / TIMELINE))
    try:
        yield tuple(opened)
    finally:
        for sink in opened:
            sink.close()
