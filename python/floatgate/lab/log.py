"""The rig's log: one CSV file for each experiment and condition, as a rig with real silicon writes it.

The head names chip, seed, temperature and version in lines of `# key: value`; then come the columns. Between
two lines of a block, page and operation nothing changed: a life of millions of cycles is a short file.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from floatgate.errors import InputError
from floatgate.files import LINES_MOST, whole, write_lines
from floatgate.files.table import read_table
from floatgate.lab.chip import Entry, Operation, Status
from floatgate.lab.rows import Notes, Rows, plain

_LOG = "a log of a test rig"
COLUMNS = Entry._fields


@dataclass(frozen=True)
class Log:
    """A log with its head."""

    head: Mapping[str, str]
    entries: tuple[Entry, ...]


def write_log(path: Path, head: Mapping[str, str], entries: Iterable[Entry]) -> None:
    """Write `entries` in the order in which they came."""
    before = "".join(f"# {key}: {' '.join(str(value).split())}\n" for key, value in head.items())
    if isinstance(entries, Rows | Notes):
        write_lines(path, COLUMNS, entries.lines(), before)
    else:
        write_lines(path, COLUMNS, plain(entries), before)


def read_log(path: Path) -> Log:
    """Read a log, ours or one of another rig in the same columns.

    Raises InputError, naming the line, for a field that is missing or impossible, for cycles that run
    backwards, and for a gap: a block whose log does not begin with its first cycle, or that goes on after it
    has failed.
    """
    table = read_table(path, _LOG, COLUMNS, most=LINES_MOST)
    checked = _Order()
    entries = []
    for place, row in table.rows:
        entry = _entry(place, row)
        checked.take(place, entry)
        entries.append(entry)
    if not entries:
        raise InputError(f"{path}: no entries: expected at least one operation")
    return Log(table.said, tuple(entries))


def _entry(place: str, row: Mapping[str, str]) -> Entry:
    operation, status = row["operation"], row["status"]
    if operation not in get_args(Operation):
        raise InputError(
            f"{place}: operation = {operation}: expected one of {', '.join(get_args(Operation))}"
        )
    if status not in get_args(Status):
        raise InputError(f"{place}: status = {status}: expected one of {', '.join(get_args(Status))}")
    page = _whole(place, "page", row["page"], optional=True)
    if (page is None) != (operation == "erase"):
        raise InputError(f"{place}: page = {row['page']}: expected a page, and none for an erase")
    return Entry(
        block=_given(place, "block", row["block"]),
        page=page,
        operation=operation,  # type: ignore[arg-type]
        cycle=_given(place, "cycle", row["cycle"], least=1),
        busy_ns=_given(place, "busy_ns", row["busy_ns"]),
        pulses=_whole(place, "pulses", row["pulses"], optional=True),
        status=status,  # type: ignore[arg-type]
        error_bits=_whole(place, "error_bits", row["error_bits"], optional=True),
    )


def _given(place: str, name: str, text: str, least: int = 0) -> int:
    value = _whole(place, name, text, optional=False)
    if value is None or value < least:
        raise InputError(f"{place}: {name} = {text}: expected {least} or more")
    return value


def _whole(place: str, name: str, text: str, *, optional: bool) -> int | None:
    if optional and text == "":
        return None
    value = whole(text)
    if value is None:
        raise InputError(f"{place}: {name} = {text[:40] or 'nothing'}: expected a whole number")
    return value


class _Order:
    """Notices cycles that run backwards, and lives that do not begin, or go on after the end."""

    def __init__(self) -> None:
        self._last: dict[int, Entry] = {}

    def take(self, place: str, entry: Entry) -> None:
        before = self._last.get(entry.block)
        what = f"block {entry.block}, {entry.operation}, cycle {entry.cycle}"
        if before is None and entry.cycle != 1:
            raise InputError(f"{place}: {what}: a gap: expected its log to begin with cycle 1")
        if before is not None and before.operation == "erase" and before.status == "fail":
            if entry.status == "ok" and entry.operation != "read":
                raise InputError(f"{place}: {what}: a gap: its erase failed in cycle {before.cycle}")
            return  # a bad block stays one
        if before is not None and entry.cycle < before.cycle:
            raise InputError(f"{place}: {what}: cycles run backwards: expected {before.cycle} or later")
        self._last[entry.block] = entry
