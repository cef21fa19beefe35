"""Program, erase and read time by wear: a law for the mean of blocks, in whole pulses where there are any."""

from dataclasses import dataclass, replace

import numpy as np

from floatgate.lab.fit import laws, pulses
from floatgate.lab.fit.gather import ByWear, Kind, Levels
from floatgate.lab.fit.laws import Fitted
from floatgate.lab.fit.pulses import Pulse
from floatgate.lab.fit.stream import Real

GOOD_PULSE = 0.35  # RMS, of a pulse: rounding to whole ones leaves 1 / sqrt(12) = 0.29


@dataclass(frozen=True)
class TimeFit:
    """How long an operation takes, by wear."""

    kind: Kind
    blocks: int
    wear: Real  # of each point, cycles
    mean_ns: Real  # over blocks; of a block, over its pages and over the cycles of the point
    count: Real  # blocks in each point
    fitted: Fitted
    pulse: Pulse | None
    wear_most: float  # the last point's: beyond, nothing is claimed

    @property
    def residual_ns(self) -> Real:
        """Measured less fitted, at each point."""
        left: Real = self.mean_ns - self.fitted.law.at(self.wear)
        return left

    @property
    def good(self) -> bool:
        """Whether the law follows the data: explains them, or leaves what whole pulses leave."""
        left = GOOD_PULSE * self.pulse.ns if self.pulse else 0.0
        return self.fitted.goodness.good(float(self.mean_ns.mean()), left)

    def at(self, wear: Real) -> Real:
        """Return the time at some wear: the law's, at the nearest level of whole pulses."""
        inside = np.minimum(wear, self.wear_most)
        law = self.fitted.law.at(inside)
        if self.pulse is None:
            return law
        # Levels that were never seen are not claimed either.
        low, high = self.pulse.whole(np.array([self.mean_ns.min(), self.mean_ns.max()]))
        return np.clip(self.pulse.whole(law), low, high)


def fit(kind: Kind, seen: ByWear, levels: Levels) -> TimeFit:
    """Fit the time of an operation.

    The law follows the blocks while at least half of them live: the mean of the last few would be that of the
    best ones.
    """
    with np.errstate(invalid="ignore"):
        by_block = seen.total / seen.weight
    alive = (seen.weight > 0).sum(axis=0)
    own = alive * 2 >= alive.max()
    used = own & (alive > 0)
    rows = (seen.weight[:, used] > 0).any(axis=1)
    by_block = by_block[rows][:, used]
    wear = seen.wear[used] / seen.weight.sum(axis=0)[used]
    mean, count = np.nanmean(by_block, axis=0), alive[used].astype(np.float64)
    chosen = laws.choose(wear, mean, count)
    chosen = replace(chosen, intervals=laws.intervals(chosen.law.shape, wear, by_block, count))
    return TimeFit(
        kind,
        int(rows.sum()),
        wear,
        mean,
        count,
        chosen,
        pulses.find(levels.ns, levels.count),
        float(wear[-1]),
    )
