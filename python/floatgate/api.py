"""The Python face of a run: `floatgate.run`."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

from floatgate import _core, mqsim, places
from floatgate.execute import Listeners, run_to_folder
from floatgate.folder import check_state_file
from floatgate.policies import Policy
from floatgate.result import Run
from floatgate.session import Options, Plan, interruptible
from floatgate.workload import TraceOptions, resolve

_TRACE_OPTIONS = frozenset(TraceOptions.__dataclass_fields__)


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
    **options: Any,
) -> Run:
    """Run `workload` on `drive` and return the finished run.

    `drive` is a drive's name or file, `workload` a fio job file, a trace or a generator's name; both may be
    MQSim's, of which `scenario` says which, from 1. `env` maps the variables of a fio job file, `set` maps
    configuration keys to values, `{"ftl.op_ratio": 0.07}`; `policies` choose policies by object. Every other
    option has the name and meaning it has on the command line: `check=True`, `precondition="steady"`,
    `sort=True`, `volume=["1", "2"]`. Without `out` the run folder lives as long as the returned object.

    Raises InputError for bad input, Fault for a broken invariant, TypeError for an unknown option.
    """
    unknown = options.keys() - _TRACE_OPTIONS - Options.__dataclass_fields__.keys()
    if unknown:
        raise TypeError(f"run() has no option {min(unknown)!r}")
    overrides = [f"{key}={_value(value)}" for key, value in (set or {}).items()]
    for policy in policies:
        overrides += policy.overrides()
    trace = {name: value for name, value in options.items() if name in _TRACE_OPTIONS}
    if "volume" in trace:
        trace["volume"] = tuple(str(volume) for volume in trace["volume"])
    other = {name: value for name, value in options.items() if name not in _TRACE_OPTIONS}
    if mqsim.is_mqsim(str(drive), str(workload)):
        asked = {"seed": seed, **other}
        plan = mqsim.plan_of(
            str(drive), str(workload), tuple(overrides), asked, TraceOptions(**trace), scenario
        )
    else:
        found = resolve(str(workload), TraceOptions(**trace), env)
        plan = Plan(str(drive), found, tuple(overrides), Options(seed=seed, **other))
    if plan.options.save_state is not None:
        check_state_file(Path(plan.options.save_state), force=force)
    folder = Path(out) if out is not None else Path(mkdtemp(prefix="floatgate-")) / "run"
    try:
        with interruptible() as interrupt:
            run_to_folder(plan, folder, report=report, listeners=Listeners(stopped=interrupt), force=force)
    except BaseException:
        if out is None:
            rmtree(folder.parent)
        raise
    finished = Run.open(folder)
    if out is None:
        finalize(finished, rmtree, folder.parent)
    return finished


def _value(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def drives() -> list[str]:
    """Return the names of the drives that come with Floatgate."""
    return [entry["name"] for entry in json.loads(_core.drives(places.folders()))]


def chips() -> list[str]:
    """Return the names of the chips that come with Floatgate."""
    return [entry["name"] for entry in json.loads(_core.chips(places.folders()))]
