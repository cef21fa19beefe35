"""The rooms of every crate stand above each other, and what lies in them is small enough to read."""

import re
from collections import Counter
from pathlib import Path

import pytest

import feature_counts
import rust_rooms as rooms

#: Rooms of a crate that still name each other, and why. These may only go.
CIRCLES = {
    ("ecc", ("code", "cost", "ladder")): "a code makes the ladder that reads by it",
}
#: The rooms of `sim` from the ground up; those of one line do not name each other. As in ARCHITECTURE.md.
FLOORS = [
    ["error", "sections", "version"],
    ["embedding", "namespaces", "translation", "workload"],
    ["drive", "requests"],
    ["measure"],
    ["observe"],
    ["run"],
    ["start"],
    ["sampling"],
    ["life", "result"],
    ["session"],
]
FLOOR = {room: floor for floor, on_it in enumerate(FLOORS) for room in on_it}
METHODS_MOST = 60
#: Types with more methods. These numbers may only fall.
METHODS = {"BlockMapped": 97, "Controller": 66, "Core": 96, "Media": 86, "PageMapped": 73, "Stripes": 77}
LINES_MOST = 500
#: Longer files. These numbers may only fall.
LINES = {
    "config/src/document/section.rs": 541,
    "controller/src/controller.rs": 890,
    "host/src/fio/keys/tables.rs": 506,
    "host/src/fio/steady.rs": 556,
    "host/src/fio/worker.rs": 512,
    "host/src/trace/format/table.rs": 539,
    "nand/src/cells/physics.rs": 633,
}
#: File names in several rooms of a crate, and why; those of `ftl` without a reason may only become fewer.
NAMES_OF_SEVERAL = {
    "bus/onfi.rs": "ONFI's modes, in numbers and drawn",
    "ecc/shipped.rs": "what comes with Floatgate: codes, and tables of what was counted",
    "ftl/fifo.rs": "a policy of two seams",
    "ftl/none.rs": "a policy of several seams",
    "host/fuzz.rs": "what the fuzz targets call",
    "host/workload.rs": "the seam, and each source that answers it",
    "nand/block.rs": "a block of cells, and the block of a chip on the bench",
    "nand/errors.rs": "errors counted of cells, and errors by the chip's tables",
    "sim/options.rs": "what a caller asks of a life, and of a session",
    "sim/outside.rs": "requests from outside: of the run, and of the session around it",
}
FTL_NAMES_MOST = 28
#: Names that several types have: this number may only fall.
TWINS_MOST = 29
CRATES = list(rooms.SOURCES)


@pytest.mark.parametrize("crate", CRATES)
def test_no_room_reaches_itself_by_way_of_others(crate: str) -> None:
    known = [frozenset(circle) for of, circle in CIRCLES if of == crate]
    found = [circle for circle in rooms.circles(crate) if circle not in known]
    where = [
        line
        for circle in found
        for room in sorted(circle)
        for other, lines in sorted(rooms.named(crate)[room].items())
        if other in circle
        for line in lines[:2]
    ]
    assert not found, where
    assert set(known) <= set(rooms.circles(crate)), "a circle is gone: take it from the list"


def test_a_circle_of_rooms_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "high").mkdir()
    sources = {
        "lib.rs": "mod high;\nmod low;\nmod middle;\npub use high::part::Part;\n",
        "high/mod.rs": "#[cfg(test)]\nmod faults;\nmod part;\nuse super::middle::{self, Other};\n",
        "high/part.rs": "pub struct Part;\n",
        "high/faults.rs": "use crate::low::Low;\n",
        "middle.rs": "use crate::{low::Low, Part};\npub struct Other;\n",
        "low.rs": "// crate::high\npub struct Low;\n#[cfg(test)]\nmod tests {\n    use crate::Part;\n}\n",
    }
    for name, text in sources.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setitem(rooms.SOURCES, "made up", tmp_path)
    monkeypatch.setattr(rooms, "ROOT", tmp_path)
    assert rooms.circles("made up") == [frozenset({"high", "middle"})]
    assert set(rooms.named("made up")["middle"]) == {"low", "high"}
    assert rooms.named("made up")["low"] == {}


@pytest.mark.parametrize("crate", CRATES)
def test_no_room_names_what_the_root_defines(crate: str) -> None:
    """The root stands above all rooms: it says which there are, and hands on."""
    assert [line for others in rooms.named(crate).values() for line in others.get("lib", [])] == []


def test_every_room_of_sim_has_a_floor() -> None:
    assert {rooms.room_of("sim", path) for path in rooms.files("sim")} - {"lib"} == set(FLOOR)


@pytest.mark.parametrize("room", list(FLOOR))
def test_no_room_of_sim_leans_on_one_above_it(room: str) -> None:
    for other, lines in rooms.named("sim")[room].items():
        assert FLOOR.get(other, len(FLOORS)) < FLOOR[room], lines


@pytest.mark.parametrize("crate", CRATES)
def test_a_file_is_read_in_one_sitting(crate: str) -> None:
    for path in rooms.files(crate):
        name = str(path.relative_to(rooms.ROOT)).removeprefix("crates/")
        assert len(path.read_text(encoding="utf-8").splitlines()) <= LINES.get(name, LINES_MOST), name


def methods(crate: str) -> Counter[str]:
    """Return the methods of each type of a crate, but those of traits."""
    found: Counter[str] = Counter()
    for path in rooms.files(crate):
        owner = ""
        for line in rooms.source(path).splitlines():
            begins = re.match(r"(?:pub(?:\([^)]*\))? )?(impl|trait)\b(?:<[^>]*>)? (.*)\{", line)
            if begins:
                kind, rest = begins.groups()
                owner = "" if kind == "impl" and " for " in rest else rest.split("<")[0].split()[0].strip(":")
            elif line.startswith("}"):
                owner = ""
            elif owner and re.match(r" {4}(?:pub(?:\([^)]*\))? )?(?:const )?fn \w", line):
                found[owner] += 1
    return found


@pytest.mark.parametrize("crate", CRATES)
def test_no_type_has_more_methods(crate: str) -> None:
    found = methods(crate)
    assert {name: count for name, count in found.items() if count > METHODS.get(name, METHODS_MOST)} == {}


def test_the_translation_layer_counts_free_functions_of_its_media_as_well() -> None:
    many = {name: count for name, count in feature_counts.methods().items() if count > METHODS_MOST}
    assert {name: count for name, count in many.items() if count > METHODS[name]} == {}


def test_a_type_has_a_name_of_its_own() -> None:
    """Over all crates, as a reader searches: a name that says what it is rarely is another's, too."""
    defined = re.compile(r"^(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|union|type) (\w+)", re.MULTILINE)
    sources = [rooms.source(path) for crate in CRATES for path in rooms.files(crate)]
    found = Counter(name for source in sources for name in defined.findall(source))
    assert len(found) > 1000
    twins = sorted(name for name, count in found.items() if count > 1)
    assert len(twins) <= TWINS_MOST, twins


def test_a_file_has_a_name_of_its_own() -> None:
    found = set()
    for crate in CRATES:
        seen: dict[str, set[str]] = {}
        for path in rooms.files(crate):
            if path.stem not in ("lib", "main", "mod"):
                seen.setdefault(f"{crate}/{path.name}", set()).add(rooms.room_of(crate, path))
        found |= {name for name, at in seen.items() if len(at) > 1}
    ours = {name for name in found if not name.startswith("ftl/")}
    assert ours == {name for name in NAMES_OF_SEVERAL if not name.startswith("ftl/")}
    assert len(found - ours - set(NAMES_OF_SEVERAL)) <= FTL_NAMES_MOST
