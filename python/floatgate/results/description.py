"""The classes of a result, its schema and its reference page: made from what the core says of each number."""

import json
import re
from collections.abc import Iterator
from textwrap import indent, wrap
from typing import Any

from floatgate import _core

Schema = dict[str, Any]
Row = tuple[str, str, str | None, str]  # path, type, unit (tables have none), sentence
WIDTH = 100
# Keys that stand for a table or a list, in a dotted path.
_EACH, _ITEM = "*", "[]"

HEAD = '''"""The classes of a result, by the keys of `run.json`. Made by `floatgate.generate`."""

from collections import abc
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from floatgate.values.section import Section

Count = Annotated[int, Field(ge=0, lt=1 << 64)]
'''

PAGE = """# What a run measures

Every key of `run.json`, in its order. In Python the same names are attributes: `run.ftl.gc.victims` or
`run.host.read.latency_ns.p99`, with these types; in a path `[]` stands for each entry of a list, `*` for each
name of a map. `floatgate schema` prints the same as JSON Schema, by which other languages can make their own
classes. Where a sentence does not say when a value is null, it is always there. Counts and times are of the
measured window unless the sentence says otherwise: from the end of a ramp, or the beginning of the run, to
the last completion. Sections of `ftl` have the names of the sections of the configuration that govern them:
`ftl.gc.*` of a drive file decides what `ftl.gc` of a result counts.

Made by `python -m floatgate.generate` from the core's own descriptions; do not edit.
"""


def schema() -> Schema:
    """Return the JSON Schema of `run.json`."""
    found: Schema = json.loads(_core.result_schema())
    return found


