"""How a function takes the options of its command: by their names and types, from their one definition."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING
from functools import wraps
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar, get_args, get_origin

from floatgate.extras import telling
from floatgate.options.definition import Argument, Assignments, CommandOptions, Field, fields_of, limits
from floatgate.values.arguments import as_declared, assignment, check_names, mapping

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T", bound=CommandOptions)


def offered_by(*owners: type, only: tuple[str, ...] = ()) -> dict[str, Field]:
    """Return the options of classes that Python has, by name; `only` says which of those behind the first."""
    return {
        field.name: field
        for owner in owners
        for field in fields_of(owner)
        if not field.option.shell and (owner is owners[0] or not only or field.name in only)
    }


def offered(
    *owners: type, but: tuple[str, ...] = (), only: tuple[str, ...] = ()
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Give a function the names, defaults and help of its options, as an editor and `help()` show them.

    It has those of `owners` that Python has, without those of its own signature and `but`; of those behind
    the first `only` these.
    """

    def add(function: Callable[P, R]) -> Callable[P, R]:
        own = inspect.signature(function)
        named = [one for one in own.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        known = {one.name for one in named} | set(but)
        options = [field for name, field in offered_by(*owners, only=only).items() if name not in known]
        parameters = [*named, *map(_parameter, options)]
        names = [one.name for one in parameters]

        @wraps(function)
        def called(*args: P.args, **keywords: P.kwargs) -> R:
            check_names(keywords, names, function.__name__)
            with telling():
                return function(*args, **keywords)

        called.owners = owners  # type: ignore[attr-defined]
        called.options = {field.name: field for field in options}  # type: ignore[attr-defined]
        called.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        told = "\n".join(f"    {field.name}: {said(field)}" for field in options)
        called.__doc__ = inspect.cleandoc(function.__doc__ or "") + (f"\n\nOptions:\n{told}" if told else "")
        return called

    return add


def _parameter(field: Field) -> inspect.Parameter:
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=field.kind
    )


def said(field: Field) -> str:
    """Say what an option is and takes, in one line."""
    option = field.option
    takes = [option.takes] if option.takes else []
    if field.names:
        takes.append("one of " + ", ".join(field.names))
    if option.least is not None or option.most is not None:
        takes.append(limits(field))
    usual = field.shown if field.shown is not None else field.default
    default = option.python or ("" if usual in (None, False, (), MISSING) else f"default {usual}")
    more = "; ".join(part for part in (*takes, default) if part)
    return f"{option.help} {more[0].upper()}{more[1:]}." if more else option.help


def take(owner: type[T], options: Mapping[str, Any], **given: Any) -> T:
    """Make the options of a command from what its function was given.

    Raises TypeError with the option's name for a wrong type, InputError for a value beyond its limits.
    """
    known = offered_by(owner)
    return owner(**{name: value_of(known[name], value) for name, value in {**given, **options}.items()})


def value_of(field: Field, value: Any) -> Any:
    """Return what was given in Python as the class of options has it.

    That is a mapping as texts `NAME=VALUE`, and a list as one text, where the command line has commas.
    Raises TypeError with the option's name.
    """
    if isinstance(field.option, Assignments):
        return tuple(assignment(key, one) for key, one in mapping(field.name, value).items())
    if field.option.listed and not isinstance(value, str) and isinstance(value, Iterable):
        return ",".join(str(as_declared(field.name, one, int | float | str)) for one in value)
    if isinstance(field.option, Argument) and value is None and field.required:
        raise TypeError(f"{field.name} = None: expected {field.option.takes or 'a value'}")
    return value


def typed(field: Field) -> str:
    """Return the type of an option as it is written: NumPy's numbers and paths are as good as Python's."""
    kind, optional = field.kind, " | None" if type(None) in get_args(field.kind) else ""
    if isinstance(field.option, Assignments):
        return "Mapping[str, Any] | None"
    if field.option.listed:
        return "str | Sequence[str | SupportsFloat | SupportsIndex]" + optional
    if get_origin(kind) is tuple:
        return "list[str] | tuple[str, ...]"
    return " | ".join(_written(one, field) for one in field.kinds) + optional


def _written(kind: Any, field: Field) -> str:
    if get_origin(kind) is Literal:
        return f"Literal[{', '.join(map(repr, get_args(kind)))}]".replace("'", '"')
    if kind is Path or (kind is str and field.option.metavar == "FILE"):
        return "str | PathLike[str]"
    return str({int: "SupportsIndex", float: "SupportsFloat"}.get(kind, kind.__name__))
