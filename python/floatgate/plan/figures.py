"""The figures of a plan: what each limit asks for, what the years cost, what buying later would take."""

from floatgate.plan.work import LIMITS, Planned
from floatgate.report import palette
from floatgate.report.plot import Figure, axis, layout

LIMIT_COLOURS = {"iops": "#0072B2", "capacity": "#E69F00", "bandwidth": "#009E73", "wear": "#D55E00"}
COST_COLOURS = {
    "price": "#2f3e50",
    "energy": "#E69F00",
    "cooling": "#56B4E9",
    "replacement": "#D55E00",
    "upkeep": "#c4cad1",
}


def limits(planned: Planned) -> Figure:
    """Drives that each limit asks for, a bar each; the highest decides."""
    choices = [choice for choice in planned.choices if choice.limits]
    data = [
        {
            "type": "bar",
            "name": limit,
            "x": [choice.drive for choice in choices],
            "y": [choice.limits.get(limit) for choice in choices],
            "marker": {"color": LIMIT_COLOURS[limit]},
            "text": [f"{choice.limits[limit]:.3g}" if limit in choice.limits else "" for choice in choices],
            "textposition": "outside",
            "cliponaxis": False,
            "hovertemplate": f"{limit}: %{{y:.2f}} drives<extra>%{{x}}</extra>",
        }
        for limit in LIMITS
        if any(limit in choice.limits for choice in choices)
    ]
    return {
        "data": data,
        "layout": layout(
            360,
            barmode="group",
            xaxis={"tickfont": {"size": 12}, "automargin": True},
            yaxis=axis("drives asked for, last year") | {"type": "log", "dtick": 1},
        ),
    }


def costs(planned: Planned) -> Figure:
    """Cost of all years for each drive that meets the workload, stacked by part."""
    choices = [choice for choice in planned.choices if choice.years]
    data = []
    for part, colour in COST_COLOURS.items():
        values = [sum(getattr(year, part) for year in choice.years) for choice in choices]
        if any(values):
            data.append(
                {
                    "type": "bar",
                    "orientation": "h",
                    "name": part,
                    "y": [choice.drive for choice in choices],
                    "x": values,
                    "marker": {"color": colour, "line": {"color": palette.PAPER, "width": 1}},
                    "hovertemplate": f"{part}: %{{x:,.0f}} {planned.prices.currency}<extra>%{{y}}</extra>",
                }
            )
    figure_layout = layout(
        120 + 50 * len(choices),
        barmode="stack",
        bargap=0.35,
        xaxis=axis(f"cost over {planned.workload.life} years ({planned.prices.currency})")
        | {"tickformat": ",.0f", "rangemode": "tozero"},
        yaxis={"automargin": True, "autorange": "reversed"},
    )
    figure_layout["legend"] |= {"traceorder": "normal"}
    return {"data": data, "layout": figure_layout}


def later(planned: Planned) -> Figure:
    """Drives needed if bought in each year; the mark shows which limit binds."""
    data = []
    for index, choice in enumerate(choice for choice in planned.choices if choice.offers):
        colour = _LINES[index % len(_LINES)]
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": choice.drive,
                "x": [offer.year for offer in choice.offers],
                "y": [offer.drives for offer in choice.offers],
                "line": {"color": colour, "width": 2, "shape": "hv"},
                "marker": {
                    "size": 10,
                    "color": [LIMIT_COLOURS[offer.binds] for offer in choice.offers],
                    "line": {"color": colour, "width": 1.5},
                },
                "customdata": [offer.binds for offer in choice.offers],
                "hovertemplate": "%{x}: %{y} drives, %{customdata} binds<extra></extra>",
            }
        )
    return {
        "data": data,
        "layout": layout(
            360,
            xaxis=axis("year of buying") | {"dtick": 1, "tickformat": "d"},
            yaxis=axis("drives needed") | {"type": "log", "dtick": 1},
        ),
    }


_LINES = ("#2f3e50", "#8595a6", "#CC79A7", "#009E73", "#7A6FAC", "#8C564B")
