"""The exploration as figures: bandwidth over ways, and the front of bandwidth against pins and energy."""

from collections.abc import Sequence
from pathlib import Path

from floatgate.bus.explore import OPS, BusPoint, front, full_at, most_dies, with_all_dies
from floatgate.report import palette
from floatgate.report.plot import Axis, Figure, Line, Mark, Panel, Points, Text


def draw(points: Sequence[BusPoint], folder: Path) -> list[Path]:
    """Write `ways.svg` and `front.svg` into `folder` and return them. The same points give the same bytes."""
    from floatgate.report.draw import svg

    paths = []
    for name, figure in (("ways.svg", ways(points)), ("front.svg", best(points))):
        paths.append(folder / name)
        paths[-1].write_text(svg(figure, 960), encoding="utf-8")
    return paths


def ways(points: Sequence[BusPoint]) -> Figure:
    """Bandwidth of one channel over its ways; a ring where the channel is full."""
    chips = list(dict.fromkeys(point.chip for point in points))
    interfaces = list(dict.fromkeys(point.interface for point in points))
    ticks = {float(n): str(n) for n in sorted({point.ways for point in points if point.channels == 1})}
    panels = []
    for chip in chips:
        for op in OPS:
            marks: list[Mark] = []
            for index, interface in enumerate(interfaces):
                asked = (chip, interface, op, 1)
                mine = [p for p in points if (p.chip, p.interface, p.op, p.channels) == asked]
                mine.sort(key=lambda point: point.ways)
                marks += _way(mine, palette.SERIES[index % len(palette.SERIES)], interface)
                full = full_at(points, chip, interface, op)
                marks += _full([point for point in mine if point.ways == full], marks[-1].colour)
            x, y = Axis("ways", log=True, ticks=ticks), Axis("MB/s", log=True)
            panels.append(Panel(x, y, marks, f"{chip}, {op}"))
    title = "One channel: bandwidth over ways. A ring marks a full channel."
    return Figure(panels, 290 * len(chips), columns=len(OPS), title=title)


def _way(points: Sequence[BusPoint], colour: str, interface: str) -> list[Mark]:
    x, y = [float(point.ways) for point in points], [point.mb_per_s for point in points]
    return [Line(colour, x, y, 1.4, name=interface), Points(colour, x, y, 5, name=interface)]


def _full(points: Sequence[BusPoint], colour: str) -> list[Mark]:
    return [
        Points(colour, [point.ways], [point.mb_per_s], 11, hollow=True, alpha=1.0, name="full channel")
        for point in points
    ]


def best(points: Sequence[BusPoint]) -> Figure:
    """Bandwidth against pins, energy as colour; the points no other beats are joined, and some named."""
    chips = list(dict.fromkeys(point.chip for point in points))
    energies = [point.nj_per_byte for point in points if point.channels * point.ways == most_dies(points)]
    panels = []
    for chip in chips:
        for op in OPS:
            mine = with_all_dies(points, chip, op)
            panels.append(_front(mine, f"{chip}, {op}", (min(energies), max(energies))))
    dies = "Sixteen" if most_dies(points) == 16 else str(most_dies(points))
    title = f"{dies} dies: bandwidth against NAND pins. Joined: no other is better in all three."
    return Figure(panels, 330 * len(chips), columns=len(OPS), title=title)


def _front(points: Sequence[BusPoint], title: str, span: tuple[float, float]) -> Panel:
    kept = front(points)
    x, y = [float(point.pins) for point in points], [point.mb_per_s for point in points]
    marks: list[Mark] = [
        Line(palette.MUTED, [point.pins for point in kept], [point.mb_per_s for point in kept], 1.0),
        Points(palette.INK, x, y, 7, values=[point.nj_per_byte for point in points]),
    ]
    low, high = min(y), max(y)
    marks += _names(kept, (min(x), max(x)), (low, high))
    widest = max(x) - min(x) or 1.0
    across = Axis("NAND pins of the controller", low=min(x) - 0.45 * widest, high=max(x) + 0.06 * widest)
    up = Axis("MB/s", log=True, low=low / 1.25, high=high * 1.4)
    return Panel(across, up, marks, title, scale="nJ per byte", log_scale=True, scale_span=span)


def _names(points: Sequence[BusPoint], x: tuple[float, float], y: tuple[float, float]) -> list[Mark]:
    """Name the fastest of each number of pins, as far as names have room.

    Names stand up to the left: points with fewer pins are slower, and the front comes from below. Of points
    about as fast as each other the one with the fewest pins is named.
    """
    fastest = {point.pins: point for point in sorted(points, key=lambda point: point.mb_per_s)}
    names: list[Mark] = []
    room = (y[1] / y[0]) ** (1 / 12)  # a line of text
    taken: list[float] = []
    for _, point in sorted(fastest.items()):
        if all(max(other, point.mb_per_s) / min(other, point.mb_per_s) > room for other in taken):
            taken.append(point.mb_per_s)
            label = f"{point.interface}, {point.channels}x{point.ways}"
            at = point.pins - 0.03 * (x[1] - x[0])
            names.append(Text(palette.INK, at, point.mb_per_s, label, "right", 1, 10))
    return names
