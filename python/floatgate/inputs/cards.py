"""What the core says of a drive or a chip: its title, its size, and every value with its place and source."""

import json
from collections.abc import Iterable
from typing import Any

from floatgate import _core
from floatgate.files import copies, shipped
from floatgate.values.toml_value import value_of

Card = dict[str, Any]


def of_drive(drive: str, overrides: Iterable[str] = ()) -> Card:
    """Return the card of a drive, by name or file, with `KEY=VALUE` laid over it. Raises InputError."""
    found = _core.explain_drive(copies.place(drive), copies.placed(overrides), shipped.folders())
    card: Card = json.loads(found)
    return card


def of_chip(chip: str) -> Card:
    """Return the card of a chip, by name or file. Raises InputError."""
    card: Card = json.loads(_core.explain_chip(chip, shipped.folders()))
    return card


def values(card: Card) -> dict[str, Any]:
    """Return every value of a card by its key."""
    return {entry["key"]: value_of(str(entry["value"])) for entry in card["entries"]}
