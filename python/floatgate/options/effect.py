"""Refuses options that were given where they would do nothing."""

from collections.abc import Sequence
from typing import Any

from floatgate.errors import InputError
from floatgate.options.definition import CommandOptions, fields_of


def given(**options: Any) -> dict[str, Any]:
    """Return the options that were given. Only absence is absence: 0 and false are values."""
    return {name: value for name, value in options.items() if value is not None}


def changed(asked: CommandOptions, *but: str) -> dict[str, Any]:
    """Return the options of a command that have another value than without a word, all but those named."""
    values = {one.name: getattr(asked, one.name) for one in fields_of(type(asked)) if one.name not in but}
    usual = {one.name: one.default for one in fields_of(type(asked))}
    return {name: value for name, value in values.items() if value != usual[name]}


def without_effect(options: dict[str, Any], reason: str, expected: str) -> None:
    """Raise InputError for the first of `options` that was given, where it would do nothing."""
    for name, value in given(**options).items():
        flag = "--" + name.replace("_", "-")
        raise InputError(f"{flag}{_shown(value)}: {reason}: expected {expected}")


def _shown(value: Any) -> str:
    """The value as it was written behind its option."""
    if isinstance(value, bool):
        return ""
    several = isinstance(value, Sequence) and not isinstance(value, str) and value
    return f" {value[0] if several else value}"
