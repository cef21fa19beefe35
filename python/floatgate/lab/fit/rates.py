"""Error rate by wear: wrong bits are counts, so laws are fitted by Poisson's likelihood.

Blocks differ, so counts scatter more than Poisson allows; the criterion is corrected for that (QAICc,
Burnham and Anderson 2002). The power law with a floor is the shape of Kim, Choi and Min (FAST 2019).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np

from floatgate.lab.fit.gather import ByWear
from floatgate.lab.fit.laws import RESAMPLES, penalty
from floatgate.lab.fit.stream import Real

LAWS = {
    "constant": ("a", ("a",)),
    "exponential": ("a exp(b w)", ("a", "b")),
    "power": ("a w^k", ("a", "k")),
    "floor and power": ("e + a w^k", ("e", "a", "k")),
}
GOOD_EXPLAINED = 0.9
GOOD_DECADES = 0.2  # a factor of 1.6
_LEAST = 1e-12  # a rate below any that can be measured; no law may claim that errors are impossible
_ROUNDS = 60


@dataclass(frozen=True)
class RateLaw:
    """A law with its numbers; rates are wrong bits over bits read."""

    name: str
    numbers: tuple[float, ...]

    @property
    def formula(self) -> str:
        """How it is written, over the wear w in cycles."""
        return LAWS[self.name][0]

    @property
    def parameters(self) -> dict[str, float]:
        """Its numbers by name."""
        return dict(zip(LAWS[self.name][1], self.numbers, strict=True))

    def at(self, wear: Any) -> Real:
        """Return the rate at some wear."""
        w = np.asarray(wear, dtype=np.float64)
        if self.name == "exponential":
            rate = self.numbers[0] * np.exp(np.minimum(self.numbers[1] * w, 700.0))
        elif self.name == "power":
            rate = self.numbers[0] * np.power(w, self.numbers[1])
        elif self.name == "floor and power":
            rate = self.numbers[0] + self.numbers[1] * np.power(w, self.numbers[2])
        else:
            rate = np.full_like(w, self.numbers[0])
        return np.maximum(rate, _LEAST)


@dataclass(frozen=True)
class RateGoodness:
    """How well a law follows the counts."""

    points: int
    explained: (
        float | None
    )  # share of the deviance of a constant rate that it explains; None: none to explain
    rms_decades: float | None  # of log10 of rates that are not 0; None: there is none
    scatter: float  # Pearson's chi squared for each degree of freedom: 1 where only chance is left
    qaicc: float

    @property
    def good(self) -> bool:
        """Whether most of the change is explained and rates are met within a factor of 1.6."""
        met = self.rms_decades is None or self.rms_decades <= GOOD_DECADES
        return (self.explained is None or self.explained >= GOOD_EXPLAINED or self.scatter <= 2.0) and met


@dataclass(frozen=True)
class RateFit:
    """Error rate of a page type, by wear."""

    page_type: int
    blocks: int
    wear: Real
    errors: Real
    bits: Real
    law: RateLaw
    goodness: RateGoodness
    candidates: Mapping[str, RateGoodness]
    intervals: Mapping[str, tuple[float, float]]  # 95 % of each parameter; empty where blocks are too few

    @property
    def rate(self) -> Real:
        """Measured at each point."""
        measured: Real = self.errors / self.bits
        return measured

    @property
    def below(self) -> float | None:
        """The rate that 95 of 100 such parts stay below where no error was seen; None where some were."""
        return None if self.errors.any() else 3.0 / float(self.bits.sum())

    @property
    def residual_decades(self) -> Real:
        """Of log10, measured over fitted; NaN where no error was seen."""
        with np.errstate(divide="ignore", invalid="ignore"):
            left: Real = np.where(self.errors > 0, np.log10(self.rate / self.law.at(self.wear)), np.nan)
        return left


def fit(page_type: int, seen: ByWear) -> RateFit:
    """Fit the error rate of a page type: every law that the points bear, the best by the criterion."""
    used = seen.weight.sum(axis=0) > 0
    rows = (seen.weight > 0).any(axis=1)
    errors, bits = seen.total[rows][:, used], seen.weight[rows][:, used]
    wear = seen.wear[used] / bits.sum(axis=0)
    all_errors, all_bits = errors.sum(axis=0), bits.sum(axis=0)
    laws = [
        fitted(name, wear, all_errors, all_bits)
        for name in LAWS
        if name == "constant" or (len(wear) > len(LAWS[name][1]) and all_errors.any())
    ]
    scatter = max(1.0, min(_scatter(law, wear, all_errors, all_bits) for law in laws))
    tried = [(law, goodness(law, wear, all_errors, all_bits, scatter)) for law in laws]
    law, best = min(tried, key=lambda pair: (pair[1].qaicc, len(pair[0].numbers)))
    return RateFit(
        page_type,
        int(rows.sum()),
        wear,
        all_errors,
        all_bits,
        law,
        best,
        {one.name: found for one, found in tried},
        _intervals(law.name, wear, errors, bits),
    )


def fitted(name: str, wear: Real, errors: Real, bits: Real) -> RateLaw:
    """Return the law of greatest likelihood."""
    mean = max(float(errors.sum() / bits.sum()), _LEAST)
    if name == "constant":
        return RateLaw(name, (mean,))
    if name == "exponential":
        a, b = _loglinear(wear / wear.max(), errors, bits)
        return RateLaw(name, (a, b / float(wear.max())))
    if name == "power":
        at = np.maximum(wear, 0.5)  # a power law has no fresh block: half a cycle stands for none
        a, k = _loglinear(np.log(at / at.max()), errors, bits)
        return RateLaw(name, (a / float(at.max()) ** k, k))
    ks = np.geomspace(0.1, 8.0, 60)
    for _ in range(4):
        deviance, floor, factor = _floored(ks, wear, errors, bits)
        best = int(np.argmin(deviance))
        numbers = float(floor[best]), float(factor[best]), float(ks[best])
        ks = np.linspace(ks[max(best - 1, 0)], ks[min(best + 1, len(ks) - 1)], 15)
    return RateLaw(name, numbers)


def _loglinear(x: Real, errors: Real, bits: Real) -> tuple[float, float]:
    """Return a and b of a rate a exp(b x), by Fisher's scoring."""
    a, b = log(max(float(errors.sum() / bits.sum()), _LEAST)), 0.0
    basis = np.stack([np.ones_like(x), x], axis=1)
    for _ in range(_ROUNDS):
        expected = bits * np.exp(np.clip(a + b * x, log(_LEAST), 0.0))
        information = basis.T @ (basis * expected[:, None]) + 1e-9 * np.eye(2)
        step = np.linalg.solve(information, basis.T @ (errors - expected))
        step *= min(1.0, 3.0 / max(float(np.abs(step).max()), 1e-300))
        a, b = a + float(step[0]), b + float(step[1])
        if float(np.abs(step).max()) < 1e-10:
            break
    return float(np.exp(a)), b


