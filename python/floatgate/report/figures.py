"""The figures of a report, one function for each."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import accumulate
from math import log10
from typing import Any

from floatgate.report import palette, power, retries, sampled, words
from floatgate.report.plot import (
    Axis,
    Figure,
    Line,
    Mark,
    Numbers,
    Panel,
    Part,
    Tiles,
    chart,
    named,
    rule,
    stacked,
)
from floatgate.report.source import Source
from floatgate.results.amplification import parts
from floatgate.results.fio_json import Histogram
from floatgate.values import quantities as q

STEPS = 240  # of a curve, from nothing to all: more cannot be seen
_Edges = list[tuple[float, float]]  # of intervals


def all_figures(source: Source) -> dict[str, Figure]:
    """Return every figure for which the run has data, by the name of its place on the page."""
    made = {
        "latency": latency(source.histograms),
        "sampled": sampled.figure(source.document),
        "over-time": over_time(source.series, source.document["simulated_ns"]),
        "slc-cache": slc_cache(source.series, source.document["simulated_ns"]),
        "stages": stages(_means(source)),
        "tail": _tail(source),
        "amplification": amplification(source.document),
        "retries": retries.figure(source.document),
        "unreadable": unreadable(source.document),
        "power": power.figure(source.document),
        "channels": channels(source.document["utilisation"]),
        "dies": dies(source.document["utilisation"]),
        "energy": energy(source.document),
        "wear": wear(source.document.get("wear_map")),
    }
    return {name: figure for name, figure in made.items() if figure}


def latency(histograms: dict[str, Histogram]) -> Figure | None:
    """Latency distribution: the cumulative share on the left, the tail beyond it on the right."""
    within: list[Mark] = []
    beyond: list[Mark] = []
    for kind, pairs in histograms.items():
        samples = sum(count for _, count in pairs)
        if not samples:
            continue
        x, below = _cumulative(pairs, samples)
        shown = [q.duration(ns) for ns in x]
        tips = [f"{share:.3%} of {kind}s within {time}" for share, time in zip(below, shown, strict=True)]
        colour = palette.KINDS[kind]
        # Below the shortest latency there is none: the curve rises from 0, that of the tail falls from 1.
        start = f"no {kind} within less than {shown[0]}"
        within.append(
            Line(colour, [x[0], *x], [0.0, *below], 2.0, steps=True, name=kind, tips=[start, *tips])
        )
        # The last point has nothing above it, which a logarithmic axis cannot show.
        above = [max(1 - share, 0.5 / samples) for share in below]
        tips = [f"{share:.2g} of {kind}s above {time}" for share, time in zip(above, shown, strict=True)]
        beyond.append(
            Line(colour, [x[0], *x], [1.0, *above], 2.0, steps=True, name=kind, tips=[start, *tips])
        )
    if not within:
        return None
    across = Axis("latency", log=True, format="time")
    share = Axis("share of requests within", low=0, high=1.02, format="percent")
    tail = Axis("share of requests above", log=True, format="power")
    return Figure([Panel(across, share, within), Panel(across, tail, beyond)], 340, columns=2, zoom=True)


def _cumulative(pairs: Histogram, samples: int) -> tuple[list[int], list[float]]:
    """The cumulative distribution at no more points than can be seen: of the body, and of the tail."""
    x = [ns for ns, _ in pairs]
    share = [seen / samples for seen in accumulate(count for _, count in pairs)]
    kept: list[int] = []
    last = (-1, -1)
    for place, below in enumerate(share):
        seen = (round(STEPS * below), round(-STEPS / 4 * log10(max(1 - below, 0.5 / samples))))
        if seen != last or place == len(x) - 1:
            kept.append(place)
            last = seen
    return [x[place] for place in kept], [share[place] for place in kept]


def over_time(series: dict[str, list[Any]], span_ns: int) -> Figure | None:
    """Throughput above, mean and p99 latency below, over simulated time; each interval at its real width.

    The last interval ends with the measured window, `span_ns` after its beginning.
    """
    if not series.get("time_ns"):
        return None
    edges = _edges(series, span_ns)
    rates: list[Mark] = []
    latencies: list[Mark] = []
    for kind in ("read", "write"):
        requests = series.get(f"{kind}_requests")
        if not requests or not any(requests):
            continue
        colour = palette.KINDS[kind]
        rate = [
            None if count is None else count / (end - start) * 1e9
            for count, (start, end) in zip(requests, edges, strict=True)
        ]
        tips = [f"{kind}: {q.count(y)} IOPS {_span(edge)}" for y, edge in zip(rate, edges, strict=True)]
        rates.append(_level(colour, edges, rate, tips, name=kind))
        for title, dotted in (("mean", False), ("p99", True)):
            values = series.get(f"{kind}_latency_ns_{title}", [])
            if not any(values):
                continue
            tips = [
                f"{kind} {title}: {q.duration(y)} {_span(edge)}"
                for y, edge in zip(values, edges, strict=True)
            ]
            width, dash = (1.2, "dot") if dotted else (1.8, "solid")
            name = f"{kind}, p99" if dotted else kind
            latencies.append(_level(colour, edges, values, tips, name=name, width=width, dash=dash))
    if not rates:
        return None
    above = _simulated_time(edges, labels=not latencies)
    panels = [Panel(above, Axis("IOPS", zero=True, format="si"), rates)]
    if latencies:
        panels.append(Panel(_simulated_time(edges), Axis("latency", log=True, format="time"), latencies))
    return Figure(panels, 420, zoom=True)


def slc_cache(series: dict[str, list[Any]], span_ns: int) -> Figure | None:
    """Bytes that the SLC cache's superblocks hold, over simulated time; none where the drive has none."""
    held = series.get("slc_cache_bytes")
    if not held or not any(held):
        return None
    edges = _edges(series, span_ns)
    gigabytes = [None if value is None else value / 1e9 for value in held]
    tips = [f"{q.three(y or 0.0)} GB {_span(edge)}" for y, edge in zip(gigabytes, edges, strict=True)]
    line = _level(palette.ORIGINS["fold"], edges, gigabytes, tips)
    return chart(220, _simulated_time(edges), Axis("GB held", zero=True), [line])


