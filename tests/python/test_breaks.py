"""Can the papers' verdicts fail? Exhibits are simulated with and without a change that must break them."""

import csv
import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from floatgate.errors import InputError
from floatgate.files import shipped
from floatgate.reproduce.breaks import BREAKS, Break, breakable, load, misses, rows
from floatgate.reproduce.paper import Paper, find
from floatgate.reproduce.verdict import MISS

PAPERS = find([], shipped.papers())
IDS = [paper.key for paper in PAPERS]


#: `results.csv` of `floatgate reproduce --quick`, where that ran right before, as in `make test`.
REPRODUCED = os.environ.get("FLOATGATE_REPRODUCED", "")
_seen: dict[str, dict[tuple[str, str], bool]] = {}


@cache
def reproduced(path: str) -> dict[str, dict[tuple[str, str], bool]]:
    """Return which lines missed in a run of all papers, by paper."""
    found: dict[str, dict[tuple[str, str], bool]] = {}
    with Path(path).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            missed = row["verdict"].endswith(MISS)
            found.setdefault(row["paper"], {})[row["exhibit"], row["case"]] = missed
    return found


def missed_as_it_is(paper: Paper, one: Break) -> dict[tuple[str, str], bool]:
    """Return which lines miss without the change: as just reproduced, or simulated once for each need."""
    if REPRODUCED and not one.settings:
        lines = reproduced(REPRODUCED).get(paper.key, {})
        if set(one.turns.items()) <= lines.keys():
            return lines
    same = f"{paper.key} {one.needs} {one.settings}"
    if same not in _seen:
        _seen[same] = {key: row.missed for key, row in rows(paper, one, broken=False).items()}
    return _seen[same]


FAULTY = [
    (
        '[[break]]\ndrive = {a = 1}\nturns = {rates = "x"}',
        "break.turns.rates = x: expected a line of expected.csv",
    ),
    ("[[break]]\nturns = {}", "expected one parameter in one of them"),
    ("[[break]]\ndrive = {a = 1}\nchip = {b = 1}", "expected one parameter in one of them"),
    ("[[break]]\ndrive = {a = 1}\nturn = {}", "break.turn: unknown key (did you mean turns?)"),
    ('misses = ["rats"]', "misses = rats: expected one of rates"),
]


@pytest.mark.parametrize(("text", "says"), FAULTY)
def test_a_faulty_break_is_refused(text: str, says: str, tmp_path: Path) -> None:
    (paper,) = find(["gray2007-flash-disk"], shipped.papers())
    (tmp_path / BREAKS).write_text(text)
    with pytest.raises(InputError) as error:
        load(replace(paper, folder=tmp_path))
    assert str(error.value).startswith(f"{tmp_path / BREAKS}: ")
    assert says in str(error.value)


def every_break() -> Iterator[object]:
    for paper in PAPERS:
        for one in load(paper):
            yield pytest.param(paper, one, id=f"{paper.key}: {one.name}")


@pytest.mark.parametrize("paper", PAPERS, ids=IDS)
def test_each_exhibit_that_could_have_come_out_otherwise_has_a_break(paper: Paper) -> None:
    named = {exhibit for one in load(paper) for exhibit in one.turns}
    assert sorted(breakable(paper) - named) == sorted(misses(paper))


@pytest.mark.parametrize("paper", PAPERS, ids=IDS)
def test_an_exhibit_without_a_break_misses_as_it_is(paper: Paper) -> None:
    assert misses(paper) <= {known.exhibit for known in paper.explained}


@pytest.mark.parametrize(("paper", "one"), list(every_break()))
def test_a_change_breaks_what_it_names(paper: Paper, one: Break) -> None:
    try:
        before, after = missed_as_it_is(paper, one), rows(paper, one, broken=True)
    except InputError as error:
        if any(paper.exhibits[exhibit].needs_traces for exhibit, _ in one.needs):
            pytest.skip(str(error))
        raise
    for key in one.turns.items():
        assert not before[key], f"{key} misses as it is"
        assert after[key].missed, f"{key} holds with {one.name}: {after[key].simulated}"
