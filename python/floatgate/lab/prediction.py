"""How much longer will a block live? Estimated from the program and erase times it has shown so far.

Rule: a block's times change in whole pulses as its wear passes certain levels, and its life ends where the
pulses run out, which is one such level more. What is alike in all blocks of a part is therefore how the
cycle of a step and the cycle of the end hang together: nearly a straight line between their logarithms.
From the blocks that it is trained on, the estimator learns this line and the spread about it for each step,
and what a life is before anything is known; for a block under test it weighs the last step of each kind
with that, by inverse variance, and leaves out what the block has survived already. Nothing but the log that
exists anyway is used: no block is written for it.

Not modelled: that steps of one block deviate together; a chip whose temperature changes on the way.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import fmean, linear_regression, median, variance
from typing import Protocol

from scipy.special import log_ndtr

from floatgate.lab.chip import Operation
from floatgate.lab.lives import Life

FEWEST = 4  # blocks that must have taken a step before it says anything
LEAST_VARIANCE = 1e-6  # of a logarithm: what whole cycles can resolve
Step = tuple[Operation, int]  # an operation, and the busy time from which on its step counts, in ns


class Predictor(Protocol):
    """A rule that says how long a block will live."""

    def remaining(self, life: Life, cycle: int) -> float:
        """Return the cycles that `life` has left after `cycle`, knowing its log up to there."""
        ...


@dataclass(frozen=True)
class EraseCounter:
    """The plain counter: every block lives as long as the mean of those it was trained on."""

    mean_cycles: float

    @classmethod
    def train(cls, lives: Sequence[Life]) -> "EraseCounter":
        """Learn the mean endurance."""
        return cls(fmean(life.cycles for life in lives))

    def remaining(self, life: Life, cycle: int) -> float:  # noqa: ARG002 - it looks at no log
        """Return what is left of the mean."""
        return max(self.mean_cycles - cycle, 0.0)


@dataclass(frozen=True)
class Belief:
    """A normal distribution of the logarithm of a life."""

    mean: float
    variance: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Belief":
        """Return mean and variance of a few values."""
        return cls(fmean(values), max(variance(values), LEAST_VARIANCE))


@dataclass(frozen=True)
class Law:
    """A straight line from the logarithm of a step's cycle to that of the life, with how sure it is."""

    blocks: int
    mean_x: float
    mean_y: float
    slope: float
    spread_x: float  # sum of squares about the mean
    variance: float  # of a life about the line

    @classmethod
    def of(cls, pairs: Sequence[tuple[float, float]]) -> "Law":
        """Fit the line by least squares.

        Trapping grows with a lower power of cycles at first than later, so the slope is not one.
        """
        mean_x, mean_y = fmean(x for x, _ in pairs), fmean(y for _, y in pairs)
        spread_x = sum((x - mean_x) ** 2 for x, _ in pairs)
        slope = linear_regression(*zip(*pairs, strict=True)).slope if spread_x > 0 else 0.0
        left = sum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in pairs)
        return cls(len(pairs), mean_x, mean_y, slope, spread_x, max(left / (len(pairs) - 2), LEAST_VARIANCE))

    def at(self, x: float) -> Belief:
        """Return what the line says of a life whose step came at `x`; less sure the farther from the rest."""
        off = (x - self.mean_x) ** 2 / self.spread_x if self.spread_x > 0 else 0.0
        return Belief(
            self.mean_y + self.slope * (x - self.mean_x), self.variance * (1 + 1 / self.blocks + off)
        )


