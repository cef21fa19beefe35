"""Configurations as rows of text, on a terminal and in a notebook."""

from collections.abc import Iterable
from typing import Any

from floatgate import quantities as q
from floatgate.study.aggregate import Configuration
from floatgate.study.spec import Spec


def head(spec: Spec) -> list[str]:
    """Return the heads of the columns: what each configuration is, and what is wanted of it."""
    drives = ["drive"] if len(spec.drives) > 1 else []
    return ["configuration", *drives, *(one.name for one in spec.parameters), *spec.needed]


def rows(spec: Spec, found: Iterable[Configuration]) -> Iterable[list[str]]:
    """Give a row for each configuration."""
    for one in found:
        drives = [one.drive] if len(spec.drives) > 1 else []
        values = [_value(one.values.get(parameter.name)) for parameter in spec.parameters]
        yield [str(one.number), *drives, *values, *(_number(one, key) for key in spec.needed)]


def _value(value: Any) -> str:
    if value is None:
        return q.NOTHING
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _number(one: Configuration, key: str) -> str:
    value = one.numbers[key]
    if value is None:
        return q.NOTHING
    spread = one.spread.get(key)
    half = f" ± {q.three(spread.half_width)}" if spread and spread.half_width is not None else ""
    return q.three(value) + half
