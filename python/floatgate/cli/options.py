"""Options of a command that are defined elsewhere (`floatgate.options`), as Typer takes them."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer

from floatgate.cli.command import WHOLE_MOST
from floatgate.cli.usage import completer
from floatgate.options import PANELS, Argument, CommandOptions, Field, fields_of


def takes(
    owner: type[CommandOptions] | None = None,
    *,
    panels: bool = True,
    only: tuple[str, ...] = (),
    **groups: type,
) -> Callable[[Any], Any]:
    """Give a command its options: those of a class, and those of groups, `trace=TraceOptions`.

    The command has an instance of `owner`, and an argument of each group's name: a dictionary of those that
    were given. `only` names those of groups that it takes. Help shows them by `panels`, or in one list.
    """

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        mine = {field.name: field for field in (fields_of(owner) if owner else ())}
        owners = {
            field.name: (group, field)
            for group, other in groups.items()
            for field in fields_of(other)
            if not only or field.name in only
        }

        def called(**arguments: Any) -> Any:
            found: dict[str, dict[str, Any]] = {group: {} for group in groups}
            for name, (group, _field) in owners.items():
                value = arguments.pop(name)
                if value is not None:
                    found[group][name] = _taken(value)
            if owner is None:
                return command(**arguments, **found)
            given = {name: _taken(value) for name, value in arguments.items() if value is not None}
            return command(owner(**given), **found)

        own = () if owner else inspect.signature(command, eval_str=True).parameters.values()
        asked = [one for one in own if one.name not in groups]
        fields = [*mine.values(), *(field for _, field in owners.values())]
        parameters = [*asked, *(_parameter(field, panels=panels) for field in fields)]
        arguments = [one for one in parameters if isinstance(_said(one), typer.models.ArgumentInfo)]
        options = [one for one in parameters if one not in arguments]
        if panels:
            options.sort(key=lambda one: PANELS.index(_said(one).rich_help_panel))
        signature = inspect.Signature(list(_keywords([*arguments, *options])))
        called.__signature__ = signature  # type: ignore[attr-defined]
        called.__annotations__ = {one.name: one.annotation for one in signature.parameters.values()}
        called.__doc__, called.__name__ = command.__doc__, command.__name__
        called.fields = {field.name: field for field in fields}  # type: ignore[attr-defined]
        return called

    return add


def _keywords(parameters: list[inspect.Parameter]) -> Iterator[inspect.Parameter]:
    return (one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters)


def _said(parameter: inspect.Parameter) -> Any:
    """What Typer is told of a parameter."""
    return get_args(parameter.annotation)[1]


def _parameter(field: Field, *, panels: bool) -> inspect.Parameter:
    """An option of the command line: absent unless it is given, whatever its default."""
    option, kind = field.option, _kind(field)
    told: dict[str, Any] = {
        "help": option.help,
        "metavar": "|".join(field.names) if field.names and str not in field.kinds else option.metavar,
        "min": _bound(option.least, kind),
        "max": _bound(option.most, kind),
        "show_default": field.shown or _default(field),
        "rich_help_panel": option.panel if panels else None,
        "autocompletion": completer(field),
    }
    if isinstance(option, Argument):
        said: Any = typer.Argument(**told)
    else:
        said = typer.Option(*(option.flags or _flags(field, kind)), **told)
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


def _default(field: Field) -> str | bool:
    """The default, where help should show one."""
    if field.required:
        return False
    if field.default is True:
        return field.name.replace("_", "-")
    return str(field.default) if field.default not in (None, False, ()) else False


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