def _edges(series: dict[str, list[Any]], span_ns: int) -> _Edges:
    """Return the beginning and the end of each interval, in ns."""
    starts, widths = series["time_ns"], series["width_ns"]
    ends = [start + width for start, width in zip(starts, widths, strict=True)]
    last = starts[0] + span_ns
    if starts[-1] < last < ends[-1]:
        ends[-1] = last
    return list(zip(starts, ends, strict=True))


def _level(colour: str, edges: _Edges, values: Numbers, tips: list[str], **how: Any) -> Line:
    """Return a line that is level from the beginning of each interval to its end."""
    factor, _ = _unit(edges)
    x = [place / factor for edge in edges for place in edge]
    y = [value for value in values for _ in edges[0]]
    return Line(colour, x, y, tips=[tip for tip in tips for _ in edges[0]], **how)


def _span(edge: tuple[float, float]) -> str:
    return f"from {q.duration(edge[0])} to {q.duration(edge[1])}"


def _unit(edges: _Edges) -> tuple[float, str]:
    """Return the unit of the axis of simulated time, in ns, and its name; seconds unless all is shorter."""
    return _time_unit(edges[-1][1])


def _simulated_time(edges: _Edges, *, labels: bool = True) -> Axis:
    """Return the axis on which intervals lie, from the first one's beginning to the last one's end."""
    factor, name = _unit(edges)
    title = f"simulated time ({name})" if labels else ""
    low, high = edges[0][0] / factor, edges[-1][1] / factor
    return Axis(title, grid=False, labels=labels, low=low, high=high)


