"""Pictures of fits: what was measured, the law, and what is left between them."""

from typing import Any

import numpy as np

from floatgate.lab.figures import OPERATIONS, SERIES, cycles_axis
from floatgate.lab.fit.endurance import EnduranceFit
from floatgate.lab.fit.rates import RateFit
from floatgate.lab.fit.stream import Real
from floatgate.lab.fit.times import TimeFit
from floatgate.report import palette
from floatgate.report.plot import Figure, axis, layout

_LINE = 240  # points of a drawn law


def time(fit: TimeFit) -> Figure:
    """Mean times, the law and its whole pulses above; residuals below, with half a pulse on both sides."""
    colour = OPERATIONS[fit.kind[0]]
    scale, unit = (1e6, "ms") if fit.mean_ns.max() >= 1e6 else (1e3, "us")
    line = _wears(fit.wear)
    data = [
        _points(
            fit.wear, fit.mean_ns / scale, colour, "measured", f"%{{y:.4g}} {unit} at %{{x:,.0f}} cycles"
        ),
        _curve(line, fit.fitted.law.at(line) / scale, palette.INK, fit.fitted.law.shape.formula),
    ]
    if fit.pulse is not None:
        steps = _curve(line, fit.at(line) / scale, colour, "in whole pulses, as in the tables")
        data.append(steps | {"line": {"color": palette.faint(colour, 0.55), "width": 2, "shape": "hv"}})
    left = fit.residual_ns / 1e3
    data.append(_residual(fit.wear, left, colour, "us"))
    made = _two("busy time", unit, "residual (us)")
    if fit.pulse is not None:
        made["shapes"] = _band(fit.pulse.ns / 2e3)
    return {"data": data, "layout": made}


def rate(fit: RateFit) -> Figure:
    """Measured error rates and the law above, residuals in decades below; rates of 0 are not drawn."""
    colour = SERIES[fit.page_type % len(SERIES)]
    seen = fit.errors > 0
    line = _wears(fit.wear)
    data = [
        _points(fit.wear[seen], fit.rate[seen], colour, "measured", "%{y:.3g} at %{x:,.0f} cycles"),
        _curve(line, fit.law.at(line), palette.INK, fit.law.formula),
        _residual(fit.wear[seen], fit.residual_decades[seen], colour, "decades"),
    ]
    made = _two("bit error rate", None, "residual (decades)")
    exponents = {"type": "log", "exponentformat": "power", "dtick": 1}
    made["yaxis"] |= exponents
    if seen.any():
        low = np.floor(np.log10(float(fit.rate[seen].min())) - 0.3)
        made["yaxis"] |= {"range": [low, np.ceil(np.log10(float(fit.rate[seen].max())) + 0.2)]}
    return {"data": data, "layout": made}


def endurance(fit: EnduranceFit) -> Figure:
    """Share of blocks that have failed by some cycles, as counted and as the distribution has it."""
    failed = fit.failed
    at_risk = len(fit.cycles) - np.arange(len(fit.cycles))
    share = (1 - np.cumprod(1 - failed / at_risk)).astype(np.float64)
    line = np.linspace(0.0, float(fit.cycles.max()) * 1.1, _LINE)
    counted = _curve(_from_zero(fit.cycles), _from_zero(share), SERIES[0], "counted")
    data = [
        counted | {"line": {"color": SERIES[0], "width": 2, "shape": "hv"}},
        _curve(line, fit.chosen.failed(line), palette.INK, fit.chosen.name),
    ]
    if not failed.all():
        alive = np.flatnonzero(~failed)
        text = "alive at %{x:,.0f} cycles"
        data.append(_points(fit.cycles[alive], share[alive], SERIES[1], "alive when the log ends", text))
    made = layout(
        320,
        xaxis=cycles_axis() | {"rangemode": "tozero"},
        yaxis=axis("blocks failed") | {"tickformat": ".0%", "range": [0, 1.04]},
    )
    return {"data": data, "layout": made}


def _from_zero(values: Any) -> Real:
    return np.concatenate([[0.0], values])


def _wears(wear: Real) -> Real:
    """Return wears along a linear axis, closer together where laws are steep."""
    line: Real = np.linspace(0.0, 1.0, _LINE) ** 3 * float(wear.max())
    return line


def _two(title: str, unit: str | None, below: str) -> dict[str, Any]:
    return layout(
        420,
        xaxis=cycles_axis() | {"anchor": "y2", "showgrid": False, "rangemode": "tozero"},
        yaxis=axis(f"{title} ({unit})" if unit else title) | {"domain": [0.36, 1]},
        yaxis2=axis(below) | {"domain": [0, 0.24], "zeroline": True, "zerolinecolor": palette.MUTED},
    )


def _band(half: float) -> list[dict[str, Any]]:
    band = {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "yref": "y2", "y0": -half, "y1": half}
    return [band | {"fillcolor": palette.faint(palette.MUTED, 0.12), "line": {"width": 0}, "layer": "below"}]


def _points(x: Real, y: Real, colour: str, name: str, hover: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": x.tolist(),
        "y": y.tolist(),
        "marker": {"color": colour, "size": 6},
        "hovertemplate": f"{hover}<extra></extra>",
    }


def _curve(x: Real, y: Real, colour: str, name: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": x.tolist(),
        "y": y.tolist(),
        "line": {"color": colour, "width": 1.6},
        "hovertemplate": f"{name}: %{{y:.4g}} at %{{x:,.0f}} cycles<extra></extra>",
    }


def _residual(x: Real, y: Real, colour: str, unit: str) -> dict[str, Any]:
    drawn = _points(x, y, palette.faint(colour, 0.7), "residual", f"%{{y:.3g}} {unit} at %{{x:,.0f}} cycles")
    return drawn | {"yaxis": "y2", "showlegend": False}
