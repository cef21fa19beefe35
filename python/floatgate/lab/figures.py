"""The laboratory's figures, as Plotly's own JSON: endurance, steps over life, comparisons."""

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from typing import Any

from floatgate import quantities as q
from floatgate.lab.lives import Life
from floatgate.report import palette
from floatgate.report.plot import Figure, axis, layout

OPERATIONS = {"read": palette.KINDS["read"], "program": palette.KINDS["write"], "erase": "#009E73"}
SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C564B", "#6b7683")
MOST_LINES = 60  # steps of more blocks than this make a figure a blot


def states(names: Sequence[str]) -> dict[str, str]:
    """Return a colour for each state: grey when erased, then from blue to red with rising voltage."""
    ramp = ("#0072B2", "#56B4E9", "#009E73", "#8fb339", "#E69F00", "#D55E00", "#a3312a", "#7b1e52")
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


def cycles_axis(title: str = "program/erase cycles", *, log: bool = False) -> dict[str, Any]:
    """Return an axis of cycles."""
    scale = {"type": "log", "dtick": 1, "tickformat": "~s"} if log else {"tickformat": "~s"}
    return axis(title) | scale


def _decades(values: Sequence[float]) -> list[float]:
    """Return the range of a logarithmic axis that shows whole decades, two at least."""
    low, high = floor(log10(max(min(values), 1))), ceil(log10(max(values) * 1.05))
    return [low, max(high, low + 2)]


def endurance(groups: Mapping[str, Sequence[Life]], rated: int | None) -> Figure:
    """Each block a point on a logarithmic axis, side by side for each group, with its mean and the rating."""
    data: list[dict[str, Any]] = []
    for place, (name, lives) in enumerate(groups.items()):
        spread = [place + 0.5 * ((index * 0.618) % 1 - 0.5) for index in range(len(lives))]
        colour = SERIES[place % len(SERIES)]
        mean = sum(life.cycles for life in lives) / len(lives)
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": name,
                "x": spread,
                "y": [life.cycles for life in lives],
                "marker": {"color": palette.faint(colour, 0.65), "size": 8, "line": {"width": 0}},
                "customdata": [[life.block, life.failed or "alive"] for life in lives],
                "hovertemplate": "block %{customdata[0]}: %{y:,} cycles, %{customdata[1]}<extra></extra>",
                "showlegend": False,
            }
        )
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": [place - 0.33, place + 0.33],
                "y": [mean, mean],
                "line": {"color": colour, "width": 2.5},
                "hovertemplate": f"{name}: mean {q.count(mean)}<extra></extra>",
                "showlegend": False,
            }
        )
    if rated:
        data.append(_rating(rated, len(groups)))
    made = layout(
        340,
        xaxis=axis("")
        | {
            "tickvals": list(range(len(groups))),
            "ticktext": list(groups),
            "range": [-0.6, len(groups) - 0.4],
            "showgrid": False,
        },
        yaxis=cycles_axis("endurance (cycles)", log=True)
        | {"range": _decades([life.cycles for lives in groups.values() for life in lives] + [rated or 1000])},
    )
    return {"data": data, "layout": made}


def survival(groups: Mapping[str, Sequence[Life]], rated: int | None) -> Figure:
    """The share of blocks still alive, over cycles."""
    series = {}
    for name, lives in groups.items():
        ends = sorted(life.cycles for life in lives)
        left = [1 - (index + 1) / len(ends) for index in range(len(ends))]
        series[name] = ([0, *ends], [1.0, *left])
    made = lines(
        series,
        cycles_axis() | {"rangemode": "tozero"},
        axis("blocks still alive") | {"tickformat": ".0%", "range": [0, 1.04]},
        shape="hv",
        markers=False,
    )
    made["layout"] |= {"showlegend": len(groups) > 1, "height": 340}
    if rated:
        line = {"type": "line", "x0": rated, "x1": rated, "y0": 0, "y1": 1, "yref": "paper"}
        made["layout"]["shapes"] = [line | {"line": {"color": palette.INK, "width": 1.2, "dash": "dot"}}]
    return made


def _rating(rated: int, groups: int) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": f"rated: {q.count(rated)}",
        "x": [-0.6, groups - 0.4],
        "y": [rated, rated],
        "line": {"color": palette.INK, "width": 1.2, "dash": "dot"},
        "hoverinfo": "name",
    }


