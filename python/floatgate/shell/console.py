"""What the user sees: tables on standard output, progress and remarks on standard error."""

import json
import sys
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floatgate import exits
from floatgate.results import amplification, sampled
from floatgate.results.drive_state import nothing_met, state_words as began_words
from floatgate.results.flags import words
from floatgate.results.folder import to_text
from floatgate.results.headline import FLASH, KINDS, at, headline
from floatgate.shell.bar import BAR, ELAPSED, LEFT, PERCENT, Bar
from floatgate.shell.shown import WIDE, Stream, Table
from floatgate.values import quantities as q

if TYPE_CHECKING:
    from floatgate.options import Options
    from floatgate.runs import session
    from floatgate.runs.repeat import Repeated

out = Stream("stdout", width=WIDE)
err = Stream("stderr")


_PHASE = ("{task.description:<14}", BAR, PERCENT, ELAPSED, "left", LEFT)


class RunProgress(Bar):
    """The progress of one run."""

    def __init__(self, state: str) -> None:
        super().__init__(*_PHASE, "{task.fields[note]}", description="starting", total=None, note="")
        self._state = state
        self._phase = ""

    def describe(self, text: str) -> None:
        """Say what will be run, before it is."""
        for line in plan_lines(json.loads(text), self._state):
            err.print(line)

    def update(self, progress: "session.Progress") -> None:
        """Show how far the run is."""
        if progress.phase != self._phase:
            self._phase = progress.phase
            self.begin(progress.phase, note="")
        if progress.host_requests:
            note = (
                f"{q.count(progress.host_requests)} requests, {q.duration(progress.simulated_ns)} simulated"
            )
        else:
            note = f"{q.count(progress.page_operations)} page operations"
        total = None if progress.fraction is None else 1.0
        self.show(completed=progress.fraction or 0.0, total=total, note=note)


def repeat_progress(times: int) -> Bar:
    """Return the progress of several seeds together."""
    return Bar(*_PHASE, description=f"{times} seeds")


def plan_lines(description: dict[str, Any], state: str) -> list[str]:
    """Say what is about to be run: the drive, its state, and a trace's span, rate and footprint."""
    drive, trace = description["drive"], description.get("trace")
    lines = [
        f"drive      {drive['name']}: {drive['title']} ({q.size(drive['capacity_bytes'])})",
        f"state      {state}",
    ]
    if trace:
        exact = "exact" if trace["footprint_exact"] else "estimate"
        rate = q.count(trace["requests_per_s"])
        reads = q.percent(trace["read_fraction"])
        volumes = "1 volume" if trace["volumes"] == 1 else f"{trace['volumes']} volumes"
        lines += [
            f"trace      {trace['format']}: {trace['units']}",
            f"           {q.count(trace['requests'])} requests, {reads} reads, {volumes}",
            f"           {q.duration(trace['span_ns'])} at {rate} requests/s",
            f"           {q.size(trace['laid_out_bytes'])} of addresses, {q.size(trace['footprint_bytes'])}"
            f" touched ({exact})",
        ]
        if trace["skipped_lines"]:
            lines.append(f"           {trace['skipped_lines']} unreadable lines skipped")
        lines += [f"note       {note}" for note in trace["notes"]]
    return lines + _volume_lines(description.get("volume"))


def _volume_lines(volume: dict[str, Any] | None) -> list[str]:
    """A synthetic volume, which says that it is one."""
    if not volume:
        return []
    rate, reads = q.count(volume["requests_per_s"]), q.percent(volume["read_fraction"])
    pace = f"at {rate} requests/s" if volume["depth"] is None else f"{volume['depth']} outstanding"
    lines = [
        f"workload   {volume['spec']}",
        f"           {volume['synthetic']}",
        f"           {q.count(volume['requests'])} requests, {reads} reads, {pace},"
        f" on {q.size(volume['bytes'])} of addresses",
    ]
    if volume["fitted"] is not None:
        lines.append(f"           {q.percent(volume['fitted'])} of the volume's addresses, to fit the drive")
    return lines


MOST_ITEMS = 8


def describe_lines(description: dict[str, Any]) -> list[str]:
    """Return a description in lines of `key: value`, long lists cut."""
    width = max((len(key) for key in description), default=0)
    lines: list[str] = []
    for key, value in description.items():
        name = f"{key.replace('_', ' '):<{width}}  "
        if not isinstance(value, list):
            lines.append(name + _plain(key, value))
            continue
        for item in value[:MOST_ITEMS]:
            lines.append(name + _plain(key, item))
            name = " " * len(name)
        if len(value) > MOST_ITEMS:
            lines.append(f"{name}and {len(value) - MOST_ITEMS} more")
    return lines


