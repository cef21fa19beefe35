"""How much longer will a block live? Estimated from the program and erase times it has shown so far.

Rule: a block's times change in whole pulses as its wear passes certain levels, and its life ends where the
pulses run out, which is one such level more. What is alike in all blocks of a part is therefore the ratio
between the cycle of a step and the cycle of the end, on a logarithmic scale. From the blocks that it is
trained on, the estimator learns this ratio and its spread for each step, and what a life is before anything
is known; for a block under test it weighs the last step of each kind with that, by inverse variance, and
leaves out what the block has survived already. Nothing but the log that exists anyway is used: no block is
written for it.

Not modelled: that steps of one block deviate together; a chip whose temperature changes on the way.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import erfc, exp, log, sqrt
from statistics import fmean, median, variance
from typing import Protocol

from floatgate.lab.chip import Operation
from floatgate.lab.lives import Life

FEWEST = 3  # blocks that must have taken a step before it says anything
LEAST_VARIANCE = 1e-6  # of a logarithm: what whole cycles can resolve
Step = tuple[Operation, int]  # an operation, and the busy time from which on its step counts, in ns


class Predictor(Protocol):
    """Whatever says how long a block will live."""

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
    """A normal distribution of the logarithm of a life, or of its ratio to the cycle of a step."""

    mean: float
    variance: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Belief":
        """Return mean and variance of a few values."""
        return cls(fmean(values), max(variance(values), LEAST_VARIANCE))


@dataclass(frozen=True)
class LatencyEstimator:
    """Estimates the end of a life from the steps of its program and erase times."""

    life: Belief  # of a block of which nothing is known
    ratio: Mapping[Step, Belief]  # of the life to the cycle of a step

    @classmethod
    def train(cls, lives: Sequence[Life]) -> "LatencyEstimator":
        """Learn from whole lives. Raises ValueError for fewer than two."""
        if len(lives) < 2:
            raise ValueError(f"{len(lives)} lives: expected two or more to learn from")
        ratios: dict[Step, list[float]] = {}
        for life in lives:
            for step, cycle in steps_of(life, life.cycles).items():
                ratios.setdefault(step, []).append(log(max(life.cycles, 1) / cycle))
        known = {step: Belief.of(found) for step, found in ratios.items() if len(found) >= FEWEST}
        return cls(Belief.of([log(max(life.cycles, 1)) for life in lives]), known)

    def remaining(self, life: Life, cycle: int) -> float:
        """Return the cycles left: the mean of what is believed, given that the block has lived so far."""
        weight, weighted = 1 / self.life.variance, self.life.mean / self.life.variance
        seen = steps_of(life, cycle)
        for operation in ("program", "erase"):
            known = [(at, step) for step, at in seen.items() if step[0] == operation and step in self.ratio]
            if known:
                at, step = max(known, key=lambda pair: (pair[0], _extreme(pair[1])))
                ratio = self.ratio[step]
                weight += 1 / ratio.variance
                weighted += (log(at) + ratio.mean) / ratio.variance
        believed = Belief(weighted / weight, 1 / weight)
        survived = max((log(cycle), *self._not_yet(seen, cycle)), default=log(cycle))
        return max(_mean_above(believed, survived) - cycle, 0.0)

    def _not_yet(self, seen: Mapping[Step, int], cycle: int) -> Iterable[float]:
        """What steps that have not come yet say about the least life, in logarithms."""
        for step, ratio in self.ratio.items():
            if step not in seen:
                yield log(cycle) + ratio.mean - 2 * sqrt(ratio.variance)


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
    if z > 6:  # it outlived everything believed: all that is known is that it lives
        return exp(log_least) * (1 + sigma / z)
    above = erfc(z / sqrt(2)) / 2
    return exp(belief.mean + belief.variance / 2) * (erfc((z - sigma) / sqrt(2)) / 2) / above


@dataclass(frozen=True)
class ErrorAt:
    """How far a prediction was off at one share of the lives, in shares of the life."""

    share: float
    median: float
    mean: float
    worst: float


def errors(predictor: Predictor, lives: Sequence[Life], shares: Sequence[float]) -> list[ErrorAt]:
    """Ask for the remaining life of each block at some shares of its life, and compare with the truth."""
    found = []
    for share in shares:
        off = []
        for life in lives:
            cycle = max(1, round(share * life.cycles))
            off.append(abs(predictor.remaining(life, cycle) - (life.cycles - cycle)) / life.cycles)
        found.append(ErrorAt(share, median(off), fmean(off), max(off)))
    return found
