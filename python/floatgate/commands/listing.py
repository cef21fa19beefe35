"""`floatgate drives|chips`: list what there is, or explain one with the source of every number."""

import json
from typing import Any

from floatgate.options.effect import without_effect
from floatgate.options.listing import ChipsOptions, DrivesOptions
from floatgate.shell.options import takes


@takes(DrivesOptions)
def drives(asked: DrivesOptions) -> None:
    """List the drives, or explain one: every value with its place and source.

    A part of a name lists the drives that have it.
    """
    from floatgate import _core
    from floatgate.files import shipped
    from floatgate.shell import console

    if asked.name is None:
        without_effect({"set": asked.set or None}, "no drive is explained", "a drive's name with this")
        _names(json.loads(_core.drives(shipped.folders())), asked.json)
        return
    if not asked.json and not asked.set and (fits := _parts(_core.drives(shipped.folders()), asked.name)):
        _names(fits, as_json=False)
        return
    card = json.loads(_core.explain_drive(asked.name, list(asked.set), shipped.folders()))
    if asked.json:
        console.print_json(card)
        return
    _title(card)
    console.out.print(f"capacity {card['capacity_bytes']} bytes", markup=False)
    _entries(card["entries"])


@takes(ChipsOptions)
def chips(asked: ChipsOptions) -> None:
    """List the flash chips, or explain one: every value with its place and source.

    A part of a name lists the chips that have it.
    """
    from floatgate import _core
    from floatgate.files import shipped
    from floatgate.shell import console

    if asked.name is None:
        _names(json.loads(_core.chips(shipped.folders())), asked.json)
        return
    if not asked.json and (fits := _parts(_core.chips(shipped.folders()), asked.name)):
        _names(fits, as_json=False)
        return
    card = json.loads(_core.explain_chip(asked.name, shipped.folders()))
    if asked.json:
        console.print_json(card)
        return
    _title(card)
    _entries(card["entries"])


def _parts(listed: str, name: str) -> list[dict[str, Any]]:
    """Return the entries whose names have `name` as a part; none where one is called so."""
    entries: list[dict[str, Any]] = json.loads(listed)
    if any(entry["name"] == name for entry in entries):
        return []
    return [entry for entry in entries if name in entry["name"]]


def _names(entries: list[dict[str, Any]], as_json: bool) -> None:
    from floatgate.shell import console

    if as_json:
        console.print_json(entries)
        return
    width = max((len(entry["name"]) for entry in entries), default=0)
    for entry in entries:
        console.out.print(f"{entry['name']:<{width}}  {entry['title']}", markup=False)


def _title(card: dict[str, Any]) -> None:
    from floatgate.shell import console

    console.out.print(f"{card['name']}: {card['title']}", markup=False, style="bold")


def _entries(entries: list[dict[str, Any]]) -> None:
    """Print a resolved configuration: one value a line, then where it stands and what it rests on."""
    from rich.text import Text

    from floatgate.shell import console

    key_width = max((len(entry["key"]) for entry in entries), default=0)
    value_width = max((len(str(entry["value"])) for entry in entries), default=0)
    for entry in entries:
        line = Text(f"{entry['key']:<{key_width}}  {entry['value']!s:<{min(value_width, 24)}}  ")
        line.append(entry["source"] or entry["help"], style="" if entry["source"] else "dim")
        line.append(f"  [{entry['place']}]", style="dim")
        console.out.print(line)
