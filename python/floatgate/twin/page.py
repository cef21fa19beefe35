"""The page of a check: a picture of measured against simulated, and the table, the worst rows first."""

from collections.abc import Sequence

from floatgate.report import palette
from floatgate.report.plot import Axis, Figure, Line, Mark, Panel, Points
from floatgate.report.sheet import Section, sheet
from floatgate.twin.compared import WITHIN, Checked, Compared
from floatgate.twin.measurements import CHECK
from floatgate.values import quantities as q

HEAD = ("measurement", "measured", "simulated", "deviation", "role", "verdict")
#: Quantities that share an axis, with its unit and what a base unit is in it.
PANELS = (
    ("rates", ("iops",), "IOPS", 1.0),
    ("bandwidths", ("bandwidth",), "MB/s", 1e-6),
    ("latencies", ("mean", "p50", "p90", "p95", "p99", "p99.9", "p99.99"), "us", 1e6),
    ("write amplification", ("write_amplification",), "", 1.0),
)


def row(one: Compared) -> list[str]:
    """Return the cells of a row."""
    of = one.row
    name = f"{of.name} ({of.note})" if of.note else of.name
    deviation = q.NOTHING if one.deviation is None else f"{100 * one.deviation:+.1f} %"
    return [name, of.shown(of.value), of.shown(one.simulated), deviation, of.role, one.verdict]


def summary(of: Checked) -> str:
    """Say in a line how near the drive is."""
    held = of.held_out()
    within = sum(one.verdict == WITHIN for one in held)
    mean = of.mean_deviation()
    said = f"{within} of {len(held)} held-out rows within their bounds" if held else "no row was held out"
    return said if mean is None else f"{said}, mean deviation {100 * mean:.1f} %"


def figures(of: Checked) -> dict[str, Figure]:
    """Return a picture for each kind of number: on the diagonal simulated and measured are equal."""
    found = {}
    for title, quantities, unit, factor in PANELS:
        rows = [one for one in of.rows if one.row.what in quantities and one.simulated]
        if rows:
            found[title.replace(" ", "-")] = _figure(title, unit, factor, rows)
    return found


def _figure(title: str, unit: str, factor: float, rows: Sequence[Compared]) -> Figure:
    values = [factor * value for one in rows for value in (one.row.value, one.simulated or 0.0)]
    low, high = 0.8 * min(values), 1.25 * max(values)
    shown = f" ({unit})" if unit else ""
    marks: list[Mark] = [Line(palette.MUTED, [low, high], [low, high])]
    for is_held in (False, True):
        mine = [one for one in rows if (one.row.role == CHECK) == is_held]
        if not mine:
            continue
        x = [factor * one.row.value for one in mine]
        y = [factor * (one.simulated or 0.0) for one in mine]
        tips = [f"{one.row.name}: {100 * (one.deviation or 0.0):+.1f} %" for one in mine]
        if is_held:
            marks.append(Points(palette.SERIES[1], x, y, 7.5, "diamond", name="held out", tips=tips))
        else:
            marks.append(Points(palette.SERIES[0], x, y, 6.5, name="calibrates", tips=tips))
    panel = Panel(
        Axis(f"measured{shown}", log=True, low=low, high=high),
        Axis(f"simulated{shown}", log=True, low=low, high=high),
        marks,
        title=title,
    )
    return Figure([panel], 360)


def page(of: Checked) -> str:
    """Return the report: one self-contained HTML page."""
    says = (
        "On the diagonal the simulated drive gives what was measured. Diamonds are held out: the twin was"
        " made without them."
    )
    facts = [f"{len(of.rows)} measurements", summary(of)]
    if of.scale > 1:
        facts.append(f"simulated by a replica, 1/{of.scale:.4g} of the drive")
    sections = [
        Section("Measured and simulated", says, figures(of)),
        Section(
            "Every row",
            "Held-out rows first, the worst at the top.",
            head=HEAD,
            rows=[row(one) for one in of.worst_first()],
        ),
    ]
    return sheet("Floatgate twin", of.name, f"{of.drive} beside {of.name}", facts, sections)
