"""`floatgate run`: a workload on a drive, to a run folder."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

import typer

from floatgate._generated.keywords import Keywords
from floatgate.errors import InputError
from floatgate.files.temporary import Temporary, given_or_temporary
from floatgate.inputs.plan import Plan
from floatgate.inputs.policies import Policy
from floatgate.inputs.workload import resolve, variables_of
from floatgate.options import Options, TraceOptions, fields_of
from floatgate.options.definition import OUTPUT, TRACE, Argument, Assignments, CommandOptions, Option, usual
from floatgate.options.effect import without_effect
from floatgate.options.shared import ELSEWHERE, NOT_WRITTEN, RETURNED, Force, OutFolder, Scheduler, Settings
from floatgate.options.taking import offered, take
from floatgate.own.policy import Own
from floatgate.results.drive_state import nothing_met
from floatgate.results.folder import check_state_file, own_folder, shared_folder
from floatgate.runs.session import interruptible
from floatgate.shell import console
from floatgate.shell.options import takes
from floatgate.values.arguments import as_declared, mapping, path

if TYPE_CHECKING:
    from floatgate.results.run import Run
    from floatgate.runs.repeat import Repeated


@dataclass(frozen=True)
class RunOptions(CommandOptions):
    """`floatgate run`, beside `Options` and `TraceOptions`: what is run, how often, and where it goes."""

    drive: Annotated[
        str,
        Argument(
            "A drive's name or file (`floatgate drives`), MQSim's ssdconfig.xml, a run.json to repeat.",
            takes="one of these",
            completes="drives",
            differs="what other programs and earlier runs describe, too",
        ),
    ]
    workload: Annotated[
        str | None,
        Argument(
            "A fio job file or command line, a DiskSpd profile (*.xml) or command line, "
            "MQSim's workload.xml, a trace, a generator's name.",
            takes="one of these",
            completes="workloads",
        ),
    ] = None
    env: Annotated[
        tuple[str, ...],
        Assignments(
            "A value for ${NAME} in a fio job file (repeatable).",
            metavar="NAME=VALUE",
            takes="a name and its value",
        ),
    ] = ()
    set: Settings = ()
    place: Annotated[
        str | None,
        Option(
            "Rule by which each write gets a placement handle, as --set host.place.name=RULE.",
            metavar="RULE",
            takes="a policy of host.place, or FILE.py:CLASS",
        ),
    ] = None
    repeat: Annotated[
        int,
        Option(
            "Run N seeds in parallel; report 95 % confidence intervals.", metavar="N", least=1, most=10_000
        ),
    ] = 1
    scheduler: Scheduler = usual(ELSEWHERE)
    trust_policies: Annotated[
        bool,
        Option(
            "Run the policies in Python that a run.json to repeat brings along.",
            shell="a run.json is repeated on the command line",
        ),
    ] = False
    scenario: Annotated[
        int | None,
        Option("Which scenario of MQSim's workload.xml.", metavar="N", panel=TRACE, least=1),
    ] = None
    out: OutFolder = usual("out/DRIVE-WORKLOAD, then with -2, -3, ...")
    force: Force = False
    logs: Annotated[
        Path | None,
        Option(
            "Write the drive's own log pages there, as NVMe and OCP have them, and as nvme-cli 3.0's JSON.",
            metavar="DIR",
            panel=OUTPUT,
            takes="a new folder, or with --force an earlier one",
            python=NOT_WRITTEN,
            differs="logs of a drive that are written, not of a test rig that are read",
        ),
    ] = None
    format: Annotated[
        Literal["table", "json", "fio-json"],
        Option("What to print.", panel=OUTPUT, shell=RETURNED, differs="fio's own form, too"),
    ] = "table"
    report: Annotated[
        bool, Option("Write report.html.", panel=OUTPUT, python="in Python only where it is asked for")
    ] = True


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `run` holds what was done until then."""

    def __init__(self, finished: "Run") -> None:
        super().__init__(finished)  # its one argument, by which it is made anew where it is handed over
        self.run = finished

    def __str__(self) -> str:
        """Say where the partial result is."""
        return f"what was done until then is in .run of this exception ({self.run.folder})"


