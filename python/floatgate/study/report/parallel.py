"""Parallel coordinates: each configuration as a line over all its parameters and what came out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from floatgate.extras import needed
from floatgate.report import palette
from floatgate.report.plot import Axis, Boxes, Figure, Line, Mark, Panel, Points, Rule, Text
from floatgate.study.aggregate import Configuration
from floatgate.study.report.data import Data, Factor
from floatgate.study.report.effects import Effect
from floatgate.study.report.fronts import BEST
from floatgate.study.report.quantity import quantity
from floatgate.study.show import shown

if TYPE_CHECKING:
    from floatgate.study.report.data import Floats

LINES_MOST = 250  # configurations off the front that are drawn
FRONT_MOST = 60
AXES_MOST = 12
_FAN = 0.06  # of an axis, that the lines through one value are spread over at most, to each side
_LETTER = 6.6 / 1100  # of the figure's width, that a letter of a label takes
_LABELS_MOST = 12  # of values of a parameter


@dataclass(frozen=True)
class _Upright:
    """One axis: where each configuration crosses it, from 0 to 1, and what stands beside it."""

    title: str
    at: "Floats"  # NaN where it does not apply
    labels: tuple[tuple[float, str], ...]


def parallel(data: Data, front: Sequence[Configuration], whole: Sequence[Effect]) -> Figure | None:
    """Return the figure; `whole` are the main effects on the first number, which say what to leave out."""
    keys = _known(data)
    if not data.factors or not keys:
        return None
    order = _order(data, keys[0])
    axes = [_of_factor(one, order) for one in _kept(data.factors, whole, AXES_MOST - len(keys))]
    axes += [_of_number(data, key) for key in keys]
    behind, ahead = chosen(data, front, keys[0])
    marks: list[Mark] = [Rule(palette.MUTED, "x", float(place), "solid", 0.8) for place in range(len(axes))]
    said = f"others ({len(behind):,})" if front else f"configurations ({len(behind):,})"
    marks += _lines(axes, behind, palette.OTHER, 1.0, 0.4, said)
    marks += _lines(axes, ahead, BEST, 1.8, 0.9, f"front ({len(ahead):,})" if len(keys) > 1 else "best")
    if ahead and front:
        marks += _tips(data, axes, ahead)
    marks += _labels(axes)
    ticks = {float(place): _broken(axis.title) for place, axis in enumerate(axes)}
    x = Axis(ticks=ticks, low=-0.15, high=len(axes) - 0.85, grid=False)
    y = Axis(low=-0.09, high=1.09, labels=False, grid=False)
    return Figure([Panel(x, y, marks)], 460)


def first(data: Data) -> str:
    """Return the number in whose order configurations are drawn."""
    return _known(data)[0]


def _known(data: Data) -> list[str]:
    return [key for key in data.keys if not needed("numpy").isnan(data.totals[key]).all()]


def _labels(axes: Sequence[_Upright]) -> list[Mark]:
    """The values beside the axes, on paper that dims the lines behind them."""
    texts: list[Mark] = []
    corners: list[tuple[float, float, float, float]] = []
    for place, axis in enumerate(axes):
        last = place == len(axes) - 1
        sign = -1 if last else 1
        for height, label in axis.labels:
            start, end = place + sign * 0.02, place + sign * (0.04 + len(label) * _LETTER * len(axes))
            corners.append((min(start, end), max(start, end), height - 0.024, height + 0.024))
            texts.append(
                Text(palette.INK, place + sign * 0.03, height, label, "right" if last else "left", size=11)
            )
    paper = Boxes(palette.PAPER, *(list(one) for one in zip(*corners, strict=True)), alpha=0.8)
    return [paper, *texts]


def chosen(data: Data, front: Sequence[Configuration], key: str) -> tuple[list[int], list[int]]:
    """Return the places of the configurations that are drawn: off the front, and of it.

    Of many, those at equal distances in the order of the first number: the same ones each time.
    """
    numpy = needed("numpy")
    places = {one.number: place for place, one in enumerate(data.found)}
    ahead = [places[one.number] for one in front]
    values, best = data.totals[key], set(ahead)
    order = numpy.argsort(values, kind="stable")[: len(values) - int(numpy.isnan(values).sum())]
    return _some([place for place in order.tolist() if place not in best], LINES_MOST), _some(
        ahead, FRONT_MOST
    )


def _some(places: list[int], most: int) -> list[int]:
    if len(places) <= most:
        return places
    return [places[round(step * (len(places) - 1) / (most - 1))] for step in range(most)]


def _kept(factors: Sequence[Factor], whole: Sequence[Effect], most: int) -> list[Factor]:
    """Return the factors that have room, in the study's order: of many those explaining most."""
    if len(factors) <= most:
        return list(factors)
    shares = {one.factor.name: one.share or 0.0 for one in whole}
    names = sorted((one.name for one in factors), key=lambda name: -shares.get(name, 0.0))[: max(most, 1)]
    return [one for one in factors if one.name in names]


