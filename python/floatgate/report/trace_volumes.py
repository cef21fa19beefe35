"""The picture of traces: who is read, who is written, how much at a time, how often."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from floatgate.inputs.traces.measure import label
from floatgate.report import palette
from floatgate.report.plot import Axis, Dash, Figure, Line, Mark, Panel, Part, Text, named, stacked

Found = dict[str, Any]

KINDS = {
    "read_only": ("read-only pages", palette.KINDS["read"]),
    "write_only": ("write-only pages", palette.KINDS["write"]),
    "interleaved": ("interleaved pages", "#b9b2d6"),
}
_PANELS = (
    ("read_shares", "page reads, by page"),
    ("write_shares", "page writes, by page"),
    ("page_shares", "pages"),
)
_WIDTH = 1060  # pixels
_LETTERS, _LETTER = 28, 6.6  # of a line of a name, and how wide one is in pixels
# A trace may hold gaps of nanoseconds and of days.
_TIMES = {1: "1 ns", 10**3: "1 us", 10**6: "1 ms", 10**9: "1 s", 60 * 10**9: "1 min", 3600 * 10**9: "1 h"}
_TIMES[24 * 3600 * 10**9] = "1 d"
_DASHES: tuple[Dash, ...] = ("solid", "dash", "dot", "dashdot")


def draw(found: Sequence[Found], path: Path) -> Path:
    """Draw all of `found` into one SVG file; the same numbers give the same bytes."""
    from floatgate.report.draw import svg

    path.write_text(svg([shares(found), distributions(found)], _WIDTH), encoding="utf-8")
    return path


def shares(found: Sequence[Found]) -> Figure:
    """Stacked shares, a row for each trace from above; figure 2 of Li et al. is the first two panels."""
    names = [_lines(label(one)) for one in found]
    panels = []
    for place, (key, title) in enumerate(_PANELS):
        per_trace = [(one["access"] or {}).get(key) or dict.fromkeys(KINDS, 0.0) for one in found]
        parts = [
            Part(name, colour, [share[kind] for share in per_trace]) for kind, (name, colour) in KINDS.items()
        ]
        marks = stacked(parts, across=True, wide=0.72)
        marks += [
            Text(palette.MUTED, 0.01, row, "none", "left", 0, 10)
            for row, share in enumerate(per_trace)
            if not any(share.values())
        ]
        x = Axis(low=0, high=1, format="percent")
        labels = named(names) if place == 0 else {}
        y = Axis(ticks=labels, reverse=True, grid=False, low=-0.5, high=len(found) - 0.5)
        panels.append(Panel(x, y, marks, title))
    # The panel with the names beside it is as much wider.
    beside = max(len(line) for name in names for line in name.splitlines()) * _LETTER
    each = (_WIDTH - beside) / len(panels)
    widths = (each + beside, *[each] * (len(panels) - 1))
    rows = sum(1 + name.count("\n") / 2 for name in names)
    return Figure(panels, 70 + round(26 * rows), columns=3, widths=widths)


def _lines(name: str) -> str:
    """Break a long name behind its commas and hyphens, where it has any."""
    words = wrap(name.replace(",", ", ").replace("-", "- "), _LETTERS)
    return "\n".join(line.replace("- ", "-").replace(", ", ",") for line in words)


def distributions(found: Sequence[Found]) -> Figure:
    """The sizes of requests, and the time between their arrivals."""
    sizes: list[Mark] = []
    gaps: list[Mark] = []
    for index, one in enumerate(found):
        colour = palette.SERIES[index % len(palette.SERIES)]
        dash = _DASHES[index // len(palette.SERIES) % len(_DASHES)]
        name = _lines(label(one)) if len(found) > 1 else ""
        sizes += _sizes(one, colour, dash, name)
        gaps += _gaps(one, colour, dash, name)
    share = Axis(low=0, high=1.02, format="percent")
    ends = [at for line in sizes if isinstance(line, Line) for at in line.x if at]
    ticks = {float(4**power): _binary(4**power) for power in range(32)}
    while sum(min(ends, default=1) <= tick <= max(ends, default=1) for tick in ticks) > 7:
        ticks = dict(list(ticks.items())[::2])
    times = {float(ns): text for ns, text in _TIMES.items()}
    panels = [
        Panel(Axis("size of a request", log=True, ticks=ticks), share, sizes, "requests up to this size"),
        Panel(Axis("time between arrivals", log=True, ticks=times), share, gaps, "gaps up to this long"),
    ]
    return Figure(panels, 300, columns=2)


def _sizes(found: Found, colour: str, dash: Dash, name: str) -> list[Mark]:
    """The share of requests up to each power of two."""
    bins = found["size_bins"]
    total = sum(one["read"] + one["write"] for one in bins)
    if not total:
        return []
    x, y, below = [bins[0]["up_to_bytes"] / 2], [0.0], 0
    for one in bins:
        below += one["read"] + one["write"]
        x.append(one["up_to_bytes"])
        y.append(below / total)
    return [Line(colour, x, y, 1.6, dash, name=name)]


def _gaps(found: Found, colour: str, dash: Dash, name: str) -> list[Mark]:
    """The share of gaps up to each length; those of nothing stand at the left edge, 1 ns."""
    if not found["gaps"]:
        return []
    points = found["gaps"]["cumulative"]
    x, y = [float(max(ns, 1)) for ns, _ in points], [share for _, share in points]
    return [Line(colour, x, y, 1.6, dash, steps=True, name=name)]


def _binary(size: int) -> str:
    for factor, unit in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= factor:
            return f"{size // factor} {unit}"
    return f"{size} B"
