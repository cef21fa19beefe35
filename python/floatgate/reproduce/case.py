"""One number of a paper, and what simulating it found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Case:
    """One number of an exhibit: what it is called, and what its simulation needs to know."""

    exhibit: str  # a table of `paper.toml`
    name: str  # unique within the exhibit; the `case` column of `expected.csv` and `results.csv`
    parameters: Mapping[str, Any] = field(default_factory=dict, compare=False)  # plain values: sent elsewhere
    x: float | None = None  # where the figure draws it; None draws the cases side by side
    series: str = ""  # which line of the figure it belongs to
    cost: float = 1.0  # how long it takes compared with the others: the long ones start first

    def __reduce__(self) -> tuple[Any, ...]:
        plain = dict(self.parameters)
        return Case, (self.exhibit, self.name, plain, self.x, self.series, self.cost)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))


@dataclass(frozen=True)
class Line:
    """Something measured behind a claim about shapes and orders: the figure of the exhibit draws it."""

    name: str  # what the legend says; lines of one name have one colour
    x: tuple[float | str, ...]
    y: tuple[float, ...]
    kind: str = "line"  # line, steps (a value holds until the next) or points


@dataclass(frozen=True)
class Finding:
    """What a case gave."""

    simulated: float | str  # a text for claims about shapes and orders
    reference: float | None = None  # where nothing is published: what the drive's own parts add up to
    ci95: float | None = None  # half width of the 95 % confidence interval, in the unit of `simulated`
    holds: bool | None = (
        None  # whether the claim is true of what was simulated; beside a number, must be, too
    )
    measure: float | None = None  # of a claim without numbers, what it was judged by: explanations bound it
    lines: tuple[Line, ...] = ()  # drawn where the exhibit has no published numbers to stand beside
    data: Mapping[str, float] = field(default_factory=dict)  # what `conclude` needs of it beside all that


Found = Mapping[tuple[str, str], Finding]  # by exhibit and case
Concluded = tuple[Case, Finding]
