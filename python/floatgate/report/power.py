"""Power cuts: what each destroyed, and how long the drive took until it had found its map."""

from typing import Any

from floatgate.report import palette
from floatgate.report.plot import Axis, Figure, Panel, upright
from floatgate.report.said import Said, Strong, said
from floatgate.results.headline import at
from floatgate.values import quantities as q


def figure(document: dict[str, Any]) -> Figure | None:
    """Each cut in order: the time until the drive was ready, and what had been acknowledged and is gone."""
    cuts = at(document, "power.cuts")
    if not cuts:
        return None
    ready = [cut["ready_ns"] for cut in cuts]
    lost = [cut["units_lost_in_buffer"] for cut in cuts]
    x = Axis("power cut", whole=True, grid=False, low=0.5, high=len(cuts) + 0.5)
    starts = [
        f"cut {n}: {'the power failed again before' if ns is None else 'ready after ' + q.duration(ns)}"
        for n, ns in enumerate(ready, 1)
    ]
    gone = [f"cut {n}: {units:,} units" for n, units in enumerate(lost, 1)]
    took = [None if ns is None else ns / 1e6 for ns in ready]
    bars = upright(palette.KINDS["read"], took, starts, first=1)
    more = upright(palette.KINDS["write"], lost, gone, first=1)
    panels = [
        Panel(x, Axis("ready after (ms)", zero=True), bars),
        Panel(x, Axis("units lost in the buffer", zero=True, whole=True), more),
    ]
    return Figure(panels, 240, columns=2)


def in_words(document: dict[str, Any]) -> Said:
    """Say how often the power failed, what that destroyed, and how long the drive took."""
    cuts = at(document, "power.cuts")
    if not cuts:
        return ""
    sums = {
        name: sum(cut[name] for cut in cuts)
        for name in (
            "requests_lost",
            "units_lost_in_buffer",
            "torn_rows",
            "paired_rows_lost",
            "units_forgotten_on_dead_dies",
        )
    }
    pieces = said(
        "The power failed {}. {} requests were never answered, and {} units that no flush covered were "
        "only in the buffer. {} page rows were being programmed and cannot be read",
        "once" if len(cuts) == 1 else f"{len(cuts):,} times",
        f"{sums['requests_lost']:,}",
        Strong(f"{sums['units_lost_in_buffer']:,}"),
        f"{sums['torn_rows']:,}",
    )
    if sums["paired_rows_lost"]:
        pieces += said(", and {} that shared their cells", f"{sums['paired_rows_lost']:,}")
    if sums["units_forgotten_on_dead_dies"]:
        pieces += said(
            ". {} units of which the newest copy was on a dead die were forgotten",
            Strong(f"{sums['units_forgotten_on_dead_dies']:,}"),
        )
    ready = [cut["ready_ns"] for cut in cuts if cut["ready_ns"] is not None]
    if ready:
        pieces += said(
            ". The drive found its map in {} at most, by reading {} pages",
            Strong(q.duration(max(ready))),
            f"{max(cut['pages_read'] for cut in cuts):,}",
        )
    return [*pieces, "."]


def in_a_line(document: dict[str, Any]) -> str | None:
    """The same for a terminal; None where the power never failed."""
    cuts = at(document, "power.cuts")
    if not cuts:
        return None
    ready = [cut["ready_ns"] for cut in cuts if cut["ready_ns"] is not None]
    lost = sum(cut["units_lost_in_buffer"] for cut in cuts)
    found = f", ready after {q.duration(max(ready))} at most" if ready else ", never ready again"
    left = at(document, "power.cuts_left")
    rest = f"; {left} more were planned after the end" if left else ""
    return f"{len(cuts)}{found}; {q.count(lost)} units lost that nothing had made durable{rest}"
