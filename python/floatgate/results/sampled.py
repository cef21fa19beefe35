"""A sampled run: what it says of the whole, in words."""

from collections.abc import Callable
from typing import Any

from floatgate.values import quantities as q


def _sure(figure: dict[str, Any]) -> str:
    """How sure an estimate is: the longer side of its interval."""
    if not (found := figure["interval"]):
        return "too few parts to say how sure"
    half = max(found[1] - figure["value"], figure["value"] - found[0])
    return f"+/- {q.percent(half / figure['value'])}" if figure["value"] else "+/- 0 %"


def said(sample: dict[str, Any]) -> str:
    """How much of a run ran in detail, and what write amplification comes to."""
    figure = sample["waf"] or {"value": 0.0, "interval": None}
    detail = (sample["requests_measured"] + sample["requests_warm_up"]) / (sample["requests"] or 1)
    return f"write amplification {q.ratio(figure['value'])} ({_sure(figure)}), {q.percent(detail)} in detail"


def rates(sample: dict[str, Any]) -> list[str]:
    """Rates and latencies of the whole run, one text for its reads and one for its writes."""
    shown: tuple[tuple[str, str, Callable[[float], str]], ...] = (
        ("iops", "{} a second", q.count),
        ("latency_ns_mean", "mean {}", q.duration),
        ("latency_ns_p99", "p99 {}", q.duration),
    )
    texts = []
    for kind in ("read", "write"):
        found = sample[kind] or {}
        parts = [
            f"{text.format(of(figure['value']))} ({_sure(figure)})"
            for key, text, of in shown
            if (figure := found.get(key))
        ]
        texts += [f"{kind}s {', '.join(parts)}"] if parts else []
    return texts