@offered(RunOptions, Options, TraceOptions, but=("repeat", "scheduler"))
def run(
    drive: str | Path,
    workload: str | Path,
    *,
    policies: "Iterable[Policy | Own]" = (),
    **options: Unpack[Keywords],
) -> "Run":
    """Run `workload` on `drive` and return the finished run.

    `drive` is a drive's name or file, `workload` a fio job file, a trace or a generator's name; both may be
    MQSim's, of which `scenario` says which, from 1. `env` maps the variables of a fio job file, `set` maps
    configuration keys to values, `{"ftl.op_ratio": 0.07}`; `policies` choose policies by object. Every other
    option has the name and meaning it has on the command line: `check=True`, `precondition="steady"`,
    `sort=True`, `volume=["1", "2"]`. NumPy's numbers and paths are as good as Python's. Without `out` the run
    folder lives as long as the returned object and its copies.

    Raises InputError for bad input, Fault for a broken invariant, TypeError for an unknown option or a value
    of a wrong type. Ctrl-C raises Interrupted, a KeyboardInterrupt with the partial result in its `run`; a
    second one ends the run at once.
    """
    from floatgate.results.run import Run
    from floatgate.runs.execute import Listeners, run_to_folder

    asked, plan = _planned(drive, workload, policies, options)
    if plan.options.save_state is not None:
        check_state_file(Path(plan.options.save_state), force=asked.force)
    temporary = None if asked.out is not None else Temporary()
    logs = _logs(asked)
    folder = temporary.folder / "run" if temporary is not None else Path(str(asked.out))
    with_report = asked.report and "report" in options
    try:
        with interruptible() as interrupt, logs as write_logs:
            document = run_to_folder(
                plan,
                folder,
                report=with_report,
                listeners=Listeners(stopped=interrupt),
                force=asked.force,
            )
            write_logs(document)
    except BaseException:
        if temporary is not None:
            temporary.remove()
        raise
    finished = Run.open(folder) if temporary is None else Run.keeping(temporary)
    if document["interrupted"]:
        raise Interrupted(finished)
    return finished


@offered(RunOptions, Options, TraceOptions)
def repeat(
    drive: str | Path,
    workload: str | Path,
    repeat: int,
    *,
    policies: "Iterable[Policy | Own]" = (),
    scheduler: str | None = None,
    **options: Unpack[Keywords],
) -> "Repeated":
    """Run `workload` on `drive` with `repeat` seeds, from `seed` upwards, as many at once as there are cores.

    With `scheduler`, as many as the Dask cluster of that address has.

    What the seeds agree on is in `metrics`: each number of the headline, in its unit, with its 95 %
    confidence interval; `document` has it by name. With `out`, a run folder for each seed and repeat.json are
    written there. Everything else is as in `floatgate.run`. Ctrl-C keeps the seeds that came to their end
    (`interrupted`, `finished` of `asked`).
    """
    from floatgate.runs.repeat import repeat as run_seeds

    asked, plan = _planned(drive, workload, policies, {**options, "repeat": repeat, "scheduler": scheduler})
    if plan.options.save_state is not None:
        raise InputError(f"save_state = {plan.options.save_state}: one state cannot stand for several seeds")
    if asked.logs is not None:
        raise InputError(f"logs = {asked.logs}: one drive's logs cannot stand for several seeds")
    with_report = asked.report and "report" in options
    with given_or_temporary(asked.out, "runs") as folder, interruptible() as interrupt:
        return run_seeds(
            plan,
            asked.repeat,
            folder,
            report=with_report,
            force=asked.force,
            scheduler=asked.scheduler,
            stopped=interrupt,
        )


def _planned(
    drive: str | Path, workload: str | Path, policies: "Iterable[Policy | Own]", options: Mapping[str, Any]
) -> "tuple[RunOptions, Plan]":
    """Tell what is run, on what, and how, from one another; and make the plan of it."""
    drive, workload = path("drive", drive), path("workload", workload)
    given = dict(options)
    env = mapping("env", given.pop("env", None))
    variables = {key: as_declared(f"env[{key!r}]", value, str) for key, value in env.items()}
    trace = {name: given.pop(name) for name in _names(TraceOptions) if name in given}
    other = {name: given.pop(name) for name in _names(Options) if name in given}
    asked = take(RunOptions, given, drive=drive, workload=workload)
    overrides = list(_overrides(asked))
    for policy in policies:
        if not isinstance(policy, (Policy, Own)):
            raise TypeError(f"policies: {policy!r}: expected policies, such as fg.gc.victim.DChoices(d=4)")
        overrides += policy.overrides()
    read_as = TraceOptions(**trace)
    plan = plan_of(drive, workload, tuple(overrides), variables, other, read_as, asked.scenario, "scenario")
    return asked, plan


def plan_of(
    drive: str,
    workload: str,
    overrides: tuple[str, ...],
    variables: Mapping[str, str],
    options: dict[str, Any],
    trace: TraceOptions,
    scenario: int | None = None,
    called: str = "--scenario",
) -> "Plan":
    """Resolve a drive and a workload; `called` is the name that messages have for a scenario."""
    if any(Path(word).suffix.lower() == ".xml" for word in (drive, workload)):
        from floatgate.inputs import mqsim

        if mqsim.is_mqsim(drive, workload):
            return mqsim.plan_of(drive, workload, overrides, options, trace, scenario, variables)
    if scenario is not None:
        raise InputError(f"{called} {scenario}: {workload}: expected MQSim's workload.xml with this option")
    return Plan(drive, resolve(workload, trace, variables), overrides, Options(**options))


def _overrides(asked: RunOptions) -> tuple[str, ...]:
    """Return what `--set` was given, after the rule of placement: a parameter of it may be among that."""
    placed = () if asked.place is None else (f"host.place.name={asked.place}",)
    return (*placed, *asked.set)