def over_life(lives: Sequence[Life], shown: Life, *, log: bool = False) -> Figure:
    """Program time above, erase time below, over the cycles of a life: one block bold, the others faint."""
    data: list[dict[str, Any]] = []
    for row, operation in enumerate(("program", "erase")):
        colour = OPERATIONS[operation]
        for life in (*[one for one in lives[:MOST_LINES] if one is not shown], shown):
            bold = life is shown
            data.append(
                step_line(life, operation, palette.faint(colour, 1.0 if bold else 0.18), 2.2 if bold else 1)
                | {
                    "name": f"{operation}, block {life.block}" if bold else f"block {life.block}",
                    "showlegend": bold,
                    "xaxis": "x",
                    "yaxis": "y" if row == 0 else "y2",
                }
            )
    made = layout(
        460,
        xaxis=cycles_axis(log=log) | {"anchor": "y2", "showgrid": False},
        yaxis=time_axis("program time", "us") | {"domain": [0.55, 1]},
        yaxis2=time_axis("erase time", "ms") | {"domain": [0, 0.45]},
    )
    return {"data": data, "layout": made}


UNITS = {"us": 1e3, "ms": 1e6}


def time_axis(title: str, unit: str) -> dict[str, Any]:
    """Return an axis of times that starts at zero."""
    return axis(f"{title} ({unit})") | {"rangemode": "tozero"}


def step_line(life: Life, operation: str, colour: str, width: float) -> dict[str, Any]:
    """Return a busy time over a life, as the steps that it is; program times in us, erase times in ms."""
    unit = "ms" if operation == "erase" else "us"
    steps = life.steps(operation)  # type: ignore[arg-type]
    cycles = [cycle for cycle, _ in steps] + [max(life.cycles, 1)]
    busy = [ns / UNITS[unit] for _, ns in steps]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": cycles,
        "y": [*busy, busy[-1]],
        "line": {"color": colour, "width": width, "shape": "hv"},
        "hovertemplate": f"block {life.block}: %{{y:.4g}} {unit} from cycle %{{x:,}}<extra></extra>",
    }


def lines(
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    x: dict[str, Any],
    y: dict[str, Any],
    *,
    colours: Mapping[str, str] | None = None,
    shape: str = "linear",
    markers: bool = True,
    height: int = 320,
) -> Figure:
    """A line for each series of x and y."""
    data = []
    for index, (name, (xs, ys)) in enumerate(series.items()):
        colour = (colours or {}).get(name, SERIES[index % len(SERIES)])
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers" if markers else "lines",
                "name": name,
                "x": list(xs),
                "y": list(ys),
                "line": {"color": colour, "width": 1.8, "shape": shape},
                "marker": {"color": colour, "size": 6},
                "hovertemplate": f"{name}: %{{y:.4g}} at %{{x:.4g}}<extra></extra>",
            }
        )
    return {"data": data, "layout": layout(height, xaxis=x, yaxis=y)}


def bars(
    groups: Mapping[str, Mapping[str, float | None]],
    y: dict[str, Any],
    *,
    colours: Mapping[str, str] | None = None,
    height: int = 300,
    errors: Mapping[str, Mapping[str, float]] | None = None,
) -> Figure:
    """Bars side by side: `groups` on the axis, the same series in each."""
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    data = []
    for index, name in enumerate(names):
        colour = (colours or {}).get(name, SERIES[index % len(SERIES)])
        bar: dict[str, Any] = {
            "type": "bar",
            "name": name,
            "x": list(groups),
            "y": [group.get(name) for group in groups.values()],
            "marker": {"color": colour},
            "hovertemplate": f"%{{x}}, {name}: %{{y:.4g}}<extra></extra>",
        }
        if errors:
            spread = [errors[group].get(name, 0.0) for group in groups]
            bar["error_y"] = {"type": "data", "array": spread, "thickness": 1, "width": 3}
        data.append(bar)
    made = layout(
        height,
        barmode="group",
        bargap=0.3,
        xaxis=axis("") | {"showgrid": False, "type": "category"},
        yaxis=y,
        showlegend=len(names) > 1,
    )
    return {"data": data, "layout": made}
