"""How a picture is described, before it is drawn: panels, axes, and the marks in them.

`draw` alone knows the library that turns this into a picture. What is written here has values in the units of
its axes, one colour (`palette`) for each mark, and texts that are shown as they stand.

These classes are never compared or printed: each method for it would be compiled anew at every start.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isclose
from typing import Literal

from floatgate.report import palette

Numbers = Sequence[float | None]
Dash = Literal["solid", "dash", "dot", "dashdot", "longdash"]
Shape = Literal["circle", "square", "diamond", "up", "down", "cross"]
Format = Literal["", "percent", "si", "count", "time", "size", "power"]


@dataclass(frozen=True, eq=False, repr=False)
class Axis:
    """One axis of a panel."""

    title: str = ""
    log: bool = False
    zero: bool = False  # starts at zero, and nothing is left free below it
    low: float | None = None
    high: float | None = None
    format: Format = ""  # "time" takes ns, "size" takes bytes
    ticks: Mapping[float, str] | None = None  # where and what, instead of what would be found
    whole: bool = False  # ticks at whole numbers only
    grid: bool = True
    reverse: bool = False
    labels: bool = True  # without: the panel below says what there is


@dataclass(frozen=True, eq=False, repr=False)
class Mark:
    """Something in a panel. Marks of one name share one entry of the legend; without a name there is none."""

    colour: str
    name: str = field(default="", kw_only=True)
    tips: Sequence[str] = field(default=(), kw_only=True)  # what is shown at each point under the pointer
    alpha: float = field(default=1.0, kw_only=True)


@dataclass(frozen=True, eq=False, repr=False)
class Line(Mark):
    """A line through points; it is broken where y is None. As steps it is level up to the next point."""

    x: Numbers
    y: Numbers
    width: float = 1.8
    dash: Dash = "solid"
    steps: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Points(Mark):
    """Marks at points, hollow or full; `values` gives each a colour of the panel's scale."""

    x: Numbers
    y: Numbers
    size: float = 6.0
    shape: Shape = "circle"
    hollow: bool = False
    values: Numbers | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Boxes(Mark):
    """Rectangles: what bars are made of."""

    x0: Sequence[float]
    x1: Sequence[float]
    y0: Sequence[float]
    y1: Sequence[float]


@dataclass(frozen=True, eq=False, repr=False)
class Errors(Mark):
    """Intervals: from `low` to `high` at each x, or at each y where they lie `across`."""

    at: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    across: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Area(Mark):
    """What lies between two lines over x, or beside y where it lies `across`."""

    at: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    across: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Band(Mark):
    """A stripe through the whole panel, from `low` to `high` of x or y."""

    of: Literal["x", "y"]
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class Rule(Mark):
    """A line through the whole panel, at one x or y."""

    of: Literal["x", "y"]
    at: float
    dash: Dash = "dot"
    width: float = 1.1


@dataclass(frozen=True, eq=False, repr=False)
class Text(Mark):
    """A word at a point; `anchor` says which side of it stands there."""

    x: float
    y: float
    text: str
    anchor: Literal["left", "middle", "right"] = "left"
    lift: float = 0.0  # 0: the word's middle stands at y; 1: its lower edge; -1: its upper edge
    size: float = 11.0


@dataclass(frozen=True, eq=False, repr=False)
class Tiles(Mark):
    """A map of values: the first row on top. Neighbours in a row that have the same value are one tile.

    The lines of `says` are shown under the pointer, with a tile's row, columns and value for @row, @columns
    and @value, and at most 30 letters then (`draw` says why). A map has more tiles than all other figures
    have points: a text for each would be most of a page.
    """

    rows: Sequence[Sequence[float]]
    says: Sequence[str] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Panel:
    """Marks on two axes."""

    x: Axis
    y: Axis
    marks: Sequence[Mark]
    title: str = ""
    scale: str = ""  # title of the scale of colours, where marks have values
    scale_span: tuple[float, float] | None = None  # its ends, where panels share one
    log_scale: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Figure:
    """Panels in a grid, row by row. A narrow page shows them below each other."""

    panels: Sequence[Panel]
    height: int
    columns: int = 1
    heights: Sequence[float] | None = None  # of the rows, in shares
    widths: Sequence[float] | None = None  # of the columns
    share_x: bool = False
    title: str = ""
    zoom: bool = False  # has parts that only a closer look shows


@dataclass(frozen=True, eq=False, repr=False)
class Key:
    """An entry of a legend."""

    name: str
    colour: str
    kind: Literal["line", "point", "box"]
    dash: Dash = "solid"
    shape: Shape = "circle"
    hollow: bool = False
    alpha: float = 1.0


def chart(
    height: int, x: Axis, y: Axis, marks: Sequence[Mark], *, title: str = "", zoom: bool = False
) -> Figure:
    """Return a figure of one panel."""
    return Figure([Panel(x, y, marks)], height, title=title, zoom=zoom)


def legend(figure: Figure) -> list[Key]:
    """Return the entries of a figure's legend: each name that is drawn, once, in the order of the marks.

    An entry whose lines all lie under other lines says so.
    """
    keys: dict[str, Key] = {}
    seen: set[str] = set()
    above: dict[str, str] = {}
    for panel in figure.panels:
        lines = [(place, mark) for place, mark in enumerate(panel.marks) if isinstance(mark, Line)]
        near = _near([mark for _, mark in lines], panel.y)
        for place, mark in enumerate(panel.marks):
            if not mark.name or not _is_drawn(mark):
                continue
            keys.setdefault(mark.name, _key(mark))
            hiding = (other.name for at, other in lines if _hides(other, mark, near, is_above=at > place))
            cover = next(hiding, "")
            if cover in ("", mark.name):
                seen.add(mark.name)
            else:
                above.setdefault(mark.name, cover)
    hidden = {name: f"{name} (under {above[name]})" for name in above.keys() - seen}
    return [replace(key, name=hidden.get(name, name)) for name, key in keys.items()]


