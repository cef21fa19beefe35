"""Figures of main effects and of Sobol indices: a panel for each parameter, or for each workload."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, isnan
from textwrap import wrap

from floatgate.report import palette
from floatgate.report.plot import Axis, Dash, Errors, Figure, Line, Mark, Panel, Points, Rule, Shape, columns
from floatgate.study.report.data import Data, Factor
from floatgate.study.report.effects import Effect, Level, effects
from floatgate.study.report.quantity import LOG_FROM, Scaled, quantity
from floatgate.study.report.sensitivity import Index

WORKLOADS_MOST = 6  # more lines in a panel cannot be told apart
PANELS_MOST = 12  # parameters that are drawn: those explaining most of the variance
_APART = 0.012  # of an axis, between the workloads' points at one value
_DASHES: tuple[Dash, ...] = ("solid", "dash", "dot", "dashdot", "longdash", "solid")
_SHAPES: tuple[Shape, ...] = ("circle", "square", "diamond", "up", "down", "circle")
_PANEL = 300  # pixels that a panel of three beside each other has for the names of values
_LETTER = 6.6


def lines(data: Data) -> list[int | None]:
    """Return what is drawn by itself: each workload by its place, or all together where there are many."""
    many = len(data.workloads)
    return list(range(many)) if 1 < many <= WORKLOADS_MOST else [None]


def effect_figure(data: Data, key: str, whole: Sequence[Effect]) -> Figure | None:
    """Return the main effects on a number; `whole` are those over all workloads, which say what to draw."""
    drawn = {line: {one.factor.name: one for one in effects(data, key, line)} for line in lines(data)}
    names = [one.factor.name for one in most(whole)]
    levels = [one for by in drawn.values() for name in names for one in by[name].levels]
    if not levels:
        return None
    scaled = _scaled(key, levels)
    factors = {one.factor.name: one.factor for one in whole}
    many = _columns([factors[name] for name in names])
    panels = []
    for number, name in enumerate(names):
        y = scaled.axis if number % many == 0 else replace(scaled.axis, title="")
        marks = [
            mark
            for place, (line, by) in enumerate(drawn.items())
            for mark in _line(data, scaled, by[name], line, place, len(drawn))
        ]
        panels.append(Panel(_across(factors[name], many), y, marks))
    rows = -(-len(panels) // many)
    return Figure(panels, 280 * rows, columns=many)


def most(found: Sequence[Effect]) -> list[Effect]:
    """Return the effects that are drawn, in the study's order: of many those explaining most."""
    if len(found) <= PANELS_MOST:
        return list(found)
    by_share = sorted(range(len(found)), key=lambda place: (-(found[place].share or 0.0), place))
    return [found[place] for place in sorted(by_share[:PANELS_MOST])]


def _scaled(key: str, levels: Sequence[Level]) -> Scaled:
    """Return the axis that all panels share: it shows every mean, and intervals as far as they help."""
    means = [one.mean for one in levels]
    low, high = min(means), max(means)
    log = low > 0 and high / low >= LOG_FROM
    free = (high - low) or abs(high) * 0.1 or 1.0
    ends = [
        end
        for one in levels
        if one.half is not None
        for end in (one.mean - one.half, one.mean + one.half)
        if (end > low / 10 if log else end >= low - free) and end <= high + free
    ]
    scaled = quantity(key).axis(means)
    floor = 0.0 if low >= 0 else -inf
    low, high = max(min([low, *ends]), floor), max([high, *ends])
    if log:
        edge = (high / low) ** 0.04
        return replace(scaled, axis=replace(scaled.axis, log=True, low=low / edge / scaled.factor,
                                            high=high * edge / scaled.factor))  # fmt: skip
    edge = 0.05 * (high - low) or abs(high) * 0.05 or 0.5
    axis = replace(
        scaled.axis, log=False, low=scaled.at(max(low - edge, 0.0) if low >= 0 else low - edge),
        high=scaled.at(high + edge),
    )  # fmt: skip
    return replace(scaled, axis=axis)


def _columns(factors: Sequence[Factor]) -> int:
    """Return how many panels stand beside each other: as many as leave room for the names of values."""
    widest = 1.0
    for one in factors:
        if not one.is_scale:
            longest = max(len(word) for label in one.labels for word in _broken(label).split("\n"))
            widest = max(widest, len(one.labels) * (longest * _LETTER + 10))
    wanted = 3 if widest <= _PANEL else 2 if widest <= 1.6 * _PANEL else 1
    return min(wanted, len(factors))


def _broken(label: str, letters: int = 11) -> str:
    """Return a name over several lines, broken where its words end."""
    spaced = label.replace("/", "/ ").replace("-", "- ").replace("_", "_ ").replace(":", ": ")
    broken = wrap(spaced, letters, break_long_words=True) or [label]
    return "\n".join(
        line.replace("- ", "-").replace("_ ", "_").replace("/ ", "/").replace(": ", ":") for line in broken
    )


