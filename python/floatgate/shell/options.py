"""Options of a command that are defined elsewhere (`floatgate.options`), as Typer takes them."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer

from floatgate.options import PANELS, Argument, CommandOptions, Field, fields_of
from floatgate.shell.command import WHOLE_MOST
from floatgate.shell.usage import completer

# How the form of a command in a shell is called, beside the function of its name.
IN_SHELL = "_in_shell"


def takes(
    owner: type[CommandOptions],
    *,
    examples: Sequence[str] = (),
    panels: bool = True,
    only: tuple[str, ...] = (),
    eager: Mapping[str, Callable[..., None]] | None = None,
    **groups: type,
) -> Callable[[Any], Any]:
    """Give a command its options: those of a class, and those of groups, `trace=TraceOptions`.

    The command has an instance of `owner`, and an argument of each group's name: a dictionary of the options
    given. `only` names those of groups that it takes; help shows groups by `panels`, or in one list, and ends
    with two `examples`.
    `eager` are functions that are called with the value of an option before anything else.
    """
    mine = {field.name: field for field in fields_of(owner)}
    shared = {
        field.name: (group, field)
        for group, other in groups.items()
        for field in fields_of(other)
        if not only or field.name in only
    }

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        def called(**arguments: Any) -> Any:
            found: dict[str, dict[str, Any]] = {group: {} for group in groups}
            taken = {name: _taken(value) for name, value in arguments.items() if value is not None}
            for name, (group, _field) in shared.items():
                if name in taken:
                    found[group][name] = taken.pop(name)
            return command(owner(**taken), **found)

        parameters = [
            *(_parameter(field, field.option.panel, (eager or {}).get(name)) for name, field in mine.items()),
            *(_parameter(field, field.option.panel if panels else None) for _, field in shared.values()),
        ]
        parameters.sort(key=_place)
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {one.name: one.annotation for one in parameters}
        called.__doc__, called.__name__ = command.__doc__, command.__name__.removesuffix(IN_SHELL)
        fields = {**mine, **{name: field for name, (_, field) in shared.items()}}
        called.fields, called.examples = fields, tuple(examples)  # type: ignore[attr-defined]
        return called

    return add


def _place(parameter: inspect.Parameter) -> int:
    """Arguments come first, then options by their groups."""
    said = get_args(parameter.annotation)[1]
    is_argument = isinstance(said, typer.models.ArgumentInfo)
    return -1 if is_argument else PANELS.index(said.rich_help_panel)


def _parameter(
    field: Field, panel: str | None, eager: Callable[..., None] | None = None
) -> inspect.Parameter:
    """An option of the command line: absent unless it is given, also with a default."""
    option, kind = field.option, _kind(field)
    told: dict[str, Any] = {
        "help": _help(field),
        "metavar": "|".join(field.names) if field.names and str not in field.kinds else option.metavar,
        "min": _bound(option.least, kind),
        "max": _bound(option.most, kind),
        "show_default": False,
        "rich_help_panel": panel,
        "autocompletion": completer(field),
    }
    if isinstance(option, Argument):
        said: Any = typer.Argument(**told)
    else:
        flags = option.flags or _flags(field, kind)
        said = typer.Option(*flags, **told, callback=eager, is_eager=eager is not None)
    annotation: Any = Annotated[kind if field.required else kind | None, said]
    default = inspect.Parameter.empty if field.required else None
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def _flags(field: Field, kind: Any) -> tuple[str, ...]:
    flag = field.flag
    return (f"{flag}/--no-{flag[2:]}" if kind is bool and field.default is True else flag,)


def _bound(limit: float | None, kind: Any) -> float | None:
    """A limit that Typer checks; whole numbers of 64 bits are `Command`'s to check."""
    return None if limit is None or limit > WHOLE_MOST / 2 else kind(limit)


def _help(field: Field) -> str:
    """The sentence of an option, with its default where there is one to show.

    Typer would show ours, which it does not know, in brackets of its own.
    """
    default = "" if field.required else field.shown or _default(field)
    return f"{field.option.help} Default: {default}." if default else field.option.help


def _default(field: Field) -> str:
    if field.default is True:
        return field.name.replace("_", "-")
    return str(field.default) if field.default not in (None, False, ()) else ""


def _kind(field: Field) -> Any:
    """The type of an option on the command line: of several, text, which the option's class reads."""
    if field.option.metavar == "FILE" and str in field.kinds:
        return Path
    kind = str if str in field.kinds else field.kinds[0]
    if get_origin(kind) is Literal:
        return str
    return list[str] if get_origin(kind) is tuple else kind


def _taken(value: Any) -> Any:
    """What Typer read, as the class of options has it."""
    if isinstance(value, list):
        return tuple(value)
    return str(value) if isinstance(value, Path) else value
