"""Figures of what is best: the front of two objectives, of each pair of more, and one objective in order."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import floor, log10
from typing import TYPE_CHECKING, Any, Literal

from floatgate.extras import needed
from floatgate.report import palette
from floatgate.report.plot import Area, Axis, Boxes, Errors, Figure, Line, Mark, Panel, Points, Rule, Text
from floatgate.study.aggregate import Configuration
from floatgate.study.report.data import Data
from floatgate.study.report.quantity import Scaled, quantity
from floatgate.study.show import shown

if TYPE_CHECKING:
    from floatgate.study.report.data import Floats

POINTS_MOST = 1_200  # configurations that are drawn one by one; more are counted in cells
PAIRS_MOST = 6  # pairs of objectives that are drawn
_ACROSS, _UP = 64, 40  # cells of a panel
_SHADES: tuple[tuple[int, int | None, float], ...] = (
    (1, 1, 0.25),
    (2, 9, 0.5),
    (10, 99, 0.75),
    (100, None, 1.0),
)  # from, to configurations in a cell
_SMALL = 0.25  # of a panel: a front that takes less has one of its own
_LINE_MOST = 500  # points of the line of all configurations in order
_FEW = 60  # configurations whose intervals are bars
_ROOM_LETTER, _ROOM_Y = 0.011, 0.05  # of a panel, that a letter and a line of a name beside a point need
_NAME_MOST = 28  # letters of a name beside a point; of a longer one stands the configuration's number
_BESIDE_X, _BESIDE_Y = 0.012, 0.012  # of a panel, from a point to its number
BEST, OTHERS, BROKEN = palette.SERIES[0], palette.OTHER, palette.SERIES[1]


@dataclass(frozen=True)
class _View:
    """One objective along an axis of a panel."""

    key: str
    values: "Floats"  # by configuration
    halves: "Floats"
    scaled: Scaled
    low: float
    high: float

    def share(self, value: float) -> float:
        """How far along the axis a value stands."""
        return self.share_of(self.scaled.at(value))

    def at_share(self, share: float) -> float:
        """Return the place that is so far along the axis."""
        if self.scaled.axis.log:
            return float(self.low * (self.high / self.low) ** share)
        return self.low + share * (self.high - self.low)

    def share_of(self, at: float) -> float:
        """How far along the axis a place on it is."""
        if self.scaled.axis.log:
            return (log10(at) - log10(self.low)) / (log10(self.high) - log10(self.low))
        return (at - self.low) / (self.high - self.low)


def fronts(data: Data, front: Sequence[Configuration]) -> dict[str, Figure]:
    """Return the figures of what is best, by their places on the page; none without an objective."""
    objectives = [one for one in data.spec.objectives if one.key in data.keys]
    views = [_view(data, one.key) for one in objectives]
    shown = [one for one in views if one is not None]
    if not shown or len(shown) < len(data.spec.objectives):
        return {}
    if len(shown) == 1:
        return {"order": _order(data, shown[0], front)}
    pairs = list(combinations(shown, 2))[:PAIRS_MOST]
    panels = [_pair(data, x, y, front, joined=len(shown) == 2) for x, y in pairs]
    if len(panels) == 1:
        near = _near(*pairs[0], front)
        if near is None:
            return {"front": Figure(panels, 440, zoom=True)}
        whole = _pair(data, *pairs[0], front, joined=True, numbered=False)
        closer = _pair(data, *near, front, joined=True)
        both = [replace(whole, title="all"), replace(closer, title="the front")]
        return {"front": Figure(both, 440, columns=2, zoom=True)}
    rows = -(-len(panels) // 2)
    return {"front": Figure(panels, 330 * rows, columns=2, zoom=True)}


def _view(data: Data, key: str) -> _View | None:
    numpy = needed("numpy")
    values = data.totals[key]
    known = values[~numpy.isnan(values)]
    if not len(known):
        return None
    scaled = quantity(key).axis(known.tolist())
    low, high = scaled.at(float(known.min())), scaled.at(float(known.max()))
    if scaled.axis.log:
        free = (high / low) ** 0.05
        low, high = low / free, high * free
    else:
        free = 0.05 * (high - low) or abs(high) * 0.05 or 0.5
        low, high = low - free, high + free
    scaled = replace(scaled, axis=replace(scaled.axis, low=low, high=high))
    return _View(key, values, data.half(key), scaled, low, high)


def _near(x: _View, y: _View, front: Sequence[Configuration]) -> tuple[_View, _View] | None:
    """Return the same two axes about the front only, where it is a small part of the whole."""
    if len(front) < 2:
        return None
    spans, views = [], []
    for view in (x, y):
        ends = [view.scaled.at(one.numbers[view.key] or 0.0) for one in front]
        low, high = min(ends), max(ends)
        free = 0.15 * ((high - low) or 0.1 * (view.high - view.low))
        low, high = max(low - free, view.low), min(high + free, view.high)
        spans.append(view.share_of(high) - view.share_of(low))
        log = view.scaled.axis.log and high / low >= 3
        axis = replace(view.scaled.axis, low=low, high=high, log=log)
        views.append(replace(view, scaled=replace(view.scaled, axis=axis), low=low, high=high))
    return (views[0], views[1]) if spans[0] * spans[1] < _SMALL else None


def _pair(
    data: Data, x: _View, y: _View, front: Sequence[Configuration], *, joined: bool, numbered: bool = True
) -> Panel:
    """One objective over another: all configurations behind, the front before them."""
    numpy = needed("numpy")
    known = ~(numpy.isnan(x.values) | numpy.isnan(y.values))
    best = {one.number for one in front}
    kept = numpy.array([one.feasible for one in data.found], bool)
    ahead = numpy.array([one.number in best for one in data.found], bool)
    marks: list[Mark] = []
    marks += _behind(data, x, y, known & kept & ~ahead, OTHERS, "others", "circle")
    marks += _behind(data, x, y, known & ~kept, BROKEN, "break a bound", "cross")
    marks += _bounds(data, x, "x") + _bounds(data, y, "y")
    if not front:
        return Panel(x.scaled.axis, y.scaled.axis, marks)
    places = {one.number: place for place, one in enumerate(data.found)}
    order = sorted((places[one.number] for one in front), key=lambda place: float(x.values[place]))
    at_x = [x.scaled.at(float(x.values[place])) for place in order]
    at_y = [y.scaled.at(float(y.values[place])) for place in order]
    if joined:
        marks.append(_stairs(data, at_x, at_y))
    marks += _intervals(x, y, order, at_x, at_y)
    tips = [_tip(data, data.found[place]) for place in order]
    marks.append(Points(BEST, at_x, at_y, 7, name=f"front ({len(front):,})", tips=tips))
    if numbered:
        marks += _names(data, x, y, order)
    return Panel(x.scaled.axis, y.scaled.axis, marks)


def _behind(data: Data, x: _View, y: _View, mask: Any, colour: str, name: str, shape: Any) -> list[Mark]:
    """All configurations of a kind: points, or shaded cells where points would lie on each other."""
    numpy = needed("numpy")
    for view in (x, y):
        at = view.values / view.scaled.factor
        mask = mask & (at >= view.low) & (at <= view.high)
    places = numpy.flatnonzero(mask)
    if not len(places):
        return []
    if mask.size <= POINTS_MOST:
        at_x = [x.scaled.at(float(value)) for value in x.values[places]]
        at_y = [y.scaled.at(float(value)) for value in y.values[places]]
        tips = [_tip(data, data.found[place]) for place in places.tolist()]
        return [Points(colour, at_x, at_y, 4.5, shape, alpha=0.55, name=name, tips=tips)]
    return _cells(x, y, places, colour, name)


def _cells(x: _View, y: _View, places: Any, colour: str, name: str) -> list[Mark]:
    """Cells that hold configurations, darker where there are more."""
    numpy = needed("numpy")
    edges = []
    shares = []
    for view, cells in ((x, _ACROSS), (y, _UP)):
        at = view.values[places] / view.scaled.factor
        spaced = numpy.geomspace if view.scaled.axis.log else numpy.linspace
        edge = spaced(view.low, view.high, cells + 1)
        edges.append(edge)
        shares.append(numpy.clip(numpy.searchsorted(edge, at, side="right") - 1, 0, cells - 1))
    counts = numpy.bincount(shares[0] * _UP + shares[1], minlength=_ACROSS * _UP)
    marks: list[Mark] = []
    for least, most, alpha in _SHADES:
        found = numpy.flatnonzero((counts >= least) & (counts <= (most or counts.max())))
        if not len(found):
            continue
        across, up = found // _UP, found % _UP
        corners = (edges[0][across], edges[0][across + 1], edges[1][up], edges[1][up + 1])
        many = "one" if most == 1 else f"{least:,} or more" if most is None else f"{least} to {most}"
        marks.append(
            Boxes(colour, *(one.tolist() for one in corners), alpha=alpha, name=f"{name}: {many} in a cell")
        )
    return marks


def _bounds(data: Data, view: _View, of: Any) -> list[Mark]:
    found = [one for one in data.spec.constraints if one.key == view.key]
    at = [view.scaled.at(one.bound) for one in found]
    return [
        Rule(BROKEN, of, value, name=f"bound: {one}")
        for one, value in zip(found, at, strict=True)
        if view.low <= value <= view.high
    ]


def _stairs(data: Data, at_x: Sequence[float], at_y: Sequence[float]) -> Line:
    """The edge of what is reached: between two points of the front nothing beyond the worse of both."""
    small = data.spec.objectives[0].aim == "min"
    x, y = (list(at_x), list(at_y)) if small else (list(at_x)[::-1], list(at_y)[::-1])
    corners_x, corners_y = [x[0]], [y[0]]
    for place in range(1, len(x)):
        corners_x += [x[place], x[place]]
        corners_y += [y[place - 1], y[place]]
    return Line(BEST, corners_x, corners_y, 1.4, alpha=0.6)


def _intervals(
    x: _View, y: _View, order: Sequence[int], at_x: Sequence[float], at_y: Sequence[float]
) -> list[Mark]:
    marks: list[Mark] = []
    for view, across, middles, others in ((x, True, at_x, at_y), (y, False, at_y, at_x)):
        halves = [float(view.halves[place]) / view.scaled.factor for place in order]
        ends = [
            (other, max(middle - half, view.low), min(middle + half, view.high))
            for middle, other, half in zip(middles, others, halves, strict=True)
            if half > 0
        ]
        if ends:
            at, low, high = zip(*ends, strict=True)
            marks.append(Errors(BEST, at, low, high, across=across, alpha=0.6))
    return marks


def _names(data: Data, x: _View, y: _View, order: Sequence[int]) -> list[Mark]:
    """The names of the configurations, where there is room beside their points."""
    taken: list[tuple[float, float, float]] = []  # from, to, height
    marks: list[Mark] = []
    for place in order:
        share, up = x.share(float(x.values[place])), y.share(float(y.values[place]))
        name = named(data, data.found[place])
        name = name if len(name) <= _NAME_MOST else str(data.found[place].number)
        width = _ROOM_LETTER * (len(name) + 2)
        is_left = share + width > 1.0  # of its point: on the other side it would leave the panel
        ends = (share - width, share) if is_left else (share, share + width)
        if any(ends[0] < b and a < ends[1] and abs(up - at) < _ROOM_Y for a, b, at in taken):
            continue
        taken.append((*ends, up))
        beside = x.at_share(share + (-_BESIDE_X if is_left else _BESIDE_X)), y.at_share(up + _BESIDE_Y)
        anchor: Literal["left", "right"] = "right" if is_left else "left"
        marks.append(Text(palette.INK, *beside, name, anchor, lift=1.0, size=11))
    return marks


def named(data: Data, one: Configuration) -> str:
    """Name a configuration by what tells it apart: its values of the parameters that vary."""
    varied = [one.values[each.name] for each in data.factors if each.name in one.values]
    drive = [one.drive] if len(data.spec.drives) > 1 else []
    return ", ".join([*drive, *map(shown, varied)]) or f"configuration {one.number}"


def _tip(data: Data, one: Configuration) -> str:
    numbers = [quantity(key).title + " " + quantity(key).show(value) for key, value in one.numbers.items()]
    drive = [one.drive] if len(data.spec.drives) > 1 else []
    values = [f"{key} {shown(value)}" for key, value in one.values.items()]
    return f"configuration {one.number}: " + ", ".join([*numbers, *drive, *values])


def _order(data: Data, view: _View, front: Sequence[Configuration]) -> Figure:
    """All configurations that keep the bounds, or all where none does; best first, the best before them."""
    numpy = needed("numpy")
    kept = numpy.array([one.feasible for one in data.found], bool) & ~numpy.isnan(view.values)
    kept_any = bool(kept.any())
    places = numpy.flatnonzero(kept if kept_any else ~numpy.isnan(view.values))
    sign = 1 if data.spec.objectives[0].aim == "min" else -1
    places = places[numpy.argsort(sign * view.values[places], kind="stable")].tolist()
    marks: list[Mark] = []
    shown = _thinned(len(places), _LINE_MOST)
    rest = [rank for rank in shown if rank >= len(front)]
    if len(shown) > 1:
        marks += _band(view, places, shown)
        at = [float(rank + 1) for rank in shown]
        marks.append(
            Line(OTHERS, at, [view.scaled.at(float(view.values[places[rank]])) for rank in shown], 1.4)
        )
    colour, name = (OTHERS, "others") if kept_any else (BROKEN, "break a bound")
    size = 4.5 if len(shown) <= _FEW else 2.5
    marks += _ranked(data, view, places, rest, colour, size, f"{name} ({len(places) - len(front):,})")
    best = range(min(len(front), _LINE_MOST))
    marks += _ranked(data, view, places, best, BEST, 8.0, f"best ({len(front):,})")
    marks += _bounds(data, view, "y")
    x = Axis("configurations in order, best first", log=len(places) > 300, whole=True, format="count")
    return Figure([Panel(x, view.scaled.axis, marks)], 340, zoom=True)


def _ranked(
    data: Data,
    view: _View,
    places: Sequence[int],
    ranks: Sequence[int],
    colour: str,
    size: float,
    name: str,
) -> list[Mark]:
    """Points at some ranks of the configurations, which stand at `places` of all."""
    at_y = [view.scaled.at(float(view.values[places[rank]])) for rank in ranks]
    tips = [_tip(data, data.found[places[rank]]) for rank in ranks]
    return [Points(colour, [rank + 1.0 for rank in ranks], at_y, size, name=name, tips=tips)] if at_y else []


def _band(view: _View, places: Sequence[int], shown: Sequence[int]) -> list[Mark]:
    """The intervals over the seeds: bars at few configurations, a band along many."""
    middles = [view.scaled.at(float(view.values[places[rank]])) for rank in shown]
    halves = [float(view.halves[places[rank]]) / view.scaled.factor for rank in shown]
    if any(half != half for half in halves) or len(shown) < len(places):
        return []
    at = [float(rank + 1) for rank in shown]
    low = [max(middle - half, view.low) for middle, half in zip(middles, halves, strict=True)]
    high = [min(middle + half, view.high) for middle, half in zip(middles, halves, strict=True)]
    if len(shown) <= _FEW:
        return [Errors(OTHERS, at, low, high)]
    return [Area(OTHERS, at, low, high, alpha=0.3, name="95 % over seeds")]


def _thinned(many: int, most: int) -> list[int]:
    """Return at most so many of the places of a list, the first ones all, the later ones ever fewer."""
    if many <= most:
        return list(range(many))
    numpy = needed("numpy")
    return sorted(
        {*range(most // 4), *(floor(one) for one in numpy.geomspace(1, many, 3 * most // 4) - 1e-9)}
    )


def cell_words(data: Data) -> str:
    """Say that configurations are counted in cells, where they are."""
    if len(data.found) <= POINTS_MOST or len(data.spec.objectives) < 2:
        return ""
    return (
        f"{len(data.found):,} configurations are too many for points: those off the front are counted in "
        f"{_ACROSS} by {_UP} cells."
    )
