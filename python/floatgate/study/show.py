"""Configurations as rows of text, on a terminal and in a notebook."""

from collections.abc import Callable, Iterable
from typing import Any

from floatgate.results.flags import words
from floatgate.study.aggregate import Configuration
from floatgate.study.numbers import described
from floatgate.study.spec import Spec
from floatgate.study.table import text
from floatgate.values import quantities as q

_SHOWN: dict[str, Callable[[float], str]] = {
    "ns": q.duration,
    "bytes": q.size,
    "bytes/s": q.bandwidth,
    "J": q.energy,
    "ratio": q.ratio,
}


def head(spec: Spec) -> list[str]:
    """Return the heads of the columns: what each configuration is, and what is wanted of it."""
    drives = ["drive"] if len(spec.drives) > 1 else []
    return ["configuration", *drives, *(one.name for one in spec.parameters), *spec.needed]


def rows(spec: Spec, found: Iterable[Configuration]) -> Iterable[list[str]]:
    """Give a row for each configuration."""
    for one in found:
        drives = [one.drive] if len(spec.drives) > 1 else []
        values = [shown(one.values.get(parameter.name)) for parameter in spec.parameters]
        yield [str(one.number), *drives, *values, *(_measured(one, key) for key in spec.needed)]


def number(key: str, value: float) -> str:
    """Show a number of a result in its unit."""
    known = described(key)
    return _SHOWN.get(known.unit if known else "", q.count)(value)


def shown(value: Any) -> str:
    """Show a value of a parameter."""
    if value is None:
        return q.NOTHING
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    return f"{value:.4g}" if isinstance(value, float) else text(value)


def _measured(one: Configuration, key: str) -> str:
    value, spread = one.numbers[key], one.spread.get(key)
    if value is None:
        return q.NOTHING
    half = spread.half_width if spread else None
    flagged = words(one.flags(key))
    said = number(key, value) + (f" ± {number(key, half)}" if half else "")
    return f"{said} ({flagged})" if flagged else said
