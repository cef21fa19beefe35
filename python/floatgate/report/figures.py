"""The figures of a report, as Plotly's own JSON: data and layout, one function for each."""

from itertools import accumulate
from typing import Any

from floatgate import quantities as q
from floatgate.amplification import parts
from floatgate.fio_json import Histogram
from floatgate.report import palette, retries, words
from floatgate.report.plot import Figure, axis as _axis, layout as _layout, log_time as _log_time
from floatgate.report.source import Source

MOST_POINTS = 1200  # more than a screen has columns


def all_figures(source: Source) -> dict[str, Figure]:
    """Return every figure for which the run has data, by the name of its place on the page."""
    made = {
        "latency": latency(source.histograms),
        "over-time": over_time(source.series),
        "slc-cache": slc_cache(source.series),
        "stages": stages(source.document.get("stages")),
        "amplification": amplification(source.document),
        "retries": retries.figure(source.document),
        "unreadable": unreadable(source.document),
        "origins-over-time": origins_over_time(source.series),
        "channels": channels(source.document["utilisation"]),
        "dies": dies(source.document["utilisation"]),
        "energy": energy(source.document),
        "wear": wear(source.document.get("wear_map")),
    }
    return {name: figure for name, figure in made.items() if figure}


def latency(histograms: dict[str, Histogram]) -> Figure | None:
    """Latency distribution: the cumulative share on the left, the tail beyond it on the right."""
    data: list[dict[str, Any]] = []
    for kind, pairs in histograms.items():
        samples = sum(count for _, count in pairs)
        if not samples:
            continue
        x, below = _cumulative(pairs, samples)
        line = {"color": palette.KINDS[kind], "width": 2, "shape": "hv"}
        hover = f"{kind}: %{{y:.3%}} within %{{customdata}}<extra></extra>"
        shown = [q.duration(ns) for ns in x]
        common = {"type": "scatter", "mode": "lines", "name": kind, "legendgroup": kind, "line": line}
        data.append({**common, "x": x, "y": below, "customdata": shown, "hovertemplate": hover})
        # The last point has nothing above it, which a logarithmic axis cannot show.
        above = [max(1 - share, 0.5 / samples) for share in below]
        hover = f"{kind}: %{{y:.2g}} of requests above %{{customdata}}<extra></extra>"
        tail = {"x": x, "y": above, "customdata": shown, "hovertemplate": hover, "showlegend": False}
        data.append({**common, **tail, "xaxis": "x2", "yaxis": "y2"})
    if not data:
        return None
    low, high = min(min(trace["x"]) for trace in data), max(max(trace["x"]) for trace in data)
    layout = _layout(
        340,
        xaxis=_log_time("latency", low, high) | {"domain": [0, 0.46]},
        xaxis2=_log_time("latency", low, high) | {"domain": [0.56, 1], "anchor": "y2"},
        yaxis=_axis("share of requests within") | {"range": [0, 1.02], "tickformat": ".0%"},
        yaxis2=_axis("share of requests above")
        | {"type": "log", "anchor": "x2", "tickformat": "~p", "dtick": 1, "exponentformat": "none"},
    )
    return {"data": data, "layout": layout}


