"""`floatgate run`: a workload on a drive, to a run folder."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from floatgate.cli.command import texts
from floatgate.cli.options import takes
from floatgate.options import OUTPUT, TRACE, Options, TraceOptions

if TYPE_CHECKING:
    from floatgate.session import Plan


class Format(StrEnum):
    """What goes to standard output."""

    TABLE = "table"
    JSON = "json"
    FIO_JSON = "fio-json"


@takes(options=Options, trace=TraceOptions)
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
    repeat: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=10_000, help="Run N seeds in parallel; report 95 % confidence intervals."
        ),
    ] = 1,
    scenario: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Which scenario of MQSim's workload.xml.", rich_help_panel=TRACE
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Run folder.",
            show_default="out/DRIVE-WORKLOAD, then with -2, -3, ...",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing run.", rich_help_panel=OUTPUT)
    ] = False,
    format: Annotated[  # noqa: A002 - the option's name
        Format, typer.Option(help="What to print.", rich_help_panel=OUTPUT)
    ] = Format.TABLE,
    report: Annotated[bool, typer.Option(help="Write report.html.", rich_help_panel=OUTPUT)] = True,
    *,
    options: dict[str, Any],
    trace: dict[str, Any],
) -> None:
    """Run a workload on a drive and write a run folder: run.json, tables, report.html."""
    plan = _plan(drive, workload, texts(set_), options, trace, scenario, texts(env))
    _say(plan.workload.notes)
    if repeat > 1:
        _refuse_with_repeat(options.get("save_state"), format)
    from floatgate.folder import check_state_file, own_folder

    if "save_state" in options:
        check_state_file(Path(options["save_state"]), force=force)
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
    from floatgate.session import Plan
    from floatgate.workload import resolve, variables_of

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


def _refuse_with_repeat(save_state: str | None, format: Format) -> None:  # noqa: A002
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
