"""Pictures of measured threshold voltages: states, the errors between them, how they move with wear."""

from typing import Any

import numpy as np

from floatgate.lab.figures import SERIES, cycles_axis, lines, states
from floatgate.lab.fit.voltages import Growth, Measured, Rates, Table
from floatgate.report import palette
from floatgate.report.plot import Figure, axis, layout

_POINTS = 500


def distributions(table: Table, found: tuple[Rates, ...]) -> Figure:
    """Density of each state on a logarithmic scale: least worn and last row, with the best references."""
    rows = {rates.row.name: rates for rates in (found[0], found[-1])}
    colours = states(table.states)
    data: list[dict[str, Any]] = []
    low = min(row.means[0] - 3.5 * row.sigmas[0] for row in table.rows)
    high = max(row.means[-1] + 4 * row.sigmas[-1] for row in table.rows)
    volts = np.linspace(low, high, _POINTS)
    for place, (name, rates) in enumerate(rows.items()):
        for state, mean, sigma in zip(table.states, rates.row.means, rates.row.sigmas, strict=True):
            density = np.exp(-0.5 * ((volts - mean) / sigma) ** 2) / sigma / np.sqrt(2 * np.pi)
            near = density > 1e-9
            data.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "name": f"{name} cycles",
                    "legendgroup": name,
                    "showlegend": state == table.states[-1],
                    "x": volts[near].tolist(),
                    "y": density[near].tolist(),
                    "line": {"color": colours[state], "width": 1.6, "dash": "solid" if place == 0 else "dot"},
                    "hovertemplate": f"{state}, {name} cycles<extra></extra>",
                }
            )
    made = layout(
        340,
        xaxis=axis(f"threshold voltage ({table.head.get('unit', 'as measured')})"),
        yaxis=axis("density") | {"type": "log", "range": [-6, -1], "exponentformat": "power", "dtick": 1},
    )
    made["shapes"] = [_reference(level) for level in found[0].references]
    return {"data": data, "layout": made}


def _reference(level: float) -> dict[str, Any]:
    line = {"type": "line", "x0": level, "x1": level, "yref": "paper", "y0": 0, "y1": 1}
    return line | {"line": {"color": palette.MUTED, "width": 1, "dash": "dash"}}


def by_wear(table: Table, found: tuple[Rates, ...]) -> Figure:
    """Error rate of each page type over wear, with the best references and with the fixed ones."""
    own = [rates for rates in found if rates.row in table.by_wear]
    return _rates(own, [float(rates.row.pe_cycles) for rates in own], cycles_axis() | {"rangemode": "tozero"})


def by_age(table: Table, found: tuple[Rates, ...]) -> Figure | None:
    """The same over the ages of the wear that has most of them; None where there is one age only."""
    wears = [row.pe_cycles for row in table.rows]
    most = max(wears, key=wears.count)
    own = [rates for rates in found if rates.row.pe_cycles == most]
    if len(own) < 2:
        return None
    ages = [rates.row.age for rates in own]
    x = axis(f"age of the data after {most:,} cycles") | {
        "tickvals": list(range(len(ages))),
        "ticktext": ages,
    }
    return _rates(own, [float(place) for place in range(len(ages))], x)


def _rates(own: list[Rates], x: list[float], x_axis: dict[str, Any]) -> Figure:
    pages = range(len(own[0].best))
    y = axis("bit error rate") | {"type": "log", "exponentformat": "power", "dtick": 1}
    made = lines({f"page type {page}": (x, [rates.best[page] for rates in own]) for page in pages}, x_axis, y)
    for page in pages:
        made["data"].append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": "fixed references",
                "showlegend": page == 0,
                "x": x,
                "y": [rates.fixed[page] for rates in own],
                "line": {"color": SERIES[page % len(SERIES)], "width": 1.4, "dash": "dot"},
                "hovertemplate": f"page type {page}, fixed references: %{{y:.3g}}<extra></extra>",
            }
        )
    return made


def grown(table: Table, growth: Growth) -> Figure:
    """What each state's mean or width has moved since the least worn row, the law, and what it leaves."""
    colours = states(table.states)
    rows = table.by_wear
    wear = np.array([row.pe_cycles for row in rows], dtype=np.float64)
    line = np.linspace(0.0, float(wear.max()), 80)
    law, at_points = growth.at(line), growth.at(wear)
    data: list[dict[str, Any]] = []
    for place, state in enumerate(table.states):
        values = np.array([_values(row, growth.what)[place] for row in rows])
        marks = {"type": "scatter", "mode": "markers", "marker": {"color": colours[state], "size": 6}}
        first = values[0]
        data += [
            marks | {"name": state, "x": wear.tolist(), "y": (values - first).tolist()},
            {
                "type": "scatter",
                "mode": "lines",
                "showlegend": False,
                "x": line.tolist(),
                "y": (law[place] - first).tolist(),
                "line": {"color": colours[state], "width": 1.4},
                "hoverinfo": "skip",
            },
            marks
            | {
                "x": wear.tolist(),
                "y": (values - at_points[place]).tolist(),
                "yaxis": "y2",
                "showlegend": False,
            },
        ]
    made = layout(
        420,
        xaxis=cycles_axis() | {"anchor": "y2", "showgrid": False, "rangemode": "tozero"},
        yaxis=axis(f"{growth.what}, moved since {rows[0].pe_cycles:,} cycles") | {"domain": [0.36, 1]},
        yaxis2=axis("residual") | {"domain": [0, 0.24], "zeroline": True, "zerolinecolor": palette.MUTED},
    )
    return {"data": data, "layout": made}


def _values(row: Measured, what: str) -> tuple[float, ...]:
    return row.means if what == "mean" else row.sigmas
