"""Floatgate: a flash laboratory.

    import floatgate as fg

    run = fg.run("tlc", "examples/random-write.fio", seed=7)
    print(run.waf, run.latency.write.p99)
    run.report("report.html")

Policies are classes under the seam they answer, `fg.gc.victim.DChoices(d=4)`, or by name,
`fg.policy("ftl.gc.victim", "d-choices", d=4)`; both are handed to `fg.run(..., policies=[...])`.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from floatgate.ageing import Life
    from floatgate.api.age import age, age_compare
    from floatgate.api.listing import chips, drives
    from floatgate.api.plan import plan
    from floatgate.api.run import Interrupted, run
    from floatgate.configuration import Key, keys
    from floatgate.errors import Fault, InputError
    from floatgate.plan.work import Planned
    from floatgate.policies import Policy, policy
    from floatgate.result import Run
    from floatgate.seams import *  # noqa: F403 - the namespaces of policies

__all__ = [
    "Fault",
    "InputError",
    "Interrupted",
    "Key",
    "Life",
    "Planned",
    "Policy",
    "Run",
    "__version__",  # noqa: F405 - given by __getattr__
    "age",
    "age_compare",
    "chips",
    "drives",
    "keys",
    "plan",
    "policy",
    "run",
]

# Where each public name lives: importing floatgate itself must stay cheap. A module that bears the name of
# its function is called in its place (`called.py`).
_HOMES = {
    "Fault": "errors",
    "InputError": "errors",
    "Interrupted": "api.run",
    "Key": "configuration",
    "Life": "ageing",
    "Planned": "plan.work",
    "Policy": "policies",
    "Run": "result",
    "age": "api.age",
    "age_compare": "api.age",
    "bus": "bus",
    "chips": "api.listing",
    "drives": "api.listing",
    "keys": "configuration",
    "plan": "plan",
    "policy": "policies",
    "run": "api.run",
}


def __getattr__(name: str) -> Any:
    """Find a public name, or the seam of a policy, at its first use."""
    if name in _HOMES:
        home = import_module(f"floatgate.{_HOMES[name]}")
        return home if _HOMES[name] == name else getattr(home, name)
    if name == "__version__":
        from floatgate._core import version

        return version()
    # `from floatgate import session` asks here first; a module of ours is no seam.
    if not name.startswith("_") and find_spec(f"floatgate.{name}") is None:
        from floatgate.policies import seam

        found = seam(name)
        if found is not None:
            return found
    raise AttributeError(f"module 'floatgate' has no attribute {name!r}")


def __dir__() -> list[str]:
    from floatgate.policies import roots

    return sorted([*__all__, *roots()])
