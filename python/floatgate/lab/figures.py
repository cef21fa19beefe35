"""The laboratory's figures: endurance, steps over life, comparisons."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, floor, log10

from floatgate.lab.lives import Life
from floatgate.report import palette
from floatgate.report.plot import (
    Axis,
    Errors,
    Figure,
    Line,
    Mark,
    Numbers,
    Panel,
    Part,
    Points,
    Rule,
    beside,
    chart,
    in_group,
    named,
)
from floatgate.values import quantities as q

OPERATIONS = {"read": palette.KINDS["read"], "program": palette.KINDS["write"], "erase": "#009e73"}
SERIES = palette.SERIES
MOST_LINES = 60  # steps of more blocks than this make a figure a blot


def states(names: Sequence[str]) -> dict[str, str]:
    """Return a colour for each state: grey when erased, then from blue to red with rising voltage."""
    ramp = ("#0072b2", "#56b4e9", "#009e73", "#8fb339", "#e69f00", "#d55e00", "#a3312a", "#7b1e52")
    many = len(names) - 1
    colours = {names[0]: "#7d8791"}
    for index, name in enumerate(names[1:]):
        place = index * (len(ramp) - 1) / max(many - 1, 1) if many <= len(ramp) else 0.0
        colours[name] = ramp[round(place)] if many <= len(ramp) else _between(ramp, index / (many - 1))
    return colours


def _between(ramp: Sequence[str], share: float) -> str:
    """Return the colour at `share` of the way along a ramp."""
    at = share * (len(ramp) - 1)
    low = min(int(at), len(ramp) - 2)
    parts = [
        round(int(ramp[low][i : i + 2], 16) * (1 - at + low) + int(ramp[low + 1][i : i + 2], 16) * (at - low))
        for i in (1, 3, 5)
    ]
    return "#" + "".join(f"{part:02x}" for part in parts)


def cycles_axis(
    title: str = "program/erase cycles", *, log: bool = False, zero: bool = False, grid: bool = True
) -> Axis:
    """Return an axis of cycles."""
    return Axis(title, log=log, zero=zero, format="si", grid=grid)


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """Return the range of a logarithmic axis that shows whole decades, two at least."""
    low, high = floor(log10(max(min(values), 1))), ceil(log10(max(values) * 1.05))
    return 10.0**low, 10.0 ** max(high, low + 2)


def endurance(groups: Mapping[str, Sequence[Life]], rated: int | None) -> Figure:
    """Each block a point on a logarithmic axis, side by side for each group, with its mean and the rating."""
    marks: list[Mark] = []
    for place, lives in enumerate(groups.values()):
        spread = [place + 0.5 * ((index * 0.618) % 1 - 0.5) for index in range(len(lives))]
        colour = SERIES[place % len(SERIES)]
        mean = sum(life.cycles for life in lives) / len(lives)
        tips = [f"block {life.block}: {life.cycles:,} cycles, {life.failed or 'alive'}" for life in lives]
        marks.append(Points(colour, spread, [life.cycles for life in lives], 7, alpha=0.65, tips=tips))
        ends = [place - 0.33, place + 0.33]
        marks.append(Line(colour, ends, [mean, mean], 2.5, tips=[f"mean {q.count(mean)} cycles"] * 2))
    if rated:
        marks.append(Rule(palette.INK, "y", rated, name=f"rated: {q.count(rated)}"))
    low, high = _decades([life.cycles for lives in groups.values() for life in lives] + [rated or 1000])
    x = Axis(ticks=named(list(groups)), low=-0.6, high=len(groups) - 0.4, grid=False)
    return chart(320, x, Axis("endurance (cycles)", log=True, low=low, high=high, format="si"), marks)


def survival(groups: Mapping[str, Sequence[Life]], rated: int | None) -> Figure:
    """The share of blocks still alive, over cycles."""
    series: dict[str, tuple[Numbers, Numbers]] = {}
    for name, lives in groups.items():
        ends = sorted(life.cycles for life in lives)
        left = [1 - (index + 1) / len(ends) for index in range(len(ends))]
        series[name] = ([0, *ends], [1.0, *left])
    y = Axis("blocks still alive", low=0, high=1.04, format="percent")
    made = lines(series, cycles_axis(zero=True), y, steps=True, markers=False)
    if rated:
        made = with_marks(made, [Rule(palette.INK, "x", rated, name=f"rated: {q.count(rated)}")])
    return made


def with_marks(figure: Figure, marks: Sequence[Mark]) -> Figure:
    """Return a figure with more marks in its first panel."""
    first, *rest = figure.panels
    return replace(figure, panels=[replace(first, marks=[*first.marks, *marks]), *rest])


def over_life(lives: Sequence[Life], shown: Life, *, log: bool = False) -> Figure:
    """Program time above, erase time below, over the cycles of a life: one block bold, the others faint."""
    panels: list[Panel] = []
    most = max(life.cycles for life in lives)
    for operation, unit in (("program", "us"), ("erase", "ms")):
        colour = OPERATIONS[operation]
        marks: list[Mark] = [
            step_line(life, operation, colour, 1.0, 0.22) for life in lives[:MOST_LINES] if life is not shown
        ]
        bold = step_line(shown, operation, colour, 2.2, 1.0)
        marks.append(replace(bold, name=f"{operation}, block {shown.block}"))
        below = bool(panels)
        x = replace(cycles_axis("program/erase cycles" if below else "", log=log, grid=False), labels=below)
        x = replace(x, low=1.0 if log else 0.0, high=float(max(most, 2)))
        panels.append(Panel(x, time_axis(f"{operation} time", unit), marks))
    return Figure(panels, 440, zoom=True)


UNITS = {"us": 1e3, "ms": 1e6}


def time_axis(title: str, unit: str) -> Axis:
    """Return an axis of times that starts at zero."""
    return Axis(f"{title} ({unit})", zero=True)


def step_line(life: Life, operation: str, colour: str, width: float, alpha: float) -> Line:
    """Return a busy time over a life, as the steps that it is; program times in us, erase times in ms."""
    unit = "ms" if operation == "erase" else "us"
    steps = life.steps(operation)  # type: ignore[arg-type]
    cycles = [cycle for cycle, _ in steps] + [max(life.cycles, 1)]
    busy = [ns / UNITS[unit] for _, ns in steps]
    busy.append(busy[-1])
    tips = [
        f"block {life.block}: {time:.4g} {unit} from cycle {cycle:,}"
        for cycle, time in zip(cycles, busy, strict=True)
    ]
    return Line(colour, cycles, busy, width, steps=True, alpha=alpha, tips=tips)


def lines(
    series: Mapping[str, tuple[Numbers, Numbers]],
    x: Axis,
    y: Axis,
    *,
    colours: Mapping[str, str] | None = None,
    steps: bool = False,
    markers: bool = True,
    height: int = 300,
) -> Figure:
    """A line for each series of x and y."""
    marks: list[Mark] = []
    for index, (name, (xs, ys)) in enumerate(series.items()):
        colour = (colours or {}).get(name, SERIES[index % len(SERIES)])
        tips = [
            f"{name}: {_short(b)} at {_short(a)}" if name else f"{_short(b)} at {_short(a)}"
            for a, b in zip(xs, ys, strict=True)
        ]
        told = name if len(series) > 1 else ""  # the axis says what a single line is
        marks.append(Line(colour, xs, ys, steps=steps, name=told, tips=tips))
        if markers:
            marks.append(Points(colour, xs, ys, 5, name=told))
    return chart(height, x, y, marks)


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def bars(
    groups: Mapping[str, Mapping[str, float | None]],
    y: Axis,
    *,
    colours: Mapping[str, str] | None = None,
    height: int = 280,
    errors: Mapping[str, Mapping[str, float]] | None = None,
) -> Figure:
    """Bars side by side: `groups` on the axis, the same series in each."""
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    parts = [
        Part(
            name if len(names) > 1 else "",
            (colours or {}).get(name, SERIES[index % len(SERIES)]),
            [group.get(name) for group in groups.values()],
            [f"{group}, {name}: {_short(values.get(name))}" for group, values in groups.items()],
        )
        for index, name in enumerate(names)
    ]
    marks = beside(parts)
    for index, name in enumerate(names):
        at = [
            (in_group(place, index, len(names)), group[name] or 0.0, errors[key].get(name, 0.0))
            for place, (key, group) in enumerate(groups.items())
            if errors and group.get(name) is not None
        ]
        if at:
            low, high = [value - half for _, value, half in at], [value + half for _, value, half in at]
            marks.append(Errors(palette.INK, [place for place, _, _ in at], low, high))
    x = Axis(ticks=named(list(groups)), low=-0.6, high=len(groups) - 0.4, grid=False)
    return chart(height, x, replace(y, zero=True), marks)
