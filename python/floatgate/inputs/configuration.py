"""The keys of a configuration: what each means, which values it takes and what it needs."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from floatgate import _core
from floatgate.errors import InputError
from floatgate.files import shipped
from floatgate.values.arguments import assignment, mapping, named, path


@dataclass(frozen=True)
class Key:
    """A key of a drive's configuration, as `--set KEY=VALUE` takes it.

    A part in capitals is a name of your own: `nand.cells.PLAN.step`. A key that means two things, one on each
    of two kinds of drive, is listed twice.
    """

    key: str
    type: str  # what a value is: a time, a whole number, a name
    unit: str  # units that a value may be written in, or the one it is in; empty: none
    range: str  # numbers it takes, in words; empty: all of its type
    names: tuple[str, ...]  # names it takes; none: no choice of names
    default: str | None  # as TOML has it; None: none
    required: bool  # it must be written where what it needs is there
    help: str
    needs: str  # what must be set beside it, in words; empty: nothing
    value: str | None = None  # on the drive that was asked for: its value there, as TOML has it
    place: str | None = None  # where that is written: file and line, `--set` or `default`
    source: str | None = None  # what that rests on
    off: str | None = None  # what the drive lacks that the key needs; None: it is in force

    @property
    def takes(self) -> str:
        """What a value must be, in words."""
        if self.names:
            return "one of " + ", ".join(self.names)
        text = self.type + (f" ({self.unit})" if self.unit else "")
        return f"{text}, {self.range}" if self.range else text


@named
def keys(
    pattern: str | None = None,
    *,
    drive: str | Path | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 - the command line's word
) -> list[Key]:
    """Return every key there is, those of features that are off included, in alphabetical order.

    `pattern` is a part of a key's path, `gc`, or a glob over all of it, `ftl.*.idle_after`. With `drive`, a
    name or a file, each key has its value there, with place and source, or what it lacks (`off`); `set` maps
    keys to values laid over that drive, as in `floatgate.run`.

    Raises InputError for a pattern that no key fits, naming the nearest, and for a wrong drive or value.
    """
    overrides = [assignment(key, value) for key, value in mapping("set", set).items()]
    asked = None if pattern is None else path("pattern", pattern)
    return find(asked, None if drive is None else path("drive", drive), overrides)


def find(pattern: str | None, drive: str | None, overrides: list[str]) -> list[Key]:
    """Do what `keys` does, with overrides as the command line has them."""
    if drive is None and overrides:
        raise InputError("set: no drive is asked for: expected a drive with this")
    found = list(_all() if drive is None else _read(_core.keys(shipped.folders(), drive, overrides)))
    if pattern is None:
        return found
    glob = any(sign in pattern for sign in "*?[")
    fits = [key for key in found if (fnmatchcase(key.key, pattern) if glob else pattern in key.key)]
    if not fits:
        raise InputError(f"{pattern}: no key is called so: expected a part of a key or a glob{near(pattern)}")
    return fits


def near(name: str) -> str:
    """Say which key `name` most likely stands for, in brackets; nothing where none is near."""
    known = {key.key: key.key for key in _all()}
    # The last part is what people remember: `victm` is near `ftl.gc.victim.name` by one of its parts only.
    for part, whole in [(part, key.key) for key in _all() for part in key.key.split(".")]:
        known.setdefault(part, whole)
    match = get_close_matches(name, list(known), n=1)
    return f" (did you mean {known[match[0]]}?)" if match else " (`floatgate keys` lists them)"


@cache
def _all() -> tuple[Key, ...]:
    return tuple(_read(_core.keys(shipped.folders())))


def _read(text: str) -> Iterator[Key]:
    listed = json.loads(text)
    return (Key(**one | {"names": tuple(one["names"])}) for one in sorted(listed, key=lambda one: one["key"]))


def page() -> str:
    """Return the reference page of all keys, in Markdown."""
    lines = [
        "# Keys",
        "",
        "Every key that a drive's configuration can hold, made from what drives read"
        " (`python -m floatgate.generate`). In a drive's",
        "file, the part before the last dot is a table: `[ftl.gc.victim]`, `d = 4`. On the command line:"
        " `--set ftl.gc.victim.d=4`. In Python:",
        '`set={"ftl.gc.victim.d": 4}`. A chip\'s file has the keys of `nand` without that word. A part in'
        " capitals is a name of your own.",
        "`floatgate keys PATTERN --drive NAME` shows which of them a drive has, with value and source, and"
        " which are off.",
        "",
        "*Default* is what holds where nothing is written: *required* means that something must be, a dash"
        " that the key may be left out.",
        "A key is read only where what it *needs* is there; elsewhere it is refused.",
    ]
    table = None
    for key in _all():
        parts = key.key.split(".")
        above = ".".join(parts[: min(2, len(parts) - 1)])
        if above != table:
            table = above
            lines += ["", f"## {above or 'The file'}", ""]
            lines += ["| key | takes | default | meaning | needs |", "|---|---|---|---|---|"]
        default = "required" if key.required else "-" if key.default is None else f"`{key.default}`"
        needs = key.needs.replace("|", "\\|") or "-"
        lines.append(f"| `{key.key}` | {key.takes} | {default} | {key.help} | {needs} |")
    return "\n".join(lines) + "\n"
