"""Read retries: how many of the host's reads took some, how many, and what that cost them."""

from typing import Any

from floatgate import quantities as q
from floatgate.headline import at
from floatgate.report import palette
from floatgate.report.html import marked
from floatgate.report.plot import Figure, axis, layout


def figure(document: dict[str, Any]) -> Figure | None:
    """Reads by the most retries of one of their pages: their share, and their mean latency."""
    found = at(document, "regulation.requests_by_retries")
    if not found or not found["share"]:
        return None
    retries = list(range(len(found["requests"])))
    total = sum(found["requests"])
    colours = [palette.faint(palette.KINDS["read"], 0.45), *[palette.KINDS["read"]] * (len(retries) - 1)]
    bars = {"type": "bar", "x": retries, "marker": {"color": colours}, "showlegend": False}
    shares = {
        "y": [count / total for count in found["requests"]],
        "customdata": [f"{count:,}" for count in found["requests"]],
        "hovertemplate": "%{customdata} reads with %{x} retries: %{y:.3~p}<extra></extra>",
    }
    means = [value if value is None else value / 1000 for value in found["latency_ns_mean"]]
    latencies = {
        "y": means,
        "customdata": [q.duration(value) for value in found["latency_ns_mean"]],
        "hovertemplate": "%{x} retries: %{customdata} on average<extra></extra>",
        "xaxis": "x2",
        "yaxis": "y2",
    }
    across = axis("most retries of a page read") | {"showgrid": False, "tickformat": "d", "dtick": 1}
    drawn = layout(
        240,
        bargap=0.35,
        xaxis=across | {"domain": [0, 0.44]},
        xaxis2=across | {"domain": [0.56, 1], "anchor": "y2"},
        yaxis=axis("share of the host's reads") | {"tickformat": ".0%", "rangemode": "tozero"},
        yaxis2=axis("mean latency (us)") | {"anchor": "x2", "rangemode": "tozero"},
    )
    drawn["margin"] |= {"t": 12}
    return {"data": [bars | shares, bars | latencies], "layout": drawn}


def in_words(document: dict[str, Any]) -> str:
    """Say how many reads took retries, and by how much they made the mean read longer."""
    found = at(document, "regulation.requests_by_retries")
    if not found or not found["share"]:
        return ""
    counts, means = found["requests"], found["latency_ns_mean"]
    total = sum(counts)
    sums = [count * (mean or 0) for count, mean in zip(counts, means, strict=True)]
    retried = total - counts[0]
    text = marked(
        "<b>{}</b> of {} reads took more than one attempt: at first there were more wrong bits than the code "
        "corrects. They took {} on average",
        q.percent(found["share"]),
        f"{total:,}",
        q.duration(sum(sums[1:]) / retried),
    )
    if counts[0]:
        longer = sum(sums) / total - means[0]
        text += marked(", all others {}", q.duration(means[0]))
        if longer > 0:
            text += marked(": the mean read is <b>{}</b> longer than without them", q.duration(longer))
    own = at(document, "regulation.reads_retried.other")
    if own:
        text += marked(". Of the drive's own page reads {} took retries", f"{own:,}")
    return text + "."
