"""Floatgate: a flash laboratory.

    import floatgate as fg

    run = fg.run("tlc", "examples/random-write.fio", seed=7)
    print(run.waf, run.latency.write.p99)
    run.report("report.html")

Policies are classes under the seam they answer, `fg.gc.victim.DChoices(d=4)`, or by name,
`fg.policy("ftl.gc.victim", "d-choices", d=4)`; both are handed to `fg.run(..., policies=[...])`.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from floatgate._generated.seams import *  # noqa: F403 - the namespaces of policies
    from floatgate.ageing.life import Life
    from floatgate.api import state as state, trace as trace
    from floatgate.api.age import age, age_compare
    from floatgate.api.characterize import characterize, experiments
    from floatgate.api.compare import compare
    from floatgate.api.derive import derive
    from floatgate.api.files import examples, report, schema
    from floatgate.api.fit import fit, fit_voltages
    from floatgate.api.grid import grid
    from floatgate.api.listing import Card, PolicyCard, chip, chips, drive, drives, policies
    from floatgate.api.own import check_policies, new_policy
    from floatgate.api.plan import plan
    from floatgate.api.reproduce import papers, reproduce
    from floatgate.api.run import Interrupted, repeat, run
    from floatgate.api.serve import serve
    from floatgate.api.snapshots import snapshots
    from floatgate.api.study import study
    from floatgate.api.torture import torture
    from floatgate.bus.explore import BusPoint
    from floatgate.bus.waveform import Waveform
    from floatgate.compare.work import Compared
    from floatgate.errors import Fault, InputError
    from floatgate.grid.run import Grid
    from floatgate.inputs.configuration import Key, keys
    from floatgate.inputs.policies import Policy, policy
    from floatgate.inputs.traces.found import TraceFormat, TraceInfo, Volume
    from floatgate.lab.derive.write import PageModel
    from floatgate.lab.experiment import Experiment
    from floatgate.lab.fit.measured import VoltageFit
    from floatgate.lab.fit.run import Fit
    from floatgate.lab.run import Characterized
    from floatgate.own.compiled import compiled
    from floatgate.plan.work import Planned
    from floatgate.reproduce.paper import Paper
    from floatgate.reproduce.run import Reproduced
    from floatgate.results.run import Run
    from floatgate.runs.repeat import Repeated
    from floatgate.runs.snapshot_costs import SnapshotCosts
    from floatgate.runs.torture import Tortured
    from floatgate.study.result import Study

# Where each public name lives: importing floatgate itself must stay cheap.
_HOMES = {
    "BusPoint": "bus.explore",
    "Card": "api.listing",
    "Characterized": "lab.run",
    "Compared": "compare.work",
    "Experiment": "lab.experiment",
    "Fault": "errors",
    "Fit": "lab.fit.run",
    "Grid": "grid.run",
    "InputError": "errors",
    "Interrupted": "api.run",
    "Key": "inputs.configuration",
    "Life": "ageing.life",
    "PageModel": "lab.derive.write",
    "Paper": "reproduce.paper",
    "Planned": "plan.work",
    "Policy": "inputs.policies",
    "PolicyCard": "api.listing",
    "Repeated": "runs.repeat",
    "Reproduced": "reproduce.run",
    "Run": "results.run",
    "SnapshotCosts": "runs.snapshot_costs",
    "Study": "study.result",
    "Tortured": "runs.torture",
    "TraceFormat": "inputs.traces.found",
    "TraceInfo": "inputs.traces.found",
    "VoltageFit": "lab.fit.measured",
    "Volume": "inputs.traces.found",
    "Waveform": "bus.waveform",
    "age": "api.age",
    "age_compare": "api.age",
    "characterize": "api.characterize",
    "check_policies": "api.own",
    "compiled": "own.compiled",
    "chip": "api.listing",
    "chips": "api.listing",
    "derive": "api.derive",
    "drive": "api.listing",
    "drives": "api.listing",
    "experiments": "api.characterize",
    "fit": "api.fit",
    "fit_voltages": "api.fit",
    "keys": "inputs.configuration",
    "new_policy": "api.own",
    "papers": "api.reproduce",
    "policy": "inputs.policies",
    "run": "api.run",
    "schema": "api.files",
    "torture": "api.torture",
    "examples": "api.files",
    "policies": "api.listing",
    "repeat": "api.run",
    "snapshots": "api.snapshots",
}
# Modules that are public themselves, and modules that bear the name of their function and are called in its
# place (`callable_room.py`).
_MODULES = {
    "bus": "bus",
    "compare": "compare",
    "ecc": "ecc",
    "grid": "grid",
    "plan": "plan",
    "report": "report",
    "reproduce": "reproduce",
    "serve": "serve",
    "state": "api.state",
    "study": "study",
    "trace": "api.trace",
}

__all__ = [
    "BusPoint",
    "Card",
    "Characterized",
    "Compared",
    "Experiment",
    "Fault",
    "Fit",
    "Grid",
    "InputError",
    "Interrupted",
    "Key",
    "Life",
    "PageModel",
    "Paper",
    "Planned",
    "Policy",
    "PolicyCard",
    "Repeated",
    "Reproduced",
    "Run",
    "SnapshotCosts",
    "Study",
    "Tortured",
    "TraceFormat",
    "TraceInfo",
    "VoltageFit",
    "Volume",
    "Waveform",
    "__version__",  # noqa: F405 - given by __getattr__
    "age",
    "age_compare",
    "bus",  # noqa: F405 - given by __getattr__
    "characterize",
    "check_policies",
    "chip",
    "chips",
    "compare",
    "compiled",
    "derive",
    "drive",
    "drives",
    "ecc",  # noqa: F405 - given by __getattr__
    "examples",
    "experiments",
    "fit",
    "fit_voltages",
    "grid",
    "keys",
    "new_policy",
    "papers",
    "plan",
    "policies",
    "policy",
    "repeat",
    "report",
    "reproduce",
    "run",
    "schema",
    "serve",
    "snapshots",
    "state",
    "study",
    "torture",
    "trace",
]


def __getattr__(name: str) -> Any:
    """Find a public name, or the seam of a policy, at its first use."""
    if name in _HOMES:
        return getattr(_imported(_HOMES[name]), name)
    if name in _MODULES:
        return _imported(_MODULES[name])
    if name == "__version__":
        from floatgate._core import version

        return version()
    # `from floatgate import session` asks here first; a module of ours is no seam.
    if not name.startswith("_") and find_spec(f"floatgate.{name}") is None:
        from floatgate.inputs.policies import seam

        found = seam(name)
        if found is not None:
            return found
    raise AttributeError(f"module 'floatgate' has no attribute {name!r}")


def _imported(name: str) -> Any:
    """Import a module of ours; what an extra lacks for it is said with the command that installs it."""
    from floatgate.extras import needed

    return needed(f"floatgate.{name}")


def __dir__() -> list[str]:
    from floatgate.inputs.policies import roots

    return sorted([*__all__, *roots()])
