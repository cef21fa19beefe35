"""Can a verdict fail? `breaks.toml` names for each exhibit a change that must turn one of its lines red."""

import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from floatgate import files
from floatgate.errors import InputError
from floatgate.reproduce import changes, expected as published
from floatgate.reproduce.case import Case, Finding
from floatgate.reproduce.changes import Changes
from floatgate.reproduce.expected import ASSUMED, FITTED, PREDICTED
from floatgate.reproduce.paper import Paper, Reader
from floatgate.reproduce.verdict import Row, judge

BREAKS = "breaks.toml"


@dataclass(frozen=True)
class Break:
    """A change of one parameter, and the lines that it must turn red."""

    change: Changes
    paper: Mapping[str, Any]  # or a constant of the paper's own modules, `module.NAME`
    settings: Mapping[str, Any]  # such constants, set with and without the change: to simulate less
    needs: tuple[tuple[str, str], ...]  # the cases that are simulated: exhibit and name or pattern
    turns: Mapping[str, str]  # by exhibit, the line

    @property
    def name(self) -> str:
        """The change, as `key=value`."""
        pairs = {**self.change.drive, **self.change.chip, **self.paper}
        return ", ".join(f"{key}={value}" for key, value in pairs.items())


def load(paper: Paper) -> list[Break]:
    """Read a paper's breaks. Raises InputError with the place when one is faulty."""
    return _read(paper)[0]


def misses(paper: Paper) -> set[str]:
    """Return the exhibits that need no change: one of their lines misses as it is."""
    return _read(paper)[1]


def _read(paper: Paper) -> tuple[list[Break], set[str]]:
    place = paper.folder / BREAKS
    if not place.is_file():
        return [], set()
    _, table = files.read_toml(place, "the changes that break a paper's claims, in TOML")
    missed = table.pop("misses", [])
    reader = Reader(place, table)
    for exhibit in missed:
        if exhibit not in paper.exhibits:
            raise reader.refuse("misses", exhibit, f"one of {', '.join(paper.exhibits)}")
    found = [_break(place, paper, entry) for entry in reader.list("break")]
    reader.finish()
    return found, set(missed)


def _break(place: Path, paper: Paper, table: dict[str, Any]) -> Break:
    reader = Reader(place, table, "break.")
    change = {kind: reader.table(kind) for kind in ("drive", "chip", "paper")}
    if sum(map(len, change.values())) != 1:
        raise reader.refuse("drive, chip, paper", change, "one parameter in one of them")
    turns = reader.table("turns")
    for exhibit, case in turns.items():
        if published.find(paper.expected, exhibit, case) is None:
            raise reader.refuse(f"turns.{exhibit}", case, "a line of expected.csv")
    needs = reader.table("needs") or {exhibit: [case] for exhibit, case in turns.items()}
    settings = reader.table("settings")
    reader.finish()
    pairs = tuple((exhibit, name) for exhibit, names in needs.items() for name in names)
    return Break(Changes(change["drive"], change["chip"]), change["paper"], settings, pairs, turns)


def breakable(paper: Paper) -> set[str]:
    """Return the exhibits whose claims rest on more than the model's construction."""
    bases = (PREDICTED, FITTED, ASSUMED)
    return {exhibit for (exhibit, _), line in paper.expected.items() if line.basis in bases}


def rows(paper: Paper, one: Break, *, broken: bool) -> dict[tuple[str, str], Row]:
    """Simulate what a break needs, with its change or without; return the lines that follow.

    Raises InputError when a case that is needed does not exist.
    """
    constants = {**one.settings, **(one.paper if broken else {})}
    with _afresh(paper, constants), changes.under(one.change if broken else Changes()):
        cases = _cases(paper, one)
        found: dict[Case, Finding] = {case: paper.run(case, full=False) for case in cases}
        named = {(case.exhibit, case.name): finding for case, finding in found.items()}
        concluded = paper.conclude(named) if set(one.turns.items()) - named.keys() else []
    return {(row.exhibit, row.case): row for row in judge(paper, found, concluded, full=False)}


@contextmanager
def _afresh(paper: Paper, constants: Mapping[str, Any]) -> Iterator[None]:
    """Import the paper's modules anew, with some of their constants changed: nothing is kept from before."""
    package = paper.program().__package__ or ""

    def forget() -> None:
        for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
            del sys.modules[name]

    forget()
    paper.program()
    try:
        for key, value in constants.items():
            module, _, constant = key.rpartition(".")
            setattr(importlib.import_module(f"{package}.{module}"), constant, value)
        yield
    finally:
        forget()


def _cases(paper: Paper, one: Break) -> list[Case]:
    """Return the cases that are needed: those of the quick form first, any other of the full one."""
    quick, full = ({(c.exhibit, c.name): c for c in paper.cases(form)} for form in (False, True))
    chosen: dict[tuple[str, str], Case] = {}
    for exhibit, name in one.needs:
        for every in (quick, full):
            matching = {key: c for key, c in every.items() if key[0] == exhibit and fnmatchcase(key[1], name)}
            if matching:
                chosen |= matching
                break
        else:
            raise InputError(f"{paper.folder / BREAKS}: break.needs.{exhibit} = {name}: expected a case")
    return list(chosen.values())
