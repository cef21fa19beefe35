"""The figures of a plan: what each limit asks for, what the years cost, what buying later would take."""

from floatgate.plan.work import LIMITS, Planned
from floatgate.report.plot import (
    Axis,
    Figure,
    Line,
    Mark,
    Part,
    Points,
    Shape,
    chart,
    in_group,
    named,
    stacked,
)

LIMIT_COLOURS = {"iops": "#0072b2", "capacity": "#e69f00", "bandwidth": "#009e73", "wear": "#d55e00"}
LIMIT_SHAPES: dict[str, Shape] = {
    "iops": "circle",
    "capacity": "square",
    "bandwidth": "diamond",
    "wear": "up",
}
COST_COLOURS = {
    "price": "#2f3e50",
    "energy": "#e69f00",
    "cooling": "#56b4e9",
    "replacement": "#d55e00",
    "upkeep": "#c4cad1",
}


def limits(planned: Planned) -> Figure:
    """Drives that each limit asks for, a mark each; the one farthest to the right decides."""
    choices = [choice for choice in planned.choices if choice.limits]
    marks: list[Mark] = []
    for index, limit in enumerate(LIMITS):
        found = [
            (in_group(place, index, len(LIMITS), 0.8), choice.drive, choice.limits[limit])
            for place, choice in enumerate(choices)
            if limit in choice.limits
        ]
        if found:
            places, drives, asked = zip(*found, strict=True)
            tips = [f"{drive}, {limit}: {many:.4g} drives" for drive, many in zip(drives, asked, strict=True)]
            colour, shape = LIMIT_COLOURS[limit], LIMIT_SHAPES[limit]
            marks.append(Points(colour, asked, places, 9, shape, name=limit, tips=tips))
    y = Axis(
        ticks=named([choice.drive for choice in choices]), reverse=True, low=-0.5, high=len(choices) - 0.5
    )
    return chart(90 + 56 * len(choices), Axis("drives asked for, last year", log=True), y, marks)


def costs(planned: Planned) -> Figure:
    """Cost of all years for each drive that meets the workload, stacked by part."""
    choices = [choice for choice in planned.choices if choice.years]
    found = []
    for part, colour in COST_COLOURS.items():
        values = [sum(getattr(year, part) for year in choice.years) for choice in choices]
        if any(values):
            tips = [
                f"{choice.drive}, {part}: {value:,.0f} {planned.prices.currency}"
                for choice, value in zip(choices, values, strict=True)
            ]
            found.append(Part(part, colour, values, tips))
    y = Axis(
        ticks=named([choice.drive for choice in choices]),
        reverse=True,
        grid=False,
        low=-0.5,
        high=len(choices) - 0.5,
    )
    title = f"cost over {planned.workload.life} years ({planned.prices.currency})"
    return chart(
        80 + 46 * len(choices),
        Axis(title, zero=True, format="count"),
        y,
        stacked(found, across=True, wide=0.62),
    )


def later(planned: Planned) -> Figure:
    """Drives needed if bought in each year; the mark shows which limit binds."""
    marks: list[Mark] = []
    for index, choice in enumerate(choice for choice in planned.choices if choice.offers):
        colour = _LINES[index % len(_LINES)]
        years = [float(offer.year) for offer in choice.offers]
        needed = [float(offer.drives) for offer in choice.offers]
        marks.append(Line(colour, years, needed, 2.0, steps=True, name=choice.drive))
        for limit in LIMITS:
            bound = [offer for offer in choice.offers if offer.binds == limit]
            if bound:
                tips = [
                    f"{choice.drive} in {offer.year}: {offer.drives:,} drives, {limit} binds"
                    for offer in bound
                ]
                x, y = [float(offer.year) for offer in bound], [float(offer.drives) for offer in bound]
                shape = LIMIT_SHAPES[limit]
                marks.append(Points(LIMIT_COLOURS[limit], x, y, 9, shape, name=f"{limit} binds", tips=tips))
    return chart(340, Axis("year of buying", whole=True), Axis("drives needed", log=True), marks)


_LINES = ("#2f3e50", "#8595a6", "#cc79a7", "#009e73", "#7a6fac", "#8c564b")
