"""`floatgate drives|chips`: list what there is, or explain one with the source of every number."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Annotated, Any

from floatgate import _core
from floatgate.files import shipped
from floatgate.inputs import cards
from floatgate.options.definition import CommandOptions
from floatgate.options.effect import without_effect
from floatgate.options.shared import NAME, Json, Settings
from floatgate.results.notebook import table
from floatgate.shell import console
from floatgate.shell.options import takes
from floatgate.values.arguments import assignment, mapping, named, path

#: A list of more values is shortened on the terminal.
LIST_MOST = 12


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
        rows = [(one.key, one.value, one.source or one.help) for one in self.entries]
        return table(f"{self.name}: {self.title}", ("key", "value", "source"), rows)


@named
def drives() -> list[str]:
    """Return the names of the drives that come with Floatgate."""
    return [entry["name"] for entry in _entries(_core.drives)]


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
    return _card(cards.of_drive(path("name", name), overrides))


@named
def chips() -> list[str]:
    """Return the names of the chips that come with Floatgate."""
    return [entry["name"] for entry in _entries(_core.chips)]


@named
def chip(name: str | PathLike[str]) -> Card:
    """Return every value of a chip, by name or file, with its place and source.

    Raises InputError for an unknown chip, naming the nearest.
    """
    return _card(cards.of_chip(path("name", name)))


def _entries(listed: Callable[[list[str]], str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(listed(shipped.folders()))
    return found


def _card(found: dict[str, Any]) -> Card:
    entries = tuple(
        Entry(**one | {"value": str(one["value"]), "expected": one.get("expected", "")})
        for one in found["entries"]
    )
    return Card(found["name"], found["title"], entries, found.get("capacity_bytes"))


@takes(DrivesOptions, examples=("floatgate drives", "floatgate drives tlc --set ftl.op_ratio=0.28"))
def drives_in_shell(asked: DrivesOptions) -> None:
    """List the drives, or explain one: every value with its place and source.

    A part of a name lists the drives that have it. Long lists are shortened; --json has them whole.
    """
    if asked.name is None:
        without_effect({"set": asked.set or None}, "no drive is explained", "a drive's name with this")
    if not _listed(
        _entries(_core.drives), asked.name, is_part=not asked.json and not asked.set, as_json=asked.json
    ):
        _explained(cards.of_drive(str(asked.name), asked.set), as_json=asked.json)


@takes(ChipsOptions, examples=("floatgate chips", "floatgate chips tlc-3d-256g"))
def chips_in_shell(asked: ChipsOptions) -> None:
    """List the flash chips, or explain one: every value with its place and source.

    A part of a name lists the chips that have it. Long lists are shortened; --json has them whole.
    """
    if not _listed(_entries(_core.chips), asked.name, is_part=not asked.json, as_json=asked.json):
        _explained(cards.of_chip(str(asked.name)), as_json=asked.json)


def _listed(entries: list[dict[str, Any]], name: str | None, *, is_part: bool, as_json: bool) -> bool:
    """List the entries, or those whose names have `name` as a part; say whether that is what is asked for.

    A name that one is called by is not, nor one that none has.
    """
    if name is not None:
        is_one = not is_part or any(entry["name"] == name for entry in entries)
        entries = [] if is_one else [entry for entry in entries if name in entry["name"]]
        if not entries:
            return False
    if as_json:
        console.print_json(entries)
        return True
    width = max((len(entry["name"]) for entry in entries), default=0)
    for entry in entries:
        console.out.print(f"{entry['name']:<{width}}  {entry['title']}")
    return True


def _explained(card: dict[str, Any], *, as_json: bool) -> None:
    """Print a resolved configuration: one value a line, then where it stands and what it rests on."""
    from rich.text import Text

    if as_json:
        console.print_json(card)
        return
    console.out.print(f"{card['name']}: {card['title']}", style="bold")
    if "capacity_bytes" in card:
        console.out.print(f"capacity {card['capacity_bytes']} bytes")
    entries = card["entries"]
    key_width = max((len(entry["key"]) for entry in entries), default=0)
    values = [_brief(str(entry["value"])) for entry in entries]
    value_width = min(max(map(len, values), default=0), 24)
    for entry, value in zip(entries, values, strict=True):
        line = Text(f"{entry['key']:<{key_width}}  {value:<{value_width}}  ")
        line.append(entry["source"] or entry["help"], style="" if entry["source"] else "dim")
        line.append(f"  [{entry['place']}]", style="dim")
        console.out.print(line)
    counted = card.get("counted", ())
    if counted:
        console.out.print("\nreads rest on what was counted:", style="bold")
    for line in counted:
        console.out.print(f"  {line}")


def _brief(value: str) -> str:
    """Return a value as it fits a line: of a list of more than LIST_MOST values three and their number."""
    values = value.split(", ")
    if not value.startswith("[") or len(values) <= LIST_MOST:
        return value
    return f"{', '.join(values[:3])}, ... {len(values)} values]"
