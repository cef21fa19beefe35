"""Pictures of measured threshold voltages: states, the errors between them, how they move with wear."""

import numpy as np

from floatgate.lab.figures import SERIES, cycles_axis, lines, states, with_marks
from floatgate.lab.fit.voltages import Growth, Measured, Rates, Table
from floatgate.report import palette
from floatgate.report.plot import Axis, Dash, Figure, Line, Mark, Panel, Points, Rule, chart, named

_POINTS = 500
_LEAST, _MOST = 1e-6, 0.1  # densities that are drawn


def distributions(table: Table, found: tuple[Rates, ...]) -> Figure:
    """Density of each state on a logarithmic scale: least worn and last row, with the best references."""
    rows = {rates.row.name: rates for rates in (found[0], found[-1])}
    colours = states(table.states)
    low = min(row.means[0] - 3.5 * row.sigmas[0] for row in table.rows)
    high = max(row.means[-1] + 4 * row.sigmas[-1] for row in table.rows)
    volts = np.linspace(low, high, _POINTS)
    marks: list[Mark] = [Rule(palette.MUTED, "x", level, "dash", 1.0) for level in found[0].references]
    for place, (name, rates) in enumerate(rows.items()):
        dash: Dash = "solid" if place == 0 else "dot"
        for state, mean, sigma in zip(table.states, rates.row.means, rates.row.sigmas, strict=True):
            density = np.exp(-0.5 * ((volts - mean) / sigma) ** 2) / sigma / np.sqrt(2 * np.pi)
            near = (density > _LEAST) & (density < _MOST)
            x, y = volts[near].tolist(), density[near].tolist()
            tips = [f"{state}, {name} cycles"] * len(x)
            told = f"{name} cycles"
            marks.append(Line(colours[state], x, y, 1.6, dash, name=told, tips=tips))
    return chart(
        340,
        Axis(f"threshold voltage ({table.head.get('unit', 'as measured')})"),
        Axis("density", log=True, low=_LEAST, high=_MOST, format="power"),
        marks,
    )


def by_wear(table: Table, found: tuple[Rates, ...]) -> Figure:
    """Error rate of each page type over wear, with the best references and with the fixed ones."""
    own = [rates for rates in found if rates.row in table.by_wear]
    return _rates(own, [float(rates.row.pe_cycles) for rates in own], cycles_axis(zero=True))


def by_age(table: Table, found: tuple[Rates, ...]) -> Figure | None:
    """The same over the ages of the wear that has most of them; None where there is one age only."""
    wears = [row.pe_cycles for row in table.rows]
    most = max(wears, key=wears.count)
    own = [rates for rates in found if rates.row.pe_cycles == most]
    if len(own) < 2:
        return None
    ages = [rates.row.age for rates in own]
    x = Axis(f"age of the data after {most:,} cycles", ticks=named(ages))
    return _rates(own, [float(place) for place in range(len(ages))], x)


def _rates(own: list[Rates], x: list[float], x_axis: Axis) -> Figure:
    pages = range(len(own[0].best))
    y = Axis("bit error rate", log=True, format="power")
    made = lines({f"page type {page}": (x, [rates.best[page] for rates in own]) for page in pages}, x_axis, y)
    more = []
    for page in pages:
        fixed = [rates.fixed[page] for rates in own]
        tips = [f"page type {page}, fixed references: {rate:.3g}" for rate in fixed]
        colour = SERIES[page % len(SERIES)]
        more.append(Line(colour, x, fixed, 1.4, "dot", name="fixed references", tips=tips))
    return with_marks(made, more)


def grown(table: Table, growth: Growth) -> Figure:
    """What each state's mean or width has moved since the least worn row, the law, and what it leaves."""
    colours = states(table.states)
    rows = table.by_wear
    wear = np.array([row.pe_cycles for row in rows], dtype=np.float64)
    line = np.linspace(0.0, float(wear.max()), 80)
    law, at_points = growth.at(line), growth.at(wear)
    upper: list[Mark] = []
    lower: list[Mark] = [Rule(palette.MUTED, "y", 0.0, "solid", 1.0)]
    for place, state in enumerate(table.states):
        values = np.array([_values(row, growth.what)[place] for row in rows])
        first, colour = values[0], colours[state]
        moved, left = (values - first).tolist(), (values - at_points[place]).tolist()
        tips = [f"{state}: {one:.4g} after {at:,.0f}" for at, one in zip(wear.tolist(), moved, strict=True)]
        upper.append(Points(colour, wear.tolist(), moved, name=state, tips=tips))
        upper.append(Line(colour, line.tolist(), (law[place] - first).tolist(), 1.4))
        tips = [f"{state}: {one:.3g} left" for one in left]
        lower.append(Points(colour, wear.tolist(), left, name=state, tips=tips))
    since = f"{growth.what}, moved since {rows[0].pe_cycles:,} cycles"
    panels = [
        Panel(Axis(zero=True, grid=False, labels=False), Axis(since), upper),
        Panel(cycles_axis(zero=True, grid=False), Axis("residual"), lower),
    ]
    return Figure(panels, 400, heights=(0.68, 0.32), share_x=True)


def _values(row: Measured, what: str) -> tuple[float, ...]:
    return row.means if what == "mean" else row.sigmas
