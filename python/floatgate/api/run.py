"""`floatgate.run` and `floatgate.repeat`: a workload on a drive."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Unpack

from floatgate._generated.keywords import Keywords
from floatgate.errors import InputError
from floatgate.inputs import mqsim
from floatgate.inputs.plan import Plan
from floatgate.inputs.policies import Policy
from floatgate.inputs.workload import resolve
from floatgate.options import Options, RunOptions, TraceOptions, fields_of
from floatgate.options.taking import offered, take
from floatgate.own.policy import Own
from floatgate.results.folder import check_state_file
from floatgate.results.run import Run
from floatgate.results.temporary import Temporary, given_or_temporary
from floatgate.runs.execute import Listeners, run_to_folder
from floatgate.runs.repeat import Repeated, repeat as run_seeds
from floatgate.runs.session import interruptible
from floatgate.values.arguments import as_declared, mapping, path


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `run` holds what was done until then."""

    def __init__(self, finished: Run) -> None:
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
    policies: Iterable[Policy | Own] = (),
    **options: Unpack[Keywords],
) -> Run:
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
    asked, plan = _planned(drive, workload, policies, options)
    if plan.options.save_state is not None:
        check_state_file(Path(plan.options.save_state), force=asked.force)
    temporary = None if asked.out is not None else Temporary()
    folder = temporary.folder / "run" if temporary is not None else Path(str(asked.out))
    with_report = asked.report and "report" in options
    try:
        with interruptible() as interrupt:
            document = run_to_folder(
                plan,
                folder,
                report=with_report,
                listeners=Listeners(stopped=interrupt),
                force=asked.force,
            )
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
    policies: Iterable[Policy | Own] = (),
    scheduler: str | None = None,
    **options: Unpack[Keywords],
) -> Repeated:
    """Run `workload` on `drive` with `repeat` seeds, from `seed` upwards, as many at once as there are cores.

    With `scheduler`, as many as the Dask cluster of that address has.

    What the seeds agree on is in `metrics`: each number of the headline, in its unit, with its 95 %
    confidence interval; `document` has it by name. With `out`, a run folder for each seed and repeat.json are
    written there. Everything else is as in `floatgate.run`; Ctrl-C keeps what was done (`interrupted`).
    """
    asked, plan = _planned(drive, workload, policies, {**options, "repeat": repeat, "scheduler": scheduler})
    if plan.options.save_state is not None:
        raise InputError(f"save_state = {plan.options.save_state}: one state cannot stand for several seeds")
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
    drive: str | Path, workload: str | Path, policies: Iterable[Policy | Own], options: Mapping[str, Any]
) -> tuple[RunOptions, Plan]:
    """Tell what is run, on what, and how, from one another; and make the plan of it."""
    drive, workload = path("drive", drive), path("workload", workload)
    given = dict(options)
    env = mapping("env", given.pop("env", None))
    variables = {key: as_declared(f"env[{key!r}]", value, str) for key, value in env.items()}
    trace = {name: given.pop(name) for name in _names(TraceOptions) if name in given}
    other = {name: given.pop(name) for name in _names(Options) if name in given}
    asked = take(RunOptions, given, drive=drive, workload=workload)
    overrides = list(asked.set)
    for policy in policies:
        if not isinstance(policy, (Policy, Own)):
            raise TypeError(f"policies: {policy!r}: expected policies, such as fg.gc.victim.DChoices(d=4)")
        overrides += policy.overrides()
    if mqsim.is_mqsim(drive, workload):
        seeded, read_as = {"seed": 1, **other}, TraceOptions(**trace)
        plan = mqsim.plan_of(drive, workload, tuple(overrides), seeded, read_as, asked.scenario, variables)
        return asked, plan
    if asked.scenario is not None:
        raise InputError(f"scenario {asked.scenario}: {workload}: expected MQSim's workload.xml with this")
    found = resolve(workload, TraceOptions(**trace), variables)
    return asked, Plan(drive, found, tuple(overrides), Options(**other))


def _names(owner: type) -> list[str]:
    return [field.name for field in fields_of(owner)]
