"""An exhibit as a figure: published and simulated, side by side."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floatgate.errors import InputError
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
    numbers = [row for row in rows if isinstance(row.published, float | int)]
    if not numbers:
        return False
    import matplotlib as mpl
    from matplotlib.figure import Figure

    style: dict[Any, Any] = {
        "svg.hashsalt": "floatgate",
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.size": 9,
    }
    with mpl.rc_context(style):
        tall = 3.6 if numbers[0].x is not None else 1.2 + 0.22 * len(numbers)
        figure = Figure(figsize=(6.4, tall), layout="constrained")
        axes = figure.add_subplot()
        if numbers[0].x is not None:
            _lines(axes, exhibit, numbers)
        else:
            _dots(axes, exhibit, numbers)
        axes.set_title(exhibit.title, loc="left", fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25, linewidth=0.5)
        axes.legend(frameon=False, fontsize=8)
        figure.savefig(path, metadata={"Date": None, "Creator": "Floatgate"})
    return True


def _lines(axes: "Axes", exhibit: Exhibit, rows: list[Row]) -> None:
    """One line a series over x: hollow squares published, dots simulated."""
    for index, series in enumerate(dict.fromkeys(row.series for row in rows)):
        points = sorted((row for row in rows if row.series == series), key=lambda row: row.x or 0.0)
        colour = f"C{index}"
        published = [(row.x, row.published) for row in points]
        axes.plot(
            *_columns(published),
            color=colour,
            marker="s",
            markerfacecolor="none",
            linewidth=1,
            label=_label(series),
        )
        _simulated(axes, [(row.x, row) for row in points], colour, None)
    axes.plot([], [], color="black", marker="s", markerfacecolor="none", linestyle="none", label="published")
    axes.plot([], [], color="black", marker=".", linestyle="none", label="simulated, 95 % interval")
    axes.set_xlabel(exhibit.figure.x)
    axes.set_ylabel(exhibit.figure.y or exhibit.unit)
    axes.set_xscale(exhibit.figure.x_scale)
    axes.set_yscale(exhibit.figure.y_scale)


def _dots(axes: "Axes", exhibit: Exhibit, rows: list[Row]) -> None:
    """One row a case."""
    places = [float(-index) for index in range(len(rows))]
    axes.plot(
        [row.published for row in rows],
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
    axes.plot([], [], color="C1", marker=".", linestyle="none", label="simulated, 95 % interval")
    axes.set_yticks(places, [row.case for row in rows])
    axes.set_xlabel(exhibit.figure.y or exhibit.unit)
    axes.set_xscale(exhibit.figure.y_scale)


def _simulated(axes: "Axes", points: list[tuple[float | None, Row]], colour: str, label: str | None) -> None:
    for x, row in points:
        if x is not None and isinstance(row.simulated, float | int):
            axes.errorbar(x, row.simulated, yerr=row.ci95, color=colour, marker=".", capsize=2, label=label)


def _columns(points: list[tuple[float | None, float | str]]) -> tuple[list[float], list[float]]:
    return [float(x or 0.0) for x, _ in points], [float(y) for _, y in points]


def _label(series: str) -> str:
    return series or "_nolegend_"
