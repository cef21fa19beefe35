"""A sampled run: what it says of the whole, in words."""

from typing import Any

from floatgate.values import quantities as q


def said(sample: dict[str, Any]) -> str:
    """How much of a run ran in detail, and what write amplification comes to."""
    figure = sample["waf"] or {"value": 0.0, "interval": None}
    found = figure["interval"]
    sure = f"+/- {q.percent(found[1] / figure['value'] - 1)}" if found else "too few parts to say how sure"
    detail = (sample["requests_measured"] + sample["requests_warm_up"]) / (sample["requests"] or 1)
    return f"write amplification {q.ratio(figure['value'])} ({sure}), {q.percent(detail)} in detail"
