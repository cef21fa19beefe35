"""When is a rate steady? Two rules: batch means, and the one of SNIA's performance test specification."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from statistics import fmean, linear_regression

from floatgate.results.confidence import Interval, confidence_interval

BATCHES = 20
PRECISION = 0.02  # half width of the 95 % interval, relative to the mean
DRIFT = 0.05  # change along a line through the batches, relative to their mean
# A first autocorrelation beyond this has a chance of 1 in 40 in a series of independent batches.
CORRELATION = 1.96 / sqrt(BATCHES)
CONSTANT = 1e-3  # batches that differ by less, relatively, are one value: their order says nothing

# SNIA Solid State Storage Performance Test Specification, enterprise and client: five rounds in which the
# tracked value stays within 20 % of its average, and a line through it changes by at most 10 %.
SNIA_ROUNDS = 5
SNIA_RANGE = 0.20
SNIA_SLOPE = 0.10
SNIA_MOST_ROUNDS = 25


@dataclass(frozen=True)
class Verdict:
    """Whether a series is steady, and where from."""

    steady: bool
    interval: Interval | None = None
    first: int = 0  # of the windows behind the interval


def batch_means(rates: Sequence[float], precision: float = PRECISION) -> Verdict:
    """Judge the rates of `BATCHES` equal batches: precise enough, no drift, nearly independent."""
    mean = fmean(rates)
    interval = confidence_interval(rates)
    spread = (max(rates) - min(rates)) / mean
    if interval.half_width is None or interval.half_width > precision * mean:
        return Verdict(False, interval)
    drifts = abs(excursion(rates)) > DRIFT * mean
    related = spread > CONSTANT and correlation(rates) > CORRELATION
    return Verdict(not drifts and not related, interval)


def snia(rounds: Sequence[float]) -> Verdict:
    """Judge the last five rounds; not steady while there are fewer."""
    if len(rounds) < SNIA_ROUNDS:
        return Verdict(False)
    window = rounds[-SNIA_ROUNDS:]
    mean = fmean(window)
    within = max(window) - min(window) <= SNIA_RANGE * mean
    level = abs(excursion(window)) <= SNIA_SLOPE * mean
    return Verdict(within and level and mean > 0, confidence_interval(window), len(rounds) - SNIA_ROUNDS)


def excursion(values: Sequence[float]) -> float:
    """Return the change of the least-squares line from the first to the last value."""
    return linear_regression(range(len(values)), values).slope * (len(values) - 1)


def correlation(values: Sequence[float]) -> float:
    """Return the first autocorrelation; 0 for a constant."""
    mean = fmean(values)
    square = sum((value - mean) ** 2 for value in values)
    if not square:
        return 0.0
    return sum((a - mean) * (b - mean) for a, b in pairwise(values)) / square
