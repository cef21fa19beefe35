"""An exhibit as a figure: published and simulated, side by side."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from floatgate.report import palette
from floatgate.report.plot import (
    Axis,
    Band,
    Errors,
    Figure,
    Line,
    Mark,
    Panel,
    Points,
    Shape,
    chart,
    columns,
    named,
)
from floatgate.reproduce.case import Line as Measured
from floatgate.reproduce.paper import Exhibit
from floatgate.reproduce.verdict import Row

_SHAPES: tuple[Shape, ...] = ("square", "up", "circle", "diamond", "down")
_FEW = 8  # places of x that are ticks, each
PUBLISHED, SIMULATED = "published", "simulated, 95 % interval"


def figure(exhibit: Exhibit, rows: Iterable[Row]) -> Figure | None:
    """Return the figure of the numbers of `rows`; None where there is none to draw."""
    rows = list(rows)
    numbers = [row for row in rows if isinstance(row.compared_with, float | int)]
    measured = [line for row in rows for line in row.lines]
    if measured:
        return _measured(exhibit, measured)
    if not numbers:
        return None
    # Over a single place of x there is no line.
    return _dots(exhibit, numbers) if len({row.x for row in numbers}) == 1 else _lines(exhibit, numbers)


def _measured(exhibit: Exhibit, measured: list[Measured]) -> Figure:
    """What was measured behind claims without numbers."""
    names = list(dict.fromkeys(one.name for one in measured))
    words = list(dict.fromkeys(x for one in measured for x in one.x if isinstance(x, str)))
    places = {word: float(place) for place, word in enumerate(words)}
    marks: list[Mark] = []
    if exhibit.figure.band is not None:
        marks.append(Band(palette.MUTED, "y", *exhibit.figure.band, alpha=0.2, name=PUBLISHED))
    for one in measured:
        index = names.index(one.name)
        colour = palette.SERIES[index % len(palette.SERIES)]
        name = "" if one.name in places else one.name  # a name that stands on the axis needs no legend
        x = [places[x] if isinstance(x, str) else float(x) for x in one.x]
        tips = [f"{one.name}: {y:.4g} at {at}" for at, y in zip(one.x, one.y, strict=True)]
        if one.kind == "points":
            shape = "circle" if not name else _SHAPES[index % len(_SHAPES)]
            marks.append(Points(colour, x, one.y, 5.5, shape, alpha=0.75, name=name, tips=tips))
            continue
        marks.append(Line(colour, x, one.y, 1.6, steps=one.kind == "steps", name=name, tips=tips))
        if one.kind == "line":
            marks.append(Points(colour, x, one.y, 4, name=name))
    y = Axis(exhibit.figure.y, log=exhibit.figure.y_scale == "log")
    if words:
        return _by_name(exhibit, words, marks, y)
    return chart(
        380, Axis(exhibit.figure.x, log=exhibit.figure.x_scale == "log"), y, marks, title=exhibit.title
    )


def _by_name(exhibit: Exhibit, words: list[str], marks: list[Mark], y: Axis) -> Figure:
    """Names stand on the upright axis, where they can be read: the marks are turned round."""
    turned: list[Mark] = []
    for mark in marks:
        if isinstance(mark, Points | Line):
            turned.append(replace(mark, x=mark.y, y=mark.x))
        elif isinstance(mark, Band):
            turned.append(replace(mark, of="x"))
    up = Axis(exhibit.figure.x, ticks=named(words), reverse=True, low=-0.6, high=len(words) - 0.4)
    return chart(70 + 21 * len(words), y, up, turned, title=exhibit.title)


def _lines(exhibit: Exhibit, rows: list[Row]) -> Figure:
    """A line for each series over x, hollow squares published, dots simulated; deviations below."""
    upper: list[Mark] = []
    tolerance = exhibit.tolerance or 0.0
    least, most = exhibit.range or (1 - tolerance, 1 + tolerance)
    lower: list[Mark] = [Band(palette.MUTED, "y", 100 * (least - 1), 100 * (most - 1), alpha=0.15)]
    for colour, series, points in _series(rows):
        x = [row.x or 0.0 for row in points]
        published = [float(row.compared_with or 0.0) for row in points]
        upper.append(Line(colour, x, published, 1.0, name=series))
        upper.append(Points(colour, x, published, 7, "square", hollow=True))
        values = [(row, at, row.simulated, row.ci95) for row, at in zip(points, x, strict=True)]
        upper += _simulated(colour, [(at, y, half) for _, at, y, half in values])
        lower += _simulated(colour, [_deviation(row, at) for row, at, _, _ in values])
    off = Axis("deviation, %", ticks=_percents(100 * (least - 1), 100 * (most - 1), rows))
    marks = [
        Points(palette.INK, [], [], 7, "square", hollow=True, name=PUBLISHED),
        Points(palette.INK, [], [], 5, name=SIMULATED),
    ]
    log = exhibit.figure.x_scale == "log"
    asked = sorted({row.x or 0.0 for row in rows})
    ticks = {x: f"{x:g}" for x in asked} if log and len(asked) <= _FEW else None
    whole = all(x == int(x) for x in asked)
    y = Axis(exhibit.figure.y or exhibit.unit.removeprefix("1"), log=exhibit.figure.y_scale == "log")
    panels = [
        Panel(Axis(log=log, labels=False, ticks=ticks, whole=whole), y, [*upper, *marks]),
        Panel(Axis(exhibit.figure.x, log=log, ticks=ticks, whole=whole), off, lower),
    ]
    return Figure(panels, 430, heights=(0.7, 0.3), share_x=True, title=exhibit.title)


def _percents(low: float, high: float, rows: list[Row]) -> dict[float, str] | None:
    """Ticks of deviations: none, the ends of the tolerance, and the farthest where it lies well beyond."""
    found = [100 * row.deviation for row in rows if row.deviation is not None]
    ends = [low, 0.0, high]
    ends += [
        end for end in (min(found, default=0.0), max(found, default=0.0)) if not 2 * low <= end <= 2 * high
    ]
    if high <= low or max(ends) - min(ends) > 8 * (high - low):
        return None
    return {end: f"{end:+.3g}" if end else "0" for end in ends}


_Value = tuple[float, float | str | None, float | None]  # where, what, and half of its interval


def _deviation(row: Row, at: float) -> _Value:
    """How far the simulated value is from the published one, in percent."""
    if row.deviation is None or not isinstance(row.compared_with, float | int):
        return at, None, None
    half = 100 * row.ci95 / abs(row.compared_with) if row.ci95 is not None else None
    return at, 100 * row.deviation, half


def _simulated(colour: str, values: list[_Value], *, across: bool = False, name: str = "") -> list[Mark]:
    known = [(at, y, half) for at, y, half in values if isinstance(y, float | int)]
    near = [(at, y - half, y + half) for at, y, half in known if half]
    places, found = [at for at, _, _ in known], [y for _, y, _ in known]
    tips = [f"simulated: {y:.4g}" + (f" +/- {half:.2g}" if half else "") for _, y, half in known]
    marks: list[Mark] = []
    if near:
        marks.append(Errors(colour, *columns(near), across=across))
    x, y = (found, places) if across else (places, found)
    return [*marks, Points(colour, x, y, 5, name=name, tips=tips)]


def _dots(exhibit: Exhibit, rows: list[Row]) -> Figure:
    """One line of the figure for each case."""
    places = [float(place) for place in range(len(rows))]
    published = [float(row.compared_with or 0.0) for row in rows]
    colour, ours = palette.KINDS["read"], palette.KINDS["write"]
    tips = [f"{row.case}: {value:.4g} published" for row, value in zip(rows, published, strict=True)]
    marks: list[Mark] = [
        Points(colour, published, places, 8, "square", hollow=True, name=PUBLISHED, tips=tips)
    ]
    values: list[_Value] = [(place, row.simulated, row.ci95) for place, row in zip(places, rows, strict=True)]
    marks += _simulated(ours, values, across=True, name=SIMULATED)
    x = Axis(exhibit.figure.y or exhibit.unit.removeprefix("1"), log=exhibit.figure.y_scale == "log")
    y = Axis(ticks=named([row.case for row in rows]), reverse=True, low=-0.6, high=len(rows) - 0.4)
    return chart(70 + 21 * len(rows), x, y, marks, title=exhibit.title)


def _series(rows: list[Row]) -> Iterator[tuple[str, str, list[Row]]]:
    """Yield colour, name and points of each series."""
    for index, series in enumerate(dict.fromkeys(row.series for row in rows)):
        points = [row for row in rows if row.series == series]
        colour = palette.SERIES[index % len(palette.SERIES)]
        yield colour, series, sorted(points, key=lambda row: row.x or 0.0)
