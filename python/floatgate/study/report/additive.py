"""What each parameter does by itself, told apart by least squares: a number as a sum of one part for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from floatgate.extras import needed
from floatgate.study.report.data import Factor

if TYPE_CHECKING:
    from floatgate.study.report.data import Floats

_ROOM = 2  # configurations for each number that is fitted; with fewer, nothing is


@dataclass(frozen=True)
class Additive:
    """A fit of parts that are added, one for each factor."""

    evened: (
        "tuple[Floats, ...]"  # for each factor, the values without what the other factors do by themselves
    )
    shares: tuple[float | None, ...]  # of the variance, that each factor explains beside all others
    widening: float  # of variances: what the fit took out of them


def fit(factors: Sequence[Factor], values: "Floats") -> Additive | None:
    """Fit `values`, one for each configuration; None where there are too few for so many parts.

    A share is omega squared of the factor in the whole model: what leaving it out adds to the squares, less
    what chance alone would, over all squares.
    """
    numpy = needed("numpy")
    known = ~numpy.isnan(values)
    if not factors or not known.any():
        return None
    parts = [_columns(one, known) for one in factors]
    y = values[known] - values[known].mean()
    columns = numpy.hstack([numpy.ones((len(y), 1)), *parts])
    gram, moments = columns.T @ columns, columns.T @ y
    rank = int(numpy.linalg.matrix_rank(gram, hermitian=True))
    total = float(y @ y)
    if len(y) < _ROOM * rank or total <= 1e-18 * float((values[known] ** 2).sum()):
        return None
    weights = numpy.linalg.pinv(gram, hermitian=True) @ moments
    left = y - columns @ weights
    chance = float(left @ left) / (len(y) - rank)
    evened, shares, start = [], [], 1
    for one, part in zip(factors, parts, strict=True):
        end = start + part.shape[1]
        own = numpy.full(len(values), numpy.nan)
        own[known] = left + part @ weights[start:end]
        applies = known & (one.levels >= 0)
        own[known] += values[applies].mean() - own[applies].mean() if applies.any() else 0.0
        evened.append(own)
        others = numpy.r_[0:start, end : columns.shape[1]]
        without = gram[numpy.ix_(others, others)]
        beside = float(moments[others] @ numpy.linalg.pinv(without, hermitian=True) @ moments[others])
        gained = total - float(left @ left) - beside
        free = rank - int(numpy.linalg.matrix_rank(without, hermitian=True))
        shares.append(max(0.0, (gained - free * chance) / total))
        start = end
    return Additive(tuple(evened), tuple(shares), len(y) / (len(y) - rank))


def _columns(one: Factor, known: "Floats") -> "Floats":
    """Return a column for each level, centred where the factor applies, and nothing where it does not.

    A parameter with a condition then takes nothing of what the parameter that it depends on does.
    """
    numpy = needed("numpy")
    levels = one.levels[known]
    found: Floats = (levels[:, None] == numpy.arange(len(one.labels))[None, :]).astype(float)
    applies = levels >= 0
    if applies.any():
        found[applies] -= found[applies].mean(axis=0)
    return found
