"""What every command has besides its options: its examples at the end of help, and what completes values."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import typer

from floatgate.options import Field

Completer = Callable[[str], list[str]]


def _names(list_all: str) -> Completer:
    """Complete the names that a function of the core lists."""

    def complete(incomplete: str) -> list[str]:
        from floatgate import _core
        from floatgate.files import shipped

        listed = getattr(_core, list_all)(shipped.folders())
        return [one["name"] for one in json.loads(listed) if one["name"].startswith(incomplete)]

    return complete


def _policies(incomplete: str) -> list[str]:
    from floatgate.inputs.policies import catalogue

    names = {card[part] for card in catalogue() for part in ("name", "seam")}
    return sorted(name for name in names if name.startswith(incomplete))


def _keys(incomplete: str) -> list[str]:
    from floatgate.inputs.configuration import keys

    return sorted({key.key for key in keys() if key.key.startswith(incomplete)})


def _assignments(incomplete: str) -> list[str]:
    """Complete `KEY=`, and behind it the names that the key takes."""
    from floatgate.inputs.configuration import keys

    name, sign, value = incomplete.partition("=")
    if not sign:
        return [f"{key}=" for key in _keys(name)]
    values = {"true", "false"} if any(key.type == "switch" for key in keys() if key.key == name) else set()
    values |= {one for key in keys() if key.key == name for one in key.names}
    return sorted(f"{name}={one}" for one in values if one.startswith(value))


def _papers(incomplete: str) -> list[str]:
    from floatgate.files import shipped

    found = {folder.parent.name for root in shipped.folders() for folder in _papers_in(root)}
    return sorted(name for name in found if name.startswith(incomplete))


def _papers_in(root: str) -> Iterator[Any]:
    from pathlib import Path

    return Path(root).glob("papers/*/paper.toml")


def _workloads(incomplete: str) -> list[str]:
    """Complete the names of generators; with none of those a shell goes on with files."""
    from floatgate import _core

    return [one["name"] for one in json.loads(_core.generators()) if one["name"].startswith(incomplete)]


def _one_of(names: tuple[str, ...]) -> Completer:
    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return complete


SOURCES: dict[str, Completer] = {
    "assignments": _assignments,
    "chips": _names("chips"),
    "drives": _names("drives"),
    "keys": _keys,
    "papers": _papers,
    "workloads": _workloads,
}


def completer(field: Field) -> Any:
    """Return what completes the values of an option in a shell; None where a shell's own way is best."""
    if field.names:
        return _one_of(field.names)
    if field.option.completes == "listed":
        return _listed
    return SOURCES[field.option.completes] if field.option.completes else None


LISTED: dict[str | None, Completer] = {
    "chips": _names("chips"),
    "drives": _names("drives"),
    "show": _policies,
}


def _listed(context: typer.Context, incomplete: str) -> list[str]:
    """Complete what the command lists."""
    complete = LISTED.get(context.info_name)
    return complete(incomplete) if complete else []


def equip(app: typer.Typer) -> None:
    """Put the examples of every command below `app` at the end of its help."""
    for command in app.registered_commands:
        command.epilog = "Examples:\n\n" + "\n\n".join(getattr(command.callback, "examples", ()))
    for group in app.registered_groups:
        assert group.typer_instance is not None
        equip(group.typer_instance)