def _cumulative(pairs: Histogram, samples: int) -> tuple[list[int], list[float]]:
    """The cumulative distribution at no more points than can be seen, the tail kept whole."""
    x = [ns for ns, _ in pairs]
    share = [seen / samples for seen in accumulate(count for _, count in pairs)]
    if len(x) <= MOST_POINTS:
        return x, share
    tail = min(len(x) - MOST_POINTS // 4, len(x))
    step = max(1, tail // (3 * MOST_POINTS // 4))
    kept = sorted({*range(0, tail, step), *range(tail, len(x))})
    return [x[i] for i in kept], [share[i] for i in kept]


def over_time(series: dict[str, list[Any]]) -> Figure | None:
    """Throughput above, mean and p99 latency below, over simulated time."""
    if not series.get("time_ns"):
        return None
    seconds, length = _times(series)
    data: list[dict[str, Any]] = []
    for kind in ("read", "write"):
        requests = series.get(f"{kind}_requests")
        if not requests or not any(requests):
            continue
        colour = palette.KINDS[kind]
        rate = [
            count / span if count is not None else None for count, span in zip(requests, length, strict=True)
        ]
        line = {"color": colour, "width": 1.8}
        common = {"type": "scatter", "mode": "lines", "x": seconds, "legendgroup": kind}
        hover = f"{kind}: %{{y:.3s}} IOPS at %{{x:.4g}} s<extra></extra>"
        data.append({**common, "name": kind, "y": rate, "line": line, "hovertemplate": hover})
        for title, style in (("mean", line), ("p99", line | {"width": 1, "dash": "dot"})):
            values = series.get(f"{kind}_latency_ns_{title}", [])
            if not any(values):
                continue
            shown = [q.duration(ns) for ns in values]
            hover = f"{kind} {title}: %{{customdata}} at %{{x:.4g}} s<extra></extra>"
            more = {"y": values, "customdata": shown, "line": style, "hovertemplate": hover, "yaxis": "y2"}
            data.append({**common, **more, "name": kind, "showlegend": False})
    if not data:
        return None
    lows = [value for trace in data if trace.get("yaxis") == "y2" for value in trace["y"] if value]
    layout = _layout(
        420,
        xaxis=_axis("simulated time (s)") | {"anchor": "y2", "showgrid": False},
        yaxis=_axis("IOPS") | {"domain": [0.56, 1], "rangemode": "tozero", "tickformat": "~s"},
        yaxis2=(_log_time("latency", min(lows), max(lows)) if lows else {}) | {"domain": [0, 0.44]},
        hovermode="closest",
    )
    return {"data": data, "layout": layout}


def slc_cache(series: dict[str, list[Any]]) -> Figure | None:
    """Bytes that the SLC cache's superblocks hold, over simulated time; none where the drive has none."""
    held = series.get("slc_cache_bytes")
    if not held or not any(held):
        return None
    seconds, _ = _times(series)
    gigabytes = [None if value is None else value / 1e9 for value in held]
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": seconds,
        "y": gigabytes,
        "line": {"color": palette.ORIGINS["fold"], "width": 1.8},
        "hovertemplate": "%{y:.3~g} GB at %{x:.4g} s<extra></extra>",
    }
    layout = _layout(
        200,
        xaxis=_axis("simulated time (s)") | {"showgrid": False},
        yaxis=_axis("in the SLC cache (GB)") | {"rangemode": "tozero"},
        showlegend=False,
    )
    return {"data": [line], "layout": layout}


def _times(series: dict[str, list[Any]]) -> tuple[list[float], list[float]]:
    """The middle and the length of each interval, in seconds."""
    pairs = list(zip(series["time_ns"], series["width_ns"], strict=True))
    return [(start + width / 2) / 1e9 for start, width in pairs], [width / 1e9 for _, width in pairs]


def stages(by_kind: dict[str, dict[str, float | None]] | None) -> Figure | None:
    """Mean time of a read and a write, split into where it went."""
    kinds = [kind for kind in ("write", "read") if by_kind and any((by_kind.get(kind) or {}).values())]
    if not by_kind or not kinds:
        return None
    data = []
    factor, unit = _time_unit(max(sum(filter(None, by_kind[kind].values())) for kind in kinds))
    for stage, colour in palette.STAGES.items():
        values = [(by_kind[kind] or {}).get(stage) or 0 for kind in kinds]
        if not any(values):
            continue
        text = words.STAGES[stage][1]
        hover = f"<b>{words.stage(stage)}</b>: %{{customdata}}<br>{text}<extra>%{{y}}</extra>"
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": words.stage(stage),
                "x": [value / factor for value in values],
                "y": kinds,
                "marker": {"color": colour, "line": {"color": palette.PAPER, "width": 1}},
                "customdata": [q.duration(value) for value in values],
                "hovertemplate": hover,
            }
        )
    layout = _layout(
        130 + 70 * len(kinds),
        barmode="stack",
        bargap=0.35,
        xaxis=_axis(f"mean time of a request ({unit})"),
        yaxis={"tickfont": {"size": 13}},
    )
    layout["legend"] |= {"traceorder": "normal"}
    return {"data": data, "layout": layout}


def _time_unit(ns: float) -> tuple[float, str]:
    """The unit in which a time of `ns` has one to three digits before the point."""
    units = ((1e9, "s"), (1e6, "ms"), (1e3, "us"))
    return next(((factor, unit) for factor, unit in units if ns >= factor), (1.0, "ns"))


