"""The drives and chips that come with Floatgate: every number says where it comes from."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted([*(ROOT / "drives").glob("*.toml"), *(ROOT / "chips").glob("*.toml")])
GENERIC = {"slc", "mlc", "tlc", "qlc"}


def ids(paths: list[Path]) -> list[str]:
    return [f"{path.parent.name}/{path.stem}" for path in paths]


def value_lines(path: Path) -> list[tuple[int, str, str]]:
    """Line number, value with its key, and comment of each line that gives a key its value."""
    lines = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if "=" not in line or line.lstrip().startswith("#"):
            continue
        value, _, comment = line.partition("#")
        lines.append((number, value.strip(), comment.strip()))
    return lines


@pytest.mark.parametrize("path", FILES, ids=ids(FILES))
def test_every_number_has_its_source(path: Path) -> None:
    texts = ("title =", "chip =", "base =", "cell =", "program =")
    for number, value, comment in value_lines(path):
        if value.startswith(texts):
            continue
        assert len(comment) >= 10, f"{path.name}:{number}: {value}: no source"
        if comment.startswith(("assumed", "derived")):
            kind, _, reason = comment.partition(":")
            assert kind in ("assumed", "derived"), f"{path.name}:{number}: {comment}"
            assert len(reason.strip()) > 3, f"{path.name}:{number}: {comment}: why?"


@pytest.mark.parametrize("path", FILES, ids=ids(FILES))
def test_no_value_escapes_the_check(path: Path) -> None:
    """`value_lines` sees every value that the TOML reader sees: none hides behind a line break."""

    def count(table: dict[str, Any]) -> int:
        return sum(count(value) if isinstance(value, dict) else 1 for value in table.values())

    assert count(tomllib.loads(path.read_text())) == len(value_lines(path))


def test_there_are_generic_and_named_drives() -> None:
    names = {path.stem for path in FILES if path.parent.name == "drives"}
    assert names >= GENERIC
    assert len(names - GENERIC - {"bench-256g"}) >= 6


UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40, "GB": 10**9}


def size(text: str) -> int:
    number = text.rstrip("KMGTiB")
    return int(float(number) * UNITS[text[len(number) :]])


def read(name: str) -> dict[str, Any]:
    """The drive with its base below it and its chip under `nand`, by rules of our own."""
    table = tomllib.loads((ROOT / "drives" / f"{name}.toml").read_text())
    below = read(table.pop("base")) if "base" in table else {}
    if "chip" in table:
        table["nand"] = tomllib.loads((ROOT / "chips" / f"{table.pop('chip')}.toml").read_text())
    for key, value in below.items():
        table[key] = {**value, **table.get(key, {})} if isinstance(value, dict) else table.get(key, value)
    return table


PHYSICAL = {
    "slc": 64 << 30,
    "mlc": 256 << 30,
    "tlc": 256 << 30,
    "qlc": 1 << 40,
    "mqsim-default": 512 << 30,
    "femu-default": 16 << 30,
    "disksim-ssd": 32 << 30,
    "simplessd-default": 512 << 30,
    "nvmevirt-970pro": 512 << 30,
    "nvmevirt-zn540": 1 << 40,
}


@pytest.mark.parametrize("name", PHYSICAL)
def test_capacity_is_what_was_published(name: str) -> None:
    drive = read(name)
    geometry, nand, ftl = drive["geometry"], drive["nand"], drive["ftl"]
    dies = geometry["channels"] * geometry["ways"] * geometry["dies_per_way"]
    pages = dies * nand["planes"] * nand["blocks_per_plane"] * nand["pages_per_block"]
    physical = pages * size(nand["page_size"])
    assert physical == pytest.approx(PHYSICAL[name], rel=2e-3)  # whole blocks round up
    assert size(nand["page_size"]) % size(ftl["mapping_unit"]) == 0
    if "user_capacity" in ftl:
        assert size(ftl["user_capacity"]) < 0.95 * physical
    else:
        assert ftl["op_ratio"] >= 0.07


def test_the_benchmark_drive_holds_256_gib() -> None:
    drive = read("bench-256g")
    assert size(drive["ftl"]["user_capacity"]) == 256 << 30
    blocks = 8 * 4 * drive["nand"]["blocks_per_plane"]
    assert blocks * 256 * 4096 / (256 << 30) == pytest.approx(1.0703, abs=1e-4)
