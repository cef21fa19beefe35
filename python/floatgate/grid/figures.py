"""The figures of a grid: rates over block sizes, where the time goes, and how steady the steady part was."""

from collections.abc import Sequence
from math import ceil, floor, log10
from statistics import fmean

from floatgate.grid.point import NOT_REACHED, OPS, PATTERNS, STEADY, Point
from floatgate.report import palette, words
from floatgate.report.plot import (
    Axis,
    Dash,
    Errors,
    Figure,
    Line,
    Mark,
    Panel,
    Part,
    Points,
    Shape,
    chart,
    columns,
    named,
    stacked,
)
from floatgate.values import quantities as q

USUAL_BLOCK = 8192  # the block whose stages are drawn, where the grid has it: what databases ask for
_DISK_STAGES = {"seek": "#7a6fac", "rotation": "#e69f00", "media": "#2f3e50", "flash cache": "#56b4e9"}
_DASHES: tuple[Dash, ...] = ("solid", "dash", "dot", "dashdot", "longdash")
_SHAPES: tuple[Shape, ...] = ("circle", "diamond", "square", "up", "down")


def rates(points: Sequence[Point]) -> Figure:
    """IOPS above, MB/s below, over the size of a request; sequential on the left, random on the right."""
    patterns = [pattern for pattern in PATTERNS if any(point.setting.pattern == pattern for point in points)]
    blocks = sorted({point.setting.block_bytes for point in points})
    panels = []
    for unit, title in (("iops", "IOPS"), ("mb_per_s", "MB/s")):
        low, high = _decades([getattr(point, unit) for point in points if point.state == STEADY])
        for pattern in patterns:
            mine = [point for point in points if point.setting.pattern == pattern]
            y = Axis(title, log=True, low=low, high=high, format="si" if unit == "iops" else "")
            panels.append(Panel(_blocks(blocks, pattern), y, _lines(mine, unit, low)))
    return Figure(panels, 700, columns=len(patterns), zoom=True)


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """Whole decades around the values, with room below for what was not reached."""
    if not values:
        return 1.0, 10.0
    return 10.0 ** floor(log10(min(values)) - 0.15), 10.0 ** ceil(log10(max(values)) + 0.05)


def _blocks(blocks: Sequence[int], pattern: str) -> Axis:
    shown = blocks if len(blocks) <= 6 else blocks[:: ceil(len(blocks) / 5)]
    return Axis(
        f"{pattern} request",
        log=True,
        low=blocks[0] / 1.25,
        high=blocks[-1] * 1.25,
        ticks={float(block): q.size(block).replace(".00", "") for block in shown},
    )


def _lines(points: Sequence[Point], unit: str, low: float) -> list[Mark]:
    marks: list[Mark] = []
    for op in OPS:
        for index, depth in enumerate(sorted({point.setting.depth for point in points})):
            mine = [p for p in points if (p.setting.op, p.setting.depth) == (op, depth)]
            if mine:
                dash, shape = _DASHES[index % len(_DASHES)], _SHAPES[index % len(_SHAPES)]
                marks += _line(mine, unit, f"{op}, depth {depth}", dash, shape)
                marks += _not_reached(mine, low, op)
    return marks


def _line(points: Sequence[Point], unit: str, name: str, dash: Dash, shape: Shape) -> list[Mark]:
    """One line with its intervals and its marks."""
    colour = palette.KINDS[points[0].setting.op]
    shown = "IOPS" if unit == "iops" else "MB/s"
    x = [float(point.setting.block_bytes) for point in points]
    y = [getattr(point, unit) for point in points]
    tips = [
        f"{point.setting.name}: " + (NOT_REACHED if value is None else f"{value:,.4g} {shown}")
        for point, value in zip(points, y, strict=True)
    ]
    near = []
    for point, at, value in zip(points, x, y, strict=True):
        half = (point.iops_ci95 or 0) * (1.0 if unit == "iops" else at * 1e-6)
        if value is not None and half:
            near.append((at, max(value - half, value / 10), value + half))
    marks: list[Mark] = [Line(colour, x, y, 1.8, dash, name=name)]
    if near:
        marks.append(Errors(colour, *columns(near)))
    return [*marks, Points(colour, x, y, 6, shape, name=name, tips=tips)]


def _not_reached(points: Sequence[Point], low: float, op: str) -> list[Mark]:
    """Crosses at the foot of the panel: the place says which point, the height says nothing."""
    missing = [point for point in points if point.state == NOT_REACHED]
    if not missing:
        return []
    x, tips = zip(
        *((float(one.setting.block_bytes), f"{one.setting.name}: not reached") for one in missing),
        strict=True,
    )
    return [Points(palette.KINDS[op], x, [low * 1.12] * len(x), 8, "cross", tips=tips)]


def stages(points: Sequence[Point]) -> Figure | None:
    """Shares of a request's mean time by stage, for one block size; the time itself is beside the name."""
    block = stage_block(points)
    mine = [p for p in points if p.setting.block_bytes == block and p.state == STEADY]
    if not mine:
        return None
    names = [
        f"{p.setting.pattern} {p.setting.op}, {p.setting.depth} deep: {q.duration(p.latency_ns_mean)}"
        for p in mine
    ]
    total = [sum(point.stages_ns.values()) for point in mine]
    found = []
    for stage, colour in (palette.STAGES | _DISK_STAGES).items():
        values = [point.stages_ns.get(stage, 0.0) for point in mine]
        if not any(values):
            continue
        shares = [value / whole for value, whole in zip(values, total, strict=True)]
        tips = [
            f"{words.stage(stage)}: {q.duration(value)}, {q.percent(share)}"
            for value, share in zip(values, shares, strict=True)
        ]
        found.append(Part(words.stage(stage), colour, shares, tips))
    x = Axis("share of the mean time of a request", low=0, high=1, format="percent")
    y = Axis(ticks=named(names), reverse=True, grid=False, low=-0.5, high=len(mine) - 0.5)
    return chart(80 + 28 * len(mine), x, y, stacked(found, across=True, wide=0.75))


def stage_block(points: Sequence[Point]) -> int:
    """Return the block size whose stages are drawn."""
    blocks = sorted({point.setting.block_bytes for point in points})
    return USUAL_BLOCK if USUAL_BLOCK in blocks else blocks[0]


def steadiness(points: Sequence[Point], what: str) -> Figure:
    """Each window's rate over the mean of the steady ones; what came before is on the left, of zero."""
    marks: list[Mark] = []
    for point in points:
        if point.state != STEADY or point.steady_from is None:
            continue
        first = point.steady_from
        mean = fmean(point.windows[first:])
        x = [float(index - first) for index in range(len(point.windows))]
        y = [rate / mean for rate in point.windows]
        tips = [f"{point.setting.name}: {value:.3f}" for value in y]
        op = point.setting.op
        marks.append(Line(palette.KINDS[op], x, y, 1.0, name=op, alpha=0.45, tips=tips))
    x_axis = Axis(f"{what}, counted from the first that is part of the rate", whole=True)
    return chart(300, x_axis, Axis("rate over the steady mean"), marks, zoom=True)
