"""Main effects: how the mean of a number changes with one parameter, over all values of the others."""

from dataclasses import dataclass, replace
from math import isnan, sqrt
from typing import TYPE_CHECKING

from floatgate.extras import needed
from floatgate.study.report.additive import fit
from floatgate.study.report.data import Data, Factor, student

if TYPE_CHECKING:
    from floatgate.study.report.data import Floats


@dataclass(frozen=True)
class Level:
    """The configurations that have one value of a parameter."""

    label: str
    place: float  # on an axis
    mean: float  # over them
    half: float | None  # of the mean's interval; None: unknown
    configurations: int


@dataclass(frozen=True)
class Effect:
    """A number over the values of one parameter."""

    factor: Factor
    levels: tuple[Level, ...]
    share: float | None  # of the variance over configurations that the parameter explains by itself
    evened: bool  # whether what the other parameters do by themselves was taken out


def effect(
    factor: Factor, values: "Floats", halves: "Floats | None" = None, *, widening: float | None = None
) -> Effect:
    """Return the means of `values`, one for each configuration, over the levels of a factor.

    A mean's interval is Student's t over the configurations of its level, at 95 %; where a level has one
    configuration only it is `halves`, that configuration's interval over the seeds. Values that were evened
    vary less than what they are of, in their squares by `widening`. The share of variance is epsilon squared:
    between levels, less what chance alone puts there.
    """
    numpy = needed("numpy")
    known = (factor.levels >= 0) & ~numpy.isnan(values)
    levels, values, size = factor.levels[known], values[known], len(factor.labels)
    counts = numpy.bincount(levels, minlength=size)
    with numpy.errstate(invalid="ignore", divide="ignore"):
        means = numpy.bincount(levels, values, size) / counts
        within = numpy.bincount(levels, (values - means[levels]) ** 2, size)
    alone = None if halves is None else halves[known]
    found = []
    for level in numpy.flatnonzero(counts):
        half = _half(int(counts[level]), float(within[level]), widening)
        if half is None and alone is not None:
            own = float(alone[levels == level][0])
            half = None if isnan(own) else own
        found.append(
            Level(factor.labels[level], factor.places[level], float(means[level]), half, int(counts[level]))
        )
    share = _share(values, float(within.sum()), len(found))
    return Effect(factor, tuple(found), share, widening is not None)


def _half(count: int, squares: float, widening: float | None) -> float | None:
    if count < 2:
        return None
    variance = squares / (count - 1) if widening is None else squares / count * widening
    return student(count) * sqrt(variance / count)


def _share(values: "Floats", within: float, levels: int) -> float | None:
    free = len(values) - levels
    if free < 1 or levels < 2:
        return None
    total = float(((values - values.mean()) ** 2).sum())
    # What rounding leaves of numbers that are all the same is no variance.
    if total <= 1e-18 * float((values**2).sum()):
        return None
    return max(0.0, 1 - (within / free) * (len(values) - 1) / total)


def effects(data: Data, key: str, workload: int | None) -> list[Effect]:
    """Return the effects of all factors on a number: over the workloads, or on one of them by its place."""
    if workload is None:
        values, halves = data.totals[key], data.half(key)
    else:
        means, spreads = data.by_workload[key]
        values, halves = means[:, workload], spreads[:, workload]
    fitted = fit(data.factors, values)
    if fitted is None:
        return [effect(factor, values, halves) for factor in data.factors]
    return [
        replace(effect(factor, evened, halves, widening=fitted.widening), share=share)
        for factor, evened, share in zip(data.factors, fitted.evened, fitted.shares, strict=True)
    ]
