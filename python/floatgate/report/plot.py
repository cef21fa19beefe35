"""What the figures of all reports share: layout, axes, labels."""

from bisect import bisect_right
from math import log10
from typing import Any

from floatgate.report import palette

Figure = dict[str, Any]  # data and layout, as Plotly takes them


def layout(height: int, **more: Any) -> dict[str, Any]:
    """Return what all figures share, `height` pixels high."""
    return {
        "height": height,
        "margin": {"l": 64, "r": 20, "t": 40, "b": 48},
        "paper_bgcolor": palette.PAPER,
        "plot_bgcolor": palette.PAPER,
        "font": {"family": "inherit", "size": 12, "color": palette.INK},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 12}},
        "hoverlabel": {"align": "left"},
        **more,
    }


def axis(title: str) -> dict[str, Any]:
    """Return an axis of linear scale with its title."""
    return {
        "title": {"text": title, "standoff": 10, "font": {"size": 12, "color": palette.MUTED}},
        "gridcolor": palette.GRID,
        "zeroline": False,
        "tickfont": {"color": palette.MUTED},
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": palette.GRID,
        "automargin": True,
    }


_TICKS = [digit * 10**power for power in range(13) for digit in (1, 2, 5)]


def log_time(title: str, low_ns: float, high_ns: float) -> dict[str, Any]:
    """Return a logarithmic axis of times in ns whose labels carry their unit: `10 us`, `1 ms`."""
    first = max(bisect_right(_TICKS, low_ns) - 1, 0)
    last = min(bisect_right(_TICKS, high_ns), len(_TICKS) - 1)
    ticks = _TICKS[first : last + 1]
    while len(ticks) > 9:
        decades = [tick for tick in ticks if str(tick)[0] == "1"]
        ticks = decades if len(decades) < len(ticks) else ticks[::2]
    return axis(title) | {
        "type": "log",
        "range": [log10(_TICKS[first]), log10(_TICKS[last])],
        "tickvals": ticks,
        "ticktext": [_label(tick) for tick in ticks],
    }


def _label(ns: int) -> str:
    for factor, unit in ((10**9, "s"), (10**6, "ms"), (10**3, "us")):
        if ns >= factor:
            return f"{ns // factor} {unit}"
    return f"{ns} ns"
