"""Pictures of fits: what was measured, the law, and what is left between them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from floatgate.lab.figures import OPERATIONS, SERIES, cycles_axis
from floatgate.lab.fit.endurance import EnduranceFit
from floatgate.lab.fit.rates import RateFit
from floatgate.lab.fit.stream import Real
from floatgate.lab.fit.times import TimeFit
from floatgate.report import palette
from floatgate.report.plot import Axis, Band, Figure, Line, Mark, Panel, Points, Rule, chart

_LINE = 240  # points of a drawn law


def time(fit: TimeFit) -> Figure:
    """Mean times, the law and its whole pulses above; residuals below, with half a pulse on both sides."""
    colour = OPERATIONS[fit.kind[0]]
    scale, unit = (1e6, "ms") if fit.mean_ns.max() >= 1e6 else (1e3, "us")
    line = _wears(fit.wear)
    above: list[Mark] = [
        _points(fit.wear, fit.mean_ns / scale, colour, "measured", unit),
        _curve(line, fit.fitted.law.at(line) / scale, palette.INK, fit.fitted.law.shape.formula),
    ]
    below: list[Mark] = []
    if fit.pulse is not None:
        name = "in whole pulses, as in the tables"
        above.append(_curve(line, fit.at(line) / scale, colour, name, steps=True, alpha=0.55))
        half = fit.pulse.ns / 2e3
        below.append(Band(palette.MUTED, "y", -half, half, alpha=0.12))
    below.append(_residual(fit.wear, fit.residual_ns / 1e3, colour, "us"))
    return _two(Axis(f"busy time ({unit})"), "residual (us)", above, below)


def rate(fit: RateFit) -> Figure:
    """Measured error rates and the law above, residuals in decades below; rates of 0 are not drawn."""
    colour = SERIES[fit.page_type % len(SERIES)]
    seen = fit.errors > 0
    line = _wears(fit.wear)
    above: list[Mark] = [
        _points(fit.wear[seen], fit.rate[seen], colour, "measured", ""),
        _curve(line, fit.law.at(line), palette.INK, fit.law.formula),
    ]
    low, high = None, None
    if seen.any():
        low = 10.0 ** np.floor(np.log10(float(fit.rate[seen].min())) - 0.3)
        high = 10.0 ** np.ceil(np.log10(float(fit.rate[seen].max())) + 0.2)
    y = Axis("bit error rate", log=True, format="power", low=low, high=high)
    below = [_residual(fit.wear[seen], fit.residual_decades[seen], colour, "decades")]
    return _two(y, "residual (decades)", above, below)


def endurance(fit: EnduranceFit) -> Figure:
    """Share of blocks that have failed by some cycles, as counted and as the distribution has it."""
    failed = fit.failed
    at_risk = len(fit.cycles) - np.arange(len(fit.cycles))
    share = (1 - np.cumprod(1 - failed / at_risk)).astype(np.float64)
    line = np.linspace(0.0, float(fit.cycles.max()) * 1.1, _LINE)
    marks: list[Mark] = [
        _curve(_from_zero(fit.cycles), _from_zero(share), SERIES[0], "counted", steps=True),
        _curve(line, fit.chosen.failed(line), palette.INK, fit.chosen.name),
    ]
    if not failed.all():
        alive = np.flatnonzero(~failed)
        tips = [f"alive at {cycles:,.0f} cycles" for cycles in fit.cycles[alive].tolist()]
        x, y = fit.cycles[alive].tolist(), share[alive].tolist()
        marks.append(Points(SERIES[1], x, y, name="alive when the log ends", tips=tips))
    return chart(
        320, cycles_axis(zero=True), Axis("blocks failed", low=0, high=1.04, format="percent"), marks
    )


def _from_zero(values: Any) -> Real:
    return np.concatenate([[0.0], values])


def _wears(wear: Real) -> Real:
    """Return wears along a linear axis, closer together where laws are steep."""
    line: Real = np.linspace(0.0, 1.0, _LINE) ** 3 * float(wear.max())
    return line


def _two(y: Axis, below: str, upper: Sequence[Mark], lower: Sequence[Mark]) -> Figure:
    """What was measured above, what the law leaves of it below."""
    zero = Rule(palette.MUTED, "y", 0.0, "solid", 1.0)
    panels = [
        Panel(Axis(zero=True, grid=False, labels=False), y, upper),
        Panel(cycles_axis(zero=True, grid=False), Axis(below), [zero, *lower]),
    ]
    return Figure(panels, 400, heights=(0.68, 0.32), share_x=True)


def _points(x: Real, y: Real, colour: str, name: str, unit: str) -> Points:
    tips = [
        f"{value:.4g}{unit and ' '}{unit} at {wear:,.0f} cycles"
        for wear, value in zip(x.tolist(), y.tolist(), strict=True)
    ]
    return Points(colour, x.tolist(), y.tolist(), name=name, tips=tips)


def _curve(x: Real, y: Real, colour: str, name: str, *, steps: bool = False, alpha: float = 1.0) -> Line:
    tips = [
        f"{name}: {value:.4g} at {wear:,.0f} cycles"
        for wear, value in zip(x.tolist(), y.tolist(), strict=True)
    ]
    return Line(colour, x.tolist(), y.tolist(), 1.6, steps=steps, name=name, tips=tips, alpha=alpha)


def _residual(x: Real, y: Real, colour: str, unit: str) -> Points:
    tips = [
        f"{value:.3g} {unit} at {wear:,.0f} cycles"
        for wear, value in zip(x.tolist(), y.tolist(), strict=True)
    ]
    return Points(colour, x.tolist(), y.tolist(), alpha=0.7, tips=tips)