def _means(source: Source) -> dict[str, dict[str, float | None]]:
    """The mean time of a read and a write by stage."""
    found = source.document.get("stages") or {}
    return {kind: found.get(kind) or {} for kind in ("read", "write")}


def _tail(source: Source) -> Figure | None:
    """The mean time of all requests of a kind above that of the slowest of them."""
    means = _means(source)
    rows: dict[str, Mapping[str, float | None]] = {}
    for one in source.tails or ():
        rows |= {f"{one.kind}, all": means[one.kind], f"{one.kind}, slowest 1 %": one.stages}
    return stages(rows)


def stages(rows: Mapping[str, Mapping[str, float | None]]) -> Figure | None:
    """Mean time of requests, such as a read and a write, split into where it went; by the name of its bar."""
    kinds = [kind for kind, values in rows.items() if any(values.values())]
    if not kinds:
        return None
    factor, unit = _time_unit(max(sum(filter(None, rows[kind].values())) for kind in kinds))
    found = []
    for stage, colour in palette.STAGES.items():
        values = [rows[kind].get(stage) or 0 for kind in kinds]
        if not any(values):
            continue
        name, meaning = words.STAGES[stage]
        tips = [
            f"{kind}, {name}: {q.duration(ns)}, {meaning}" for kind, ns in zip(kinds, values, strict=True)
        ]
        found.append(Part(name, colour, [value / factor for value in values], tips))
    return _across(kinds, found, f"mean time of a request ({unit})", 90 + 56 * len(kinds))


def _across(
    names: list[str], found: list[Part], title: str, height: int, high: float | None = None
) -> Figure:
    """Bars that lie, each split into its parts."""
    y = Axis(ticks=named(names), reverse=True, grid=False, low=-0.5, high=len(names) - 0.5)
    return chart(height, Axis(title, zero=True, high=high), y, stacked(found, across=True, wide=0.68))


def _time_unit(ns: float) -> tuple[float, str]:
    """The unit in which a time of `ns` has one to three digits before the point."""
    units = ((1e9, "s"), (1e6, "ms"), (1e3, "us"))
    return next(((factor, unit) for factor, unit in units if ns >= factor), (1.0, "ns"))


def amplification(document: dict[str, Any]) -> Figure | None:
    """Write amplification as one bar, split by who programmed; the legend has the numbers."""
    shares = parts(document)
    if not shares:
        return None
    found = [
        Part(
            f"{words.origin(origin)} {q.three(value)}",
            palette.origin(origin),
            [value],
            [f"{words.origin(origin)}: {value:.3f} bytes programmed per byte written"],
        )
        for origin, value in shares.items()
    ]
    title = "bytes programmed per byte that the host wrote"
    made = _across([""], found, title, 110, max(1.05, sum(shares.values()) * 1.02))
    return replace(made, panels=[_marked(made.panels[0], 1.0)])


def _marked(panel: Panel, at: float) -> Panel:
    """A panel with a dotted line at one of its x."""
    return replace(panel, marks=[*panel.marks, rule("x", at)])


def unreadable(document: dict[str, Any]) -> Figure | None:
    """Reads that the code could not correct, for the host and for the drive itself: found again, or lost."""
    found = document.get("unreadable") or {}
    fates = {
        "found again": ("reads_rebuilt", palette.ORIGINS["parity"]),
        "lost": ("reads_lost", palette.KINDS["write"]),
    }
    rows = {"host": "the host's", "other": "the drive's own"}
    if not any(sum(found.get(key, {}).values()) for key, _ in fates.values()):
        return None
    bars = []
    for name, (key, colour) in fates.items():
        values = [found[key].get(row, 0) for row in rows]
        tips = [f"{whose}: {value:,} {name}" for whose, value in zip(rows.values(), values, strict=True)]
        bars.append(Part(name, colour, values, tips))
    return _across(list(rows.values()), bars, "reads that the code could not correct", 160)


