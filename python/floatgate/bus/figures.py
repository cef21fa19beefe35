"""The exploration as figures: bandwidth over ways, and the front of bandwidth against pins and energy."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floatgate.bus.explore import OPS, Point, front, full_at, most_dies, sixteen

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLE: Any = {
    "svg.hashsalt": "floatgate",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "legend.fontsize": 8,
}


def draw(points: Sequence[Point], folder: Path) -> list[Path]:
    """Write `ways.svg` and `front.svg` into `folder` and return them. The same points give the same bytes."""
    import matplotlib as mpl

    with mpl.rc_context(STYLE):
        return [_ways(points, folder / "ways.svg"), _front(points, folder / "front.svg")]


def _panels(chips: Sequence[str], title: str) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.8 * len(OPS) + 1.6, 3.1 * len(chips)), layout="constrained")
    axes = figure.subplots(len(chips), len(OPS), squeeze=False)
    figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    return figure, axes


def _log2(axis: Any, values: Sequence[int]) -> None:
    from matplotlib.ticker import NullLocator

    axis.set_major_locator(_fixed(values))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter("{x:g}")


def _fixed(values: Sequence[int]) -> Any:
    from matplotlib.ticker import FixedLocator

    return FixedLocator(list(values))


def _ways(points: Sequence[Point], path: Path) -> Path:
    """Bandwidth of one channel over its ways; a ring where the channel is full."""
    chips = list(dict.fromkeys(point.chip for point in points))
    interfaces = list(dict.fromkeys(point.interface for point in points))
    figure, axes = _panels(chips, "One channel: bandwidth over ways. A ring marks a full channel.")
    for row, chip in enumerate(chips):
        for column, op in enumerate(OPS):
            panel: Axes = axes[row][column]
            for index, interface in enumerate(interfaces):
                mine = [
                    point
                    for point in points
                    if (point.chip, point.interface, point.op, point.channels) == (chip, interface, op, 1)
                ]
                mine.sort(key=lambda point: point.ways)
                x, y = [point.ways for point in mine], [point.mb_per_s for point in mine]
                colour = f"C{index}"
                panel.plot(x, y, color=colour, marker=".", linewidth=1, label=interface)
                full = full_at(points, chip, interface, op)
                if full is not None:
                    panel.plot(
                        full, y[x.index(full)], "o", color=colour, markerfacecolor="none", markersize=9
                    )
            panel.set_xscale("log", base=2)
            panel.set_yscale("log")
            _log2(panel.xaxis, sorted({point.ways for point in points if point.channels == 1}))
            panel.set_title(f"{chip}, {op}", loc="left", fontsize=9)
            panel.set_ylabel("MB/s")
            panel.set_xlabel("ways")
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="outside right upper", title="interface")
    figure.savefig(path, metadata={"Date": None, "Creator": "Floatgate"})
    return path


def _front(points: Sequence[Point], path: Path) -> Path:
    """Bandwidth against pins, energy as colour; the points no other beats are ringed and joined."""
    chips = list(dict.fromkeys(point.chip for point in points))
    figure, axes = _panels(
        chips, "Sixteen dies: bandwidth against NAND pins. Ringed: no other is better in all three."
    )
    from matplotlib.colors import LogNorm

    energies = [point.nj_per_byte for point in points if point.channels * point.ways == most_dies(points)]
    norm = LogNorm(min(energies), max(energies))
    shown = None
    for row, chip in enumerate(chips):
        for column, op in enumerate(OPS):
            panel: Axes = axes[row][column]
            mine = sixteen(points, chip, op)
            best = front(mine)
            shown = panel.scatter(
                [point.pins for point in mine],
                [point.mb_per_s for point in mine],
                c=[point.nj_per_byte for point in mine],
                norm=norm,
                cmap="viridis_r",
                s=18,
            )
            panel.plot(
                [point.pins for point in best],
                [point.mb_per_s for point in best],
                "o",
                color="black",
                markerfacecolor="none",
                markersize=8,
                linewidth=0,
            )
            fastest = max(best, key=lambda point: point.mb_per_s)
            for point in (best[0], fastest):
                panel.annotate(
                    f"{point.interface}, {point.channels}x{point.ways}",
                    (point.pins, point.mb_per_s),
                    textcoords="offset points",
                    xytext=(6, -11) if point is fastest else (8, -3),
                    fontsize=7,
                    ha="right" if point is fastest else "left",
                )
            panel.set_yscale("log")
            panel.set_title(f"{chip}, {op}", loc="left", fontsize=9)
            panel.set_xlabel("NAND pins of the controller")
            panel.set_ylabel("MB/s")
    figure.colorbar(shown, ax=axes, label="nJ per byte: controller, wires, arrays", shrink=0.6)
    figure.savefig(path, metadata={"Date": None, "Creator": "Floatgate"})
    return path
