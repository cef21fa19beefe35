"""Simulating many settings for many values of parameters: each run once, several at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log
from typing import Any

import numpy as np

from floatgate.errors import InputError
from floatgate.twin.measurements import Row
from floatgate.twin.parameters import Base, Values
from floatgate.twin.pattern import Setting
from floatgate.twin.replica import depends, replica
from floatgate.twin.simulated import OfRun, Simulated, run, settings_of, value
from floatgate.workers import Crew

Numbers = np.ndarray[Any, np.dtype[np.float64]]

#: What a drive that cannot be simulated is from each of its measurements, as a logarithm.
IMPOSSIBLE = 3.0


def run_one(task: tuple[Simulated, Setting]) -> OfRun | str:
    """Run a setting in a worker; what the drive refuses is a text."""
    try:
        return run(*task)
    except InputError as error:
        return str(error)


@dataclass
class Simulator:
    """A base, a capacity and workers; a run is kept by its setting and the parameters that matter to it."""

    base: Base
    capacity: float
    crew: Crew
    runs: int = 0
    _kept: dict[object, OfRun | str] = field(default_factory=dict)

    def simulate(
        self, rows: Sequence[Row], many: Sequence[Values], seed: int = 1
    ) -> list[list[float | None]]:
        """Return what each of several drives gives for the rows; None where it gives nothing."""
        futures = {}
        for values in many:
            for setting in settings_of(rows):
                key = self._key(setting, values, seed)
                if key not in self._kept and key not in futures:
                    drive = replica(self.base, values, self.capacity, setting, seed)
                    futures[key] = self.crew.submit(run_one, (drive, setting))
        for key, future in futures.items():
            self._kept[key] = future.result()
        self.runs += len(futures)
        return [[self._value(row, values, seed) for row in rows] for values in many]

    def deviations(self, rows: Sequence[Row], many: Sequence[Values], seed: int = 1) -> list[list[float]]:
        """Return the logarithm of simulated over measured, for each drive and row."""
        return [
            [
                IMPOSSIBLE if found is None or found <= 0 else log(found / row.value)
                for row, found in zip(rows, of_drive, strict=True)
            ]
            for of_drive in self.simulate(rows, many, seed)
        ]

    def scale(self, rows: Sequence[Row], values: Values) -> float:
        """Return how many times as large a drive is as what is simulated for it, where that is most."""
        return max(replica(self.base, values, self.capacity, one).scale for one in settings_of(rows))

    def refusal(self, rows: Sequence[Row], values: Values, seed: int = 1) -> str | None:
        """Return why a drive could not be simulated for these rows; none where it was."""
        found = [self._kept.get(self._key(setting, values, seed)) for setting in settings_of(rows)]
        return next((one for one in found if isinstance(one, str)), None)

    def _key(self, setting: Setting, values: Values, seed: int) -> object:
        names = depends(self.base, values, self.capacity, setting)
        return seed, setting, tuple((name, values[name]) for name in names if name in values)

    def _value(self, row: Row, values: Values, seed: int) -> float | None:
        found = self._kept[self._key(row.setting, values, seed)]
        return None if isinstance(found, str) else value(row, found)


def squares(rows: Sequence[Row], deviations: Sequence[float]) -> float:
    """Return the sum of squares of deviations in units of each row's error."""
    return sum((one / row.error) ** 2 for row, one in zip(rows, deviations, strict=True))
