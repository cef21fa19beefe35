"""The figures of a grid: rates over block sizes, where the time goes, and how steady the steady part was."""

from collections.abc import Sequence
from math import ceil, floor, log10
from statistics import fmean
from typing import Any

from floatgate import quantities as q
from floatgate.grid.point import NOT_REACHED, OPS, PATTERNS, STEADY, Point
from floatgate.report import palette, words
from floatgate.report.plot import Figure, axis, layout

USUAL_BLOCK = 8192  # the block whose stages are drawn, where the grid has it: what databases ask for
_DISK_STAGES = {"seek": "#7A6FAC", "rotation": "#E69F00", "media": "#2f3e50", "flash cache": "#56B4E9"}
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_MARKS = ("circle", "diamond", "square", "triangle-up", "triangle-down", "cross")


def rates(points: Sequence[Point]) -> Figure:
    """IOPS above, MB/s below, over the size of a request; sequential on the left, random on the right."""
    patterns = [pattern for pattern in PATTERNS if any(point.setting.pattern == pattern for point in points)]
    data: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    blocks = sorted({point.setting.block_bytes for point in points})
    width = (1 - 0.1 * (len(patterns) - 1)) / len(patterns)
    number = 0
    for row, (unit, title) in enumerate((("iops", "IOPS"), ("mb_per_s", "MB/s"))):
        values = [getattr(point, unit) for point in points if point.state == STEADY]
        low, high = _decades(values)
        for column, pattern in enumerate(patterns):
            number += 1
            mine = [point for point in points if point.setting.pattern == pattern]
            data += _lines(mine, unit, number, low, first=number == 1)
            start = column * (width + 0.1)
            axes[_axis("x", number)] = _blocks(blocks) | {
                "domain": [start, start + width],
                "anchor": f"y{number}",
                "title": {"text": f"{pattern} request", "standoff": 6},
            }
            axes[_axis("y", number)] = axis(title) | {
                "type": "log",
                "dtick": 1,
                "exponentformat": "none",
                "tickformat": "~s" if unit == "iops" else "~g",
                "range": [low, high],
                "domain": [0.56, 1] if row == 0 else [0, 0.44],
                "anchor": f"x{number}",
            }
    return {"data": data, "layout": layout(760, **axes)}


def _axis(letter: str, number: int) -> str:
    return f"{letter}axis" if number == 1 else f"{letter}axis{number}"


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """Whole decades around the values, with room below for what was not reached."""
    if not values:
        return 0.0, 1.0
    return float(floor(log10(min(values)) - 0.15)), float(ceil(log10(max(values)) + 0.05))


def _blocks(blocks: Sequence[int]) -> dict[str, Any]:
    shown = blocks if len(blocks) <= 8 else blocks[:: ceil(len(blocks) / 7)]
    return axis("") | {
        "type": "log",
        "tickvals": list(shown),
        "ticktext": [q.size(block).replace(".00", "") for block in shown],
        "range": [log10(blocks[0]) - 0.1, log10(blocks[-1]) + 0.1],
    }


def _lines(points: Sequence[Point], unit: str, number: int, low: float, *, first: bool) -> list[Any]:
    lines = []
    scale = 1.0 if unit == "iops" else 1e-6
    for op in OPS:
        for index, depth in enumerate(sorted({point.setting.depth for point in points})):
            mine = [p for p in points if (p.setting.op, p.setting.depth) == (op, depth)]
            if not mine:
                continue
            name = f"{op}, depth {depth}"
            common: dict[str, Any] = {
                "type": "scatter",
                "x": [point.setting.block_bytes for point in mine],
                "xaxis": f"x{number}" if number > 1 else "x",
                "yaxis": f"y{number}" if number > 1 else "y",
                "legendgroup": name,
            }
            half = [
                (point.iops_ci95 or 0) * (1.0 if unit == "iops" else point.setting.block_bytes * scale)
                for point in mine
            ]
            line = {
                "mode": "lines+markers",
                "name": name,
                "showlegend": first,
                "connectgaps": False,
                "y": [getattr(point, unit) for point in mine],
                "error_y": {"type": "data", "array": half, "thickness": 1, "width": 2},
                "line": {"color": palette.KINDS[op], "width": 1.8, "dash": _DASHES[index % len(_DASHES)]},
                "marker": {"size": 6, "symbol": _MARKS[index % len(_MARKS)]},
                "customdata": [point.setting.name for point in mine],
                "hovertemplate": f"%{{customdata}}: %{{y:,.4g}} {'IOPS' if unit == 'iops' else 'MB/s'}"
                "<extra></extra>",
            }
            lines.append(common | line)
            lines += _not_reached(mine, common, low, op)
    return lines


