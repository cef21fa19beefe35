"""Distributions of threshold voltages, drawn so that one sees how they came about."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from floatgate.lab import figures
from floatgate.lab.chip import Staircase, VoltagePlan
from floatgate.report import palette
from floatgate.report.plot import Figure, axis, layout

BINS = 360
Cells = tuple["np.ndarray", "np.ndarray"]  # threshold voltages in volts, and the states that were meant


def figure(plan: VoltagePlan, shown: Mapping[str, Cells]) -> Figure:
    """A hump for each state, a panel for each of `shown`; verify levels, one step and references marked."""
    names = list(shown)
    low, high = _span(plan, shown)
    edges = np.linspace(low, high, BINS + 1)
    data: list[dict[str, Any]] = []
    made = layout(
        60 + 210 * len(names),
        xaxis=axis("threshold voltage (V)")
        | {"range": [low, high], "showgrid": False, "anchor": f"y{len(names)}" if len(names) > 1 else "y"},
    )
    shapes: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    for row, name in enumerate(names):
        top, bottom = 1 - row / len(names), 1 - (row + 0.8) / len(names)
        key = "" if row == 0 else str(row + 1)
        made[f"yaxis{key}"] = axis("share of cells") | {
            "domain": [bottom, top],
            "type": "log",
            "exponentformat": "power",
            "dtick": 1,
            "range": [-5.3, -0.8],
        }
        data += _humps(plan, shown[name], edges, f"y{key}", legend=row == 0)
        shapes += _marks(plan, f"y{key} domain")
        notes.append(_note(name, low, f"y{key} domain", "left"))
        if row == 0:
            notes += _labels(plan)
    made |= {"shapes": shapes, "annotations": notes, "bargap": 0}
    made["margin"] |= {"t": 70}
    return {"data": data, "layout": made}


def _span(plan: VoltagePlan, shown: Mapping[str, Cells]) -> tuple[float, float]:
    """The voltages to draw: all cells but one in a hundred thousand, and every level."""
    every = np.concatenate([voltages for voltages, _ in shown.values()])
    low, high = np.quantile(every, (1e-5, 1 - 1e-5))
    levels = [*plan.references, *(level for level in plan.verify if level is not None)]
    return float(min(low, *levels)) - 0.2, float(max(high, *levels)) + 0.2


def _humps(
    plan: VoltagePlan, cells: Cells, edges: "np.ndarray", yaxis: str, *, legend: bool
) -> list[dict[str, Any]]:
    voltages, meant = cells
    middle = (edges[:-1] + edges[1:]) / 2
    colours = figures.states(plan.states)
    found = []
    for place, state in enumerate(plan.states):
        counts, _ = np.histogram(voltages[meant == place], edges)
        kept = np.flatnonzero(counts)
        if not len(kept):
            continue
        inside = slice(max(0, int(kept[0]) - 1), int(kept[-1]) + 2)
        share = np.maximum(counts[inside], 0.3) / len(voltages)  # a logarithmic axis has no zero
        found.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": f"state {state}",
                "legendgroup": state,
                "showlegend": legend,
                "x": [round(float(x), 4) for x in middle[inside]],
                "y": [float(f"{y:.3g}") for y in share],
                "yaxis": yaxis,
                "line": {"color": colours[state], "width": 1.5, "shape": "hvh"},
                "fill": "tozeroy",
                "fillcolor": palette.faint(colours[state], 0.22),
                "hovertemplate": f"state {state}: %{{y:.2g}} of the cells at %{{x:.3f}} V<extra></extra>",
            }
        )
    return found


def _marks(plan: VoltagePlan, yref: str) -> list[dict[str, Any]]:
    """Lines at verify levels and references, and a band one step wide above each verify level."""
    colours = figures.states(plan.states)
    shapes = []
    for state, level in zip(plan.states, plan.verify, strict=True):
        if level is None:
            continue
        band = {"type": "rect", "x0": level, "x1": level + plan.step, "y0": 0, "y1": 1, "yref": yref}
        shapes.append(
            band | {"fillcolor": palette.faint(colours[state], 0.1), "line": {"width": 0}, "layer": "below"}
        )
        shapes.append(_vertical(level, yref, colours[state], "solid"))
    return shapes + [_vertical(reference, yref, palette.INK, "dot") for reference in plan.references]


def _vertical(x: float, yref: str, colour: str, dash: str) -> dict[str, Any]:
    line = {"color": colour, "width": 1.1, "dash": dash}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": yref, "line": line}


def _labels(plan: VoltagePlan) -> list[dict[str, Any]]:
    """Name the lines above the first panel: V for verify, R for reference."""
    colours = figures.states(plan.states)
    notes = []
    for index, reference in enumerate(plan.references, 1):
        notes.append(_above(reference, f"R{index}", palette.INK))
    for index, (state, level) in enumerate(zip(plan.states, plan.verify, strict=True)):
        if level is not None:
            notes.append(_above(level, f"V{index}", colours[state]) | {"xshift": 4})
    first = next((level for level in plan.verify if level is not None), None)
    if first is not None:
        where = {"x": first + plan.step / 2, "y": 0.02, "yanchor": "bottom"}
        notes.append(_above(first, "one<br>step", palette.MUTED) | where)
    return notes


def _above(x: float, text: str, colour: str) -> dict[str, Any]:
    place = {"x": x, "y": 1, "yref": "y domain", "yanchor": "bottom", "showarrow": False}
    return place | {"text": text, "font": {"size": 11, "color": colour}}


def _note(text: str, x: float, yref: str, anchor: str) -> dict[str, Any]:
    place = {"x": x, "y": 0.98, "yref": yref, "yanchor": "top", "xanchor": anchor, "showarrow": False}
    return place | {"text": f"<b>{text}</b>", "font": {"size": 12}, "xshift": 6}


def staircase(plan: VoltagePlan, cells: list[Staircase], wordline: Cells) -> Figure:
    """Threshold voltage against pulse of some cells, and beside it the humps that all cells make."""
    low, high = _span(plan, {"": wordline})
    low = min(low, *(volt for cell in cells for volt in cell.volts))
    last = max((cell.inhibited_after for cell in cells), default=1)
    data = [_pulses(plan, last)]
    colours = figures.states(plan.states)
    seen: set[str] = set()
    for cell in cells:
        data += _steps(cell, last, colours, first=cell.target not in seen)
        seen.add(cell.target)
    data += _sideways(plan, wordline, np.linspace(low, high, BINS + 1))
    made = layout(
        460,
        xaxis=axis("program pulse") | {"domain": [0, 0.68], "tickformat": "d", "range": [0, last + 0.6]},
        xaxis2=axis("cells") | {"domain": [0.72, 1], "showticklabels": False, "showgrid": False},
        yaxis=axis("threshold voltage (V)") | {"range": [low - 0.1, high]},
        shapes=_levels(plan),
        annotations=_level_names(plan),
    )
    return {"data": data, "layout": made}


def _pulses(plan: VoltagePlan, last: int) -> dict[str, Any]:
    """What each pulse would reach in a mean fresh cell that is never inhibited."""
    pulses = list(range(1, last + 1))
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "the pulses, for a mean cell",
        "x": pulses,
        "y": [round(plan.start + (pulse - 1) * plan.step, 4) for pulse in pulses],
        "line": {"color": palette.INK, "width": 1, "dash": "dash", "shape": "hv"},
        "hovertemplate": "pulse %{x} reaches %{y:.3f} V in a mean cell<extra></extra>",
    }


def _steps(cell: Staircase, last: int, colours: Mapping[str, str], *, first: bool) -> list[dict[str, Any]]:
    """One cell: its steps, and a ring where it was inhibited."""
    colour = colours[cell.target]
    stop = cell.inhibited_after
    common = {"type": "scatter", "legendgroup": cell.target, "name": f"state {cell.target}"}
    steps = common | {
        "mode": "lines",
        "showlegend": first,
        "x": list(range(last + 1)),
        "y": [round(volt, 4) for volt in cell.volts[: last + 1]],
        "line": {"color": palette.faint(colour, 0.8), "width": 1.4, "shape": "hv"},
        "hovertemplate": f"to {cell.target}: %{{y:.3f}} V after pulse %{{x}}<extra></extra>",
    }
    if not stop:
        return [steps]
    ring = common | {
        "mode": "markers",
        "showlegend": False,
        "x": [stop],
        "y": [round(cell.volts[stop], 4)],
        "marker": {"color": palette.PAPER, "size": 8, "line": {"color": colour, "width": 1.6}},
        "hovertemplate": f"{cell.target} inhibited after pulse %{{x}} at %{{y:.3f}} V<extra></extra>",
    }
    return [steps, ring]


def _sideways(plan: VoltagePlan, cells: Cells, edges: "np.ndarray") -> list[dict[str, Any]]:
    voltages, meant = cells
    middle = (edges[:-1] + edges[1:]) / 2
    colours = figures.states(plan.states)
    found = []
    for place, state in enumerate(plan.states):
        counts, _ = np.histogram(voltages[meant == place], edges)
        kept = np.flatnonzero(counts)
        if not len(kept):
            continue
        inside = slice(max(0, int(kept[0]) - 1), int(kept[-1]) + 2)
        found.append(
            {
                "type": "scatter",
                "mode": "lines",
                "legendgroup": state,
                "showlegend": False,
                "x": [int(count) for count in counts[inside]],
                "y": [round(float(y), 4) for y in middle[inside]],
                "xaxis": "x2",
                "line": {"color": colours[state], "width": 1.5},
                "fill": "tozerox",
                "fillcolor": palette.faint(colours[state], 0.25),
                "hovertemplate": f"state {state}: %{{x}} cells at %{{y:.3f}} V<extra></extra>",
            }
        )
    return found


def _levels(plan: VoltagePlan) -> list[dict[str, Any]]:
    """Verify levels with the step above them, and references, across both panels."""
    colours = figures.states(plan.states)
    shapes = []
    for state, level in zip(plan.states, plan.verify, strict=True):
        if level is None:
            continue
        band = {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "y0": level, "y1": level + plan.step}
        shapes.append(
            band | {"fillcolor": palette.faint(colours[state], 0.1), "line": {"width": 0}, "layer": "below"}
        )
        shapes.append(_horizontal(level, colours[state], "solid"))
    return shapes + [_horizontal(reference, palette.INK, "dot") for reference in plan.references]


def _horizontal(y: float, colour: str, dash: str) -> dict[str, Any]:
    line = {"color": colour, "width": 1, "dash": dash}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": line}


def _level_names(plan: VoltagePlan) -> list[dict[str, Any]]:
    colours = figures.states(plan.states)
    place = {"xref": "paper", "x": 0.7, "showarrow": False, "yanchor": "bottom"}
    names = [
        place | {"y": level, "text": f"verify {state}", "font": {"size": 10, "color": colours[state]}}
        for state, level in zip(plan.states, plan.verify, strict=True)
        if level is not None
    ]
    read = place | {"x": 0.01, "xanchor": "left"}
    return names + [
        read | {"y": level, "text": f"read R{index}", "font": {"size": 10, "color": palette.INK}}
        for index, level in enumerate(plan.references, 1)
    ]
