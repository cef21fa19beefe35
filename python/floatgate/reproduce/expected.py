"""What was published, and on what each line's verdict rests: `expected.csv`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import isfinite
from pathlib import Path
from typing import Any

from floatgate.errors import InputError
from floatgate.files.table import read_table

EXPECTED = "expected.csv"
COLUMNS = ("exhibit", "case", "published", "source", "basis", "fitted")
PREDICTED, FITTED, ASSUMED = "predicted", "fitted", "assumed"
CONSTRUCTION, SHOWN = "by-construction", "shown"
BASES = (PREDICTED, FITTED, ASSUMED, CONSTRUCTION, SHOWN)
# What a line of these bases must name: the parameter chosen in view of its number, or that without a source.
NAMED = {FITTED: "the parameter that was fitted", ASSUMED: "the parameter whose value was assumed"}

Key = tuple[str, str]  # exhibit and case


@dataclass(frozen=True)
class Expected:
    """One line of `expected.csv`."""

    published: float | str | None  # None: nothing is published, or only the parts of the drive say it
    basis: str
    fitted: str = ""  # the parameter that was chosen in view of the number, or assumed


def read(path: Path, qualitative: Mapping[str, bool]) -> dict[Key, Expected]:
    """Read the table; `qualitative` says for each exhibit whether its claims are texts.

    Raises InputError with the place, the value and what was expected instead.
    """
    expected: dict[Key, Expected] = {}
    for at, row in _rows(path):
        if row["exhibit"] not in qualitative:
            raise InputError(f"{at}: exhibit = {row['exhibit']}: expected one of {', '.join(qualitative)}")
        key = (row["exhibit"], row["case"])
        if key in expected:
            raise InputError(f"{at}: {', '.join(key)}: given twice: expected each case once")
        expected[key] = _line(at, row, qualitative[row["exhibit"]])
    return expected


def published(folder: Path) -> dict[Key, str]:
    """Return what a paper's folder gives as published, as it is written there: for its `run.py`."""
    return {(row["exhibit"], row["case"]): row["published"] for _, row in _rows(folder / EXPECTED)}


def pattern(case: str) -> bool:
    """Whether the name of a case stands for as many as are simulated."""
    return "*" in case or "?" in case


def find(expected: Mapping[Key, Expected], exhibit: str, case: str) -> Expected | None:
    """Return the line of a case: its own, or the first pattern of its exhibit that matches."""
    if (exhibit, case) in expected:
        return expected[exhibit, case]
    return next(
        (
            line
            for (of, name), line in expected.items()
            if of == exhibit and pattern(name) and fnmatchcase(case, name)
        ),
        None,
    )


def _rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    return read_table(path, f"a table {','.join(COLUMNS)}", COLUMNS).rows


def _line(at: str, row: Mapping[str, str], qualitative: bool) -> Expected:
    basis, fitted, text = row["basis"], row["fitted"], row["published"]
    if basis not in BASES:
        raise InputError(f"{at}: basis = {basis}: expected one of {', '.join(BASES)}")
    if bool(fitted) != (basis in NAMED):
        asked = NAMED.get(basis, f"none, as the basis is {basis}")
        raise InputError(f"{at}: fitted = {fitted}: expected {asked}")
    if basis == SHOWN and text:
        raise InputError(f"{at}: published = {text}: expected none, as the basis is {SHOWN}")
    if not text and basis in (SHOWN, CONSTRUCTION):
        return Expected(None, basis)
    if not text:
        raise InputError(f"{at}: published = : expected what was published, or the basis {SHOWN}")
    value: Any = text if qualitative else _number(at, text)
    return Expected(value, basis, fitted)


def _number(place: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not number or not isfinite(number):  # a deviation from zero has no relative size
        raise InputError(f"{place}: published = {text}: expected a number other than zero")
    return number
