"""An exhibit as a figure: published and simulated, side by side."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floatgate.errors import InputError
from floatgate.reproduce.case import Line
from floatgate.reproduce.paper import Exhibit
from floatgate.reproduce.verdict import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MISSING = "the figures need matplotlib: pip install 'floatgate[reproduce]'"


def available() -> bool:
    """Whether figures can be drawn here."""
    from importlib.util import find_spec

    return find_spec("matplotlib") is not None


def draw(exhibit: Exhibit, rows: Iterable[Row], path: Path) -> bool:
    """Draw the numbers of `rows` into the SVG file `path`; return False when there is none to draw.

    The same rows give the same bytes. Raises InputError when matplotlib is not installed.
    """
    if not available():
        raise InputError(MISSING)
    rows = list(rows)
    numbers = [row for row in rows if isinstance(row.compared_with, float | int)]
    measured = [line for row in rows for line in row.lines]
    if not numbers and not measured:
        return False
    import matplotlib as mpl
    from matplotlib.figure import Figure

    style: Any = {
        "svg.hashsalt": "floatgate",
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.alpha": 0.25,
        "grid.linewidth": 0.5,
        "lines.markersize": 5,
        "legend.frameon": False,
        "legend.fontsize": 8,
    }
    with mpl.rc_context(style):
        lines = bool(measured) or numbers[0].x is not None
        figure = Figure(figsize=(7.2, 4.6 if lines else 1.2 + 0.2 * len(numbers)), layout="constrained")
        if measured:
            values = figure.add_subplot()
            _measured(values, exhibit, measured)
        elif lines:
            values, deviations = figure.subplots(2, sharex=True, height_ratios=(3, 1))
            _lines(values, exhibit, numbers)
            _deviations(deviations, exhibit, numbers)
        else:
            values = figure.add_subplot()
            _dots(values, exhibit, numbers)
        values.set_title(exhibit.title, loc="left", fontsize=10)
        figure.legend(*values.get_legend_handles_labels(), loc="outside right upper")
        figure.savefig(path, metadata={"Date": None, "Creator": "Floatgate"})
    return True


_MARKS = "s^ovDPX*"


def _measured(axes: "Axes", exhibit: Exhibit, measured: list[Line]) -> None:
    """Draw what was measured behind claims without numbers."""
    names = list(dict.fromkeys(one.name for one in measured))
    on_axis = {x for one in measured for x in one.x}  # a name that stands there needs no legend
    shown: set[str] = set()
    for one in measured:
        index = names.index(one.name)
        style: dict[str, Any] = {"color": f"C{index % 10}", "linewidth": 1, "label": one.name}
        if one.name in on_axis or one.name in shown:
            style["label"] = "_nolegend_"
        shown.add(one.name)
        if one.kind == "steps":
            style["drawstyle"] = "steps-post"
        elif one.kind == "points":
            mark = "o" if one.name in on_axis else _MARKS[index % len(_MARKS)]
            style |= {"marker": mark, "linestyle": "none", "alpha": 0.7, "markersize": 4}
        else:
            style["marker"] = "."
        axes.plot(one.x, one.y, **style)
    if exhibit.figure.band is not None:
        axes.axhspan(*exhibit.figure.band, color="0.9", zorder=0, label="published")
    axes.set_xlabel(exhibit.figure.x)
    axes.set_ylabel(exhibit.figure.y)
    if exhibit.figure.x_scale == "log":
        axes.set_xscale("log")
    axes.set_yscale(exhibit.figure.y_scale)
    values = [y for one in measured for y in one.y]
    if exhibit.figure.y_scale == "log" and max(values) < 100 * min(values):
        _plain_ticks(axes)
    if any(isinstance(x, str) for x in on_axis):
        # Few names lean; many stand, or they would run into each other.
        axes.tick_params(axis="x", labelrotation=30 if len(on_axis) <= 8 else 90)


def _plain_ticks(axes: "Axes") -> None:
    """Label a logarithmic axis of few decades with plain numbers."""
    from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

    axes.yaxis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))


def _lines(axes: "Axes", exhibit: Exhibit, rows: list[Row]) -> None:
    """Draw a line for each series over x: hollow squares published, dots simulated."""
    for colour, series, points in _series(rows):
        x = [row.x or 0.0 for row in points]
        published = [float(row.compared_with or 0.0) for row in points]
        axes.plot(
            x,
            published,
            color=colour,
            marker="s",
            markerfacecolor="none",
            linewidth=1,
            label=series or "_nolegend_",
        )
        for row in points:
            _simulated(axes, row.x or 0.0, row.simulated, row.ci95, colour)
    axes.plot([], [], color="black", marker="s", markerfacecolor="none", linestyle="none", label="published")
    axes.plot([], [], color="black", marker=".", linestyle="none", label="simulated, 95 % interval")
    axes.set_ylabel(exhibit.figure.y or exhibit.unit)
    axes.set_xscale(exhibit.figure.x_scale)
    axes.set_yscale(exhibit.figure.y_scale)
    if exhibit.figure.y_scale == "log":
        _plain_ticks(axes)


def _deviations(axes: "Axes", exhibit: Exhibit, rows: list[Row]) -> None:
    """Draw how far the simulated values are from the published ones, and the tolerance."""
    for colour, _, points in _series(rows):
        for row in points:
            if row.deviation is not None and isinstance(row.compared_with, float | int):
                half = 100 * row.ci95 / abs(row.compared_with) if row.ci95 is not None else None
                _simulated(axes, row.x or 0.0, 100 * row.deviation, half, colour)
    tolerance = exhibit.tolerance or 0.0
    least, most = exhibit.range or (1 - tolerance, 1 + tolerance)
    axes.axhspan(100 * (least - 1), 100 * (most - 1), color="black", alpha=0.06, linewidth=0)
    axes.set_ylabel("deviation, %")
    axes.set_xlabel(exhibit.figure.x)


def _dots(axes: "Axes", exhibit: Exhibit, rows: list[Row]) -> None:
    """Draw one line of the figure for each case."""
    places = [float(-index) for index in range(len(rows))]
    published = [float(row.compared_with or 0.0) for row in rows]
    axes.plot(
        published,
        places,
        color="C0",
        marker="s",
        markerfacecolor="none",
        linestyle="none",
        label="published",
    )
    for place, row in zip(places, rows, strict=True):
        if isinstance(row.simulated, float | int):
            axes.errorbar(row.simulated, place, xerr=row.ci95, color="C1", marker=".", capsize=2)
    axes.plot([], [], color="C1", marker=".", linestyle="none", label="simulated")
    axes.set_yticks(places, [row.case for row in rows])
    axes.set_xlabel(exhibit.figure.y or exhibit.unit)
    axes.set_xscale(exhibit.figure.y_scale)


def _series(rows: list[Row]) -> Iterator[tuple[str, str, list[Row]]]:
    """Yield colour, name and points of each series."""
    for index, series in enumerate(dict.fromkeys(row.series for row in rows)):
        points = [row for row in rows if row.series == series]
        yield f"C{index}", series, sorted(points, key=lambda row: row.x or 0.0)


def _simulated(axes: "Axes", x: float, y: float | str | None, half: float | None, colour: str) -> None:
    if isinstance(y, float | int):
        axes.errorbar(x, y, yerr=half, color=colour, marker=".", capsize=2)
