"""Entries that the core keeps as numbers are the ones that Python would keep."""

import csv
import io
import pickle
from pathlib import Path

from floatgate.lab.chip import Entry
from floatgate.lab.lives import life
from floatgate.lab.log import COLUMNS, read_log, write_log
from floatgate.lab.rows import Notes, Rows, first_failure, joined, plain
from floatgate.lab.simulated import SimulatedSource

CYCLES = 10**9  # more than the block lives


def _lived() -> Rows:
    chip = SimulatedSource("poster-mlc").open()
    parts = [chip.cycle(7, cycles, pattern="random", pages="all") for cycles in (300, 5, CYCLES)]
    whole = joined(parts)
    assert isinstance(whole, Rows)
    return whole


def test_rows_are_a_sequence_of_entries() -> None:
    rows = _lived()
    entries = list(rows)
    assert rows == entries
    assert entries == rows
    assert len(rows) == len(entries) > 1000
    assert all(type(entry) is Entry for entry in entries[:5])
    assert entries[0].operation == "program"
    assert [rows[0], rows[-1], rows[len(rows) // 2]] == [entries[0], entries[-1], entries[len(entries) // 2]]
    assert rows[3:9] == entries[3:9]
    assert rows != entries[1:]
    assert rows != entries[::-1]
    assert joined([rows, entries]) == entries * 2


def test_rows_survive_the_way_to_another_process() -> None:
    rows = _lived()
    assert pickle.loads(pickle.dumps(rows)) == rows


def test_a_life_is_the_same_from_rows_and_from_entries() -> None:
    rows = _lived()
    ours, theirs = life(7, rows, CYCLES), life(7, list(rows), CYCLES)
    assert first_failure(rows) == first_failure(list(rows)) is not None
    assert (ours.cycles, ours.failed) == (theirs.cycles, theirs.failed)
    assert list(ours._busy.items()) == list(theirs._busy.items())
    assert ours.pages("erase") == [None]
    assert ours.steps("erase") == theirs.steps("erase")


def test_a_log_of_rows_has_the_bytes_of_a_log_of_entries(tmp_path: Path) -> None:
    rows = _lived()
    expected = io.StringIO()
    csv.writer(expected, lineterminator="\n").writerows(rows)
    assert "".join(rows.lines()) == "".join(plain(rows)) == expected.getvalue()
    for name, entries in (("rows", rows), ("entries", list(rows))):
        write_log(tmp_path / name, {"chip": "poster-mlc"}, entries)
    assert (tmp_path / "rows").read_bytes() == (tmp_path / "entries").read_bytes()
    assert read_log(tmp_path / "rows").entries == tuple(rows)
    assert (tmp_path / "rows").read_text(encoding="utf-8").splitlines()[1] == ",".join(COLUMNS)


def test_notes_are_what_was_written_down(tmp_path: Path) -> None:
    rows = _lived()
    one, other = Entry(1, 0, "read", 1, 3, None, "ok", 5), Entry(2, None, "erase", 1, 4, None, "fail")
    notes, expected = Notes(), []
    for some in ([one], rows, [other, one], rows, []):
        notes.extend(some)
        expected += list(some)
    notes.append(other)
    expected.append(other)
    assert list(notes) == expected
    assert [notes[0], notes[-1], len(notes)] == [one, other, len(expected)]
    assert notes[-3:] == expected[-3:]
    assert list(pickle.loads(pickle.dumps(notes))) == expected
    for name, entries in (("notes", notes), ("entries", expected)):
        write_log(tmp_path / name, {"chip": "poster-mlc"}, entries)
    assert (tmp_path / "notes").read_bytes() == (tmp_path / "entries").read_bytes()


def test_other_entries_become_lines_too() -> None:
    entries = [
        Entry(1, None, "erase", 2**40, 3, None, "ok"),
        Entry(0, 5, "read", 1, 2, None, "protected", 2**70),
    ]
    assert "".join(plain(entries)) == f"1,,erase,{2**40},3,,ok,\n0,5,read,1,2,,protected,{2**70}\n"
