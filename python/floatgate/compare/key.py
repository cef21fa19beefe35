"""What two sets of runs differ in: one compared key, or the keys that the user names; else a refusal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from floatgate.compare.sets import ResultSet, differences
from floatgate.errors import InputError, nearest, one_line

SHOWN = 3  # keys of a refusal
AMOUNT = ("limit_requests", "limit_time", "loop")  # options of how much is run
DRIVE = "drive"  # stands for the whole configuration of a drive


@dataclass(frozen=True)
class Key:
    """A key that is compared, with the value that each set has; a policy's stands for its parameters."""

    name: str
    a: Any
    b: Any

    def __str__(self) -> str:
        return f"{self.name} ({_shown(self.a)} and {_shown(self.b)})"


def compared(a: ResultSet, b: ResultSet, asked: Sequence[str]) -> tuple[Key, ...]:
    """Return what is compared.

    Raises InputError where the sets are of different versions or workloads, where they differ in nothing, and
    where they differ in more than one key that was not named.
    """
    _refuse_same(a, b)
    found = list(differences(a, b))
    for key, one, other in found:
        if key == "version" or key.startswith("workload ") or key in a.texts:
            raise InputError(
                f"{a.folder} and {b.folder}: {key}: {_shown(one)} and {_shown(other)}: "
                "expected runs of one version on one workload"
            )
    keys = _grouped(a, b, found)
    if not keys:
        raise InputError(
            f"{a.folder} and {b.folder}: the same drive, workload and options: "
            "expected runs that differ in a key"
        )
    if asked:
        return _named(a, b, keys, asked)
    if len(keys) > 1:
        keys = _cause(a, b, keys)
    if len(keys) > 1:
        more = f" and {len(keys) - SHOWN} more" if len(keys) > SHOWN else ""
        said = ", ".join(map(str, keys[:SHOWN])) + more
        raise InputError(
            f"{a.folder} and {b.folder}: differ in {len(keys)} keys, {said}: expected one, or --key with all "
            "that are compared"
        )
    if keys[0].name in AMOUNT:
        raise InputError(
            f"{a.folder} and {b.folder}: {keys[0]}: expected the same amount of work, or --key {keys[0].name}"
        )
    return tuple(keys)


def _refuse_same(a: ResultSet, b: ResultSet) -> None:
    if a.folder.resolve() == b.folder.resolve():
        raise InputError(f"{a.folder} and {b.folder}: the same folder: expected two that differ in a key")
    if a.is_study != b.is_study:
        study, runs = (a, b) if a.is_study else (b, a)
        raise InputError(
            f"{study.folder}: a study, and {runs.folder}: runs of one drive: expected two of one kind"
        )


def _grouped(a: ResultSet, b: ResultSet, found: Iterable[tuple[str, Any, Any]]) -> list[Key]:
    """Return the keys that differ; parameters of a policy go with its name."""
    keys: dict[str, Key] = {}
    for key, one, other in found:
        name = _of_policy(a, b, key)
        if name != key:
            one, other = a.config.get(name), b.config.get(name)
            if one == other:  # the policy is the same, and this parameter is what differs
                name, one, other = key, a.config.get(key), b.config.get(key)
        keys.setdefault(name, Key(name, one, other))
    return list(keys.values())


def _of_policy(a: ResultSet, b: ResultSet, key: str) -> str:
    """Return the key of the policy that a key is a parameter of; the key itself where it is none."""
    if key not in a.config and key not in b.config:
        return key
    above = key
    while "." in above:
        above = above.rpartition(".")[0]
        if f"{above}.name" in a.config or f"{above}.name" in b.config:
            return f"{above}.name"
    return key


def _cause(a: ResultSet, b: ResultSet, keys: list[Key]) -> list[Key]:
    """Return the one key that the user set to another value, where all that differs follows from it."""
    own = [key for key in sorted({*a.given, *b.given}) if a.given.get(key) != b.given.get(key)]
    options = [one for one in keys if one.name not in a.config and one.name not in b.config]
    names = dict.fromkeys(_of_policy(a, b, key) for key in own)
    if options or len(names) != 1:
        return keys
    (name,) = names
    others = {key: value for key, value in a.config.items() if key != name}
    given = (a.given.get(name), b.given.get(name))
    return [Key(name, *given)] if others and None not in given else keys


def _named(a: ResultSet, b: ResultSet, keys: Sequence[Key], asked: Sequence[str]) -> tuple[Key, ...]:
    """Return the keys that differ, where the user named them all."""
    left = []
    for key in keys:
        is_of_drive = key.name in a.config or key.name in b.config
        if not any(_covers(name, key.name) or (name == DRIVE and is_of_drive) for name in asked):
            left.append(key)
    if left:
        raise InputError(f"{a.folder} and {b.folder}: differ in {left[0]}, too: expected it in --key")
    names = [key.name for key in keys]
    for name in asked:
        if name != DRIVE and not any(_covers(name, key) for key in names):
            hint = nearest(name, names, f"they differ in {', '.join(names[:SHOWN])}", cutoff=0.5)
            raise InputError(f"--key {name}: the same in {a.folder} and {b.folder} ({hint})")
    return tuple(keys)


def _covers(asked: str, key: str) -> bool:
    return key == asked or key.startswith(f"{asked}.") or key == f"{asked}.name"


def _shown(value: Any) -> str:
    said = one_line("none" if value is None else value)
    return said if len(said) <= 60 else f"{said[:57]}..."
