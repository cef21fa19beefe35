"""What a caller hands over, as the type it stands for: NumPy's numbers and paths are as good as Python's own.

Everything else is refused with the argument's name: a list is no seed, and "yes" is not true.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache, wraps
from inspect import signature
from math import isfinite
from operator import index
from pathlib import Path
from types import UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from floatgate.errors import nearest
from floatgate.extras import telling

P = ParamSpec("P")
R = TypeVar("R")


def convert(instance: Any) -> None:
    """Give every field of a frozen dataclass the type it is declared with.

    Raises TypeError with the field's name for what cannot be that.
    """
    kinds: dict[str, Any] = _kinds(type(instance))  # type: ignore[arg-type]
    for name, kind in kinds.items():
        value = getattr(instance, name)
        taken = as_declared(name, value, kind)
        if taken is not value:
            object.__setattr__(instance, name, taken)


@cache
def _kinds(owner: Any) -> dict[str, Any]:
    hints = get_type_hints(owner)
    return {field.name: hints[field.name] for field in fields(owner)}


def as_declared(name: str, value: Any, kind: Any) -> Any:
    """Return `value` as a `kind`: bool, int, float, str, a tuple of texts, or one of several.

    Raises TypeError with the argument's name.
    """
    choices = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    if value is None and type(None) in choices:
        return None
    for choice in choices:
        if choice is not type(None):
            taken = _TAKERS[get_origin(choice) or choice](value)
            if taken is not None:
                return taken
    expected = " or ".join(_NAMES[get_origin(one) or one] for one in choices if one is not type(None))
    raise TypeError(f"{name} = {_short(value)}: expected {expected}, not {type(value).__name__}")


def named(function: Callable[P, R]) -> Callable[P, R]:
    """Refuse a keyword that `function` has not, naming the nearest that it has."""
    known = list(signature(function).parameters)

    @wraps(function)
    def called(*args: P.args, **keywords: P.kwargs) -> R:
        check_names(keywords, known, function.__name__)
        with telling():
            return function(*args, **keywords)

    return called


def check_names(given: Iterable[str], known: Sequence[str], of: str) -> None:
    """Raise TypeError for an option that a function has not, naming the nearest that it has."""
    for name in given:
        if name not in known:
            hint = nearest(name, known, f"there are: {', '.join(known) or 'none'}")
            raise TypeError(f"{of}() has no option {name!r} ({hint})")


def path(name: str, value: Any) -> str:
    """Return a path or name as text. Raises TypeError with the argument's name."""
    taken = _text(value)
    if taken is None:
        raise TypeError(f"{name} = {_short(value)}: expected a text or a path, not {type(value).__name__}")
    return taken


def mapping(name: str, value: Any) -> Mapping[Any, Any]:
    """Return a mapping, an empty one for None. Raises TypeError with the argument's name."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError(f"{name}: expected a mapping of names to values, not {type(value).__name__}")
    return value


def assignment(key: Any, value: Any) -> str:
    """Return `KEY=VALUE` as the command line takes it; text stays bare. Raises TypeError with the key."""
    if not isinstance(key, str):
        raise TypeError(f"{_short(key)}: expected the name of a key, not {type(key).__name__}")
    return f"{key}={_toml(key, value)}"


def _toml(key: str, value: Any, *, inside: bool = False) -> str:
    truth, text = _truth(value), _text(value)
    if truth is not None:
        return "true" if truth else "false"
    if text is not None:
        return json.dumps(text) if inside else text
    if _whole(value) is not None:
        return str(_whole(value))
    if _number(value) is not None:
        return str(_number(value))
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml(key, one, inside=True) for one in value)}]"
    expected = "expected a number, a text, True or False, or a list of these"
    raise TypeError(f"{key} = {_short(value)}: {expected}, not {type(value).__name__}")


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."


def _truth(value: Any) -> bool | None:
    # NumPy's truth values are of a class of their own, which is no subclass of bool.
    return bool(value) if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool") else None


def _whole(value: Any) -> int | None:
    if _truth(value) is not None:
        return None
    try:
        return index(value)
    except TypeError:
        return None


def _number(value: Any) -> float | None:
    if _truth(value) is not None or isinstance(value, str | bytes) or not hasattr(value, "__float__"):
        return None
    try:
        taken = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return taken if isfinite(taken) else None


def _text(value: Any) -> str | None:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    return value if isinstance(value, str) else None


def _place(value: Any) -> Path | None:
    text = _text(value)
    return None if text is None else Path(text)


def _texts(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        return None
    items = [_text(item) if _whole(item) is None else str(_whole(item)) for item in value]
    return tuple(item for item in items if item is not None) if None not in items else None


_TAKERS: dict[Any, Any] = {
    bool: _truth,
    int: _whole,
    float: _number,
    str: _text,
    Path: _place,
    Literal: _text,
    tuple: _texts,
}
_NAMES: dict[Any, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a finite number",
    str: "a text",
    Path: "a text or a path",
    Literal: "a text",
    tuple: "texts",
}
