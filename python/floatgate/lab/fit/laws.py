"""How a value grows with wear: candidate laws by least squares, the best by an information criterion.

The criterion is Akaike's with its correction for few points (Hurvich and Tsai 1989): a law with one
parameter more must explain more than chance would. The trapping law is the literature's for traps in the
oxide, `cycles^0.62` for those of the interface and `cycles^0.30` for charge in the bulk.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log, sqrt
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from floatgate.lab.fit.stream import Real

INTERFACE, OXIDE = 0.62, 0.30
GOOD_R2 = 0.9
GOOD_SHARE = 0.01  # of the mean: where hardly anything changes there is little to explain
RESAMPLES = 200
_GRID = 41
_CLOSE = 1e-9  # of a logarithm: where the search ends

Basis = Callable[[Real, float], Real]  # columns at some wear, given the law's one non-linear parameter


@dataclass(frozen=True)
class Shape:
    """A law without its numbers."""

    name: str
    formula: str
    basis: Basis
    bend: tuple[float, float] | None = (
        None  # where the non-linear parameter is looked for; None: there is none
    )
    of_linear: tuple[str, ...] = ()
    of_bend: str = ""

    @property
    def parameters(self) -> int:
        """How many numbers it has."""
        return len(self.of_linear) + (self.bend is not None)


SHAPES = (
    Shape("constant", "a", lambda w, _: np.stack([np.ones_like(w)], axis=1), None, ("a",)),
    Shape("linear", "a + b w", lambda w, _: np.stack([np.ones_like(w), w], axis=1), None, ("a", "b")),
    Shape(
        "power",
        "a + b w^p",
        lambda w, p: np.stack([np.ones_like(w), w**p], axis=1),
        (0.05, 3.0),
        ("a", "b"),
        "p",
    ),
    Shape(
        "logarithm",
        "a + b ln(1 + w/c)",
        lambda w, c: np.stack([np.ones_like(w), np.log1p(w / c)], axis=1),
        (1.0, 1e7),
        ("a", "b"),
        "c",
    ),
    Shape(
        "trapping",
        "a + b w^0.62 + c w^0.30",
        lambda w, _: np.stack([np.ones_like(w), w**INTERFACE, w**OXIDE], axis=1),
        None,
        ("a", "b", "c"),
    ),
)


@dataclass(frozen=True)
class Law:
    """A law with its numbers."""

    shape: Shape
    linear: tuple[float, ...]
    bend: float = 0.0

    def at(self, wear: Any) -> Real:
        """Return its value at some wear."""
        values: Real = self.shape.basis(np.asarray(wear, dtype=np.float64), self.bend) @ np.array(self.linear)
        return values

    @property
    def parameters(self) -> dict[str, float]:
        """Its numbers by name."""
        named = dict(zip(self.shape.of_linear, self.linear, strict=True))
        return named | ({self.shape.of_bend: self.bend} if self.shape.bend else {})


@dataclass(frozen=True)
class Goodness:
    """How well a law follows the points."""

    points: int
    r2: float | None  # share of the points' variance explained; None where they do not vary
    rms: float  # residual, in the value's unit
    worst: float  # largest residual, the same
    aicc: float

    def good(self, mean: float, tolerance: float = 0.0) -> bool:
        """Whether most of the variation is explained, or what is left lies within `tolerance` or 1 %."""
        return (self.r2 or 0.0) >= GOOD_R2 or self.rms <= max(tolerance, GOOD_SHARE * abs(mean))


@dataclass(frozen=True)
class Fitted:
    """The law that was chosen, and the laws that were not."""

    law: Law
    goodness: Goodness
    candidates: Mapping[str, Goodness]
    intervals: Mapping[str, tuple[float, float]]  # 95 % of each parameter; empty where blocks are too few


def choose(wear: Real, value: Real, weight: Real, shapes: Sequence[Shape] = SHAPES) -> Fitted:
    """Fit every law; return the one of the least criterion, the simplest of equals."""
    tried = [
        (law, goodness(law, wear, value, weight)) for law in (fit(s, wear, value, weight) for s in shapes)
    ]
    law, best = min(tried, key=lambda pair: (pair[1].aicc, pair[0].shape.parameters))
    return Fitted(law, best, {law.shape.name: found for law, found in tried}, {})


def fit(shape: Shape, wear: Real, value: Real, weight: Real) -> Law:
    """Fit one law by weighted least squares: linear numbers exactly, the other one by search."""
    if shape.bend is None:
        return Law(shape, _linear(shape, 0.0, wear, value, weight)[0])
    bend = _least(shape.bend, lambda at: _linear(shape, float(np.exp(at)), wear, value, weight)[1])
    found = float(np.exp(bend))
    return Law(shape, _linear(shape, found, wear, value, weight)[0], found)


def fit_all(shape: Shape, wear: Real, values: Real) -> tuple[float, tuple[tuple[float, ...], ...]]:
    """Fit one law to series (rows) that share the non-linear number; return it, and the others of each."""
    weight = np.ones_like(wear)

    def cost(place: float) -> float:
        return sum(_linear(shape, float(np.exp(place)), wear, value, weight)[1] for value in values)

    bend = float(np.exp(_least(shape.bend, cost))) if shape.bend else 0.0
    return bend, tuple(_linear(shape, bend, wear, value, weight)[0] for value in values)


def _least(ends: tuple[float, float], cost: Callable[[float], float]) -> float:
    """Return the logarithm between two ends at which a cost is least: a grid, then its best valley."""
    places = np.linspace(log(ends[0]), log(ends[1]), _GRID).tolist()
    costs = [cost(place) for place in places]
    best = costs.index(min(costs))
    valley = places[max(best - 1, 0)], places[min(best + 1, _GRID - 1)]
    return float(minimize_scalar(cost, bounds=valley, method="bounded", options={"xatol": _CLOSE}).x)


def _linear(
    shape: Shape, bend: float, wear: Real, value: Real, weight: Real
) -> tuple[tuple[float, ...], float]:
    """Return the linear numbers for a bend, and the weighted squares that are left."""
    basis = shape.basis(wear, bend)
    scale = np.maximum(np.abs(basis).max(axis=0), 1e-300)  # columns of unlike size would lose digits
    root = np.sqrt(weight)
    found = np.linalg.lstsq(basis / scale * root[:, None], value * root, rcond=None)[0]
    left = basis / scale @ found - value
    return tuple((found / scale).tolist()), float(weight @ (left * left))


def goodness(law: Law, wear: Real, value: Real, weight: Real) -> Goodness:
    """Return how well a law follows the points; weights are relative."""
    share = weight / weight.sum()
    left = value - law.at(wear)
    squares = float(share @ (left * left))
    about = float(share @ (value - share @ value) ** 2)
    flat = about <= (1e-9 * float(share @ np.abs(value))) ** 2
    many = len(value)
    # Squares below rounding are all alike: no law may win by its last digits.
    noise = max(squares, (1e-9 * float(share @ np.abs(value))) ** 2, 1e-300)
    return Goodness(
        many,
        None if flat else 1 - squares / about,
        0.0 if flat else sqrt(squares),
        0.0 if flat else float(np.abs(left).max()),
        many * log(noise) + penalty(law.shape.parameters + 1, many),
    )


def penalty(parameters: int, points: int) -> float:
    """Return what a law pays for its parameters; infinite where the points do not bear them."""
    if points - parameters - 1 <= 0:
        return inf if parameters > 2 else 2.0 * parameters  # a constant is always borne
    return 2.0 * parameters + 2.0 * parameters * (parameters + 1) / (points - parameters - 1)


def intervals(
    shape: Shape, wear: Real, by_block: Real, weight: Real, seed: int = 1
) -> dict[str, tuple[float, float]]:
    """Return 95 % intervals of a law's parameters, by drawing blocks with replacement.

    `by_block` holds the value of each block (rows) at each wear, NaN where it has none. The points of a block
    are not independent, so blocks are drawn, not points. Empty for fewer than five blocks.
    """
    blocks = len(by_block)
    if blocks < 5:
        return {}
    draws = np.random.Generator(np.random.PCG64(seed))
    known = ~np.isnan(by_block)
    filled = np.where(known, by_block, 0.0)
    found = []
    for _ in range(RESAMPLES):
        times = np.bincount(draws.integers(0, blocks, blocks), minlength=blocks).astype(np.float64)
        count = times @ known
        seen = count > 0
        mean = (times @ filled)[seen] / count[seen]
        found.append(fit(shape, wear[seen], mean, np.minimum(count, weight)[seen]).parameters)
    return {
        name: tuple(np.percentile([one[name] for one in found], (2.5, 97.5)).tolist()) for name in found[0]
    }