def _near(lines: Sequence[Line], axis: Axis) -> dict[str, float]:
    """Return the tolerances within which lines of a panel cannot be told apart: 1/300 of their height."""
    values = [y for line in lines for y in line.y if y is not None]
    if axis.log:
        values = [y for y in values if y > 0]
        return {"rel_tol": (max(values) / min(values)) ** (1 / 300) - 1 if values else 0.0}
    return {"rel_tol": 0.0, "abs_tol": (max(values) - min(values)) / 300 if values else 0.0}


def _hides(other: Line, mark: Mark, near: dict[str, float], *, is_above: bool) -> bool:
    """Return true if a solid line, as wide or wider, leaves nothing of the line `mark` to be seen.

    It lies above it, or has the same colour.
    """
    if not isinstance(mark, Line) or other.dash != "solid" or other.width < mark.width:
        return False
    if not (is_above or (other.colour == mark.colour and mark.dash != "solid")):
        return False
    pairs = zip(other.y, mark.y, strict=False)
    is_alike = list(other.x) == list(mark.x) and other.steps == mark.steps
    return is_alike and all(y is None or (top is not None and isclose(top, y, **near)) for top, y in pairs)


def _is_drawn(mark: Mark) -> bool:
    """Whether a mark has anything to draw; empty points stand for a shape that others have (`reproduce`)."""
    if isinstance(mark, Boxes):
        return bool(mark.x0)
    if isinstance(mark, Line):
        return any(x is not None and y is not None for x, y in zip(mark.x, mark.y, strict=True))
    return True


def _key(mark: Mark) -> Key:
    if isinstance(mark, Line | Rule):
        return Key(mark.name, mark.colour, "line", dash=mark.dash, alpha=mark.alpha)
    if isinstance(mark, Points):
        return Key(mark.name, mark.colour, "point", shape=mark.shape, hollow=mark.hollow)
    return Key(mark.name, mark.colour, "box", alpha=mark.alpha)


@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """One series of bars: a value for each place, None where it has none."""

    name: str
    colour: str
    values: Numbers
    tips: Sequence[str] = ()


def stacked(parts: Sequence[Part], *, across: bool = False, wide: float = 0.7) -> list[Mark]:
    """Bars at 0, 1, 2, ... with the parts on top of each other; they may lie `across`."""
    bases: dict[int, float] = {}
    marks: list[Mark] = []
    for part in parts:
        shown = [(place, value) for place, value in enumerate(part.values) if value]
        low = [bases.get(place, 0.0) for place, _ in shown]
        high = [base + value for base, (_, value) in zip(low, shown, strict=True)]
        bases |= {place: top for (place, _), top in zip(shown, high, strict=True)}
        tips = [part.tips[place] for place, _ in shown] if part.tips else ()
        places = [float(place) for place, _ in shown]
        marks.append(_bars(part, places, low, high, wide, tips, across=across))
    return marks


def beside(parts: Sequence[Part], *, wide: float = 0.8) -> list[Mark]:
    """Bars at 0, 1, 2, ... from zero, the parts side by side."""
    marks: list[Mark] = []
    for index, part in enumerate(parts):
        shown = [(place, value) for place, value in enumerate(part.values) if value is not None]
        places = [in_group(place, index, len(parts), wide) for place, _ in shown]
        tips = [part.tips[place] for place, _ in shown] if part.tips else ()
        tops = [value for _, value in shown]
        marks.append(_bars(part, places, [0.0] * len(tops), tops, wide / len(parts), tips, across=False))
    return marks


def upright(
    colour: str, values: Numbers, tips: Sequence[str], *, first: int = 0, pale: bool = False
) -> list[Mark]:
    """Bars from zero at `first` and the places after it, where there is a value; the first may be `pale`."""
    return [
        Boxes(colour, [n - 0.33], [n + 0.33], [0.0], [value], tips=[tip], alpha=alpha)
        for n, (value, tip) in enumerate(zip(values, tips, strict=True), first)
        for alpha in (0.45 if pale and n == first else 1.0,)
        if value is not None
    ]


def in_group(place: float, index: int, many: int, wide: float = 0.8) -> float:
    """Return the middle of the bar `index` of `many` that stand around a place."""
    return place + wide * ((index + 0.5) / many - 0.5)


def _bars(
    part: Part,
    places: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    wide: float,
    tips: Sequence[str],
    *,
    across: bool,
) -> Boxes:
    sides = [place - wide / 2 for place in places], [place + wide / 2 for place in places]
    edges = (low, high, *sides) if across else (*sides, low, high)
    return Boxes(part.colour, *edges, name=part.name, tips=tips)


def named(names: Sequence[str]) -> dict[float, str]:
    """Return the ticks of an axis of names, at 0, 1, 2, ..."""
    return {float(place): name for place, name in enumerate(names)}


def columns(rows: Sequence[tuple[float, float, float]]) -> tuple[list[float], list[float], list[float]]:
    """Return place, low and high of intervals, each by itself."""
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


def runs(line: Line) -> Iterator[tuple[int, int]]:
    """Yield the parts of a line between its gaps, as ranges of its points."""
    gaps = [-1, *(place for place, y in enumerate(line.y) if y is None or line.x[place] is None), len(line.y)]
    for before, after in pairwise(gaps):
        if after - before > 1:
            yield before + 1, after


def rule(of: Literal["x", "y"], at: float, name: str = "") -> Rule:
    """Return the dotted line that marks a mean, a limit or a reference."""
    return Rule(palette.INK, of, at, name=name)
