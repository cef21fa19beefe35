"""Options of a command that are defined elsewhere (`floatgate.options`), as Typer takes them."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer

from floatgate.options import PANELS, Field, fields_of


def takes(*, panels: bool = True, only: tuple[str, ...] = (), **groups: type) -> Callable[[Any], Any]:
    """Give a command the options of classes of options, `options=Options, trace=TraceOptions`.

    The command has an argument of the group's name: a dictionary of those that were given. `only` names those
    that it takes. Help shows them by `panels`, or in one list behind the command's own.
    """

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        owners = {
            field.name: (group, field)
            for group, owner in groups.items()
            for field in fields_of(owner)
            if not only or field.name in only
        }

        def called(**arguments: Any) -> Any:
            found: dict[str, dict[str, Any]] = {group: {} for group in groups}
            for name, (group, _field) in owners.items():
                value = arguments.pop(name)
                if value is not None:
                    found[group][name] = _taken(value)
            return command(**arguments, **found)

        own = inspect.signature(command, eval_str=True).parameters.values()
        asked = [one for one in own if one.name not in groups]
        more = [_parameter(field, panels=panels) for _, field in owners.values()]
        arguments = [one for one in asked if isinstance(_said(one), typer.models.ArgumentInfo)]
        options = [one for one in (*asked, *more) if one not in arguments]
        if panels:
            options.sort(key=lambda one: PANELS.index(_said(one).rich_help_panel))
        signature = inspect.Signature(list(_keywords([*arguments, *options])))
        called.__signature__ = signature  # type: ignore[attr-defined]
        called.__annotations__ = {one.name: one.annotation for one in signature.parameters.values()}
        called.__doc__, called.__name__ = command.__doc__, command.__name__
        return called

    return add


def _keywords(parameters: list[inspect.Parameter]) -> Iterator[inspect.Parameter]:
    return (one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters)


def _said(parameter: inspect.Parameter) -> Any:
    """What Typer is told of a parameter."""
    return get_args(parameter.annotation)[1]


def _parameter(field: Field, *, panels: bool) -> inspect.Parameter:
    """An option of the command line: absent unless it is given, whatever its default."""
    option, flag = field.option, "--" + field.name.replace("_", "-")
    kind = _kind(field)
    if kind is bool:
        flag = f"{flag}/--no-{flag[2:]}" if field.default else flag
    said = typer.Option(
        flag,
        help=option.help,
        metavar="|".join(get_args(field.kind)) if get_origin(field.kind) is Literal else option.metavar,
        min=option.least,
        max=option.most,
        show_default=option.shown or _default(field),
        rich_help_panel=option.panel if panels else None,
    )
    annotation: Any = Annotated[kind | None, said]
    return inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _default(field: Field) -> str | bool:
    """The default, where help should show one."""
    if field.default is True:
        return field.name.replace("_", "-")
    return str(field.default) if field.default not in (None, False, ()) else False


def _kind(field: Field) -> Any:
    """The type of an option on the command line: of several, text, which the option's class reads."""
    if get_origin(field.kind) is Literal:
        return str
    if field.option.metavar == "FILE":
        return Path
    if get_origin(field.kind) is tuple:
        return list[str]
    several = get_origin(field.kind) in (Union, UnionType)
    kinds = [one for one in get_args(field.kind) if one is not type(None)] if several else [field.kind]
    return str if str in kinds else kinds[0]


def _taken(value: Any) -> Any:
    """What Typer read, as the class of options has it."""
    if isinstance(value, list):
        return tuple(value)
    return str(value) if isinstance(value, Path) else value
