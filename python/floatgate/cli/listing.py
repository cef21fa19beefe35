"""`floatgate drives|chips|policies`: list what there is, or explain one with the source of every number."""

import json
from typing import Annotated, Any

import typer

from floatgate.cli.command import without_effect

_Name = Annotated[str | None, typer.Argument(help="Explain this one.")]
_Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Override a key before listing.")
]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def drives(name: _Name = None, set_: _Set = None, as_json: _Json = False) -> None:
    """List the drives, or explain one: every value with its place and source."""
    from floatgate import _core, places
    from floatgate.cli import console

    if name is None:
        without_effect({"set": set_}, "no drive is explained", "a drive's name with this")
        _names(json.loads(_core.drives(places.folders())), as_json)
        return
    card = json.loads(_core.explain_drive(name, list(set_ or ()), places.folders()))
    if as_json:
        console.print_json(card)
        return
    _title(card)
    console.out.print(f"capacity {card['capacity_bytes']} bytes", markup=False)
    _entries(card["entries"])


def chips(name: _Name = None, as_json: _Json = False) -> None:
    """List the flash chips, or explain one: every value with its place and source."""
    from floatgate import _core, places
    from floatgate.cli import console

    if name is None:
        _names(json.loads(_core.chips(places.folders())), as_json)
        return
    card = json.loads(_core.explain_chip(name, places.folders()))
    if as_json:
        console.print_json(card)
        return
    _title(card)
    _entries(card["entries"])


def policies(name: _Name = None, as_json: _Json = False) -> None:
    """List the policies by the decision they make, or explain one (`d-choices`, `ftl.gc.victim`)."""
    from floatgate import _core
    from floatgate.cli import console
    from floatgate.errors import InputError

    cards = json.loads(_core.policies())
    if name is not None:
        known = sorted({card["name"] for card in cards} | {card["seam"] for card in cards})
        cards = [
            card for card in cards if name in (card["name"], card["seam"], f"{card['seam']}.{card['name']}")
        ]
        if not cards:
            from difflib import get_close_matches

            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else "`floatgate policies` lists them"
            raise InputError(
                f"{name}: no such policy: expected a policy's name or the key of a seam ({hint})"
            )
    if as_json:
        console.print_json(cards)
    elif name is None:
        _seams(cards)
    else:
        for card in cards:
            _card(card)


def _names(entries: list[dict[str, Any]], as_json: bool) -> None:
    from floatgate.cli import console

    if as_json:
        console.print_json(entries)
        return
    width = max((len(entry["name"]) for entry in entries), default=0)
    for entry in entries:
        console.out.print(f"{entry['name']:<{width}}  {entry['title']}", markup=False)


def _title(card: dict[str, Any]) -> None:
    from floatgate.cli import console

    console.out.print(f"{card['name']}: {card['title']}", markup=False, style="bold")


def _entries(entries: list[dict[str, Any]]) -> None:
    """Print a resolved configuration: one value a line, then where it stands and what it rests on."""
    from rich.text import Text

    from floatgate.cli import console

    key_width = max((len(entry["key"]) for entry in entries), default=0)
    value_width = max((len(str(entry["value"])) for entry in entries), default=0)
    for entry in entries:
        line = Text(f"{entry['key']:<{key_width}}  {entry['value']!s:<{min(value_width, 24)}}  ")
        line.append(entry["source"] or entry["help"], style="" if entry["source"] else "dim")
        line.append(f"  [{entry['place']}]", style="dim")
        console.out.print(line)


def _seams(cards: list[dict[str, Any]]) -> None:
    from floatgate.cli import console

    for seam in dict.fromkeys(card["seam"] for card in cards):
        below = [card for card in cards if card["seam"] == seam]
        console.out.print(f"{seam}: {below[0]['question']}", markup=False, style="bold")
        for card in below:
            console.out.print(f"  {card['name']:<18} {card['rule']}", markup=False)


def _card(card: dict[str, Any]) -> None:
    from floatgate.cli import console

    console.out.print(f"{card['seam']}.name = {card['name']}", markup=False, style="bold")
    for title, key in (
        ("answers", "question"),
        ("rule", "rule"),
        ("paper", "paper"),
        ("not modelled", "not_modelled"),
    ):
        if card.get(key):
            console.out.print(f"  {title:<13} {card[key]}", markup=False)
    for parameter in card["parameters"]:
        default = "required" if parameter["required"] else f"default {parameter['default'] or 'none'}"
        text = f"{parameter['help']}; expected {parameter['expected']} ({default})"
        console.out.print(f"  {card['seam']}.{parameter['key']}: {text}", markup=False)