def _not_reached(points: Sequence[Point], common: dict[str, Any], low: float, op: str) -> list[Any]:
    """Crosses at the foot of the panel: the place says which point, the height says nothing."""
    missing = [point for point in points if point.state == NOT_REACHED]
    if not missing:
        return []
    mark = {
        "mode": "markers",
        "showlegend": False,
        "x": [point.setting.block_bytes for point in missing],
        "y": [10**low * 1.12] * len(missing),
        "marker": {"symbol": "x-thin-open", "size": 9, "color": palette.KINDS[op]},
        "customdata": [point.setting.name for point in missing],
        "hovertemplate": "%{customdata}: not reached<extra></extra>",
    }
    return [common | mark]


def stages(points: Sequence[Point]) -> Figure | None:
    """Shares of a request's mean time by stage, for one block size."""
    block = stage_block(points)
    mine = [p for p in points if p.setting.block_bytes == block and p.state == STEADY]
    if not mine:
        return None
    names = [f"{p.setting.pattern} {p.setting.op}, {p.setting.depth} deep" for p in mine]
    data = []
    for stage, colour in (palette.STAGES | _DISK_STAGES).items():
        values = [point.stages_ns.get(stage, 0.0) for point in mine]
        if not any(values):
            continue
        total = [sum(point.stages_ns.values()) for point in mine]
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": words.stage(stage),
                "x": [value / all_ for value, all_ in zip(values, total, strict=True)],
                "y": names,
                "marker": {"color": colour, "line": {"color": palette.PAPER, "width": 1}},
                "customdata": [q.duration(value) for value in values],
                "hovertemplate": f"{words.stage(stage)}: %{{customdata}}, %{{x:.1%}}<extra>%{{y}}</extra>",
            }
        )
    notes = [
        {
            "x": 1.005,
            "xref": "paper",
            "y": name,
            "xanchor": "left",
            "text": q.duration(point.latency_ns_mean),
            "showarrow": False,
            "font": {"size": 12},
        }
        for name, point in zip(names, mine, strict=True)
    ]
    figure_layout = layout(
        150 + 28 * len(mine),
        barmode="stack",
        bargap=0.25,
        xaxis=axis("share of the mean time of a request") | {"tickformat": ".0%", "range": [0, 1]},
        yaxis={"automargin": True, "autorange": "reversed"},
        annotations=notes,
    )
    figure_layout["legend"] |= {"traceorder": "normal"}
    figure_layout["margin"] |= {"r": 70}
    return {"data": data, "layout": figure_layout}


def stage_block(points: Sequence[Point]) -> int:
    """Return the block size whose stages are drawn."""
    blocks = sorted({point.setting.block_bytes for point in points})
    return USUAL_BLOCK if USUAL_BLOCK in blocks else blocks[0]


def steadiness(points: Sequence[Point], what: str) -> Figure:
    """Each window's rate over the mean of the steady ones; what came before is on the left, of zero."""
    data = []
    for point in points:
        if point.state != STEADY or point.steady_from is None:
            continue
        first = point.steady_from
        mean = fmean(point.windows[first:])
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "showlegend": False,
                "x": [index - first for index in range(len(point.windows))],
                "y": [rate / mean for rate in point.windows],
                "line": {"color": palette.faint(palette.KINDS[point.setting.op], 0.45), "width": 1},
                "customdata": [point.setting.name] * len(point.windows),
                "hovertemplate": "%{customdata}: %{y:.3f}<extra></extra>",
            }
        )
    return {
        "data": data,
        "layout": layout(
            320,
            xaxis=axis(f"{what}, counted from the first that is part of the rate"),
            yaxis=axis("rate over the steady mean"),
        ),
    }
