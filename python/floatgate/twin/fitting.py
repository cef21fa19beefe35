"""A fit on its way: what is known so far, and how measurements follow parameters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log

import numpy as np
from scipy.optimize import least_squares

from floatgate.twin.built import shape
from floatgate.twin.evaluate import Numbers, Simulator, squares
from floatgate.twin.measurements import Measurements, Row
from floatgate.twin.parameters import PARAMETERS, Values

STEP = 0.05  # by which a parameter is changed to see what follows
HOST = ("command_time", "command_service", "link_rate")
READS = ("read_time", "channel_rate")
CONTINUOUS = (*HOST, *READS, "program_time", "spare", "buffer")

Progress = Callable[[str, int], None]  # what is being fitted, and how many runs were made


@dataclass(frozen=True)
class Found:
    """A parameter of a twin."""

    value: float
    low: float | None  # of its 95 % interval; none where measurements do not bound it
    high: float | None
    rows: tuple[Row, ...]  # that reveal it, by how much they do


@dataclass(frozen=True)
class Twin:
    """A drive found from its measurements."""

    measurements: Measurements
    base: str
    capacity: int
    found: Mapping[str, Found]
    undetermined: tuple[str, ...]  # parameters that no measurement reveals: the base's values stand
    alike: tuple[tuple[str, str], ...]  # pairs that measurements do not tell apart
    deviations: tuple[tuple[Row, float], ...]  # of what calibrates: the logarithm of simulated over measured
    runs: int

    @property
    def values(self) -> dict[str, float]:
        """The parameters that measurements gave."""
        return {name: one.value for name, one in self.found.items()}


@dataclass
class Fitting:
    """The state of a fit."""

    simulator: Simulator
    rows: list[Row]
    values: dict[str, float]
    progress: Progress
    touched: set[str] = field(default_factory=set)  # parameters that rows speak of
    listed: set[str] = field(default_factory=set)  # of those, numbers from a list: without interval
    least: dict[str, float] = field(default_factory=dict)  # of a parameter on this drive, above its own

    told_by: dict[str, list[Row]] = field(default_factory=dict)  # rows that a choice was made by

    def limits(self, name: str) -> tuple[float, float]:
        """Return the least and the most of a parameter."""
        of = PARAMETERS[name]
        return max(of.least, self.least.get(name, 0.0)), of.most

    def of(self, wanted: Callable[[Row], bool]) -> list[Row]:
        """Return the rows that say something about a stage."""
        return [row for row in self.rows if wanted(row)]

    def miss(self, rows: Sequence[Row]) -> float:
        """Return how far the drive is from some rows: squares in units of each row's error."""
        return squares(rows, self.simulator.deviations(rows, [self.values])[0])

    def solve(self, stage: str, names: Sequence[str], rows: Sequence[Row], rounds: int = 12) -> None:
        """Fit some parameters to some rows: least squares of logarithms in units of each row's error."""
        names = [name for name in names if name in self.values]
        if not rows or not names:
            return
        self.progress(stage, self.simulator.runs)
        self.touched |= set(names)
        errors = np.array([row.error for row in rows])
        low, high = np.log([self.limits(name) for name in names]).T

        def at(point: Numbers) -> dict[str, float]:
            return {**self.values, **{name: exp(one) for name, one in zip(names, point, strict=True)}}

        def residuals(point: Numbers) -> Numbers:
            found: Numbers = np.array(self.simulator.deviations(rows, [at(point)])[0]) / errors
            return found

        def jacobian(point: Numbers) -> Numbers:
            found: Numbers = self.slopes(names, rows, at(point))[1] / errors[:, None]
            return found

        done = least_squares(
            *(residuals, np.clip(np.log([self.values[name] for name in names]), low + 1e-9, high - 1e-9)),
            jac=jacobian,
            bounds=(low, high),
            xtol=2e-3,
            ftol=1e-3,
            gtol=1e-6,
            max_nfev=rounds,
        )
        self.values = at(done.x)

    def slopes(
        self, names: Sequence[str], rows: Sequence[Row], values: Values, side: int = 1
    ) -> tuple[Numbers, Numbers]:
        """Return deviations (rows), and how each row follows each parameter (rows x names), as logarithms."""
        steps = [side * self._step(name, values) for name in names]
        changed = [
            {**values, name: values[name] * exp(step)} for name, step in zip(names, steps, strict=True)
        ]
        here, *others = map(np.array, self.simulator.deviations(rows, [values, *changed]))
        columns = [(there - here) / step for there, step in zip(others, steps, strict=True)]
        return here, np.stack(columns, axis=1)

    def _step(self, name: str, values: Values) -> float:
        """Return a change of a parameter that changes its drive: flash comes in whole superblocks."""
        if name != "spare":
            return STEP
        of = shape(self.simulator.base, values, self.simulator.capacity)
        superblock = (1 + values["spare"]) / of.superblocks
        return max(STEP, 1.01 * log(1 + superblock / values["spare"]))

    def choose(self, stage: str, name: str, choices: Sequence[float], rows: Sequence[Row]) -> None:
        """Take the value of a parameter that comes nearest to the rows."""
        if not rows:
            return
        self.progress(stage, self.simulator.runs)
        many = [{**self.values, name: one} for one in choices]
        found = self.simulator.deviations(rows, many)
        _, best = min(zip(found, choices, strict=True), key=lambda pair: squares(rows, pair[0]))
        self.touched.add(name)
        self.told_by[name] = list(rows)
        self.values[name] = best

    def nearest(self, tried: Sequence[tuple[float, dict[str, float]]]) -> None:
        """Go on with the nearest of several drives, each with how far it is."""
        self.values = dict(min(tried, key=lambda pair: pair[0])[1])
