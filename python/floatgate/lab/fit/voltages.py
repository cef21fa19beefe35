"""A measured table of threshold voltages: what it says about errors, how its states move with wear.

    # unit: 1/512 of the nominal maximum
    # source: Cai and others, Proceedings of the IEEE 2017
    # fixed: 2000, 1 d              whose best references are the fixed ones; default: the first row
    pe_cycles,age,state,mean,sigma
    0,1 d,ER,-110.0,45.9
    0,1 d,P1,65.9,9.0

Every state of a wear and age has one line; `age` may be left out. States are taken as normal distributions,
every state is alike often, and codings are Gray: parts that write page by page, or (`# coding: one-shot`)
all at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, sqrt
from pathlib import Path

import numpy as np

from floatgate import _core, files
from floatgate.errors import InputError
from floatgate.files.table import read_table
from floatgate.lab.fit.laws import SHAPES, Goodness, Shape, fit_all, penalty
from floatgate.lab.fit.stream import Real

_TABLE = "a table of threshold voltages"
CODINGS = ("two-step", "one-shot")
_STATES = (2, 4, 8, 16)
_GROWTHS = tuple(shape for shape in SHAPES if shape.name in ("constant", "linear", "power"))


@dataclass(frozen=True)
class Measured:
    """The states of cells of some wear and age."""

    pe_cycles: int
    age: str  # as the file has it; empty where it has none
    means: tuple[float, ...]
    sigmas: tuple[float, ...]

    @property
    def name(self) -> str:
        """How it is called: `2000, 1 d`."""
        return ", ".join(filter(None, (str(self.pe_cycles), self.age)))


@dataclass(frozen=True)
class Table:
    """What was measured."""

    head: Mapping[str, str]
    states: tuple[str, ...]  # by rising voltage
    rows: tuple[Measured, ...]  # by rising wear; ages in the file's order
    fixed: Measured  # whose best references are the fixed ones
    coding: str

    @property
    def by_wear(self) -> tuple[Measured, ...]:
        """The rows of the first age, one for each wear."""
        first = self.rows[0].age
        return tuple(row for row in self.rows if row.age == first)


@dataclass(frozen=True)
class Rates:
    """What a row says about errors."""

    row: Measured
    references: tuple[float, ...]  # at which fewest cells are misread
    best: tuple[float, ...]  # bit error rate of each page type with them
    fixed: tuple[float, ...]  # with the fixed ones


@dataclass(frozen=True)
class Growth:
    """How means or widths of all states move with wear: each state its own numbers, one bend for all."""

    what: str  # mean or sigma
    shape: Shape
    bend: float
    linear: tuple[tuple[float, ...], ...]  # of each state
    goodness: Goodness
    candidates: Mapping[str, Goodness]

    def at(self, wear: Real) -> Real:
        """Return the value of each state (rows) at some wear."""
        basis = self.shape.basis(np.asarray(wear, dtype=np.float64), self.bend)
        return np.stack([basis @ np.array(one) for one in self.linear])


def read(path: Path, coding: str | None = None) -> Table:
    """Read a table; `coding` is the chip's, for a table that declares none.

    Raises InputError with file, line, value and expectation for what is missing, twice or impossible.
    """
    table = read_table(path, _TABLE, _COLUMNS, optional=("age",), has_comments=True)
    found: dict[tuple[int, str], dict[str, tuple[float, float]]] = {}
    for place, row in table.rows:
        _take(place, row, found)
    if not found:
        raise InputError(f"{path}: no rows: expected the states of cells")
    return _table(path, {"coding": coding or CODINGS[0], **table.said}, found)


_COLUMNS = ("pe_cycles", "state", "mean", "sigma")


def _take(
    place: str,
    texts: Mapping[str, str],
    found: dict[tuple[int, str], dict[str, tuple[float, float]]],
) -> None:
    row = {name: text.strip() for name, text in texts.items()}
    cycles = row["pe_cycles"]
    wear = files.whole(cycles)
    if wear is None:
        raise InputError(f"{place}: pe_cycles = {cycles[:40] or 'nothing'}: expected a whole number")
    states = found.setdefault((wear, row.get("age", "")), {})
    if row["state"] in states:
        raise InputError(f"{place}: state = {row['state']}: given twice for {cycles} cycles: expected once")
    sigma = _number(place, "sigma", row["sigma"])
    if sigma <= 0:
        raise InputError(f"{place}: sigma = {row['sigma']}: expected a number above 0")
    states[row["state"]] = _number(place, "mean", row["mean"]), sigma


def _number(place: str, name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise InputError(f"{place}: {name} = {text or 'nothing'}: expected a number")
    return value


def _table(
    path: Path, head: Mapping[str, str], found: dict[tuple[int, str], dict[str, tuple[float, float]]]
) -> Table:
    names = tuple(next(iter(found.values())))
    if len(names) not in _STATES:
        raise InputError(f"{path}: {len(names)} states: expected {', '.join(map(str, _STATES))}")
    rows = []
    for (cycles, age), states in sorted(found.items(), key=lambda item: item[0][0]):
        row = f"{path}: {cycles} cycles{', ' if age else ''}{age}"
        for name in (*names, *states):
            if name not in states or name not in names:
                raise InputError(f"{row}: state {name}: expected {', '.join(names)}, as in the first row")
        means = tuple(states[name][0] for name in names)
        for low, high, lower, upper in zip(means, means[1:], names, names[1:], strict=False):
            if low >= high:
                raise InputError(
                    f"{row}: mean of {upper} = {high:g}: expected more than {lower}'s {low:g}: "
                    "states stand by rising voltage"
                )
        rows.append(Measured(cycles, age, means, tuple(states[name][1] for name in names)))
    coding = head["coding"]
    if coding not in CODINGS:
        raise InputError(f"{path}: coding: {coding}: expected one of {', '.join(CODINGS)}")
    wanted = head.get("fixed", rows[0].name)
    fixed = next((row for row in rows if row.name == wanted), None)
    if fixed is None:
        raise InputError(f"{path}: fixed: {wanted}: expected one of {'; '.join(row.name for row in rows)}")
    return Table(head, names, tuple(rows), fixed, coding)


def rates(table: Table) -> tuple[Rates, ...]:
    """Return the error rates of each row: the overlap of its distributions over the references."""
    two_step = table.coding == CODINGS[0]
    fixed = _core.best_references(list(table.fixed.means), list(table.fixed.sigmas))
    found = []
    for row in table.rows:
        means, sigmas = list(row.means), list(row.sigmas)
        best = _core.best_references(means, sigmas)
        by_page = [_core.page_error_rates(means, sigmas, levels, two_step) for levels in (best, fixed)]
        found.append(Rates(row, tuple(best), tuple(by_page[0]), tuple(by_page[1])))
    return tuple(found)


def growth(table: Table, what: str) -> Growth | None:
    """Fit how the means or the widths move with wear; None for fewer than three wears.

    One bend for all states: A w^b + C with b shared, which few wears bear. Every state counts alike.
    """
    rows = table.by_wear
    if len(rows) < 3:
        return None
    wear = np.array([row.pe_cycles for row in rows], dtype=np.float64)
    values = np.array([row.means if what == "mean" else row.sigmas for row in rows]).T
    tried = {}
    for shape in _GROWTHS:
        bend, linear = fit_all(shape, wear, values)
        found = Growth(what, shape, bend, linear, _goodness(shape, wear, values, bend, linear), {})
        tried[shape.name] = found
    best = min(tried.values(), key=lambda one: one.goodness.aicc)
    scores = {name: one.goodness for name, one in tried.items()}
    return Growth(what, best.shape, best.bend, best.linear, best.goodness, scores)


def _goodness(
    shape: Shape, wear: Real, values: Real, bend: float, linear: tuple[tuple[float, ...], ...]
) -> Goodness:
    """Return how well all states together follow; R2 is of what moves within each state."""
    left = values - np.stack([shape.basis(wear, bend) @ np.array(one) for one in linear])
    about = values - values.mean(axis=1, keepdims=True)
    squares, all_squares = float((left * left).sum()), float((about * about).sum())
    parameters = len(values) * len(shape.of_linear) + (shape.bend is not None) + 1
    many = values.size
    return Goodness(
        many,
        None if all_squares == 0 else 1 - squares / all_squares,
        sqrt(squares / many),
        float(np.abs(left).max()),
        many * float(np.log(max(squares / many, 1e-12))) + penalty(parameters, many),
    )
