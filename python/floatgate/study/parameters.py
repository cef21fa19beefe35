"""What a study varies: lists and ranges of values, some only where another parameter has a certain value."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Scalar = bool | int | float | str
Values = Mapping[str, Any]  # of one configuration, by parameter; one that does not apply is not in it


@dataclass(frozen=True)
class Choices:
    """Values one by one."""

    values: tuple[Any, ...]

    def on_grid(self) -> tuple[Any, ...]:
        """The values that a full grid has."""
        return self.values

    def at(self, share: float) -> Any:
        """Return the value at a share of the way through, from 0 to below 1."""
        return self.values[min(int(share * len(self.values)), len(self.values) - 1)]


@dataclass(frozen=True)
class Range:
    """Numbers from one to another, both included; whole ones where both ends are whole."""

    low: int | float
    high: int | float
    log: bool = False
    steps: int | None = None  # on a grid

    @property
    def whole(self) -> bool:
        """Whether its numbers are whole."""
        return isinstance(self.low, int) and isinstance(self.high, int)

    def on_grid(self) -> tuple[int | float, ...]:
        """The values that a full grid has; values that round to the same one are one."""
        assert self.steps is not None, "the study's reader asks for steps"
        last = self.steps - 1
        return tuple(dict.fromkeys(self._between(index / last) for index in range(self.steps)))

    def at(self, share: float) -> int | float:
        """Return the value at a share of the way through, from 0 to below 1."""
        if not self.whole:
            return self._between(share)
        # Each whole number has the same part of the way, on its scale.
        low, high = self.low - 0.5, self.high + 0.5
        found = _between(max(low, 0.5), high, share) if self.log else low + share * (high - low)
        return min(max(round(found), int(self.low)), int(self.high))

    def _between(self, share: float) -> int | float:
        if share in (0.0, 1.0):
            return self.high if share else self.low
        low, high = self.low, self.high
        found = _between(low, high, share) if self.log else low + share * (high - low)
        return round(found) if self.whole else rounded(found)


def rounded(value: float) -> float:
    """Return a number with as many digits as people write: 0.3, not 0.30000000000000004."""
    return float(f"{value:.12g}")


def _between(low: float, high: float, share: float) -> float:
    return math.exp(math.log(low) + share * (math.log(high) - math.log(low)))


@dataclass(frozen=True)
class Parameter:
    """A key of the configuration, or a variable of a fio job (`env.NAME`), with the values it may have."""

    name: str
    space: Choices | Range
    when: tuple[tuple[str, tuple[Any, ...]], ...] = ()  # other parameters, and what they must be

    def applies(self, values: Values) -> bool:
        """Whether it has a value in a configuration where the parameters before it have `values`."""
        return all(name in values and values[name] in allowed for name, allowed in self.when)


def in_order(parameters: Sequence[Parameter]) -> tuple[Parameter, ...]:
    """Put each parameter behind those it depends on. Raises ValueError where they depend in a circle."""
    left, placed = list(parameters), list[Parameter]()
    while left:
        names = {one.name for one in placed}
        ready = next((one for one in left if all(name in names for name, _ in one.when)), None)
        if ready is None:
            raise ValueError(f"{left[0].name} depends on itself through its conditions")
        placed.append(ready)
        left.remove(ready)
    return tuple(placed)


def configuration(parameters: Sequence[Parameter], shares: Sequence[float]) -> dict[str, Any]:
    """Return the configuration at a point of the unit cube that the parameters span."""
    values: dict[str, Any] = {}
    for one, share in zip(parameters, shares, strict=True):
        if one.applies(values):
            values[one.name] = one.space.at(share)
    return values
