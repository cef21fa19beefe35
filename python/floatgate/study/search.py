"""Configurations that Optuna asks for, round by round, from one seeded place.

A round is asked for as a whole and told as a whole, in its order: how many workers there are, and which is
faster, changes nothing, and a study that goes on asks for the same again and finds it done.
"""

from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any

from floatgate.extras import needed
from floatgate.study.aggregate import Configuration
from floatgate.study.design import affordable
from floatgate.study.parameters import Choices, Parameter, rounded
from floatgate.study.spec import Search, Spec

DRIVE = "study.drive"  # the drive, where a study has several: one more thing to choose


class Asking:
    """Asks Optuna for rounds of configurations, and tells it what they came to."""

    def __init__(self, spec: Spec) -> None:
        optuna = quiet()
        self._spec, self._left = spec, affordable(spec)
        self._study = optuna.create_study(
            directions=["minimize" if one.aim == "min" else "maximize" for one in spec.objectives],
            sampler=_sampler(spec.search),
        )
        self._asked: list[Any] = []

    def ask(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the drives and values of the next round; none when the budget is spent."""
        count = min(self._spec.search.batch, self._left)
        self._left -= count
        self._asked = [self._study.ask() for _ in range(count)]
        return [(self._drive(trial), self._values(trial)) for trial in self._asked]

    def tell(self, found: Sequence[Configuration], pruned: Sequence[bool]) -> None:
        """Tell what the configurations of the round came to, in its order."""
        state = needed("optuna").trial.TrialState
        for trial, one, ended in zip(self._asked, found, pruned, strict=True):
            values = one.objectives(self._spec.objectives)
            for bound in self._spec.constraints:
                value = one.numbers[bound.key]
                if value is not None:
                    trial.set_constraint(str(bound), bound.excess(value))
            if values is None:
                self._study.tell(trial, state=state.PRUNED if ended else state.FAIL)
            else:
                self._study.tell(trial, list(values))

    def _drive(self, trial: Any) -> str:
        drives = self._spec.drives
        return str(trial.suggest_categorical(DRIVE, drives)) if len(drives) > 1 else drives[0]

    def _values(self, trial: Any) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for one in self._spec.parameters:
            if one.applies(values):
                values[one.name] = _suggested(trial, one)
        return values


def quiet() -> Any:
    """Return Optuna, which says nothing on its own from now on."""
    optuna = needed("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna


def _suggested(trial: Any, one: Parameter) -> Any:
    space = one.space
    if isinstance(space, Choices):
        return trial.suggest_categorical(one.name, space.values)
    if space.whole:
        return trial.suggest_int(one.name, space.low, space.high, log=space.log)
    return rounded(trial.suggest_float(one.name, space.low, space.high, log=space.log))


def _sampler(search: Search) -> Any:
    """Return Optuna's sampler; what its version would choose for itself is written out."""
    samplers = needed("optuna").samplers
    if search.method == "nsga2":
        return samplers.NSGAIISampler(population_size=search.batch, seed=search.seed)
    return samplers.TPESampler(seed=search.seed, multivariate=True, constant_liar=True, n_startup_trials=10)


def described(spec: Spec) -> Mapping[str, Any]:
    """Return by what the configurations were chosen, for the study's record."""
    method = spec.search.method
    package = {"lhs": "scipy", "sobol": "scipy", "saltelli": "SALib", "tpe": "optuna", "nsga2": "optuna"}
    name = package.get(method, "numpy" if method == "random" else "floatgate")
    version = None
    if name != "floatgate":
        needed(name)
        version = metadata.version(name)
    return {"method": method, "package": name, "version": version, "seed": spec.search.seed}
