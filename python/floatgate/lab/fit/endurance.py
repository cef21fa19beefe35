"""Endurance per block: which distribution the cycles until failure follow, blocks still alive included.

Fitted by maximum likelihood with right censoring; the distance of Kolmogorov and Smirnov is taken from the
estimate of Kaplan and Meier. Its p-value comes from samples of the fitted distribution that are fitted in
turn (Lilliefors' point: tables for known parameters are too kind to fitted ones).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, log, log1p, pi, sqrt
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr, ndtri

from floatgate.lab.fit.gather import Life
from floatgate.lab.fit.laws import RESAMPLES, penalty
from floatgate.lab.fit.stream import Real, Truth

NAMES = ("weibull", "lognormal")
FAILURES_LEAST = 5
GOOD_P = 0.05
QUANTILES = (0.01, 0.1, 0.5, 0.9)
_SHAPES = (1e-2, 1e3)  # of Weibull distributions: from lives that say nothing to lives that are all alike


@dataclass(frozen=True)
class Distribution:
    """A distribution of cycles until failure."""

    name: str
    numbers: tuple[float, float]  # weibull: scale, shape; lognormal: median, sigma of the logarithm

    @property
    def parameters(self) -> dict[str, float]:
        """Its numbers by name."""
        names = ("scale", "shape") if self.name == "weibull" else ("median", "sigma")
        return dict(zip(names, self.numbers, strict=True))

    def failed(self, cycles: Any) -> Real:
        """Return the share of blocks that fail within some cycles."""
        at = np.maximum(np.asarray(cycles, dtype=np.float64), 1e-9)
        first, second = self.numbers
        share: Real
        if self.name == "weibull":
            share = -np.expm1(-((at / first) ** second))
        else:
            share = ndtr(np.log(at / first) / second)
        return share

    def quantile(self, share: float) -> float:
        """Return the cycles within which this share of blocks fails."""
        first, second = self.numbers
        if self.name == "weibull":
            return float(first * (-log1p(-share)) ** (1 / second))
        return float(first * exp(second * ndtri(share)))

    def draw(self, draws: np.random.Generator, count: int) -> Real:
        """Return lifetimes."""
        first, second = self.numbers
        if self.name == "weibull":
            return first * draws.weibull(second, count)
        return first * np.exp(second * draws.standard_normal(count))


@dataclass(frozen=True)
class EnduranceFit:
    """The distribution of block lives."""

    cycles: Real  # of each block, rising
    failed: Truth  # False: alive when its log ended
    chosen: Distribution
    aicc: Mapping[str, float]  # of each candidate
    distance: float  # Kolmogorov and Smirnov's
    p: float  # how often samples of the distribution itself lie farther from their fit
    intervals: Mapping[str, tuple[float, float]]  # 95 %, of the parameters and of each quantile

    @property
    def good(self) -> bool:
        """Whether the blocks could well be a sample of the distribution."""
        return self.p >= GOOD_P


def fit(lives: Sequence[Life]) -> EnduranceFit | None:
    """Fit the lives of blocks; None for fewer than five failures."""
    ordered = sorted(lives, key=lambda life: (life.cycles, life.failed is None))
    cycles = np.array([max(life.cycles, 1) for life in ordered], dtype=np.float64)
    failed = np.array([life.failed is not None for life in ordered])
    if failed.sum() < FAILURES_LEAST or cycles[failed].min() == cycles[failed].max():
        return None
    tried = {name: fitted(name, cycles, failed) for name in NAMES}
    aicc = {
        name: -2 * _likelihood(one, cycles, failed) + penalty(2, len(cycles)) for name, one in tried.items()
    }
    chosen = tried[min(NAMES, key=lambda name: aicc[name])]
    distance = _distance(chosen, cycles, failed)
    return EnduranceFit(
        cycles,
        failed,
        chosen,
        aicc,
        distance,
        _p(chosen, cycles, failed, distance),
        _intervals(chosen.name, cycles, failed),
    )


def fitted(name: str, cycles: Real, failed: Truth) -> Distribution:
    """Return the distribution of greatest likelihood."""
    return _weibull(cycles, failed) if name == "weibull" else _lognormal(cycles, failed)


def _weibull(cycles: Real, failed: Truth) -> Distribution:
    """Solve for the shape; the scale follows from it."""
    x = cycles / cycles.max()
    logs, mean_log = np.log(x), float(np.log(x[failed]).mean())

    def excess(shape: float) -> float:
        power = x**shape
        return float(power @ logs / power.sum()) - 1 / shape - mean_log

    most = _SHAPES[1]
    shape = most if excess(most) <= 0 else float(brentq(excess, *_SHAPES))
    scale = float((x**shape).sum() / failed.sum()) ** (1 / shape) * float(cycles.max())
    return Distribution("weibull", (scale, shape))


def _lognormal(cycles: Real, failed: Truth) -> Distribution:
    """Expectation and maximisation: blocks alive count as what is expected beyond their cycles."""
    logs = np.log(cycles)
    mean, sigma = float(logs.mean()), max(float(logs.std()), 1e-6)
    for _ in range(500 if not failed.all() else 1):
        first, second = logs.copy(), logs**2
        z = (logs[~failed] - mean) / sigma
        # The mean of the normal tail beyond z, and of its square.
        tail = np.exp(-0.5 * z * z - log_ndtr(-z)) / sqrt(2 * pi)
        first[~failed] = mean + sigma * tail
        second[~failed] = mean**2 + sigma**2 + sigma * (logs[~failed] + mean) * tail
        before = mean
        mean = float(first.mean())
        sigma = sqrt(max(float(second.mean()) - mean**2, 1e-12))
        if abs(mean - before) < 1e-10:
            break
    return Distribution("lognormal", (exp(mean), sigma))


def _likelihood(one: Distribution, cycles: Real, failed: Truth) -> float:
    """Return the logarithm of the likelihood."""
    first, second = one.numbers
    x, later = cycles[failed], cycles[~failed]
    if one.name == "weibull":
        alive = -((later / first) ** second)
        density = log(second / first) + (second - 1) * np.log(x / first) - (x / first) ** second
    else:
        alive = log_ndtr(-np.log(later / first) / second)
        density = -np.log(x * second * sqrt(2 * pi)) - 0.5 * (np.log(x / first) / second) ** 2
    return float(density.sum() + alive.sum())


def _distance(one: Distribution, cycles: Real, failed: Truth) -> float:
    """Return the greatest difference from the estimate of Kaplan and Meier, at failures."""
    at_risk = len(cycles) - np.arange(len(cycles))
    alive = np.cumprod(1 - failed / at_risk)
    before = np.concatenate([[1.0], alive[:-1]])
    share = one.failed(cycles)
    apart = np.maximum(np.abs(share - (1 - alive)), np.abs(share - (1 - before)))
    return float(apart[failed].max())


def _p(one: Distribution, cycles: Real, failed: Truth, distance: float) -> float:
    """Return how often samples of the distribution itself lie as far from their own fit.

    Blocks that were alive when their log ended are watched as long in the samples.
    """
    draws = np.random.Generator(np.random.PCG64(1))
    watched = np.where(failed, inf, cycles)
    farther = tried = 0
    while tried < 2 * RESAMPLES:
        lives = one.draw(draws, len(cycles))
        seen, ended = np.minimum(lives, watched), lives <= watched
        tried += 1
        if ended.sum() < 2:
            continue
        order = np.lexsort((~ended, seen))
        seen, ended = seen[order], ended[order]
        farther += _distance(fitted(one.name, seen, ended), seen, ended) >= distance
    return (farther + 1) / (tried + 1)


def _intervals(name: str, cycles: Real, failed: Truth) -> dict[str, tuple[float, float]]:
    draws = np.random.Generator(np.random.PCG64(2))
    found: list[dict[str, float]] = []
    for _ in range(RESAMPLES):
        some = np.sort(draws.integers(0, len(cycles), len(cycles)))
        if failed[some].sum() < 2 or cycles[some][failed[some]].min() == cycles[some][failed[some]].max():
            continue
        one = fitted(name, cycles[some], failed[some])
        found.append(one.parameters | {f"{share:g}": one.quantile(share) for share in QUANTILES})
    return {
        key: tuple(np.percentile([each[key] for each in found], (2.5, 97.5)).tolist()) for key in found[0]
    }
