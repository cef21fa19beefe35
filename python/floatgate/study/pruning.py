"""Ending a run early when its objective, a tenth after the other, is worse than earlier runs' was there.

What it is held against are runs of earlier rounds only, so that it does not depend on which run of a round
is faster. Optuna's pruners decide.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floatgate.extras import needed
from floatgate.runs.session import Progress
from floatgate.study.numbers import number
from floatgate.study.search import quiet
from floatgate.study.spec import Objective, Pruner

if TYPE_CHECKING:
    from floatgate import _core

STEPS = 10
EVENTS = 10_000  # between two looks at how far a run is: the same on every machine
COLUMN = "objective_by_tenth."  # columns of a study's table: the objective after each tenth of a run

Curve = Mapping[int, float]  # the objective by tenths


@dataclass(frozen=True)
class Watch:
    """Which objective is watched, and what it was in earlier runs of this workload and seed."""

    pruner: Pruner
    objective: Objective
    before: tuple[Curve, ...]
    events: int = EVENTS

    def begin(self, session: "_core.Session") -> "Watching":
        """Watch a run that begins."""
        return Watching(self, session)


class Watching:
    """One run that is watched."""

    def __init__(self, watch: Watch, session: "_core.Session") -> None:
        optuna = quiet()
        self._watch, self._session = watch, session
        self._curve: dict[int, float] = {}
        study = optuna.create_study(
            direction="minimize" if watch.objective.aim == "min" else "maximize", pruner=pruner(watch.pruner)
        )
        for curve in watch.before:
            last = curve[max(curve)]
            study.add_trial(optuna.trial.create_trial(value=last, intermediate_values=dict(curve)))
        self._trial = study.ask()

    def __call__(self, progress: Progress) -> bool:
        """Note how far a run is; return whether it should end here."""
        if progress.phase != "run" or progress.fraction is None or progress.done:
            return False
        step = int(progress.fraction * STEPS)
        if not step or step in self._curve:
            return False
        value = number(json.loads(self._session.glance()), self._watch.objective.key)
        if value is None:
            return False
        self._curve[step] = value
        self._trial.report(value, step)
        return bool(self._trial.should_prune())

    def told(self) -> dict[str, float]:
        """Return the objective by tenths, as columns."""
        return {f"{COLUMN}{step}": value for step, value in self._curve.items()}


def curve(numbers: Mapping[str, Any]) -> Curve:
    """Return the objective by tenths, as `told` put it into columns."""
    steps = (int(name.removeprefix(COLUMN)) for name in numbers if name.startswith(COLUMN))
    return {step: numbers[f"{COLUMN}{step}"] for step in sorted(steps)}


def pruner(name: Pruner) -> Any:
    """Return Optuna's pruner of that name."""
    pruners = needed("optuna.pruners")
    makers: dict[str, Callable[[], Any]] = {
        "median": lambda: pruners.MedianPruner(n_startup_trials=5),
        "percentile": lambda: pruners.PercentilePruner(25.0, n_startup_trials=5),
        "halving": lambda: pruners.SuccessiveHalvingPruner(),
    }
    return makers[name]()
