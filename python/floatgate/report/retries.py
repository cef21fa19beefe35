"""Read retries: how many of the host's reads took some, how many, and what that cost them."""

from typing import Any

from floatgate.report import palette
from floatgate.report.plot import Axis, Figure, Panel, upright
from floatgate.report.said import Said, Strong, said
from floatgate.results.headline import at
from floatgate.values import quantities as q


def figure(document: dict[str, Any]) -> Figure | None:
    """Reads by the most retries of one of their pages: their share, and their mean latency."""
    found = at(document, "ecc.requests_by_retries")
    if not found or not found["share"]:
        return None
    counts, means = found["requests"], found["latency_ns_mean"]
    total, colour = sum(counts), palette.KINDS["read"]
    shares = [count / total for count in counts]
    tips = [f"{count:,} reads with {n} retries: {q.percent(shares[n])}" for n, count in enumerate(counts)]
    late = [f"{n} retries: {q.duration(mean)} on average" for n, mean in enumerate(means)]
    x = Axis("most retries of a page read", whole=True, grid=False, low=-0.5, high=len(counts) - 0.5)
    took = [None if mean is None else mean / 1000 for mean in means]
    y = Axis("share of the host's reads", zero=True, format="percent")
    panels = [
        Panel(x, y, upright(colour, shares, tips, pale=True)),
        Panel(x, Axis("mean latency (us)", zero=True), upright(colour, took, late, pale=True)),
    ]
    return Figure(panels, 240, columns=2)


def in_words(document: dict[str, Any]) -> Said:
    """Say how many reads took retries, and by how much they made the mean read longer."""
    found = at(document, "ecc.requests_by_retries")
    if not found or not found["share"]:
        return ""
    counts, means = found["requests"], found["latency_ns_mean"]
    total = sum(counts)
    sums = [count * (mean or 0) for count, mean in zip(counts, means, strict=True)]
    retried = total - counts[0]
    pieces = said(
        "{} of {} reads took more than one attempt: at first there were more wrong bits than the code "
        "corrects. They took {} on average",
        Strong(q.percent(found["share"])),
        f"{total:,}",
        q.duration(sum(sums[1:]) / retried),
    )
    if counts[0]:
        longer = sum(sums) / total - means[0]
        pieces += said(", all others {}", q.duration(means[0]))
        if longer > 0:
            pieces += said(": the mean read is {} longer than without them", Strong(q.duration(longer)))
    own = at(document, "ecc.reads_retried.other")
    if own:
        pieces += [f". Of the drive's own page reads {own:,} took retries"]
    return [*pieces, "."]
