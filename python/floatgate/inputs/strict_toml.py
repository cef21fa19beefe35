"""TOML files read into strict models; what is wrong in them is one line with place, value and expectation."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from floatgate import files
from floatgate.errors import InputError, nearest

Model = TypeVar("Model", bound=BaseModel)
Location = Sequence[str | int]

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\]]+?)\s*\]\]?")
_KEY = re.compile(r"\s*([A-Za-z0-9_.-]+|\"[^\"]*\")\s*=")


class Strict(BaseModel):
    """Refuses what it does not know, and converts nothing on its own."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def read_toml(path: Path, model: type[Model]) -> Model:
    """Read a file into `model`. Raises InputError."""
    text, values = files.read_toml(path, "a TOML file")
    try:
        return model.model_validate(values)
    except ValidationError as error:
        # A misspelt key is also a missing one: what was written says more than what was not.
        found = sorted(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
        raise InputError(_explain(path, text, model, found[0])) from error


def _explain(path: Path, text: str, model: type[BaseModel], error: ErrorDetails) -> str:
    location = [part for part in error["loc"] if part not in ("function-before[<lambda>()", "str", "float")]
    names = [part for part in location if isinstance(part, str)]
    key, place = ".".join(names), f"{path}:{line_of(text, location)}"
    owner = _model_at(model, names[:-1])
    if error["type"] == "extra_forbidden":
        known = list(owner.model_fields)
        hint = nearest(names[-1], known, f"known here: {', '.join(known)}")
        return f"{place}: {key}: unknown key ({hint})"
    field = owner.model_fields.get(names[-1]) if names else None
    expected = f"expected {field.description}" if field and field.description else error["msg"].lower()
    if error["type"] == "missing":
        return f"{path}: {key} is missing: {expected}"
    if error["type"] == "value_error":
        said = str(error["ctx"]["error"])
        if isinstance(error["input"], dict | BaseModel):
            return f"{place}: {key + ': ' if key else ''}{said}"
        expected = said
    return f"{place}: {key} = {error['input']!r}: {expected}".replace("'", '"')


def _model_at(model: type[BaseModel], names: Sequence[str]) -> type[BaseModel]:
    """Return the model of the table that `names` lead to."""
    for name in names:
        field = model.model_fields.get(name)
        inner: Any = field.annotation if field else None
        inner = next((part for part in getattr(inner, "__args__", ()) if isinstance(part, type)), inner)
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            model = inner
    return model


def line_of(text: str, location: Location) -> int:
    """Return the line on which the value at `location` is written, as far as its tables and key tell."""
    names = [part for part in location if isinstance(part, str)]
    indices = [part for part in location if isinstance(part, int)]
    counts: dict[str, int] = {}
    table, best = "", (0, 1)
    for number, line in enumerate(text.splitlines(), 1):
        header, key = _HEADER.match(line), _KEY.match(line)
        if header:
            table = header[2]
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                for below in [name for name in counts if name.startswith(table + ".")]:
                    del counts[below]
        elif not key:
            continue
        path = ".".join(filter(None, [table, key[1].strip('"') if key and not header else ""])).split(".")
        at = [count for name, count in counts.items() if (table + ".").startswith(name + ".")]
        shared = 0
        while shared < min(len(path), len(names)) and path[shared] == names[shared]:
            shared += 1
        if shared == len(path) and at == indices[: len(at)] and shared > best[0]:
            best = (shared, number)
    return best[1]
