"""Distributions of threshold voltages, drawn so that one sees how they came about."""

from collections.abc import Iterator, Mapping
from typing import Literal

import numpy as np

from floatgate.lab import figures
from floatgate.lab.chip import Staircase, VoltagePlan
from floatgate.report import palette
from floatgate.report.plot import (
    Area,
    Axis,
    Band,
    Figure,
    Line,
    Mark,
    Panel,
    Points,
    Rule,
    Text,
)

BINS = 240
LEAST, MOST = 5e-6, 0.16  # shares of cells that are drawn
Cells = tuple["np.ndarray", "np.ndarray"]  # threshold voltages in volts, and the states that were meant


def figure(plan: VoltagePlan, shown: Mapping[str, Cells]) -> Figure:
    """A hump for each state, a panel for each of `shown`; verify levels, one step and references marked."""
    low, high = _span(plan, shown)
    edges = np.linspace(low, high, BINS + 1)
    panels = []
    for row, (name, cells) in enumerate(shown.items()):
        last = row == len(shown) - 1
        x = Axis("threshold voltage (V)" if last else "", low=low, high=high, grid=False, labels=last)
        y = Axis("share of cells", log=True, low=LEAST, high=MOST, format="power")
        marks = [*_levels(plan, "x"), *_humps(plan, cells, edges), *(_labels(plan) if row == 0 else ())]
        panels.append(Panel(x, y, marks, name))
    return Figure(panels, 50 + 210 * len(panels))


def _span(plan: VoltagePlan, shown: Mapping[str, Cells]) -> tuple[float, float]:
    """The voltages to draw: all cells but one in a hundred thousand, and every level."""
    every = np.concatenate([voltages for voltages, _ in shown.values()])
    low, high = np.quantile(every, (1e-5, 1 - 1e-5))
    levels = [*plan.references, *(level for level in plan.verify if level is not None)]
    return float(min(low, *levels)) - 0.2, float(max(high, *levels)) + 0.2


def _humps(plan: VoltagePlan, cells: Cells, edges: "np.ndarray") -> list[Mark]:
    found: list[Mark] = []
    for state, counts, inside in _counted(plan, cells, edges):
        share = np.maximum(counts, 0.3) / len(cells[0])  # a logarithmic axis has no zero
        tops = [max(float(y), LEAST) for y in share]
        at = [round(float(x), 4) for x in inside]
        tips = [f"state {state}: {y:.2g} of the cells at {x:.3f} V" for x, y in zip(at, tops, strict=True)]
        colour = figures.states(plan.states)[state]
        found.append(Area(colour, at, [LEAST] * len(at), tops, alpha=0.22))
        found.append(Line(colour, at, tops, 1.5, name=f"state {state}", tips=tips))
    return found


def _counted(
    plan: VoltagePlan, cells: Cells, edges: "np.ndarray"
) -> Iterator[tuple[str, "np.ndarray", "np.ndarray"]]:
    """Yield each state with the cells in its bins, and the middles of these, an empty one at both ends."""
    voltages, meant = cells
    middle = (edges[:-1] + edges[1:]) / 2
    for place, state in enumerate(plan.states):
        counts, _ = np.histogram(voltages[meant == place], edges)
        kept = np.flatnonzero(counts)
        if len(kept):
            inside = slice(max(0, int(kept[0]) - 1), int(kept[-1]) + 2)
            yield state, counts[inside], middle[inside]


def _levels(plan: VoltagePlan, of: Literal["x", "y"]) -> list[Mark]:
    """Verify levels with the step above them, and references."""
    colours = figures.states(plan.states)
    marks: list[Mark] = []
    for state, level in zip(plan.states, plan.verify, strict=True):
        if level is not None:
            marks.append(Band(colours[state], of, level, level + plan.step, alpha=0.1))
            marks.append(Rule(colours[state], of, level, "solid"))
    return marks + [Rule(palette.INK, of, reference) for reference in plan.references]