@dataclass(frozen=True)
class LatencyEstimator:
    """Estimates the end of a life from the steps of its program and erase times."""

    life: Belief  # of a block of which nothing is known
    laws: Mapping[Step, Law]

    @classmethod
    def train(cls, lives: Sequence[Life]) -> "LatencyEstimator":
        """Learn from whole lives. Raises ValueError for fewer than two."""
        if len(lives) < 2:
            raise ValueError(f"{len(lives)} lives: expected two or more to learn from")
        pairs: dict[Step, list[tuple[float, float]]] = {}
        for life in lives:
            for step, cycle in steps_of(life, life.cycles).items():
                pairs.setdefault(step, []).append((log(cycle), log(max(life.cycles, 1))))
        laws = {step: Law.of(found) for step, found in pairs.items() if len(found) >= FEWEST}
        return cls(Belief.of([log(max(life.cycles, 1)) for life in lives]), laws)

    def without_times(self) -> "LatencyEstimator":
        """Return what is known of lives and of having survived, without a look at times."""
        return LatencyEstimator(self.life, {})

    def remaining(self, life: Life, cycle: int) -> float:
        """Return the cycles left: the mean of what is believed, given that the block has lived so far."""
        weight, weighted = 1 / self.life.variance, self.life.mean / self.life.variance
        seen = steps_of(life, cycle)
        for operation in ("program", "erase"):
            known = [(at, step) for step, at in seen.items() if step[0] == operation and step in self.laws]
            if known:
                at, step = max(known, key=lambda pair: (pair[0], _extreme(pair[1])))
                said = self.laws[step].at(log(at))
                weight += 1 / said.variance
                weighted += said.mean / said.variance
        believed = Belief(weighted / weight, 1 / weight)
        survived = max((log(cycle), *self._not_yet(life, cycle)))
        return max(_mean_above(believed, survived) - cycle, 0.0)

    def _not_yet(self, life: Life, cycle: int) -> Iterable[float]:
        """What steps that have not come yet say about the least life, in logarithms."""
        for (operation, busy), law in self.laws.items():
            now = life.busy_ns(operation, cycle)
            if busy < now if operation == "program" else busy > now:
                said = law.at(log(cycle))
                yield said.mean - 2 * sqrt(said.variance)


def steps_of(life: Life, until: int) -> dict[Step, int]:
    """Return the cycle of each step up to `until`; times with which the life began are no steps."""
    found: dict[Step, int] = {}
    operations: tuple[Operation, ...] = ("program", "erase")
    for operation in operations:
        for cycle, busy in life.steps(operation):
            if 1 < cycle <= until:
                found.setdefault((operation, busy), cycle)
    return found


def _extreme(step: Step) -> int:
    """Of two steps in one cycle the later one: programs get shorter, erases longer."""
    return -step[1] if step[0] == "program" else step[1]


def _mean_above(belief: Belief, log_least: float) -> float:
    """The mean of a lognormal life, given that it is longer than `exp(log_least)`."""
    sigma = sqrt(belief.variance)
    z = (log_least - belief.mean) / sigma
    return exp(belief.mean + belief.variance / 2 + float(log_ndtr(sigma - z) - log_ndtr(-z)))


@dataclass(frozen=True)
class ErrorAt:
    """How far a prediction was off at one share of the lives, in shares of the life."""

    share: float
    median: float
    mean: float
    worst: float


def misses(predictor: Predictor, lives: Sequence[Life], shares: Sequence[float]) -> list[list[float]]:
    """Ask for the remaining life of each block at some shares of its life, and compare with the truth.

    Returns, for each share, by how many lives the answer for each block was off.
    """
    found = []
    for share in shares:
        asked = [(life, max(1, round(share * life.cycles))) for life in lives]
        found.append(
            [
                abs(predictor.remaining(life, cycle) - (life.cycles - cycle)) / life.cycles
                for life, cycle in asked
            ]
        )
    return found


def errors(predictor: Predictor, lives: Sequence[Life], shares: Sequence[float]) -> list[ErrorAt]:
    """Return how far predictions of remaining life were off, for each share of the blocks' lives."""
    found = misses(predictor, lives, shares)
    return [
        ErrorAt(share, median(off), fmean(off), max(off)) for share, off in zip(shares, found, strict=True)
    ]