def _floored(k: Real, wear: Real, errors: Real, bits: Real) -> tuple[Real, Real, Real]:
    """Return for each k the deviance, floor and factor of the best floor + factor w^k, neither below zero."""
    top = float(wear.max())
    x = np.power(wear / top, k[:, None])  # a row for each k
    mean = max(float(errors.sum() / bits.sum()), _LEAST)
    floor = np.full(len(k), 0.5 * mean)
    factor = floor.copy()
    for _ in range(_ROUNDS):
        # Scoring steps, cut where a number would fall below zero: it may come near.
        expected = np.maximum(bits * (floor[:, None] + factor[:, None] * x), 1e-9)
        weight, left = bits * bits / expected, bits * (errors / expected - 1)
        one, mixed, both = weight.sum(axis=1), (weight * x).sum(axis=1), (weight * x * x).sum(axis=1)
        up, along = left.sum(axis=1), (left * x).sum(axis=1)
        determinant = np.maximum(one * both - mixed * mixed, 1e-12 * one * both)
        moved = (
            np.maximum(floor + (both * up - mixed * along) / determinant, 0.1 * floor),
            np.maximum(factor + (one * along - mixed * up) / determinant, 0.1 * factor),
        )
        near = np.abs(moved[0] - floor) + np.abs(moved[1] - factor) < 1e-10 * mean
        floor, factor = moved
        if near.all():
            break
    expected = bits * (floor[:, None] + factor[:, None] * x)
    deviance = np.array([_deviance(errors, row) for row in expected])
    return deviance, floor, factor / top**k


def _deviance(errors: Real, expected: Real) -> float:
    expected = np.maximum(expected, 1e-300)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(errors > 0, errors * np.log(errors / expected), 0.0) - (errors - expected)
    return 2.0 * float(each.sum())


def _scatter(law: RateLaw, wear: Real, errors: Real, bits: Real) -> float:
    """Return Pearson's chi squared for each degree of freedom; infinite where there is none."""
    free = len(wear) - len(law.numbers)
    expected = law.at(wear) * bits
    # Where less than one error is expected the statistic is no chi squared: one is.
    return (
        float(((errors - expected) ** 2 / np.maximum(expected, 1.0)).sum()) / free if free else float("inf")
    )


def goodness(law: RateLaw, wear: Real, errors: Real, bits: Real, scatter: float) -> RateGoodness:
    """Return how well a law follows counts that scatter `scatter` times as much as Poisson's."""
    expected = law.at(wear) * bits
    deviance = _deviance(errors, expected)
    about = _deviance(errors, bits * errors.sum() / bits.sum())
    seen = errors > 0
    left = np.log10(errors[seen] / expected[seen])
    # Rates from few errors are uncertain by themselves: each counts as its errors, up to a hundred.
    weight = np.minimum(errors[seen], 100.0)
    return RateGoodness(
        len(wear),
        None if about <= 1e-9 else 1 - deviance / about,
        sqrt(float(weight @ (left * left) / weight.sum())) if seen.any() else None,
        _scatter(law, wear, errors, bits) if len(wear) > len(law.numbers) else 1.0,
        deviance / scatter + penalty(len(law.numbers) + 1, len(wear)),
    )


def _intervals(name: str, wear: Real, errors: Real, bits: Real) -> dict[str, tuple[float, float]]:
    """Return 95 % intervals of the parameters, by drawing blocks with replacement; none below five."""
    blocks = len(errors)
    if blocks < 5:
        return {}
    draws = np.random.Generator(np.random.PCG64(1))
    found = []
    for _ in range(RESAMPLES):
        times = np.bincount(draws.integers(0, blocks, blocks), minlength=blocks).astype(np.float64)
        some = times @ bits > 0
        if not (times @ errors).any():
            continue
        found.append(fitted(name, wear[some], (times @ errors)[some], (times @ bits)[some]).parameters)
    return {
        key: tuple(np.percentile([one[key] for one in found], (2.5, 97.5)).tolist())
        for key in (found[0] if found else ())
    }
