"""A twin as a drive's file: each number with the measurements that gave it, and its interval."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from floatgate.twin.built import LEFT_OUT, keys_by_parameter, shape, sizes
from floatgate.twin.fitting import Found, Twin
from floatgate.twin.parameters import PARAMETERS, Base
from floatgate.values import quantities as q

WIDTH = 48  # letters before a comment


def text(twin: Twin, base: Base, command: str) -> str:
    """Return the file. It stands on the base: keys that it does not have are the base's."""
    return "\n".join(_lines(twin, base, command)) + "\n"


def _lines(twin: Twin, base: Base, command: str) -> Iterator[str]:
    name = twin.measurements.name
    yield f"# The twin of {name}. Made by `{command}`."
    yield f"# {len(twin.deviations)} measurements calibrate it, in {twin.runs:,} simulated runs."
    for parameter in twin.undetermined:
        yield f"# Undetermined, so as the base has it: {_undetermined(parameter)}"
    for one, other in twin.alike:
        yield f"# Not told apart: {PARAMETERS[one].means}, and {PARAMETERS[other].means}."
    yield f'title = "Twin of {name}"'
    yield f'base = "{twin.base}"'
    said = dict.fromkeys(LEFT_OUT, "left out: no measurement says anything of it")
    values: dict[str, Any] = {key: value for key, value in LEFT_OUT.items() if key in base.config}
    for parameter, of_it in keys_by_parameter(base, twin.values).items():
        values |= of_it
        said |= dict.fromkeys(of_it, source(parameter, twin.found[parameter]))
    of_shape = sizes(base, shape(base, twin.values, twin.capacity))
    values |= of_shape
    said |= dict.fromkeys(of_shape, "derived: whole superblocks on each die")
    said["ftl.user_capacity"] = "measured: bytes that the host sees"
    if "spare" in twin.found:
        said["nand.blocks_per_plane"] = source("spare", twin.found["spare"])
    yield from _sections(values, said)


def _undetermined(parameter: str) -> str:
    of = PARAMETERS[parameter]
    return f"{of.means}. To measure: {of.revealed_by}."


def source(parameter: str, found: Found) -> str:
    """Say where a parameter has its value from, in the words of drives' files."""
    rows = "; ".join(row.name for row in found.rows)
    if found.low is None and found.high is None:
        return f"fitted: {PARAMETERS[parameter].means} ({rows})"
    low, high = (None if end is None else shown(parameter, end) for end in (found.low, found.high))
    if low is None:
        return f"fitted: at most {high}, what is less is not seen ({rows})"
    if high is None:
        return f"fitted: at least {low}, what is more is not seen ({rows})"
    return f"fitted: {shown(parameter, found.value)}, 95 % {low} to {high} ({rows})"


def shown(parameter: str, value: float) -> str:
    """Write a value with its unit."""
    unit = PARAMETERS[parameter].unit
    if unit == "s":
        return q.duration(value * 1e9)
    if unit == "B/s":
        return q.bandwidth(value)
    if unit == "B":
        return q.size(value)
    return q.three(value)


def _sections(values: Mapping[str, Any], said: Mapping[str, str]) -> Iterator[str]:
    """Yield the keys by section, in the order of their names."""
    sections: dict[str, list[str]] = {}
    for key in values:
        sections.setdefault(key.rpartition(".")[0], []).append(key)
    for section in sorted(sections):
        yield ""
        yield f"[{section}]"
        for key in sorted(sections[section], key=lambda key: (not key.endswith(".name"), key)):
            line = f"{key.rpartition('.')[2]} = {_value(values[key])}"
            yield f"{line:{WIDTH}}# {said[key]}"


def _value(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Sequence):
        return "[" + ", ".join(f'"{one}"' for one in value) + "]"
    return str(value)