def _across(factor: Factor, many: int) -> Axis:
    places = factor.places
    title = factor.name
    if not factor.is_scale:
        names = {place: _broken(label) for place, label in zip(places, factor.labels, strict=True)}
        return Axis(title, ticks=names, low=-0.5, high=len(places) - 0.5, grid=False)
    if factor.binned:
        return Axis(title, log=factor.log)
    room = (12 if many == 1 else 6) // max(1, max(len(label) for label in factor.labels) // 5)
    step = -(-len(places) // max(2, room))
    ticks = {place: factor.labels[number] for number, place in enumerate(places) if number % step == 0}
    return Axis(title, log=factor.log, ticks=ticks)


def _line(
    data: Data, scaled: Scaled, one: Effect, line: int | None, place: int, many: int
) -> list[Mark]:  # fmt: skip
    """The means of one workload over the values of a parameter, with their intervals."""
    colour = palette.SERIES[place % len(palette.SERIES)]
    name = "" if line is None else data.workloads[line]
    at = [_beside(one.factor, level.place, place, many) for level in one.levels]
    means = [scaled.at(level.mean) for level in one.levels]
    low, high = scaled.axis.low or 0.0, scaled.axis.high or 0.0
    ends = [
        (x, max(scaled.at(level.mean - level.half), low), min(scaled.at(level.mean + level.half), high))
        for x, level in zip(at, one.levels, strict=True)
        if level.half is not None and not isnan(level.half)
    ]
    tips = [_tip(one.factor.name, name, level, scaled) for level in one.levels]
    marks: list[Mark] = []
    dash, shape = _DASHES[place % len(_DASHES)], _SHAPES[place % len(_SHAPES)]
    if len(at) > 1:
        faint = 1.0 if one.factor.is_scale else 0.35  # between names there is nothing
        marks.append(Line(colour, at, means, 1.6, dash, alpha=faint))
    if ends:
        marks.append(Errors(colour, *columns(ends)))
    return [*marks, Points(colour, at, means, 6.5, shape, name=name, tips=tips)]


def _beside(factor: Factor, x: float, place: int, many: int) -> float:
    """Return where a workload's point stands: its interval must not lie on another's."""
    shift = (place - (many - 1) / 2) * _APART
    if not factor.is_scale:
        return x + shift * 5 * min(len(factor.places), 4) / 2
    ends = factor.places[0], factor.places[-1]
    return x * (ends[1] / ends[0]) ** shift if factor.log else x + shift * (ends[1] - ends[0])


def _tip(name: str, workload: str, level: Level, scaled: Scaled) -> str:
    said = f"{name} {level.label}" + (f", {workload}" if workload else "")
    half = "" if level.half is None else f" ± {scaled.at(level.half):.3g}"
    return f"{said}: {scaled.at(level.mean):.4g}{half} over {level.configurations:,} configurations"


def index_figure(found: Mapping[str, Sequence[Index]]) -> Figure:
    """Return Sobol indices of one number: a panel for each workload, a row for each parameter."""
    first = next(iter(found.values()))
    ticks = {float(place): one.parameter for place, one in enumerate(first)}
    y = Axis(ticks=ticks, reverse=True, grid=False, low=-0.6, high=len(first) - 0.4)
    ends = [
        end
        for rows in found.values()
        for one in rows
        for end in (one.first - one.first_half, one.total + one.total_half)
    ]
    low, high = min([0.0, *ends]), max([1.0, *ends])
    panels = []
    for number, (workload, rows) in enumerate(found.items()):
        shown = y if number == 0 or len(found) > 3 else replace(y, labels=True)
        x = Axis("share of the variance", low=max(low, -0.5), high=min(high, 1.5))
        panels.append(Panel(x, shown, _rows(rows), title=workload if len(found) > 1 else ""))
    many = min(len(panels), 2)
    rows_of_panels = -(-len(panels) // many)
    return Figure(panels, (90 + 34 * len(first)) * rows_of_panels, columns=many)


def _rows(rows: Sequence[Index]) -> list[Mark]:
    alone, whole = palette.SERIES[0], palette.SERIES[1]
    marks: list[Mark] = [Rule(palette.MUTED, "x", 0.0)]
    for colour, shift, name, shape, values in (
        (alone, -0.14, "alone (first order)", "circle", [(one.first, one.first_half) for one in rows]),
        (whole, 0.14, "with all others (total)", "diamond", [(one.total, one.total_half) for one in rows]),
    ):
        at = [place + shift for place in range(len(rows))]
        ends = [(y, value - half, value + half) for y, (value, half) in zip(at, values, strict=True)]
        marks.append(Errors(colour, *columns(ends), across=True))
        tips = [
            f"{row.parameter}, {name}: {value:.3f} ± {half:.3f}"
            for row, (value, half) in zip(rows, values, strict=True)
        ]
        marks.append(Points(colour, [value for value, _ in values], at, 7, shape, name=name, tips=tips))  # type: ignore[arg-type]
    return marks
