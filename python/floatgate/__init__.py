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

from floatgate._generated.homes import HOMES

if TYPE_CHECKING:
    from floatgate._generated.seams import *  # noqa: F403 - the namespaces of policies
    from floatgate.ageing.life import Life
    from floatgate.bus.explore import BusPoint
    from floatgate.bus.waveform import Waveform
    from floatgate.commands import state as state, trace as trace
    from floatgate.commands.age import age, age_compare
    from floatgate.commands.characterize import characterize, experiments
    from floatgate.commands.compare import compare
    from floatgate.commands.derive import derive
    from floatgate.commands.examples import examples
    from floatgate.commands.fit import fit, fit_voltages
    from floatgate.commands.grid import grid
    from floatgate.commands.listing import Card, chip, chips, drive, drives
    from floatgate.commands.place import place
    from floatgate.commands.plan import plan
    from floatgate.commands.policies import PolicyCard, check_policies, new_policy, policies
    from floatgate.commands.rber import rber
    from floatgate.commands.report import report
    from floatgate.commands.reproduce import papers, reproduce
    from floatgate.commands.run import Interrupted, repeat, run
    from floatgate.commands.schema import schema
    from floatgate.commands.serve import serve
    from floatgate.commands.snapshots import snapshots
    from floatgate.commands.study import study
    from floatgate.commands.torture import torture
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
    from floatgate.lab.rber import PageErrors
    from floatgate.lab.run import Characterized
    from floatgate.own.compiled import compiled
    from floatgate.placing.work import Placed
    from floatgate.plan.work import Planned
    from floatgate.reproduce.paper import Paper
    from floatgate.reproduce.run import Reproduced
    from floatgate.results.run import Run
    from floatgate.runs.repeat import Repeated
    from floatgate.runs.snapshot_costs import SnapshotCosts
    from floatgate.runs.torture import Tortured
    from floatgate.stepping.drive import Completion, Drive
    from floatgate.study.result import Study

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
    "state": "commands.state",
    "study": "study",
    "trace": "commands.trace",
    "twin": "twin",
}

__all__ = [
    "BusPoint",
    "Card",
    "Characterized",
    "Compared",
    "Completion",
    "Drive",
    "Experiment",
    "Fault",
    "Fit",
    "Grid",
    "InputError",
    "Interrupted",
    "Key",
    "Life",
    "PageErrors",
    "PageModel",
    "Paper",
    "Placed",
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
    "place",
    "plan",
    "policies",
    "policy",
    "rber",
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
    "twin",  # noqa: F405 - given by __getattr__
]


def __getattr__(name: str) -> Any:
    """Find a public name, or the seam of a policy, at its first use."""
    if name in _MODULES:
        return _imported(_MODULES[name])
    if name in HOMES:
        return getattr(_imported(HOMES[name]), name)
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
