"""Limits and ticks of axes: what a panel shows, and where its grid lines stand."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil, floor, log10
from typing import Any, Literal

from floatgate.report.plot import (
    Area,
    Axis,
    Band,
    Boxes,
    Errors,
    Line,
    Mark,
    Panel,
    Points,
    Rule,
    Text,
    Tiles,
)

# How the library writes the numbers of a linear axis.
FORMATS = {"percent": ".3~%", "si": "~s", "count": ",~f", "time": "~s", "size": "~s", "power": "~g"}
_FREE = 0.04  # of an axis, beyond what is shown
_MOST_TICKS = 7
_TICKS = [digit * 10.0**power for power in range(-18, 19) for digit in (1, 2, 5)]


def limits(panel: Panel, of: Literal["x", "y"]) -> tuple[float, float]:
    """Return the ends of an axis, in its own values."""
    axis: Axis = getattr(panel, of)
    found = [value for mark in panel.marks for value in _extent(mark, of) if not axis.log or value > 0]
    low = axis.low if axis.low is not None else min(found, default=1.0)
    high = axis.high if axis.high is not None else max(found, default=10.0)
    if axis.log:
        return _log_limits(axis, low, high)
    if axis.zero and axis.low is None:
        low = min(low, 0.0)
    if high <= low:
        low, high = (low, low + 1.0) if axis.zero else (low - 0.5, low + 0.5)
    free = _FREE * (high - low)
    start = low if axis.low is not None or (axis.zero and low == 0) else low - free
    return start, high if axis.high is not None else high + free


def _log_limits(axis: Axis, low: float, high: float) -> tuple[float, float]:
    if high <= low:
        low, high = low / 2, low * 2
    free = (high / low) ** _FREE
    return (low if axis.low is not None else low / free, high if axis.high is not None else high * free)


def _extent(mark: Mark, of: Literal["x", "y"]) -> Iterator[float]:
    """Yield the values of a mark that an axis must show."""
    across = of == "x"
    if isinstance(mark, Line | Points):
        yield from (value for value in (mark.x if across else mark.y) if value is not None)
    elif isinstance(mark, Boxes):
        yield from (*mark.x0, *mark.x1) if across else (*mark.y0, *mark.y1)
    elif isinstance(mark, Errors | Area):
        yield from mark.at if across != mark.across else (*mark.low, *mark.high)
    elif isinstance(mark, Tiles):
        yield from (-0.5, (len(mark.rows[0]) if across else len(mark.rows)) - 0.5)
    elif isinstance(mark, Rule) and mark.of == of:
        yield mark.at
    elif isinstance(mark, Band) and mark.of == of:
        yield from (mark.low, mark.high)


def shared(panels: Sequence[Panel]) -> list[Panel]:
    """Return panels that show the same stretch of x."""
    ends = [limits(panel, "x") for panel in panels]
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    return [replace(panel, x=replace(panel.x, low=low, high=high)) for panel in panels]


def is_seen(mark: Mark) -> bool:
    """Whether there is anything of a mark to draw; some stand in the legend only."""
    return isinstance(mark, Text) or any(True for of in ("x", "y") for _ in _extent(mark, of))


def shown(mark: Any, panel: Panel) -> Any:
    """Return a mark with a gap wherever a logarithmic axis has no place for a value."""
    more: dict[str, Any] = {}
    for of in ("x", "y"):
        if getattr(panel, of).log:
            values = getattr(mark, of)
            if any(value is not None and value <= 0 for value in values):
                more[of] = [value if value is None or value > 0 else None for value in values]
    return replace(mark, **more) if more else mark


def ticks(axis: Axis, ends: tuple[float, float]) -> Mapping[float, str] | None:
    """Return the ticks of an axis; None where the library finds them, by the room that there is."""
    if axis.ticks is not None:
        return {value: label for value, label in axis.ticks.items() if ends[0] <= value <= ends[1]}
    if axis.log:
        return {tick: label(axis, tick) for tick in _log_ticks(*ends)}
    if axis.whole:
        return {float(tick): f"{tick:,}" if axis.format == "count" else str(tick) for tick in _whole(*ends)}
    return None


def _log_ticks(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 of each decade where there are few, else decades, else some of these."""
    found = _TICKS[bisect_left(_TICKS, low * 0.999) : bisect_right(_TICKS, high * 1.001)]
    if len(found) < 2:  # too near to each other for that: any two round numbers
        step = next(step for step in _TICKS if (high - low) / step <= 5)
        return [round(step * place, 12) for place in range(ceil(low / step), floor(high / step) + 1)]
    if len(found) <= _MOST_TICKS:
        return found
    decades = [tick for tick in found if abs(log10(tick) - round(log10(tick))) < 1e-9]
    step = -(-len(decades) // _MOST_TICKS)
    return [tick for tick in decades if round(log10(tick)) % step == 0]


def _whole(low: float, high: float) -> list[int]:
    step = next(step for step in _TICKS if step >= 1 and (high - low) / step <= _MOST_TICKS + 1)
    return list(range(ceil(low / step) * int(step), floor(high) + 1, int(step)))


_UNITS = {
    "time": ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns")),
    "size": ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B")),
    "si": ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")),
}
_RAISED = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")


def label(axis: Axis, value: float) -> str:
    """Return the label of a tick on a logarithmic axis: `10 us`, `64 KiB`, `0.1%`."""
    if axis.format in _UNITS:
        units = _UNITS[axis.format]
        factor, unit = next((each for each in units if value >= each[0]), units[-1])
        return f"{value / factor:g}{'' if axis.format == 'si' else ' '}{unit}"
    if axis.format == "percent":
        return f"{100 * value:.12g}%"
    power = round(log10(value))
    if axis.format == "power" or not 1e-4 <= value < 1e7:
        whole = f"10{str(power).translate(_RAISED)}"
        times = value / 10.0**power
        if abs(times - 1) < 1e-9:
            return whole
        digit = floor(log10(value) + 1e-9)
        return f"{value / 10.0**digit:g}\u00b710{str(digit).translate(_RAISED)}"
    return f"{value:,.12g}"


def short(value: Any) -> Any:
    """Return a number with as many digits as a picture shows, a text as it is."""
    return float(f"{value:.6g}") if isinstance(value, float) else value
