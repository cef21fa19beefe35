"""The reference page of all commands and their options, made from the commands themselves."""

from collections.abc import Iterator
from typing import Any

from floatgate.cli import _command

PLAIN = "Options"


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
        "Made from the commands themselves (`python -m floatgate.generate`);"
        " `floatgate COMMAND --help` says the same.",
        "The options of `run` are the keywords of `floatgate.run`, with `_` for `-`.",
        "`floatgate --install-completion` completes commands, drives, keys and values in your shell.",
    ]
    for path, command in commands():
        lines += ["", f"## floatgate {path}", "", (command.help or "").strip().replace("\n\n", "\n\n")]
        lines += ["", *(f"- `{example}`" for example in (command.epilog or "").split("\n\n")[1:])]
        panels: dict[str, list[str]] = {}
        for one in command.params:
            panels.setdefault(getattr(one, "rich_help_panel", None) or PLAIN, []).append(_row(one))
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


def _row(one: Any) -> str:
    is_argument = not one.opts[0].startswith("-")
    name = one.opts[0].upper() if is_argument else ", ".join([*one.opts, *one.secondary_opts])
    least, most = getattr(one, "min", None), getattr(one, "max", None)
    kind = "switch" if getattr(one, "is_flag", False) else one.metavar or _choices(one) or "text"
    if least is not None and most is not None:
        kind += f", {least:g} to {most:g}"
    elif least is not None:
        kind += f", at least {least:g}"
    shown = one.show_default if isinstance(one.show_default, str) else one.default
    default = "required" if one.required else "-" if shown in (None, False, (), []) else f"{shown}"
    kind, help_, default = (text.replace("|", "\\|") for text in (kind, one.help or "", default))
    return f"| `{name}` | {kind} | {default} | {help_} |"


def _choices(one: Any) -> str:
    choices = getattr(one.type_descriptor, "choices", None) or ()
    return "|".join(str(getattr(choice, "value", choice)) for choice in choices)