def _order(data: Data, key: str) -> "Floats":
    """Return the place of each configuration in the order of a number, from 0 to 1."""
    numpy = needed("numpy")
    ranks = numpy.empty(len(data.found))
    ranks[numpy.argsort(data.totals[key], kind="stable")] = numpy.arange(len(data.found))
    order: Floats = ranks / max(len(data.found) - 1, 1)
    return order


def _of_factor(one: Factor, order: "Floats") -> _Upright:
    """A parameter's axis. Lines through one value are spread in the order of the first number."""
    numpy = needed("numpy")
    known = one.levels >= 0
    if one.numbers is None:
        places = numpy.arange(len(one.labels)) / max(len(one.labels) - 1, 1)
        at = places[one.levels]
    else:
        scale = numpy.log(one.numbers) if one.log else one.numbers
        low, high = numpy.nanmin(scale), numpy.nanmax(scale)
        at = (scale - low) / ((high - low) or 1.0)
        values = numpy.log(numpy.array(one.places)) if one.log else numpy.array(one.places)
        places = (values - low) / ((high - low) or 1.0)
    if one.binned:
        ends = float(numpy.nanmin(one.numbers)), float(numpy.nanmax(one.numbers))
        labels = [(0.0, shown(ends[0])), (1.0, shown(ends[1]))]
    else:
        gaps = numpy.diff(numpy.sort(places))
        at = at + (order - 0.5) * 2 * min(_FAN, 0.35 * float(gaps.min()))
        step = -(-len(one.labels) // _LABELS_MOST)
        labels = [(float(places[n]), label) for n, label in enumerate(one.labels) if n % step == 0]
    return _Upright(one.name, numpy.where(known, at, numpy.nan), tuple(labels))


def _of_number(data: Data, key: str) -> _Upright:
    numpy = needed("numpy")
    values = data.totals[key]
    known = values[~numpy.isnan(values)]
    low, high = float(known.min()), float(known.max())
    said = quantity(key)
    log = said.axis([low, high]).axis.log
    scale = numpy.log(values) if log else values
    ends = (numpy.log(low), numpy.log(high)) if log else (low, high)
    at = (scale - ends[0]) / ((ends[1] - ends[0]) or 1.0)
    title = said.title + (", log scale" if log else "")
    return _Upright(
        title, at, ((0.0, said.show(low)), (1.0, said.show(high))) if high > low else ((0.0, said.show(low)),)
    )


def _lines(
    axes: Sequence[_Upright], places: Sequence[int], colour: str, width: float, alpha: float, name: str
) -> list[Mark]:
    if not places:
        return []
    x: list[float | None] = []
    y: list[float | None] = []
    for place in places:
        for number, axis in enumerate(axes):
            at = float(axis.at[place])
            x.append(float(number))
            y.append(None if at != at else at)
        x.append(None)
        y.append(None)
    return [Line(colour, x, y, width, alpha=alpha, name=name)]


def _tips(data: Data, axes: Sequence[_Upright], places: Sequence[int]) -> list[Mark]:
    """Points at the last axis, which say which configuration a line is."""
    x = [float(len(axes) - 1)] * len(places)
    y = [None if axes[-1].at[place] != axes[-1].at[place] else float(axes[-1].at[place]) for place in places]
    tips = [f"configuration {data.found[place].number}" for place in places]
    return [Points(BEST, x, y, 5, tips=tips)]


def _broken(title: str) -> str:
    """Return the name of an axis in short lines."""
    lines: list[str] = []
    for part in title.replace(".", ". ").split():
        if lines and len(lines[-1]) + len(part) < 14:
            lines[-1] += part if lines[-1].endswith(".") else f" {part}"
        else:
            lines.append(part)
    return "\n".join(lines)