def _plain(key: str, value: Any) -> str:
    if value is None:
        return q.NOTHING
    if isinstance(value, dict):
        in_bytes = "_bytes" if key == "bytes" else ""
        return ", ".join(
            f"{name.replace('_', ' ')} {_plain(name + in_bytes, item)}" for name, item in value.items()
        )
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    if key.endswith("bytes"):
        return q.size(value)
    if key.endswith("_ns") or "_ns_" in key:
        return q.duration(value)
    if key.endswith(("fraction", "share")):
        return q.percent(value)
    return q.count(value)


def print_json(document: Any) -> None:
    """Print a document as JSON, and nothing else."""
    sys.stdout.write(to_text(document) + "\n")


def print_result(document: dict[str, Any]) -> None:
    """Print what one run found."""
    unread = nothing_met(document)
    if unread:
        out.print(unread)
    title = f"{document['drive']}, {document['workload']['name']}, seed {document['seed']}"
    out.print(title, style="bold")
    if document.get("loop"):
        rule, count = document["loop"]["rule"], document["loop"]["passes"]
        out.print(f"{count} pass{'' if count == 1 else 'es'} of the workload (--loop {rule})")
    if document.get("sample"):
        out.print(f"{'sampled':<22} {sampled.said(document['sample'])}; of its windows:")
    synthetic = (document["workload"].get("notes") or {}).get("synthetic")
    if synthetic:
        out.print(synthetic)
    out.print(_host_table(document))
    out.print(_flash_table(document))
    out.print(f"{'state':<22} {began_words(document)}")
    for title, shown in _flash_rows(document):
        out.print(f"{title:<22} {shown}")
    if at(document, "power.cuts"):
        from floatgate.report.power import in_a_line

        out.print(f"{'power cuts':<22} {in_a_line(document)}")
    for title, note in (("answers late by", "lateness_us"), ("pace kept", "pace_kept")):
        if said := (document["workload"].get("notes") or {}).get(note):
            out.print(f"{title:<22} {said}{' us' if note.endswith('_us') else ''}")
    for title, said in _steady_states(document):
        out.print(f"{title:<22} {said}")
    engine = document["engine"]
    speed = q.count(engine.get("page_operations_per_s"))
    out.print(
        f"{'simulated':<22} {q.duration(document['simulated_ns'])} in {engine['wall_s']:.2f} s"
        f" ({speed} page operations/s)"
    )
    for remark in document.get("remarks") or []:
        out.print(f"note: {remark['text']} Advice: {remark['advice']}.")


