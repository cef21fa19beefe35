"""The reference page of all commands and their options, made from the commands themselves."""

from collections.abc import Iterator
from textwrap import fill
from typing import Any

from floatgate.commands import functions
from floatgate.options import Argument, Field
from floatgate.options.definition import limits
from floatgate.shell import _command

PLAIN = "Options"
WIDTH = 118  # of a line of the page


def commands() -> Iterator[tuple[str, Any]]:
    """Every command by its path: `run`, `trace info`."""
    yield from _below(_command(), "")


def _below(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    below = getattr(command, "commands", None)
    if below is None:
        yield path, command
        return
    for name, one in below.items():
        yield from _below(one, f"{path} {name}".strip())


def page() -> str:
    """Return the page in Markdown."""
    lines: list[str] = [
        "# Commands and options",
        "",
        "Made from the definitions of the options (`python -m floatgate.generate`);"
        " `floatgate COMMAND --help` says the same.",
        "The options of a command are those of its functions in Python, with `_` for `-`, where nothing else"
        " is said: [how to use them](../how-to/python.md).",
        "`floatgate --install-completion` completes commands, drives, keys and values in your shell.",
    ]
    for path, command in commands():
        paragraphs = (command.help or "").strip().split("\n\n")
        lines += ["", f"## floatgate {path}", "", "\n\n".join(map(_wrapped, paragraphs))]
        lines += ["", *(f"- `{example}`" for example in (command.epilog or "").split("\n\n")[1:])]
        lines += ["", f"In Python: {', '.join(f'`fg.{name}`' for name in functions(path))}."]
        panels: dict[str, list[str]] = {}
        for one in command.params:
            field = command.callback.fields[one.name]
            panels.setdefault(getattr(one, "rich_help_panel", None) or PLAIN, []).append(_row(one, field))
        for panel, rows in panels.items():
            lines += [
                "",
                f"### {panel}",
                "",
                "| option | value | default | meaning |",
                "|---|---|---|---|",
                *rows,
            ]
    return "\n".join(lines) + "\n"


def _row(one: Any, field: Field) -> str:
    is_argument = isinstance(field.option, Argument)
    name = one.opts[0].upper() if is_argument else ", ".join([*one.opts, *one.secondary_opts])
    default = "required" if field.required else field.shown or _default(field.default)
    only = f" Not in Python: {field.option.shell}." if field.option.shell else ""
    cells = (_value(field), default, field.option.help + only)
    return f"| `{name}` | {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _value(field: Field) -> str:
    """What a value is, and which values there are."""
    option = field.option
    if field.names and str not in field.kinds:
        return ", ".join(field.names)
    if bool in field.kinds:
        return "switch"
    limited = option.least is not None or option.most is not None
    takes = limits(field) if limited else option.takes
    return f"{option.metavar}: {takes}" if option.metavar else takes


def _default(value: Any) -> str:
    if value is True:
        return "on"
    return "-" if value in (None, False, ()) else str(value)


def _wrapped(paragraph: str) -> str:
    return fill(paragraph, WIDTH, break_long_words=False, break_on_hyphens=False)