def amplification(document: dict[str, Any]) -> Figure | None:
    """Write amplification as one bar, split by who programmed."""
    shares = parts(document)
    if not shares:
        return None
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": words.origin(origin),
            "x": [value],
            "y": ["programs"],
            "marker": {"color": palette.origin(origin), "line": {"color": palette.PAPER, "width": 1}},
            "text": [q.three(value)],
            "textposition": "inside",
            "insidetextanchor": "middle",
            "hovertemplate": f"{words.origin(origin)}: %{{x:.3f}} programmed per unit written<extra></extra>",
        }
        for origin, value in shares.items()
    ]
    total = sum(shares.values())
    layout = _layout(
        160,
        barmode="stack",
        bargap=0.3,
        xaxis=_axis("mapping units programmed per mapping unit that the host wrote")
        | {"range": [0, max(1.05, total * 1.02)]},
        yaxis={"showticklabels": False},
        shapes=[_line_at(1.0)],
    )
    layout["legend"] |= {"traceorder": "normal"}
    return {"data": data, "layout": layout}


def unreadable(document: dict[str, Any]) -> Figure | None:
    """Reads that the code could not correct, for the host and for the drive itself: found again, or lost."""
    found = document.get("unreadable") or {}
    parts = {
        "found again": ("reads_rebuilt", palette.ORIGINS["parity"]),
        "lost": ("reads_lost", palette.KINDS["write"]),
    }
    rows = {"host": "the host's", "other": "the drive's own"}
    if not any(sum(found.get(key, {}).values()) for key, _ in parts.values()):
        return None
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "x": [found[key].get(row, 0) for row in rows],
            "y": list(rows.values()),
            "marker": {"color": colour, "line": {"color": palette.PAPER, "width": 1}},
            "text": [f"{found[key].get(row, 0):,}" if found[key].get(row, 0) else "" for row in rows],
            "textposition": "inside",
            "insidetextanchor": "middle",
            "hovertemplate": f"%{{y}}: %{{x:,}} {name}<extra></extra>",
        }
        for name, (key, colour) in parts.items()
    ]
    layout = _layout(
        190,
        barmode="stack",
        bargap=0.3,
        xaxis=_axis("reads that the code could not correct"),
        yaxis={"automargin": True},
    )
    layout["legend"] |= {"traceorder": "normal"}
    return {"data": data, "layout": layout}


def energy(document: dict[str, Any]) -> Figure | None:
    """Energy per byte of the host's as one bar, split by the part that drew it."""
    parts = energy_by_part(document)
    if not parts:
        return None
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": words.energy(part),
            "x": [joules * 1e9],
            "y": ["energy"],
            "marker": {
                "color": palette.ENERGY.get(part, palette.OTHER),
                "line": {"color": palette.PAPER, "width": 1},
            },
            "text": [q.energy(joules)],
            "textposition": "inside",
            "insidetextanchor": "middle",
            "hovertemplate": f"{words.energy(part)}: %{{x:.3f}} nJ per byte<extra></extra>",
        }
        for part, joules in parts.items()
    ]
    layout = _layout(
        160,
        barmode="stack",
        bargap=0.3,
        xaxis=_axis("nJ for each byte that the host read or wrote") | {"rangemode": "tozero"},
        yaxis={"showticklabels": False},
    )
    layout["legend"] |= {"traceorder": "normal"}
    return {"data": data, "layout": layout}


def energy_by_part(document: dict[str, Any]) -> dict[str, float]:
    """Joules per byte of the host's by part, NAND by what it did; empty where some power is not known."""
    found = document.get("energy_j") or {}
    moved = sum(document["host"].get(kind, {}).get("bytes") or 0 for kind in ("read", "write"))
    if found.get("total") is None or not moved:
        return {}
    joules = {"controller": found["controller"], "bus": found["bus"], **found["nand_by_kind"]}
    return {part: value / moved for part, value in joules.items() if value}


def _line_at(x: float) -> dict[str, Any]:
    line = {"color": palette.INK, "width": 1, "dash": "dot"}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": line}


