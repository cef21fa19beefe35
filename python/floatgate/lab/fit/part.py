"""Which part a log is of: what turns a page's number into its type and a page into its bits."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from floatgate import _core
from floatgate.errors import InputError
from floatgate.files import shipped
from floatgate.inputs import cards
from floatgate.values.toml_value import value_of

CELLS = {"slc": 1, "mlc": 2, "tlc": 3, "qlc": 4}
_BYTES = {"B": 1, "kB": 10**3, "MB": 10**6, "KiB": 1 << 10, "MiB": 1 << 20}


@dataclass(frozen=True)
class Part:
    """What a chip file says that a log does not."""

    name: str
    source: Path  # of the chip file
    bits: int  # of a cell: page types
    one_shot: bool  # a program writes a whole wordline
    page_bits: int  # spare bits included
    rated: int | None  # cycles
    t_prog: tuple[str, ...]  # of the data sheet, as the file writes them: one, or one for each page type
    t_bers: str

    @property
    def fitted(self) -> str:
        """Name of the chip file that a fit writes."""
        return f"{self.name.removesuffix('-fitted')}-fitted.toml"

    @property
    def program_types(self) -> int:
        """Program times that differ by the page's place in its wordline."""
        return 1 if self.one_shot else self.bits

    @property
    def pages_per_program(self) -> int:
        """Pages that one program writes."""
        return self.bits if self.one_shot else 1


def part(name: str) -> Part:
    """Return what a chip, by name or file, says of itself. Raises InputError when it is not known."""
    card = cards.of_chip(name)
    values = {
        entry["key"].removeprefix("nand."): value_of(entry["value"])
        for entry in card["entries"]
        if entry["key"].count(".") == 1
    }
    listed = {entry["name"]: entry["path"] for entry in json.loads(_core.chips(shipped.folders()))}
    rated = values.get("pe_cycles_rated", 0)
    return Part(
        Path(name).stem,
        Path(listed.get(name, name)),
        CELLS[values["cell"]],
        values["program"] == "one-shot",
        8 * (_size(values["page_size"]) + _size(values["oob_size"])),
        rated or None,
        tuple(values["t_prog"]) if isinstance(values["t_prog"], list) else (values["t_prog"],),
        values["t_bers"],
    )


def _size(text: str) -> int:
    """Return the bytes of a size that the core has read and found right."""
    found = re.fullmatch(r"([0-9.]+)\s*([A-Za-z]+)", text)
    assert found, text
    return round(float(found[1]) * _BYTES[found[2]])


def known(name: str) -> bool:
    """Whether a chip of this name is in the catalogue."""
    return any(entry["name"] == name for entry in json.loads(_core.chips(shipped.folders())))


def chosen(asked: str | None, said: dict[Path, str | None]) -> Part | None:
    """Return the part of some logs: the one asked for, or the one that all their heads name.

    None where no head names a chip of the catalogue. Raises InputError when heads name different ones.
    """
    if asked is not None:
        return part(asked)
    named = {path: name for path, name in said.items() if name is not None and known(name)}
    first = next(iter(named.items()), None)
    if first is None:
        return None
    for path, name in said.items():
        if name != first[1]:
            raise InputError(
                f"{path}: chip: {name or 'nothing'}: expected {first[1]}, as {first[0]} says, "
                "or --chip for all"
            )
    return part(first[1])