def _labels(plan: VoltagePlan) -> list[Mark]:
    """Name the lines in the first panel: V for verify, and a line of text below R for reference."""
    colours = figures.states(plan.states)
    notes: list[Mark] = [
        Text(palette.INK, reference, MOST * 0.38, f"R{index}", "right", -1)
        for index, reference in enumerate(plan.references, 1)
    ]
    notes += [
        Text(colours[state], level, MOST * 0.85, f"V{index}", "left", -1)
        for index, (state, level) in enumerate(zip(plan.states, plan.verify, strict=True))
        if level is not None
    ]
    return notes


def staircase(plan: VoltagePlan, cells: list[Staircase], wordline: Cells) -> Figure:
    """Threshold voltage against pulse of some cells, and beside it the humps that all cells make."""
    low, high = _span(plan, {"": wordline})
    low = min(low, *(volt for cell in cells for volt in cell.volts)) - 0.1
    last = max((cell.inhibited_after for cell in cells), default=1)
    colours = figures.states(plan.states)
    marks: list[Mark] = [*_levels(plan, "y"), _pulses(plan, last)]
    for cell in cells:
        marks += _steps(cell, last, colours)
    y = Axis("threshold voltage (V)", low=low, high=high)
    panels = [
        Panel(
            Axis("program pulse", low=0, high=last + 0.6, whole=True), y, [*marks, *_level_names(plan, last)]
        ),
        Panel(
            Axis("cells", ticks={}, grid=False, zero=True),
            Axis(low=low, high=high, labels=False),
            [*_levels(plan, "y"), *_sideways(plan, wordline, np.linspace(low, high, BINS + 1))],
        ),
    ]
    return Figure(panels, 440, columns=2, widths=(0.7, 0.3))


def _pulses(plan: VoltagePlan, last: int) -> Line:
    """What each pulse would reach in a mean fresh cell that is never inhibited."""
    pulses = list(range(1, last + 1))
    volts = [round(plan.start + (pulse - 1) * plan.step, 4) for pulse in pulses]
    tips = [f"pulse {n} reaches {volt:.3f} V in a mean cell" for n, volt in zip(pulses, volts, strict=True)]
    return Line(
        palette.INK, pulses, volts, 1.0, "dash", steps=True, name="the pulses, for a mean cell", tips=tips
    )


def _steps(cell: Staircase, last: int, colours: Mapping[str, str]) -> list[Mark]:
    """One cell: its steps, and a ring where it was inhibited."""
    colour, name = colours[cell.target], f"state {cell.target}"
    pulses = list(range(last + 1))
    volts = [round(volt, 4) for volt in cell.volts[: last + 1]]
    tips = [f"to {cell.target}: {volt:.3f} V after pulse {n}" for n, volt in zip(pulses, volts, strict=True)]
    steps = Line(colour, pulses, volts, 1.4, steps=True, name=name, tips=tips, alpha=0.8)
    stop = cell.inhibited_after
    if not stop:
        return [steps]
    told = f"{cell.target} inhibited after pulse {stop} at {volts[stop]:.3f} V"
    return [steps, Points(colour, [stop], [volts[stop]], 7, hollow=True, tips=[told])]


def _sideways(plan: VoltagePlan, cells: Cells, edges: "np.ndarray") -> list[Mark]:
    found: list[Mark] = []
    for state, counts, inside in _counted(plan, cells, edges):
        colour = figures.states(plan.states)[state]
        many, at = [float(count) for count in counts], [round(float(volt), 4) for volt in inside]
        found.append(Area(colour, at, [0.0] * len(at), many, across=True, alpha=0.25))
        tips = [f"state {state}: {n:.0f} cells at {volt:.3f} V" for n, volt in zip(many, at, strict=True)]
        found.append(Line(colour, many, at, 1.5, name=f"state {state}", tips=tips))
    return found


def _level_names(plan: VoltagePlan, last: int) -> list[Mark]:
    colours = figures.states(plan.states)
    names: list[Mark] = [
        Text(colours[state], last + 0.5, level, f"verify {state}", "right", 1, 10)
        for state, level in zip(plan.states, plan.verify, strict=True)
        if level is not None
    ]
    return names + [
        Text(palette.INK, 0.05, level, f"read R{index}", "left", 1, 10)
        for index, level in enumerate(plan.references, 1)
    ]
