"""Do times come in whole pulses? Finds the pulse of which a chip's busy times are multiples apart.

The measure is Kendall's (1974, hunting quanta): with the right pulse, the remainders of all times are
alike. It is 1 when they are the same and near 0 when they are spread evenly.
"""

from dataclasses import dataclass
from math import tau

import numpy as np
from scipy.optimize import minimize_scalar

from floatgate.lab.fit.stream import Real

MOST_LEVELS = 64  # pulses between the shortest and the longest time
COHERENT = 0.7  # remainders within about an eighth of a pulse
_AS_GOOD = 0.9  # of the best: the longest such pulse is taken, since its half and its third fit as well
_STEPS = 6000
_LEVELS_LOOKED_AT = 2000


@dataclass(frozen=True)
class Pulse:
    """A pulse, and where the levels of whole pulses lie."""

    ns: float
    offset_ns: float  # of some level
    coherence: float  # 1: all times are whole pulses apart

    def whole(self, time_ns: Real) -> Real:
        """Return the nearest levels."""
        levels: Real = np.rint((time_ns - self.offset_ns) / self.ns) * self.ns + self.offset_ns
        return levels


def find(ns: Real, count: Real) -> Pulse | None:
    """Return the pulse of times that were seen so often; None for one time only, or where there is none."""
    span = float(ns.max() - ns.min())
    if span <= 0:
        return None
    weight = np.sqrt(count)  # times seen often count more, but do not decide alone
    if len(ns) > _LEVELS_LOOKED_AT:
        kept = np.sort(np.argsort(-weight, kind="stable")[:_LEVELS_LOOKED_AT])
        ns, weight = ns[kept], weight[kept]
    from_first = ns - ns[0]
    lengths = span * np.geomspace(1 / MOST_LEVELS, 1.001, _STEPS)
    score = np.array([_coherence(from_first, weight, length)[0] for length in lengths])
    peaks = np.flatnonzero((score >= np.roll(score, 1)) & (score >= np.roll(score, -1)))
    peaks = peaks[score[peaks] >= max(COHERENT, _AS_GOOD * score.max())]
    if not len(peaks):
        return None
    length = _sharpened(from_first, weight, lengths, int(peaks[-1]))
    coherence, turn = _coherence(from_first, weight, length)
    # What is left of the search's own rounding goes with a straight line through times over whole numbers.
    whole = np.rint(from_first / length - turn)
    share = weight / weight.sum()
    about = whole - share @ whole
    length = float(share @ (about * from_first)) / float(share @ (about * about))
    offset = float(ns[0]) + float(share @ from_first) - length * float(share @ whole)
    return Pulse(round(length, 3), round(offset, 3), coherence)


def _coherence(times: Real, weight: Real, length: float) -> tuple[float, float]:
    """Return how alike the remainders are, and their mean as a share of the pulse."""
    angle = tau * times / length
    x, y = float(weight @ np.cos(angle)), float(weight @ np.sin(angle))
    return float(np.hypot(x, y)) / float(weight.sum()), float(np.arctan2(y, x)) / tau


def _sharpened(times: Real, weight: Real, lengths: Real, at: int) -> float:
    """Return the length of greatest coherence near a grid's."""
    ends = float(lengths[max(at - 1, 0)]), float(lengths[min(at + 1, len(lengths) - 1)])

    def apart(length: float) -> float:
        return -_coherence(times, weight, length)[0]

    close = {"xatol": 1e-9 * ends[0]}
    return float(minimize_scalar(apart, bounds=ends, method="bounded", options=close).x)
