"""The picture of paired differences: a row each, with a point for every pair, their mean and its interval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten

from floatgate.report import palette
from floatgate.report.plot import Axis, Errors, Figure, Mark, Panel, Points, Rule, columns
from floatgate.results.paired import Paired, Verdict

ROWS_MOST = 40
_LETTERS = 34  # of a row's name
_COLOURS: dict[Verdict, str] = {
    "A lower": palette.SERIES[0],
    "B lower": palette.SERIES[1],
    "no difference of note": palette.MUTED,
    "cannot be told": palette.OTHER,
}


@dataclass(frozen=True)
class Row:
    """A row of the picture."""

    name: str
    found: Paired
    flags: str = ""


def differences(groups: Mapping[str, Sequence[Row]], title: str = "") -> Figure | None:
    """Return the picture, a panel for each group; None where no row has a place on its axis.

    Differences are shown in percent of A, of which there are none where A is 0.
    """
    shown: dict[str, list[Row]] = {}
    left = ROWS_MOST
    for name, rows in groups.items():
        mine = [one for one in rows if one.found.mean_a > 0][:left]
        left -= len(mine)
        if mine:
            shown[name] = mine
    if not shown:
        return None
    low, high = _span([one for rows in shown.values() for one in rows])
    last = next(reversed(shown))
    panels: list[Panel] = []
    for name, rows in shown.items():
        x = Axis("(B - A) / A (%)" if name == last else "", low=low, high=high)
        said = ": ".join(part for part in (title if not panels else "", name) if part)
        panels.append(Panel(x, _across(rows), _all_marks(rows), title=said))
    heights = [70 + 28 * len(rows) for rows in shown.values()]
    return Figure(panels, sum(heights), heights=heights if len(heights) > 1 else None)


def _across(rows: Sequence[Row]) -> Axis:
    names = {float(place): shorten(one.name, _LETTERS, placeholder="...") for place, one in enumerate(rows)}
    return Axis(ticks=names, reverse=True, grid=False, low=-0.6, high=len(rows) - 0.4)


def _all_marks(rows: Sequence[Row]) -> list[Mark]:
    marks: list[Mark] = [Rule(palette.MUTED, "x", 0.0)]
    for verdict, colour in _COLOURS.items():
        mine = [(place, one) for place, one in enumerate(rows) if one.found.verdict == verdict]
        marks += _marks(mine, colour)
    return marks


def _span(rows: Sequence[Row]) -> tuple[float, float]:
    """Return the ends of the axis: all intervals, all points as far as they do not hide the intervals."""
    ends = [end for one in rows for end in (_percent(one, one.found.low), _percent(one, one.found.high))]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    free = high - low or 1.0
    points = [value for one in rows for value in _points(one) if low - free <= value <= high + free]
    low, high = min([low, *points]), max([high, *points])
    edge = 0.05 * (high - low) or 0.5
    return low - edge, high + edge


def _percent(one: Row, value: float) -> float:
    return 100 * value / one.found.mean_a


def _points(one: Row) -> list[float]:
    pairs = zip(one.found.a, one.found.b, strict=True)
    return [_percent(one, after - before) for before, after in pairs]


def _marks(rows: Sequence[tuple[int, Row]], colour: str) -> list[Mark]:
    """The rows of one verdict."""
    if not rows:
        return []
    verdict = rows[0][1].found.verdict
    x = [value for _, one in rows for value in _points(one)]
    y = [float(place) for place, one in rows for _ in one.found.seeds]
    tips = [
        f"{one.name}, seed {seed}: {value:+.3g} %"
        for _, one in rows
        for seed, value in zip(one.found.seeds, _points(one), strict=True)
    ]
    ends = [
        (float(place), _percent(one, one.found.low), _percent(one, one.found.high)) for place, one in rows
    ]
    means = [_percent(one, one.found.difference) for _, one in rows]
    said = [f"{one.name}: {mean:+.3g} %, {verdict}{f' ({one.flags})' if one.flags else ''}"
            for (_, one), mean in zip(rows, means, strict=True)]  # fmt: skip
    places = [float(place) for place, _ in rows]
    return [
        Points(colour, x, y, 3.5, alpha=0.45, tips=tips),
        Errors(colour, *columns(ends), across=True),
        Points(colour, means, places, 7.5, "diamond", name=verdict, tips=said),
    ]
