"""`floatgate.drives`, `drive`, `chips`, `chip`, `policies`: what there is, and where its numbers are from."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from floatgate import _core
from floatgate.files import shipped
from floatgate.inputs.configuration import Key
from floatgate.inputs.policies import cards
from floatgate.values.arguments import assignment, mapping, named, path


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


@dataclass(frozen=True)
class PolicyCard:
    """A policy: the question it answers, its rule, and its parameters."""

    seam: str  # the key path of the question: `ftl.gc.victim`
    question: str
    name: str
    rule: str
    paper: str | None
    not_modelled: str | None
    default: bool  # whether drives have it where they say nothing
    parameters: tuple[Key, ...]  # by their keys below the seam


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


@named
def policies(name: str | None = None) -> list[PolicyCard]:
    """Return the policies by the decision they make, or those of a name: `"d-choices"`, `"ftl.gc.victim"`.

    Raises InputError for a name that nothing has, naming the nearest.
    """
    return [_policy(card) for card in cards(name)]


def _policy(card: dict[str, Any]) -> PolicyCard:
    told = [{key: one[key] for key in one if key != "expected"} for one in card["parameters"]]
    parameters = tuple(Key(**one | {"names": tuple(one["names"])}) for one in told)
    return PolicyCard(
        card["seam"],
        card["question"],
        card["name"],
        card["rule"],
        card.get("paper") or None,
        card.get("not_modelled") or None,
        card.get("default") is True,
        parameters,
    )
