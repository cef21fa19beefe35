"""Policies as Python objects: one class per policy in the core's own list, its parameters as arguments."""

import json
import keyword
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

from floatgate import _core
from floatgate.errors import InputError, meant, nearest
from floatgate.values.arguments import assignment


@dataclass(frozen=True)
class Policy:
    """A policy by name, with the parameters that differ from its defaults."""

    seam: str  # the question it answers: `ftl.gc.victim`
    name: str
    parameters: "MappingProxyType[str, Any]" = field(default_factory=lambda: MappingProxyType({}))

    def overrides(self) -> list[str]:
        """Return the policy as `--set` takes it."""
        chosen = [f"{self.seam}.name={self.name}"]
        return chosen + [assignment(f"{self.seam}.{key}", value) for key, value in self.parameters.items()]

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.seam, self.name, dict(self.parameters))

    def __repr__(self) -> str:
        arguments = "".join(f", {key}={value!r}" for key, value in self.parameters.items())
        return f"policy({self.seam!r}, {self.name!r}{arguments})"


def _again(seam: str, name: str, parameters: dict[str, Any]) -> Policy:
    """Make a policy from what was pickled of it."""
    return policy(seam, name, **parameters)


def policy(seam: str, name: str, **parameters: Any) -> Policy:
    """Make a policy by the seam's key path and its name, as in `--set`.

    Raises InputError for an unknown seam, name or parameter.
    """
    seams = {card["seam"] for card in catalogue()}
    if seam not in seams:
        raise InputError(
            f"{seam}: no such seam: expected one of {', '.join(sorted(seams))}{meant(seam, sorted(seams))}"
        )
    cards = {card["name"]: card for card in catalogue() if card["seam"] == seam}
    if name not in cards:
        hint = meant(name, sorted(cards))
        raise InputError(f"{seam}.name = {name}: expected one of {', '.join(cards)}{hint}")
    known = {parameter["key"] for parameter in cards[name]["parameters"]}
    for key in parameters:
        if key not in known:
            expected = (
                f"expected one of {', '.join(sorted(known))}" if known else "the policy has no parameters"
            )
            hint = meant(key, sorted(known))
            raise InputError(f"{seam}.{key}: {name} has no such parameter: {expected}{hint}")
    return Policy(seam, name, MappingProxyType(dict(parameters)))


def seam(path: str) -> "Seam | None":
    """Return the namespace at `path`, which may leave out `ftl.`; None when no policy lives below it."""
    for full in (path, f"ftl.{path}"):
        if any(_is_below(card["seam"], full) for card in catalogue()):
            return Seam(full)
    return None


def below(root: str, name: str) -> Any:
    """Return what policies have below a room of the package that bears their seam's name: `ecc`, `code`."""
    found = None if name.startswith("_") else seam(root)
    if found is None or name not in dir(found):
        raise AttributeError(f"module 'floatgate.{root}' has no attribute {name!r}")
    return getattr(found, name)


def roots() -> list[str]:
    """Return the first names of all namespaces; without `ftl.`, too, where no function has that name."""
    paths = [card["seam"].split(".") for card in catalogue()]
    return sorted(
        {path[0] for path in paths} | set(short_names(path[1] for path in paths if path[0] == "ftl"))
    )


def short_names(below_ftl: Iterable[str]) -> list[str]:
    """Return the namespaces below `ftl` that can be had without it, `snapshots` being a function."""
    return sorted(set(below_ftl) - {"snapshots"})


@dataclass(frozen=True)
class Seam:
    """A namespace of policies: `fg.gc.victim` holds one class per victim policy."""

    path: str

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # no policy; and what copies an object asks before it has a path
            raise AttributeError(name)
        if name[0].isupper() and name in (own := _own(self.path)):
            return own[name]
        below = f"{self.path}.{name}"
        if any(_is_below(card["seam"], below) for card in catalogue()):
            return Seam(below)
        classes = self._classes()
        if name in classes:
            return classes[name]
        known = [*classes, *self._children()]
        near = meant(name, sorted(known))
        raise AttributeError(f"no {name!r} in {self.path}; there are: {', '.join(known)}{near}")

    def __dir__(self) -> list[str]:
        return [*_own(self.path), *self._classes(), *self._children()]

    def _classes(self) -> dict[str, type[Policy]]:
        return {class_name(card["name"]): _class(self.path, card["name"]) for card in _cards(self.path)}

    def _children(self) -> list[str]:
        start = len(self.path) + 1
        below = [card["seam"] for card in catalogue() if card["seam"].startswith(self.path + ".")]
        return sorted({path[start:].split(".")[0] for path in below})


def _own(path: str) -> dict[str, type]:
    """What a policy in Python for this seam extends, `Policy`, its `View` and what it answers with."""
    from floatgate.own.seams import beside

    return beside(path)


@cache
def catalogue() -> tuple[dict[str, Any], ...]:
    """Return every policy's card, as the core lists them."""
    return tuple(json.loads(_core.policies()))


def _cards(path: str) -> Iterator[dict[str, Any]]:
    return (card for card in catalogue() if card["seam"] == path)


def _is_below(path: str, above: str) -> bool:
    return path == above or path.startswith(above + ".")


def cards(name: str | None) -> list[dict[str, Any]]:
    """Return the cards of all policies, or those of a name: a policy's, a seam's, or both.

    Raises InputError for a name that nothing has, naming the nearest.
    """
    if name is None:
        return list(catalogue())
    found = [
        card for card in catalogue() if name in (card["name"], card["seam"], f"{card['seam']}.{card['name']}")
    ]
    if not found:
        known = {card[part] for card in catalogue() for part in ("name", "seam")}
        hint = nearest(name, sorted(known), "`floatgate policies` lists them")
        raise InputError(f"{name}: no such policy: expected a policy's name or the key of a seam ({hint})")
    return found


def class_name(name: str) -> str:
    """`d-choices` as `DChoices`."""
    joined = "".join(part[:1].upper() + part[1:] for part in name.replace("_", "-").split("-"))
    return joined + "_" if keyword.iskeyword(joined) else joined


@cache
def _class(path: str, name: str) -> type[Policy]:
    """Make the class of one policy; its arguments are the policy's parameters, its docstring the card."""
    card = next(card for card in _cards(path) if card["name"] == name)

    def construct(_class: type[Policy], **parameters: Any) -> Policy:
        return policy(path, name, **parameters)

    lines = [card.get("rule") or card.get("question") or name]
    lines += [f"Paper: {card['paper']}"] if card.get("paper") else []
    for parameter in card["parameters"]:
        default = "required" if parameter["required"] else f"default {parameter['default'] or 'none'}"
        lines.append(f"{parameter['key']}: {parameter['help']} ({default})")
    return type(
        class_name(name),
        (Policy,),
        {"__new__": construct, "__init__": _no_init, "__doc__": "\n\n".join(lines)},
    )


def _no_init(_self: Policy, **_parameters: Any) -> None:
    """The object is made by `policy`, in `__new__`."""
