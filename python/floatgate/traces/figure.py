"""The picture of traces: who is read, who is written, how much at a time, how often."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floatgate.bus.figures import STYLE
from floatgate.errors import InputError
from floatgate.report import palette
from floatgate.reproduce.figure import MISSING, available
from floatgate.traces.measure import is_synthetic, label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
_LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#2f3e50", "#8C564B")
_LEGEND_COLUMNS = 2
# A trace may hold gaps of nanoseconds and of days.
_TIMES = {1: "1 ns", 10**3: "1 us", 10**6: "1 ms", 10**9: "1 s", 60 * 10**9: "1 min", 3600 * 10**9: "1 h"}
_TIMES[24 * 3600 * 10**9] = "1 d"
_DASHES = ("-", "--", ":", "-.")


def draw(found: Sequence[Found], path: Path) -> Path:
    """Draw all of `found` into one SVG file; the same numbers give the same bytes.

    Raises InputError when matplotlib is not installed.
    """
    if not available():
        raise InputError(MISSING)
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        bars, legend = 0.9 + 0.24 * len(found), 0.18 * -(-len(found) // _LEGEND_COLUMNS)
        figure = Figure(figsize=(10.5, bars + legend + 2.8), layout="constrained")
        parts: Any = figure.subfigures(2, 1, height_ratios=[bars, legend + 2.8])
        upper, lower = parts
        _bars(upper.subplots(1, 3, sharey=True), found)
        upper.legend(*upper.axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=3)
        sizes, gaps = lower.subplots(1, 2)
        for index, one in enumerate(found):
            colour = _LINES[index % len(_LINES)]
            dash = _DASHES[index // len(_LINES) % len(_DASHES)]
            style = {"color": colour, "linestyle": dash, "linewidth": 1.2, "label": label(one)}
            _sizes(sizes, one, style)
            _gaps(gaps, one, style)
        _finish(sizes, gaps)
        if len(found) > 1:
            lower.legend(*gaps.get_legend_handles_labels(), loc="outside lower left", ncols=_LEGEND_COLUMNS)
        figure.savefig(path, metadata={"Date": None, "Creator": "Floatgate"})
    return path


def _bars(axes: Sequence["Axes"], found: Sequence[Found]) -> None:
    """Stacked shares, a row for each trace from above; figure 2 of Li et al. is the first two panels."""
    rows = list(range(len(found)))
    for panel, (key, title) in zip(axes, _PANELS, strict=True):
        shares = [(one["access"] or {}).get(key) or dict.fromkeys(KINDS, 0.0) for one in found]
        left = [0.0] * len(found)
        for kind, (name, colour) in KINDS.items():
            width = [share[kind] for share in shares]
            panel.barh(rows, width, left=left, color=colour, height=0.72, label=name)
            left = [a + b for a, b in zip(left, width, strict=True)]
        for row, whole in zip(rows, left, strict=True):
            if not whole:
                panel.text(0.01, row, "none", va="center", color=palette.MUTED, fontsize=8)
        panel.set_title(title, loc="left", fontsize=9)
        panel.set_xlim(0, 1)
        panel.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
        panel.grid(False, axis="y")
        panel.tick_params(axis="y", length=0)
    axes[0].set_yticks(rows, [label(one) for one in found])
    axes[0].invert_yaxis()
    for text, one in zip(axes[0].get_yticklabels(), found, strict=True):
        text.set_fontstyle("italic" if is_synthetic(one) else "normal")


def _sizes(panel: "Axes", found: Found, style: dict[str, Any]) -> None:
    """The share of requests up to each power of two."""
    bins = found["size_bins"]
    total = sum(one["read"] + one["write"] for one in bins)
    if not total:
        return
    x, y, below = [bins[0]["up_to_bytes"] / 2], [0.0], 0
    for one in bins:
        below += one["read"] + one["write"]
        x.append(one["up_to_bytes"])
        y.append(below / total)
    panel.plot(x, y, **style)


def _gaps(panel: "Axes", found: Found, style: dict[str, Any]) -> None:
    """The share of gaps up to each length; those of nothing stand at the left edge, 1 ns."""
    if not found["gaps"]:
        return
    points = found["gaps"]["cumulative"]
    panel.plot(
        [max(ns, 1) for ns, _ in points], [share for _, share in points], drawstyle="steps-post", **style
    )


def _finish(sizes: "Axes", gaps: "Axes") -> None:
    from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, LogLocator, NullLocator

    for panel, title in ((sizes, "requests up to this size"), (gaps, "gaps up to this long")):
        panel.set_ylim(0, 1.02)
        panel.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
        panel.set_title(title, loc="left", fontsize=9)
        panel.xaxis.set_minor_locator(NullLocator())
    sizes.set_xscale("log", base=2)
    sizes.xaxis.set_major_locator(LogLocator(base=4, numticks=16))
    sizes.xaxis.set_major_formatter(FuncFormatter(lambda size, _: _binary(size)))
    sizes.set_xlabel("size of a request")
    gaps.set_xscale("log")
    gaps.xaxis.set_major_locator(FixedLocator(list(_TIMES)))
    gaps.xaxis.set_major_formatter(FixedFormatter(list(_TIMES.values())))
    gaps.set_xlabel("time between arrivals")
    for panel in (sizes, gaps):
        panel.xaxis.set_minor_locator(NullLocator())


def _binary(size: float) -> str:
    for factor, unit in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= factor:
            return f"{size / factor:g} {unit}"
    return f"{size:g} B"
