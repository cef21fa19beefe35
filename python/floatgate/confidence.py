"""Confidence intervals over seeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin, sqrt, tan
from statistics import fmean, stdev


@dataclass(frozen=True)
class Interval:
    """A mean with the half width of its confidence interval; None where one sample gives no interval."""

    mean: float
    half_width: float | None
    samples: int


def confidence_interval(values: Sequence[float], level: float = 0.95) -> Interval:
    """Return the mean of `values` and its Student t interval at `level`."""
    samples = len(values)
    if samples < 2:
        return Interval(fmean(values), None, samples)
    quantile = student_t_quantile((1 + level) / 2, samples - 1)
    return Interval(fmean(values), quantile * stdev(values) / sqrt(samples), samples)


def student_t_quantile(probability: float, freedom: int) -> float:
    """Return the t that a Student variable of `freedom` degrees stays below with `probability` (0.5 to 1).

    The distribution function is a finite sum when the degrees are whole, so bisection on the angle
    atan(t / sqrt(freedom)) finds t to machine precision; one quantile is not worth a statistics package.
    """
    low, high = 0.0, pi / 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _below(middle, freedom) < probability else (low, middle)
    return sqrt(freedom) * tan((low + high) / 2)


def _below(angle: float, freedom: int) -> float:
    """P(T <= sqrt(freedom) tan(angle)), for angle >= 0 (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    square = cos(angle) ** 2
    term, total = (cos(angle), 0.0) if freedom % 2 else (1.0, 0.0)
    for k in range(1 if freedom % 2 else 0, freedom - 1, 2):
        total += term
        term *= square * (k + 1) / (k + 2)
    inside = 2 / pi * (angle + sin(angle) * total) if freedom % 2 else sin(angle) * total
    return 0.5 + inside / 2


__all__ = ["Interval", "confidence_interval", "student_t_quantile"]
