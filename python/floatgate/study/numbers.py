"""The numbers of `run.json` by their paths, as a study's table has them: `host.read.latency_ns.p99`."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any

from floatgate import _core
from floatgate.errors import InputError

# What says how the run was asked for, which the table's other columns do; pictures of thousands of numbers;
# and what the machine that ran it took, which is another one each time.
_LEFT_OUT = {
    *("schema", "version", "seed", "drive", "title", "interrupted", "interrupted_at"),
    *("config", "config_places", "invocation", "remarks"),
    *("wear_map", "series", "histogram", "workload.jobs"),
}
_OF_THE_MACHINE = {
    *("wall_s", "build_s", "precondition_s", "session_s", "peak_rss_bytes"),
    *("page_operations_per_s", "host_requests_per_s"),
}


@dataclass(frozen=True)
class Number:
    """What a number counts and says."""

    kind: str  # integer, number, boolean, or a list of numbers: array
    unit: str
    meaning: str


def numbers(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return every number and switch of a result by its path, lists of numbers as lists, null left out."""
    found: dict[str, Any] = {}
    for name, value in document.items():
        _collect(name, value, found)
    for name in _OF_THE_MACHINE:
        found.pop(f"engine.{name}", None)
    return found


def _collect(path: str, value: Any, found: dict[str, Any]) -> None:
    if path in _LEFT_OUT:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            _collect(f"{path}.{name}", inner, found)
    elif isinstance(value, list) and any(isinstance(inner, dict) for inner in value):
        for index, inner in enumerate(value):
            _collect(f"{path}.{index}", inner, found)
    elif isinstance(value, list):
        if value and all(isinstance(inner, int | float) for inner in value):
            found[path] = value
    elif isinstance(value, int | float):  # switches, too
        found[path] = value


def number(document: Mapping[str, Any], key: str) -> float | None:
    """Return one number of a result; None where it has none."""
    value: Any = document
    for part in key.split("."):
        if isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        elif isinstance(value, dict) and part in value:
            value = value[part]
        else:
            return None
    return float(value) if isinstance(value, int | float) else None


@cache
def known() -> Mapping[str, Number]:
    """Return the numbers there are, from the schema of results; `*` stands for a name or an index."""
    schema = json.loads(_core.result_schema())
    found: dict[str, Number] = {}
    for name, inner in schema["properties"].items():
        found |= dict(_described(name, inner, schema["$defs"]))
    return {path: one for path, one in found.items() if path.removeprefix("engine.") not in _OF_THE_MACHINE}


def _described(path: str, schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Iterator[tuple[str, Number]]:
    if path in _LEFT_OUT:
        return
    said = (schema.get("unit", ""), schema.get("description", ""))
    schema = _resolved(schema, defs)
    kinds = schema.get("type", ())
    kinds = (kinds,) if isinstance(kinds, str) else kinds
    for name, inner in schema.get("properties", {}).items():
        # What counts in one unit as a whole does so in each part that does not say otherwise.
        yield from _described(f"{path}.{name}", _with(inner, (said[0], "")), defs)
    if isinstance(schema.get("additionalProperties"), dict):
        yield from _described(f"{path}.*", _with(schema["additionalProperties"], said), defs)
    if "array" in kinds and isinstance(schema.get("items"), dict):
        items = _resolved(schema["items"], defs)
        if "properties" in items:
            yield from _described(f"{path}.*", items, defs)
            return
    kind = next((one for one in ("integer", "number", "boolean", "array") if one in kinds), None)
    if kind is not None:
        yield path, Number(kind, *said)


def _with(schema: Mapping[str, Any], said: tuple[str, str]) -> dict[str, Any]:
    """A map says of its values what they count."""
    return {"unit": said[0], "description": said[1], **schema}


def _resolved(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow references, and leave out that something may be null."""
    while True:
        if "$ref" in schema:
            schema = defs[schema["$ref"].rpartition("/")[2]]
        elif "anyOf" in schema:
            schema = next(one for one in schema["anyOf"] if one.get("type") != "null")
        else:
            return schema


def described(key: str) -> Number | None:
    """Return what a number of a result is; None for one that no result has."""
    parts = key.split(".")
    for path, one in known().items():
        pattern = path.split(".")
        if len(pattern) == len(parts) and all(a in ("*", b) for a, b in zip(pattern, parts, strict=True)):
            return one
    return None


def check(place: str, key: str) -> None:
    """Refuse a key that is no number of a result, naming the nearest. Raises InputError."""
    found = described(key)
    if found is not None and found.kind in ("integer", "number"):
        return
    near = _nearest(key)
    hint = f"did you mean {near}?" if near else "docs/reference/results.md lists them"
    raise InputError(f"{place}: {key}: no result has such a number ({hint})")


def _nearest(key: str) -> str | None:
    """Return the number that a wrong key most likely stands for."""
    paths = {path: path for path, one in known().items() if one.kind in ("integer", "number")}
    for path in list(paths):
        left = iter(path.split("."))
        if all(part in left for part in key.split(".")):  # some parts left out: `host.read.p99`
            return path
        paths.setdefault(path.rpartition(".")[2], path)
    near = get_close_matches(key, list(paths), n=1, cutoff=0.5)
    return paths[near[0]] if near else None