def schema_text() -> str:
    """Return the schema as it is written to a file."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


def classes() -> str:
    """Return the text of `results.py`: a class for each part of a result."""
    root = schema()
    known = root["$defs"] | {"RunResult": root}
    done: list[str] = []
    for name in known:
        _ordered(name, known, done)
    tables = [name for name in done if "properties" in known[name]]
    return HEAD + "\n\n" + "\n\n".join("\n".join(_class(name, known[name])) for name in tables) + "\n"


def _ordered(name: str, known: dict[str, Schema], done: list[str]) -> None:
    """Put a class behind the classes that it uses."""
    if name in done:
        return
    for used in sorted(set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(_own(known[name]))))):
        if used != name:
            _ordered(used, known, done)
    done.append(name)


def _own(of: Schema) -> Schema:
    return {key: value for key, value in of.items() if key != "$defs"}


def _class(name: str, of: Schema) -> Iterator[str]:
    yield "@dataclass(frozen=True, slots=True, repr=False)"
    yield f"class {name}(Section):"
    yield _doc(_sentence(of), 4)
    for key, value in of["properties"].items():
        yield ""
        # What only some runs have is an empty list where it is absent, and all else None.
        kind = _type(value)
        absent = " = None" if kind.endswith("| None") else " = ()"
        yield f"    {key}: {kind}{'' if key in of.get('required', []) else absent}"
        unit = value.get("unit")
        yield _doc(f"[{unit}] {_sentence(value)}" if unit else _sentence(value), 4)
    yield ""


def _sentence(of: Schema) -> str:
    return " ".join(str(of["description"]).split())


def _doc(text: str, depth: int) -> str:
    lines = wrap(text, WIDTH - depth, break_on_hyphens=False)
    if len(lines) == 1 and len(text) < WIDTH - depth - 6:
        return f'{" " * depth}"""{text}"""'
    return indent("\n".join(['"""' + lines[0], *lines[1:], '"""']), " " * depth)


_PLAIN = {"string": "str", "boolean": "bool", "number": "float", "null": "None"}


def _type(of: Schema) -> str:
    """The Python type of a value."""
    if "$ref" in of:
        name = of["$ref"].rpartition("/")[2]
        return "Any" if name == "AnyValue" else name
    if "anyOf" in of:
        return " | ".join(_type(one) for one in of["anyOf"])
    if "enum" in of:
        return f"Literal[{', '.join(json.dumps(one) for one in of['enum'])}]"
    kinds = of["type"] if isinstance(of["type"], list) else [of["type"]]
    return " | ".join(_of_kind(kind, of) for kind in kinds)


def _of_kind(kind: str, of: Schema) -> str:
    if kind == "integer":
        return "Count" if of.get("minimum") == 0 else "int"
    if kind == "array":
        item = _type(of["items"])
        many = of.get("maxItems")
        return f"tuple[{', '.join([item] * many) if many else f'{item}, ...'}]"
    if kind == "object":
        return f"abc.Mapping[str, {_type(of['additionalProperties'])}]"
    return _PLAIN[kind]


# ---- the reference page ------------------------------------------------------------------------------


def leaves(of: Schema | None = None) -> Iterator[tuple[str, str, str, str]]:
    """Return path, type, unit and sentence of every key that holds a value."""
    root = of or schema()
    for path, kind, unit, sentence in _below("", root, root["$defs"], None):
        if unit is not None:
            yield path, kind, unit, sentence


def _below(path: str, of: Schema, known: dict[str, Schema], unit: str | None) -> Iterator[Row]:
    """The keys below a table. A table has no unit; a value without one has that of the table around it."""
    for key, value in of["properties"].items():
        place, own = f"{path}.{key}".lstrip("."), value.get("unit", unit)
        inner, suffix = _inner(value, known)
        if "properties" in inner:
            yield place + suffix, "table", None, _sentence(value)
            yield from _below(place + suffix, inner, known, own)
        else:
            yield place, _shown(value), own or "", _sentence(value)


def _inner(value: Schema, known: dict[str, Schema]) -> tuple[Schema, str]:
    """What a value holds, and what that adds to its path."""
    if "$ref" in value:
        return known[value["$ref"].rpartition("/")[2]], ""
    if "anyOf" in value:
        return _inner(next(one for one in value["anyOf"] if "$ref" in one), known)
    if value.get("type") == "array" and "$ref" in value["items"]:
        return _inner(value["items"], known)[0], f".{_ITEM}"
    if value.get("type") == "object" and "$ref" in value["additionalProperties"]:
        return _inner(value["additionalProperties"], known)[0], f".{_EACH}"
    return value, ""


def _shown(value: Schema) -> str:
    """The type of a value in the reference, for readers of any language."""
    if "anyOf" in value:
        return "any"
    kinds = value["type"] if isinstance(value["type"], list) else [value["type"]]
    names = {"array": "list", "object": "map", "string": "text", "boolean": "yes/no"}
    null = " or null" if "null" in kinds else ""
    return ", ".join(str(names.get(kind, kind)) for kind in kinds if kind != "null") + null


def page() -> str:
    """Return the reference page: every key with its type, unit and meaning."""
    root = schema()
    lines = [PAGE]
    rows = list(_below("", root, root["$defs"], None))
    tops = [row for row in rows if "." not in row[0] and row[2] is not None]
    lines += ["## The run as a whole", "", *_table(tops)]
    for place, _kind, _unit, sentence in filter(_has_heading, rows):
        own = [row for row in rows if _stands_under(place, row, rows)]
        lines += ["", f"## {place}", "", sentence, *([""] if own else []), *_table(own)]
    return "\n".join(lines) + "\n"


def _has_heading(row: Row) -> bool:
    """Tables at the third level and below are rows of the table that holds them."""
    return row[2] is None and row[0].count(".") <= 1


def _stands_under(heading: str, row: Row, rows: list[Row]) -> bool:
    """Whether a row stands under a heading: not where one of its own is nearer."""
    above = [other[0] for other in rows if _has_heading(other) and row[0].startswith(other[0] + ".")]
    return not _has_heading(row) and bool(above) and max(above, key=len) == heading


def _table(rows: list[Row]) -> list[str]:
    if not rows:
        return []
    shown = [f"| `{place}` | {kind} | {unit or ''} | {sentence} |" for place, kind, unit, sentence in rows]
    return ["| key | type | unit | meaning |", "|---|---|---|---|", *shown]