@contextmanager
def _logs(asked: RunOptions) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Give what writes the log pages of a run: their folder is made, or refused, before it begins."""
    if asked.logs is None:
        yield lambda _document: None
        return
    from floatgate.results import logs

    with shared_folder(asked.logs, *logs.names(), force=asked.force) as folder:
        yield partial(logs.write, folder=folder)


def _names(owner: type) -> list[str]:
    return [field.name for field in fields_of(owner)]


@takes(
    RunOptions,
    options=Options,
    trace=TraceOptions,
    examples=(
        "floatgate run tlc examples/random-write.fio --precondition instant",
        "floatgate run nvme-qlc trace.csv.gz --loop until=waf:5% --requests",
    ),
)
def run_in_shell(asked: RunOptions, *, options: dict[str, Any], trace: dict[str, Any]) -> None:
    """Run a workload on a drive and write a run folder: run.json, tables, report.html."""
    plan = _asked_plan(asked, options, trace)
    _say(plan.workload.notes)
    if asked.repeat > 1:
        _refuse_with_repeat(options.get("save_state"), asked.logs, asked.format)
    else:
        without_effect({"scheduler": asked.scheduler}, "one run is not spread", "--repeat with this option")
    if "save_state" in options:
        check_state_file(Path(options["save_state"]), force=asked.force)
    with own_folder(asked.out, _default_out(plan, asked.drive), force=asked.force) as folder:
        code = _run_many(plan, asked, folder) if asked.repeat > 1 else _run_one(plan, asked, folder)
    raise typer.Exit(code)


def _say(notes: tuple[str, ...]) -> None:
    """Say what a translated workload leaves out or does in its own way."""
    for note in notes:
        console.err.print(f"note       {note}")


def _asked_plan(asked: RunOptions, options: dict[str, Any], trace: dict[str, Any]) -> "Plan":
    """Resolve the two arguments: a drive and a workload, or the run.json of an earlier run."""
    drive, workload = asked.drive, asked.workload
    if asked.env and workload is None:
        raise InputError(f"--env {asked.env[0]}: expected a fio job file or command line with this option")
    if workload is None and drive.endswith(".json"):
        from floatgate.runs import invocation

        return invocation.plan_of(
            Path(drive), _overrides(asked), options, trace, trusted=asked.trust_policies
        )
    if workload is None:
        expected = "expected a fio job file, a trace or a generator's name after the drive"
        raise InputError(f"WORKLOAD is missing: {expected}")
    without_effect(
        {"trust-policies": asked.trust_policies or None}, "no run.json is repeated", "a run.json with this"
    )
    variables, read_as = variables_of(asked.env), TraceOptions(**trace)
    settings = _overrides(asked)
    return plan_of(drive, workload, settings, variables, options, read_as, asked.scenario, "--scenario")


def _default_out(plan: "Plan", drive: str) -> Path:
    """`out/DRIVE-WORKLOAD`; a run that is repeated goes beside the first."""
    if plan.resolved is not None:
        return Path(drive).absolute().parent.with_name(Path(drive).absolute().parent.name + "-again")
    return Path("out") / f"{Path(drive).stem}-{plan.workload.stem}"


def _refuse_with_repeat(save_state: str | None, logs: Path | None, format: str) -> None:  # noqa: A002
    fio = "fio-json" if format == "fio-json" else None
    for option, value, what in (
        ("--logs", logs, "one drive's logs"),
        ("--save-state", save_state, "one state"),
        ("--format", fio, "one fio result"),
    ):
        if value is not None:
            raise InputError(f"{option} {value}: {what} cannot stand for several seeds (leave --repeat out)")


def _run_one(plan: "Plan", asked: RunOptions, out: Path) -> int:
    from floatgate.runs.execute import Listeners, run_to_folder

    with (
        _logs(asked) as write_logs,
        interruptible() as interrupt,
        console.RunProgress(console.state_words(plan.options)) as progress,
    ):
        listeners = Listeners(described=progress.describe, progress=progress.update, stopped=interrupt)
        document = run_to_folder(plan, out, report=asked.report, listeners=listeners, force=asked.force)
        write_logs(document)
    _print(document, out, asked.format)
    return console.run_farewell(document["interrupted"], out, asked.report)


def _print(document: dict[str, Any], out: Path, format: str) -> None:  # noqa: A002
    unread = nothing_met(document)
    if unread and format != "table":
        console.err.print(unread)
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

    with interruptible() as interrupt, console.repeat_progress(asked.repeat) as bar:
        repeated = repeat(
            plan,
            asked.repeat,
            out,
            report=asked.report,
            force=asked.force,
            scheduler=asked.scheduler,
            progress=lambda part: bar.show(completed=part),
            stopped=interrupt,
        )
    if asked.format == "json":
        console.print_json(repeated.document)
    else:
        console.print_repeated(repeated)
    kept = f"{repeated.finished} of {repeated.asked} seeds" if repeated.finished else ""
    code = console.run_farewell(repeated.interrupted, out, asked.report, f"seed-{repeated.seeds[0]}", kept)
    if repeated.ended:
        raise repeated.ended
    return code
