"""`floatgate drives|chips`: list what there is, or explain one with the source of every number."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Annotated, Any

from floatgate import _core
from floatgate.files import shipped
from floatgate.options.definition import CommandOptions
from floatgate.options.effect import without_effect
from floatgate.options.shared import NAME, Json, Settings
from floatgate.shell.options import takes
from floatgate.values.arguments import assignment, mapping, named, path


@dataclass(frozen=True)
class DrivesOptions(CommandOptions):
    """`floatgate drives`: the drives, or one of them."""

    name: Annotated[str | None, NAME] = None
    set: Settings = ()
    json: Json = False


@dataclass(frozen=True)
class ChipsOptions(CommandOptions):
    """`floatgate chips`: the chips, or one of them."""

    name: Annotated[str | None, NAME] = None
    json: Json = False


@dataclass(frozen=True)
class Entry:
    """A value of a configuration."""

    key: str
    value: str  # as TOML has it
    place: str  # file and line, `--set` or `default`
    source: str | None  # what the value rests on
    help: str
    expected: str  # what it must be


@dataclass(frozen=True)
class Card:
    """A drive or a chip with every value of its configuration, and the source of each."""

    name: str
    title: str
    entries: tuple[Entry, ...]
    capacity_bytes: int | None = None  # of a drive

    def __getitem__(self, key: str) -> Entry:
        """Return the value of a key. Raises KeyError."""
        for entry in self.entries:
            if entry.key == key:
                return entry
        raise KeyError(key)

    def _repr_html_(self) -> str:
        from floatgate.results.notebook import table

        rows = [(one.key, one.value, one.source or one.help) for one in self.entries]
        return table(f"{self.name}: {self.title}", ("key", "value", "source"), rows)


@named
def drives() -> list[str]:
    """Return the names of the drives that come with Floatgate."""
    return [entry["name"] for entry in json.loads(_core.drives(shipped.folders()))]


@named
def drive(
    name: str | PathLike[str],
    *,
    set: Mapping[str, Any] | None = None,  # noqa: A002 - the command line's word
) -> Card:
    """Return every value of a drive, by name or file, with its place and source; `set` overrides keys.

    Raises InputError for an unknown drive, key or value, naming the nearest.
    """
    overrides = [assignment(key, value) for key, value in mapping("set", set).items()]
    return _card(_core.explain_drive(path("name", name), overrides, shipped.folders()))


@named
def chips() -> list[str]:
    """Return the names of the chips that come with Floatgate."""
    return [entry["name"] for entry in json.loads(_core.chips(shipped.folders()))]


@named
def chip(name: str | PathLike[str]) -> Card:
    """Return every value of a chip, by name or file, with its place and source.

    Raises InputError for an unknown chip, naming the nearest.
    """
    return _card(_core.explain_chip(path("name", name), shipped.folders()))


def _card(text: str) -> Card:
    found = json.loads(text)
    entries = tuple(
        Entry(**one | {"value": str(one["value"]), "expected": one.get("expected", "")})
        for one in found["entries"]
    )
    return Card(found["name"], found["title"], entries, found.get("capacity_bytes"))


@takes(DrivesOptions)
def drives_in_shell(asked: DrivesOptions) -> None:
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
def chips_in_shell(asked: ChipsOptions) -> None:
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
