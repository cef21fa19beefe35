"""The Python face of a run: `floatgate.run`."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from inspect import signature
from pathlib import Path
from typing import Any, Unpack

from floatgate import mqsim
from floatgate.arguments import as_declared, assignment, mapping, path
from floatgate.errors import InputError
from floatgate.execute import Listeners, run_to_folder
from floatgate.folder import check_state_file
from floatgate.keywords import Keywords
from floatgate.options import Options, TraceOptions
from floatgate.policies import Policy
from floatgate.result import Run
from floatgate.session import Plan, interruptible
from floatgate.temporary import Temporary
from floatgate.workload import resolve

_TRACE_OPTIONS = frozenset(TraceOptions.__dataclass_fields__)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `run` holds what was done until then."""

    def __init__(self, finished: Run) -> None:
        super().__init__(f"what was done until then is in .run of this exception ({finished.folder})")
        self.run = finished


def run(
    drive: str | Path,
    workload: str | Path,
    *,
    seed: int = 1,
    set: Mapping[str, Any] | None = None,  # noqa: A002 - the command line's word
    policies: Iterable[Policy] = (),
    out: str | Path | None = None,
    force: bool = False,
    report: bool = False,
    scenario: int | None = None,
    env: Mapping[str, str] | None = None,
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
    drive, workload = path("drive", drive), path("workload", workload)
    out = None if out is None else path("out", out)
    force, report = as_declared("force", force, bool), as_declared("report", report, bool)
    scenario = as_declared("scenario", scenario, int | None)
    known = _TRACE_OPTIONS | Options.__dataclass_fields__.keys()
    unknown = options.keys() - known
    if unknown:
        name = min(unknown)
        near = get_close_matches(name, [*known, *signature(run).parameters], n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise TypeError(f"run() has no option {name!r}{hint}")
    overrides = [assignment(key, value) for key, value in mapping("set", set).items()]
    variables = {key: as_declared(f"env[{key!r}]", value, str) for key, value in mapping("env", env).items()}
    for policy in policies:
        if not isinstance(policy, Policy):
            raise TypeError(f"policies: {policy!r}: expected policies, such as fg.gc.victim.DChoices(d=4)")
        overrides += policy.overrides()
    trace: dict[str, Any] = {name: value for name, value in options.items() if name in _TRACE_OPTIONS}
    other: dict[str, Any] = {name: value for name, value in options.items() if name not in _TRACE_OPTIONS}
    if mqsim.is_mqsim(drive, workload):
        asked = {"seed": seed, **other}
        read_as = TraceOptions(**trace)
        plan = mqsim.plan_of(drive, workload, tuple(overrides), asked, read_as, scenario, variables)
    else:
        if scenario is not None:
            raise InputError(f"scenario {scenario}: {workload}: expected MQSim's workload.xml with this")
        found = resolve(workload, TraceOptions(**trace), variables)
        plan = Plan(drive, found, tuple(overrides), Options(seed=seed, **other))
    if plan.options.save_state is not None:
        check_state_file(Path(plan.options.save_state), force=force)
    temporary = None if out is not None else Temporary()
    folder = temporary.folder / "run" if temporary is not None else Path(str(out))
    try:
        with interruptible() as interrupt:
            document = run_to_folder(
                plan, folder, report=report, listeners=Listeners(stopped=interrupt), force=force
            )
    except BaseException:
        if temporary is not None:
            temporary.remove()
        raise
    finished = Run.open(folder) if temporary is None else Run.keeping(temporary)
    if document["interrupted"]:
        raise Interrupted(finished)
    return finished
