"""`floatgate run`: a workload on a drive, to a run folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from floatgate.options import Options, RunOptions, TraceOptions
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from floatgate.inputs.plan import Plan


@takes(RunOptions, options=Options, trace=TraceOptions)
def run(asked: RunOptions, *, options: dict[str, Any], trace: dict[str, Any]) -> None:
    """Run a workload on a drive and write a run folder: run.json, tables, report.html."""
    plan = _plan(asked, options, trace)
    _say(plan.workload.notes)
    if asked.repeat > 1:
        _refuse_with_repeat(options.get("save_state"), asked.format)
    else:
        from floatgate.options.effect import without_effect

        without_effect({"scheduler": asked.scheduler}, "one run is not spread", "--repeat with this option")
    from floatgate.results.folder import check_state_file, own_folder

    if "save_state" in options:
        check_state_file(Path(options["save_state"]), force=asked.force)
    with own_folder(asked.out, _default_out(plan, asked.drive), force=asked.force) as folder:
        code = _run_many(plan, asked, folder) if asked.repeat > 1 else _run_one(plan, asked, folder)
    raise typer.Exit(code)


def _say(notes: tuple[str, ...]) -> None:
    """Say what a translated workload leaves out or does in its own way."""
    if notes:
        from floatgate.shell import console

        for note in notes:
            console.err.print(f"note       {note}", markup=False)


def _plan(asked: RunOptions, options: dict[str, Any], trace: dict[str, Any]) -> "Plan":
    """Resolve the two arguments: a drive and a workload, or the run.json of an earlier run."""
    from floatgate.errors import InputError
    from floatgate.inputs.plan import Plan
    from floatgate.inputs.workload import resolve, variables_of
    from floatgate.options.effect import without_effect

    drive, workload, scenario = asked.drive, asked.workload, asked.scenario
    if asked.env and workload is None:
        raise InputError(f"--env {asked.env[0]}: expected a fio job file or command line with this option")
    if workload is None and drive.endswith(".json"):
        from floatgate.runs.invocation import plan_of

        return plan_of(Path(drive), asked.set, options, trace, trusted=asked.trust_policies)
    if workload is None:
        expected = "expected a fio job file, a trace or a generator's name after the drive"
        raise InputError(f"WORKLOAD is missing: {expected}")
    without_effect(
        {"trust-policies": asked.trust_policies or None}, "no run.json is repeated", "a run.json with this"
    )
    variables = variables_of(asked.env)
    if any(Path(word).suffix.lower() == ".xml" for word in (drive, workload)):
        from floatgate.inputs import mqsim

        is_mqsim = mqsim.is_mqsim(drive, workload)
    else:
        is_mqsim = False
    if is_mqsim:
        read_as = TraceOptions(**trace)
        return mqsim.plan_of(drive, workload, asked.set, options, read_as, scenario, variables)
    if scenario is not None:
        raise InputError(f"--scenario {scenario}: {workload}: expected MQSim's workload.xml with this option")
    found = resolve(workload, TraceOptions(**trace), variables)
    return Plan(drive, found, asked.set, Options(**options))


def _default_out(plan: "Plan", drive: str) -> Path:
    """`out/DRIVE-WORKLOAD`; a run that is repeated goes beside the first."""
    if plan.resolved is not None:
        return Path(drive).absolute().parent.with_name(Path(drive).absolute().parent.name + "-again")
    return Path("out") / f"{Path(drive).stem}-{plan.workload.stem}"


def _refuse_with_repeat(save_state: str | None, format: str) -> None:  # noqa: A002
    from floatgate.errors import InputError

    if save_state is not None:
        raise InputError(
            f"--save-state {save_state}: one state cannot stand for several seeds (leave --repeat out)"
        )
    if format == "fio-json":
        raise InputError(
            "--format fio-json: one fio result cannot stand for several seeds (leave --repeat out)"
        )


def _run_one(plan: "Plan", asked: RunOptions, out: Path) -> int:
    from floatgate.runs.execute import Listeners, run_to_folder
    from floatgate.runs.session import interruptible
    from floatgate.shell import console

    with interruptible() as interrupt, console.RunProgress(console.state_words(plan.options)) as progress:
        listeners = Listeners(described=progress.describe, progress=progress.update, stopped=interrupt)
        document = run_to_folder(plan, out, report=asked.report, listeners=listeners, force=asked.force)
    _print(document, out, asked.format)
    return console.farewell(document["interrupted"], out, asked.report)


def _print(document: dict[str, Any], out: Path, format: str) -> None:  # noqa: A002
    from floatgate.results.drive_state import nothing_met
    from floatgate.shell import console

    unread = nothing_met(document)
    if unread and format != "table":
        console.err.print(unread, markup=False)
    if format == "json":
        console.print_json(document)
    elif format == "fio-json":
        from floatgate.results.fio_json import fio_json, read_histograms
        from floatgate.results.run import Run

        console.print_json(fio_json(document, read_histograms(Run.open(out).latency_histogram())))
    else:
        console.print_result(document)


def _run_many(plan: "Plan", asked: RunOptions, out: Path) -> int:
    from floatgate.runs.repeat import repeat
    from floatgate.runs.session import interruptible
    from floatgate.shell import console

    with interruptible() as interrupt, console.RepeatProgress(asked.repeat) as progress:
        repeated = repeat(
            plan,
            asked.repeat,
            out,
            report=asked.report,
            force=asked.force,
            scheduler=asked.scheduler,
            progress=progress.update,
            stopped=interrupt,
        )
    if asked.format == "json":
        console.print_json(repeated.document)
    else:
        console.print_repeated(repeated)
    return console.farewell(repeated.interrupted, out, asked.report, f"seed-{repeated.seeds[0]}")