def origins_over_time(series: dict[str, list[Any]]) -> Figure | None:
    """Pages programmed per second, by origin, over simulated time."""
    names = [name for name in series if name.startswith("programs_") and any(series[name])]
    if not names:
        return None
    seconds, length = _times(series)
    data = []
    for name in names:
        origin = name.removeprefix("programs_")
        colour = palette.origin(origin)
        rate = [(count or 0) / span for count, span in zip(series[name], length, strict=True)]
        label = words.origin(origin)
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": label,
                "x": seconds,
                "y": rate,
                "stackgroup": "programs",
                "line": {"width": 0, "color": colour},
                "fillcolor": palette.faint(colour, 0.85),
                "hovertemplate": f"{label}: %{{y:.3s}} pages/s at %{{x:.4g}} s<extra></extra>",
            }
        )
    layout = _layout(
        260,
        xaxis=_axis("simulated time (s)") | {"showgrid": False},
        yaxis=_axis("pages programmed per second") | {"tickformat": "~s", "rangemode": "tozero"},
    )
    layout["legend"] |= {"traceorder": "normal"}
    return {"data": data, "layout": layout}


def channels(busy: dict[str, Any]) -> Figure | None:
    """Busy share of each channel, with the mean."""
    values = busy["per_channel"]
    return _busy("channel", {"": values}, busy["channel"]) if values else None


def dies(busy: dict[str, Any]) -> Figure | None:
    """Busy share of each die, split by whom it worked for, with the mean."""
    return _busy("die", busy["per_die_by_origin"], busy["die"]) if busy["per_die"] else None


def _busy(what: str, parts: dict[str, list[float]], mean: float) -> Figure:
    """Bars of busy shares, stacked from `parts`; a lone part without a name needs no legend."""
    data = []
    for origin, values in parts.items():
        if not any(values) and len(parts) > 1:
            continue
        label = words.origin(origin) if origin else "busy"
        data.append(
            {
                "type": "bar",
                "name": label,
                "x": list(range(len(values))),
                "y": values,
                "marker": {"color": palette.origin(origin) if origin else palette.SERVICE},
                "hovertemplate": f"{what} %{{x}}, {label}: %{{y:.1%}}<extra></extra>",
            }
        )
    count = max((len(values) for values in parts.values()), default=0)
    highest = max((sum(column) for column in zip(*parts.values(), strict=True)), default=0.0)
    line = {"type": "line", "x0": 0, "x1": 1, "xref": "paper", "y0": mean, "y1": mean}
    layout = _layout(
        250,
        barmode="stack",
        bargap=0.3 if count <= 32 else 0.05,
        showlegend=len(data) > 1,
        xaxis=_axis(what) | {"showgrid": False, "tickformat": "d", "nticks": min(count + 1, 17)},
        yaxis=_axis("busy") | {"tickformat": ".3~p", "range": [0, min(1.0, highest * 1.15) or 1.0]},
        shapes=[line | {"line": {"color": palette.INK, "width": 1, "dash": "dot"}}],
    )
    layout["legend"] |= {"traceorder": "normal"}
    return {"data": data, "layout": layout}


def wear(wear_map: dict[str, Any] | None) -> Figure | None:
    """P/E cycles over the drive: a row per die, a column per group of neighbouring blocks."""
    if not wear_map or not wear_map.get("values"):
        return None
    rows = _rows(wear_map)
    heat = {
        "type": "heatmap",
        "z": rows,
        "colorscale": palette.HEAT,
        "colorbar": {"title": {"text": "P/E cycles", "side": "right"}, "thickness": 12, "outlinewidth": 0},
        "hovertemplate": "die %{y}, block group %{x}: %{z:.4g} P/E cycles<extra></extra>",
        "xgap": 0,
        "ygap": 1 if len(rows) <= 64 else 0,
    }
    layout = _layout(
        min(520, 130 + 12 * len(rows)),
        xaxis=_axis("blocks of the die, in groups") | {"showgrid": False, "tickformat": "d"},
        yaxis=_axis("die") | {"showgrid": False, "autorange": "reversed", "tickformat": "d"},
    )
    layout["margin"] |= {"t": 12}
    return {"data": [heat], "layout": layout}


def _rows(wear_map: dict[str, Any]) -> list[list[float]]:
    """The map as a list of rows, whether the core gave it so or flat."""
    values, columns = wear_map["values"], wear_map["columns"]
    if isinstance(values[0], list):
        return list(values)
    return [values[start : start + columns] for start in range(0, len(values), columns)]
