"""Which of two predictors is nearer to the truth on blocks that neither has seen, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.stats import bootstrap

from floatgate.lab.lives import Life
from floatgate.lab.prediction import Predictor, misses

RESAMPLES = 999
SURE = 0.95

Interval = tuple[float, float]
Nearer = Literal["latency", "cycles", "neither"]


@dataclass(frozen=True)
class Score:
    """Typical errors of predictors, in lives of a block: the mean over the shares of the median block's.

    Two know cycles alone: the counter, and survival, which knows how lives are distributed, too.
    The intervals are those in which 95 % of as many blocks, drawn again from these with replacement, lie
    (percentile bootstrap; Efron 1979). What was learned is the same in all of them.
    """

    blocks: int
    latency: float
    counter: float
    survival: float
    latency_ci95: Interval
    counter_ci95: Interval
    survival_ci95: Interval
    over_counter_ci95: Interval  # of the latency's error over the counter's, block by block
    over_survival_ci95: Interval

    @property
    def nearer(self) -> Nearer:
        """What is off by less, latency or one that knows cycles alone; neither, where chance could be it."""
        over = (self.over_counter_ci95, self.over_survival_ci95)
        if all(high < 0 for _, high in over):
            return "latency"
        return "cycles" if any(low > 0 for low, _ in over) else "neither"


def score(
    latency: Predictor,
    counter: Predictor,
    survival: Predictor,
    lives: Sequence[Life],
    shares: Sequence[float],
    seed: int = 0,
) -> Score:
    """Ask all about the same blocks. Raises ValueError for fewer than two."""
    if len(lives) < 2:
        raise ValueError(f"{len(lives)} lives: expected two or more to tell chance from skill")
    off = np.array([misses(one, lives, shares) for one in (latency, counter, survival)])

    def typical(blocks: Any, axis: int = -1) -> Any:
        """Errors of each, and latency's over the others'; `blocks` are places, along the last axis."""
        assert axis == -1
        ours, counted, survived = np.median(off[:, :, blocks], axis=-1).mean(axis=1)
        return np.stack([ours, counted, survived, ours - counted, ours - survived])

    places = np.arange(len(lives))
    found = [float(one) for one in typical(places)]
    drawn = bootstrap(
        (places,),
        typical,
        n_resamples=RESAMPLES,
        confidence_level=SURE,
        method="percentile",
        vectorized=True,
        random_state=np.random.Generator(np.random.PCG64(seed)),
    ).confidence_interval
    ends = [(float(low), float(high)) for low, high in zip(drawn.low, drawn.high, strict=True)]
    return Score(len(lives), found[0], found[1], found[2], ends[0], ends[1], ends[2], ends[3], ends[4])
