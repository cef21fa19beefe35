"""`floatgate run`: a workload on a drive, to a run folder."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from floatgate.cli.command import given, texts

if TYPE_CHECKING:
    from floatgate.session import Plan


class Format(StrEnum):
    """What goes to standard output."""

    TABLE = "table"
    JSON = "json"
    FIO_JSON = "fio-json"


class Precondition(StrEnum):
    """The state of the drive before the run."""

    NONE = "none"
    FILL = "fill"
    INSTANT = "instant"
    STEADY = "steady"
    WORKLOAD = "workload"


_TRACE = "Traces"
_STATE = "State of the drive"
_OUTPUT = "Output"
_LIMITS = "Limits"


def run(
    drive: Annotated[
        str,
        typer.Argument(
            help="A drive's name or file (`floatgate drives`), MQSim's ssdconfig.xml, a run.json to repeat."
        ),
    ],
    workload: Annotated[
        str | None,
        typer.Argument(
            help="A fio job file or command line, a DiskSpd profile (*.xml) or command line, "
            "MQSim's workload.xml, a trace, a generator's name."
        ),
    ] = None,
    env: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A value for ${NAME} in a fio job file (repeatable)."),
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Override a configuration key.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Seed of every random stream.", show_default="1", min=0)
    ] = None,
    repeat: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=10_000, help="Run N seeds in parallel; report 95 % confidence intervals."
        ),
    ] = 1,
    check: Annotated[
        bool | None, typer.Option("--check", help="Check the run with an independent model.")
    ] = None,
    precondition: Annotated[
        Precondition | None,
        typer.Option(
            help="Fill the drive, or bring it into the steady state of random writes or of this workload.",
            show_default="none",
            rich_help_panel=_STATE,
        ),
    ] = None,
    precondition_fill: Annotated[
        float | None,
        typer.Option(
            metavar="RATIO", min=0, max=1, help="Share of the drive to fill.", rich_help_panel=_STATE
        ),
    ] = None,
    layout: Annotated[
        bool | None,
        typer.Option(
            "--layout/--no-layout",
            help="First write the data the workload expects on the drive.",
            show_default="layout",
            rich_help_panel=_STATE,
        ),
    ] = None,
    save_state: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Save the state at the start of the workload.", rich_help_panel=_STATE
        ),
    ] = None,
    load_state: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Start from a saved state.", rich_help_panel=_STATE)
    ] = None,
    trace_format: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="See `floatgate trace formats`.", rich_help_panel=_TRACE),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help='Any table: "time:ms op offset:bytes size:sectors", or a file with that (docs/traces.md).',
            rich_help_panel=_TRACE,
        ),
    ] = None,
    align: Annotated[
        str | None,
        typer.Option(
            metavar="HOW",
            help="Unaligned addresses: round (all sectors touched), offset (shift all equally).",
            rich_help_panel=_TRACE,
        ),
    ] = None,
    member: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which file of an archive.", rich_help_panel=_TRACE),
    ] = None,
    wrap: Annotated[
        bool | None,
        typer.Option("--wrap", help="Take addresses modulo the capacity.", rich_help_panel=_TRACE),
    ] = None,
    scale: Annotated[
        bool | None, typer.Option("--scale", help="Scale addresses to the drive.", rich_help_panel=_TRACE)
    ] = None,
    compact: Annotated[
        bool | None,
        typer.Option(
            "--compact",
            help="Place touched pages side by side (the default if only that fits).",
            rich_help_panel=_TRACE,
        ),
    ] = None,
    sort: Annotated[
        bool | None,
        typer.Option("--sort", help="Sort a trace, however far out of order.", rich_help_panel=_TRACE),
    ] = None,
    volume: Annotated[
        list[str] | None,
        typer.Option(metavar="V", help="Only this volume (repeatable).", rich_help_panel=_TRACE),
    ] = None,
    speedup: Annotated[
        float | None, typer.Option(metavar="F", help="Divide times by F.", rich_help_panel=_TRACE)
    ] = None,
    as_fast_as_possible: Annotated[
        bool | None,
        typer.Option(
            "--as-fast-as-possible", help="Ignore times: keep --depth outstanding.", rich_help_panel=_TRACE
        ),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="With --as-fast-as-possible.", rich_help_panel=_TRACE),
    ] = None,
    skip_bad_lines: Annotated[
        bool | None,
        typer.Option("--skip-bad-lines", help="Skip unreadable lines; count them.", rich_help_panel=_TRACE),
    ] = None,
    action: Annotated[
        str | None,
        typer.Option(
            metavar="A",
            help="blkparse, blktrace: these events.",
            show_default="D, or else Q, C",
            rich_help_panel=_TRACE,
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Leave out requests before this time, from the first request: 10s.",
            rich_help_panel=_TRACE,
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Leave out requests after this time.", rich_help_panel=_TRACE),
    ] = None,
    scenario: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Which scenario of MQSim's workload.xml.", rich_help_panel=_TRACE
        ),
    ] = None,
    exact_footprint: Annotated[
        bool | None,
        typer.Option("--exact-footprint", help="Count touched units exactly.", rich_help_panel=_TRACE),
    ] = None,
    loop: Annotated[
        str | None,
        typer.Option(
            metavar="N|until=waf:5%",
            help="Run the workload N times, or until its long-run write amplification is known to 5 % "
            "(at most 100 times, or until=waf:5%,max=20).",
            rich_help_panel=_LIMITS,
        ),
    ] = None,
    limit_requests: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="End after N requests.", rich_help_panel=_LIMITS)
    ] = None,
    limit_time: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="End after this simulated time: 10s.", rich_help_panel=_LIMITS),
    ] = None,
    memory_limit: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Memory for the drives of this command: 8GiB. Larger drives are refused; "
            "those of --repeat wait for each other.",
            show_default="free memory of the machine",
            rich_help_panel=_LIMITS,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Run folder.",
            show_default="out/DRIVE-WORKLOAD, then with -2, -3, ...",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing run.", rich_help_panel=_OUTPUT)
    ] = False,
    format: Annotated[  # noqa: A002 - the option's name
        Format, typer.Option(help="What to print.", rich_help_panel=_OUTPUT)
    ] = Format.TABLE,
    report: Annotated[bool, typer.Option(help="Write report.html.", rich_help_panel=_OUTPUT)] = True,
    requests: Annotated[
        bool | None,
        typer.Option("--requests", help="Keep every request: requests.parquet.", rich_help_panel=_OUTPUT),
    ] = None,
    timeline: Annotated[
        bool | None, typer.Option("--timeline", help="Keep a Perfetto timeline.", rich_help_panel=_OUTPUT)
    ] = None,
) -> None:
    """Run a workload on a drive and write a run folder: run.json, tables, report.html."""
    trace = {
        "trace_format": trace_format,
        "columns": columns,
        "align": align,
        "member": member,
        "wrap": wrap,
        "scale": scale,
        "compact": compact,
        "sort": sort,
        "volume": None if volume is None else tuple(volume),
        "speedup": speedup,
        "as_fast_as_possible": as_fast_as_possible,
        "depth": depth,
        "skip_bad_lines": skip_bad_lines,
        "exact_footprint": exact_footprint,
        "action": action,
        "since": since,
        "until": until,
    }
    options = {
        "seed": seed,
        "check": check,
        "requests": requests,
        "timeline": timeline,
        "precondition": None if precondition is None else precondition.value,
        "precondition_fill": precondition_fill,
        "layout": layout,
        "load_state": None if load_state is None else str(load_state),
        "save_state": None if save_state is None else str(save_state),
        "loop": loop,
        "limit_requests": limit_requests,
        "limit_time": limit_time,
        "memory_limit": memory_limit,
    }
    plan = _plan(drive, workload, texts(set_), given(**options), given(**trace), scenario, texts(env))
    _say(plan.workload.notes)
    if repeat > 1:
        _refuse_with_repeat(save_state, format)
    from floatgate.folder import check_state_file, own_folder

    if save_state is not None:
        check_state_file(save_state, force=force)
    with own_folder(out, _default_out(plan, drive), force=force) as folder:
        if repeat > 1:
            code = _run_many(plan, repeat, folder, report, force, format)
        else:
            code = _run_one(plan, folder, report, force, format)
    raise typer.Exit(code)


def _say(notes: tuple[str, ...]) -> None:
    """Say what a translated workload leaves out or does in its own way."""
    if notes:
        from floatgate.cli import console

        for note in notes:
            console.err.print(f"note       {note}", markup=False)


def _plan(
    drive: str,
    workload: str | None,
    overrides: tuple[str, ...],
    options: dict[str, Any],
    trace: dict[str, Any],
    scenario: int | None,
    env: tuple[str, ...],
) -> "Plan":
    """Resolve the two arguments: a drive and a workload, or the run.json of an earlier run."""
    from floatgate import mqsim
    from floatgate.errors import InputError
    from floatgate.session import Options, Plan
    from floatgate.workload import TraceOptions, resolve, variables_of

    if env and workload is None:
        raise InputError(f"--env {env[0]}: expected a fio job file or command line with this option")
    if workload is None and drive.endswith(".json"):
        from floatgate.again import plan_of

        return plan_of(Path(drive), overrides, options, trace)
    if workload is None:
        expected = "expected a fio job file, a trace or a generator's name after the drive"
        raise InputError(f"WORKLOAD is missing: {expected}")
    if mqsim.is_mqsim(drive, workload):
        read_as, variables = TraceOptions(**trace), variables_of(env)
        return mqsim.plan_of(drive, workload, overrides, options, read_as, scenario, variables)
    if scenario is not None:
        raise InputError(f"--scenario {scenario}: {workload}: expected MQSim's workload.xml with this option")
    found = resolve(workload, TraceOptions(**trace), variables_of(env))
    return Plan(drive, found, overrides, Options(**options))


def _default_out(plan: "Plan", drive: str) -> Path:
    """`out/DRIVE-WORKLOAD`; a run that is repeated goes beside the first."""
    if plan.resolved is not None:
        return Path(drive).absolute().parent.with_name(Path(drive).absolute().parent.name + "-again")
    return Path("out") / f"{Path(drive).stem}-{plan.workload.stem}"


def _refuse_with_repeat(save_state: Path | None, format: Format) -> None:  # noqa: A002
    from floatgate.errors import InputError

    if save_state is not None:
        raise InputError(
            f"--save-state {save_state}: one state cannot stand for several seeds (leave --repeat out)"
        )
    if format is Format.FIO_JSON:
        raise InputError(
            "--format fio-json: one fio result cannot stand for several seeds (leave --repeat out)"
        )


def _run_one(
    plan: "Plan",
    out: Path,
    report: bool,
    force: bool,
    shown: Format,
) -> int:
    from floatgate.cli import console
    from floatgate.execute import Listeners, run_to_folder
    from floatgate.session import interruptible

    with interruptible() as interrupt, console.RunProgress(console.state_words(plan.options)) as progress:
        listeners = Listeners(described=progress.describe, progress=progress.update, stopped=interrupt)
        document = run_to_folder(plan, out, report=report, listeners=listeners, force=force)
    _print(document, out, shown)
    return console.farewell(document["interrupted"], out, report)


def _print(document: dict[str, Any], out: Path, format: Format) -> None:  # noqa: A002
    from floatgate.cli import console
    from floatgate.state import nothing_met

    unread = nothing_met(document)
    if unread and format is not Format.TABLE:
        console.err.print(unread, markup=False)
    if format is Format.JSON:
        console.print_json(document)
    elif format is Format.FIO_JSON:
        from floatgate.fio_json import fio_json, read_histograms
        from floatgate.result import Run

        console.print_json(fio_json(document, read_histograms(Run.open(out).latency_histogram())))
    else:
        console.print_result(document)


def _run_many(plan: "Plan", times: int, out: Path, report: bool, force: bool, format: Format) -> int:  # noqa: A002
    from floatgate.cli import console
    from floatgate.repeat import repeat
    from floatgate.session import interruptible

    with interruptible() as interrupt, console.RepeatProgress(times) as progress:
        repeated = repeat(
            plan, times, out, report=report, force=force, progress=progress.update, stopped=interrupt
        )
    if format is Format.JSON:
        console.print_json(repeated.document)
    else:
        console.print_repeated(repeated)
    return console.farewell(repeated.interrupted, out, report, f"seed-{repeated.seeds[0]}")
