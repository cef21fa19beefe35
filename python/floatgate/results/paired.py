"""Paired differences: the same seeds with one thing and with another, and which of both is lower."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Literal, get_args

from floatgate import _core

LEVEL = 0.95
LEAST = 5  # pairs

NOTE = 0.0005  # of a ratio: a smaller distance from 1 is not seen in three decimals

Verdict = Literal["A lower", "B lower", "no difference of note", "cannot be told"]
NO_NOTE = "A ratio of 1.000, to three decimals, is no difference of note."
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True)
class Paired:
    """What pairs came to; intervals are Student's t at 95 %."""

    seeds: tuple[int, ...]
    a: tuple[float, ...]  # by seed
    b: tuple[float, ...]
    difference: float  # the mean of B - A
    low: float
    high: float
    ratio: float | None  # of the means, B / A; None where A is not surely another than 0
    ratio_low: float | None
    ratio_high: float | None

    @property
    def mean_a(self) -> float:
        """The mean of A."""
        return fmean(self.a)

    @property
    def mean_b(self) -> float:
        """The mean of B."""
        return fmean(self.b)

    @property
    def half_width(self) -> float:
        """Half the interval of the difference."""
        return (self.high - self.low) / 2

    @property
    def verdict(self) -> Verdict:
        """Which is lower, as far as its interval says, and by more than the digits of a ratio show."""
        ends = [end for end in (self.ratio, self.ratio_low, self.ratio_high) if end is not None]
        is_sure = self.low > 0 or self.high < 0
        small = [abs(end - 1) < NOTE for end in ends]
        if self.low == self.high == 0 or all(small or [False]) or (is_sure and any(small[:1])):
            return "no difference of note"
        if not is_sure:
            return "cannot be told"
        return "A lower" if self.low > 0 else "B lower"


def paired(seeds: Sequence[int], a: Sequence[float], b: Sequence[float]) -> Paired:
    """Return the mean difference and the ratio of pairs, at least two, with their intervals."""
    differences = [after - before for before, after in zip(a, b, strict=True)]
    mean = fmean(differences)
    quantile = _core.student_t((1 + LEVEL) / 2, len(differences) - 1)
    # What rounding leaves of differences that are all the same is no width.
    spread = stdev(differences)
    largest = max(map(abs, (*a, *b)))
    half = 0.0 if spread <= 1e-12 * largest else quantile * spread / sqrt(len(differences))
    ratio = _ratio(a, b, quantile) if half else _exact(a, b, mean)
    return Paired(tuple(seeds), tuple(a), tuple(b), mean, mean - half, mean + half, *ratio)


def by_seed(a: Mapping[int, float | None], b: Mapping[int, float | None]) -> tuple[int, Paired | None]:
    """Return how many seeds have a number on both sides, and their difference where they are enough."""
    pairs = [(seed, a[seed], b[seed]) for seed in sorted(a.keys() & b.keys())]
    known = [(seed, float(x), float(y)) for seed, x, y in pairs if x is not None and y is not None]
    return len(known), paired(*zip(*known, strict=True)) if len(known) >= LEAST else None


_Ratio = tuple[float, float, float] | tuple[None, None, None]


def _exact(a: Sequence[float], b: Sequence[float], difference: float) -> _Ratio:
    """Return the ratio of pairs that all differ by the same: where they do not differ it is surely 1."""
    mean = fmean(a)
    if not mean:
        return None, None, None
    if not difference:
        return 1.0, 1.0, 1.0
    return _ratio(a, b, _core.student_t((1 + LEVEL) / 2, len(a) - 1))


def _ratio(a: Sequence[float], b: Sequence[float], quantile: float) -> _Ratio:
    """Return the ratio of the means with Fieller's interval.

    It holds 1 just where the interval of the difference holds 0: Fieller asks for which ratios r the
    differences B - r A are not surely another than 0.
    """
    mean_a, mean_b = fmean(a), fmean(b)
    scale = quantile**2 / len(a)
    square_a = mean_a**2 - scale * _covariance(a, a)
    if square_a <= 0:
        return None, None, None
    cross = mean_a * mean_b - scale * _covariance(a, b)
    square_b = mean_b**2 - scale * _covariance(b, b)
    root = sqrt(max(cross**2 - square_a * square_b, 0.0))
    return mean_b / mean_a, (cross - root) / square_a, (cross + root) / square_a


def _covariance(a: Sequence[float], b: Sequence[float]) -> float:
    mean_a, mean_b = fmean(a), fmean(b)
    products = ((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True))
    return sum(products) / (len(a) - 1)