def energy(document: dict[str, Any]) -> Figure | None:
    """Energy per byte of the host's as one bar, by the part that drew it; the legend has the numbers."""
    drawn = energy_by_part(document)
    if not drawn:
        return None
    found = [
        Part(
            f"{words.energy(part)} {q.energy(joules)}",
            palette.ENERGY.get(part, palette.OTHER),
            [joules * 1e9],
            [f"{words.energy(part)}: {joules * 1e9:.3f} nJ per byte"],
        )
        for part, joules in drawn.items()
    ]
    return _across([""], found, "nJ for each byte that the host read or wrote", 110)


def energy_by_part(document: dict[str, Any]) -> dict[str, float]:
    """Joules per byte of the host's by part, NAND by what it did; empty where some power is not known."""
    found = document.get("energy_j") or {}
    moved = sum(document["host"].get(kind, {}).get("bytes") or 0 for kind in ("read", "write"))
    if found.get("total") is None or not moved:
        return {}
    joules = {"controller": found["controller"], "bus": found["bus"], **found["nand_by_kind"]}
    return {part: value / moved for part, value in joules.items() if value}


def channels(busy: dict[str, Any]) -> Figure | None:
    """Busy share of each channel, with the mean; none where no channel was busy."""
    values = busy["per_channel"]
    return _busy("channel", {"": values}, busy["channel"]) if busy["channel"] else None


def dies(busy: dict[str, Any]) -> Figure | None:
    """Busy share of each die, split by whom it worked for, with the mean; none where no die was busy."""
    return _busy("die", busy["per_die_by_origin"], busy["die"]) if busy["die"] else None


def _busy(what: str, parts: dict[str, list[float]], mean: float) -> Figure:
    """Bars of busy shares, stacked from `parts`; a lone part without a name needs no legend."""
    found = []
    for origin, values in parts.items():
        if not any(values) and len(parts) > 1:
            continue
        label = words.origin(origin) if origin else "busy"
        tips = [f"{what} {place}, {label}: {q.percent(value)}" for place, value in enumerate(values)]
        colour = palette.origin(origin) if origin else palette.SERVICE
        found.append(Part(label if len(parts) > 1 else "", colour, values, tips))
    count = max((len(values) for values in parts.values()), default=0)
    highest = max((sum(column) for column in zip(*parts.values(), strict=True)), default=0.0)
    x = Axis(what, whole=True, grid=False, low=-0.5, high=max(count, 1) - 0.5)
    y = Axis("busy", zero=True, high=min(1.0, highest * 1.15) or 1.0, format="percent")
    return chart(250, x, y, [*stacked(found, wide=0.7 if count <= 32 else 0.95), rule("y", mean)])


def wear(wear_map: dict[str, Any] | None) -> Figure | None:
    """P/E cycles over the drive: a row per die, a column per group of neighbouring blocks.

    None where no block was ever erased.
    """
    if not wear_map or not wear_map.get("values"):
        return None
    rows = _rows(wear_map)
    least, most = min(map(min, rows)), max(map(max, rows))
    if not most:
        return None
    x = Axis("blocks of the die, in groups", whole=True, grid=False)
    y = Axis("die", whole=True, grid=False, reverse=True)
    tiles = Tiles(palette.INK, rows, says=("die @row, group @columns", "@value cycles"))
    panel = Panel(x, y, [tiles], scale="P/E cycles", scale_span=(0, most) if least == most else None)
    return Figure([panel], min(520, 110 + 12 * len(rows)))


def _rows(wear_map: dict[str, Any]) -> list[list[float]]:
    """The map as a list of rows, whether the core gave it so or flat."""
    values, columns = wear_map["values"], wear_map["columns"]
    if isinstance(values[0], list):
        return list(values)
    return [values[start : start + columns] for start in range(0, len(values), columns)]
