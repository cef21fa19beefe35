"""The rooms of the translation layer stand above each other: none names what is above it."""

import re
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "crates" / "ftl" / "src"

#: From the ground up; rooms of one line may name each other's floor only from below. As in ARCHITECTURE.md.
FLOORS = [
    ["compatibility", "layout", "lent", "stats", "output", "events", "probe", "saved", "lapse"],
    ["turnover", "buffer", "flash_map"],
    ["gc", "wear", "placement", "program_order", "refresh_order", "regulator", "snapshot_expiry", "streams"],
    ["slc_cache", "parity", "read_merge", "read_ahead", "recovery"],
    ["store"],
    ["mapping", "agenda"],
    ["core"],
    ["features"],
    ["settings"],
    ["contents"],
    ["media"],
    ["relocate"],
    ["upkeep"],
    ["host_side"],
    ["parts"],
    ["layer"],
    ["pages", "blocks"],
    ["zones"],
    ["steady", "needs"],
    ["layers"],
    ["lib"],
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


def room_of(path: Path) -> str:
    """Return the room that a source file is in."""
    return path.relative_to(SOURCES).parts[0].removesuffix(".rs")


def exports() -> dict[str, str]:
    """Return the room of each name that the crate's root hands on."""
    text = (SOURCES / "lib.rs").read_text()
    found: dict[str, str] = {}
    for room, names in re.findall(r"pub use (\w+)(?:::\w+)*::(\{[^}]*\}|\w+);", text):
        found |= dict.fromkeys(re.findall(r"\w+", names), room)
    return found


def named(text: str) -> set[str]:
    """Return what a source names of its own crate, tests left out."""
    text = text.split("#[cfg(test)]")[0]
    names = set(re.findall(r"\bcrate::(\w+)", text))
    for group in re.findall(r"\bcrate::\{([^;]*)\};", text):
        names |= set(re.findall(r"(?<![:\w])(\w+)", group))
    return names


FILES = [str(path.relative_to(SOURCES)) for path in sorted(SOURCES.rglob("*.rs"))]


@pytest.mark.parametrize("file", FILES)
def test_a_file_is_read_in_one_sitting(file: str) -> None:
    assert len((SOURCES / file).read_text().splitlines()) <= 500


def test_every_room_has_a_floor() -> None:
    rooms = {room_of(path) for path in SOURCES.rglob("*.rs")}
    assert rooms == set(FLOOR)


@pytest.mark.parametrize("file", FILES)
def test_no_room_leans_on_one_above_it(file: str) -> None:
    path = SOURCES / file
    handed_on, room = exports(), room_of(path)
    for name in named(path.read_text()):
        target = handed_on.get(name, name)
        if target in FLOOR and target != room:
            assert FLOOR[target] < FLOOR[room], f"{name} of {target} is named in {room}, which is below it"
