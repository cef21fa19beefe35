"""Confidence intervals over seeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from floatgate import _core


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
    quantile = _core.student_t((1 + level) / 2, samples - 1)
    return Interval(fmean(values), quantile * stdev(values) / sqrt(samples), samples)


__all__ = ["Interval", "confidence_interval"]