def _steady_states(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What became of the steadystate of fio jobs, in fio's words."""
    states = document["workload"].get("steady_states") or []
    if states:
        from floatgate.inputs.fio.steady import in_a_line

        options = {job["name"]: job["options"] for job in document["workload"].get("jobs") or []}
        for state in states:
            name = f" of {state['job']}" if len(states) > 1 else ""
            yield f"steadystate{name}", in_a_line(state, options.get(state["job"], {}))


def _flash_rows(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What the run cost the drive; write amplification with its parts and what it comes to."""
    for metric in headline(document):
        if metric.name == "waf":
            why = "" if amplification.settled(document) else f": {amplification.unsettled(document)}"
            yield metric.title, metric.shown + why
            parts = amplification.parts(document)
            for part, value in parts.items() if len(parts) > 1 else ():
                yield f"  {amplification.TITLES.get(part, part.replace('_', ' '))}", q.ratio(value)
            if document.get("waf_long_run"):
                yield "  in the long run", amplification.long_run(document)
        elif not metric.name.startswith(("host.", "state.", "waf_long_run")):
            yield metric.title, metric.shown


def _host_table(document: dict[str, Any]) -> Table:
    failures = document["host"]["failed"]
    failed = bool(failures["total"])
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
    table = Table("host", columns)
    for kind in KINDS:
        side = document["host"].get(kind) or {"requests": 0}
        if not side["requests"] and not failures.get(kind, 0):
            continue
        latency = [
            q.duration(at(side, f"latency_ns.{name}")) for name in ("mean", "p50", "p99", "p999", "max")
        ]
        table.add_row(
            kind,
            q.count(side["requests"]),
            *((q.count(failures.get(kind, 0)),) if failed else ()),
            q.count(side.get("iops")),
            q.bandwidth(side.get("bandwidth_bytes_per_s")),
            *latency,
        )
        if side.get("interval"):
            spread = {metric.name: metric.spread for metric in headline(document)}
            shown = [spread.get(f"host.{kind}.{name}", "") for name in _WITH_SPREAD]
            table.add_row("+/- 95 %", "", *(("",) if failed else ()), *shown, style="dim")
    return table


_WITH_SPREAD = (
    "iops",
    "bandwidth_bytes_per_s",
    *(f"latency_ns.{name}" for name in ("mean", "p50", "p99", "p999", "max")),
)


def _flash_table(document: dict[str, Any]) -> Table:
    flash = {kind: document["flash"][kind] for kind in FLASH}
    origins = list(dict.fromkeys(origin for counts in flash.values() for origin, n in counts.items() if n))
    origins.sort(key=lambda origin: origin == "total")
    table = Table("flash pages", origins)
    for operation, counts in flash.items():
        table.add_row(operation, *(q.count(counts.get(origin)) for origin in origins))
    return table


def print_repeated(repeated: "Repeated") -> None:
    """Print means and confidence intervals over seeds, what flags them, and what the runs remarked."""
    unread = nothing_met(repeated.document)
    if unread:
        out.print(unread)
    if repeated.finished < repeated.asked:
        before = "" if repeated.finished else "; what each did until then"
        many = f"{repeated.finished} of {repeated.asked} seeds finished{before}"
        out.print(f"{many}: {q.ranged(repeated.seeds)}", style="bold")
    else:
        out.print(f"{repeated.asked} seeds, {repeated.seeds[0]} to {repeated.seeds[-1]}", style="bold")
    out.print(f"state {began_words(repeated.document)}")
    table = Table("metric", ("mean", "+/- 95 %", "relative", *(("",) if repeated.flags else ())))
    for metric, interval in repeated.metrics:
        flagged = repeated.flags.get(metric.name, ())
        if interval is None or interval.half_width is None:
            if flagged:
                table.add_row(metric.title, q.NOTHING, q.NOTHING, q.NOTHING, words(flagged))
            continue
        relative = interval.half_width / interval.mean if interval.mean else None
        table.add_row(
            metric.title,
            metric.show(interval.mean),
            metric.show(interval.half_width),
            q.percent(relative),
            *((words(flagged),) if repeated.flags else ()),
        )
    out.print(table)
    for said in repeated.remarks:
        out.print(f"note: {said}")


def state_words(options: "Options") -> str:
    """Say in which state the drive begins."""
    if options.load_state:
        return f"from the saved state {options.load_state}"
    return {
        "none": "fresh from the factory (--precondition fill, instant, steady or workload to change)"
        + ("; data to be read is laid out first" if options.layout else ""),
        "fill": "filled once",
        "instant": "constructed steady state of random overwriting",
        "steady": "overwritten at random until write amplification is steady",
        "workload": "overwritten by copies of the workload until write amplification is steady",
    }[options.precondition]


def farewell(wrote: Path | str, interrupted: str = "") -> int:
    """Say what was written, or what is left of work that was interrupted; return the exit code."""
    if interrupted:
        err.print(f"interrupted: {interrupted}")
        return exits.INTERRUPTED
    err.print(f"wrote {wrote}")
    return 0


def run_farewell(interrupted: bool, folder: Path, report: bool, below: str = "", what: str = "") -> int:
    """Say the same of a folder of runs, which holds `what` where it was interrupted."""
    where = folder / below / "report.html" if report else folder
    return farewell(where, f"{folder} holds {what or 'the results so far'}" if interrupted else "")


def print_rows(first: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table: what a row is about on the left, its numbers to the right."""
    # A long name is folded; a number is never cut for it.
    table = Table(first, columns, is_folded=True)
    for row in rows:
        table.add_row(*row)
    out.print(table)


def print_columns(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    left: Container[int] = (),
    title: str | None = None,
    styles: Iterable[str] = (),
    **how: Any,
) -> None:
    """Print a table of texts and numbers: columns `left` begin at the left, `styles` are those of its rows.

    `how` is Rich's word for the columns.
    """
    from rich.table import Table as Columns

    table = Columns(box=None, pad_edge=False, header_style="dim", title=title)
    for at_column, name in enumerate(head):
        table.add_column(name, justify="left" if at_column in left else "right", **how)
    for cells, style in zip_longest(rows, styles, fillvalue=""):
        table.add_row(*cells, style=str(style))
    out.print(table)
