"""Reads the entries of a log in batches, and refuses what no rig writes, naming the line."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from floatgate.errors import InputError, one_line
from floatgate.lab.fit.columns import Head, unit_ns

READ, PROGRAM, ERASE = range(3)
OPERATIONS = ("read", "program", "erase")
STATUS = {"pass": 0, "ok": 0, "fail": 1, "protected": 1}
BATCH_BYTES = 2 << 20  # the reader keeps some thirty of these in memory
NONE = -1  # no such value in this entry
# Beyond these no part goes, and sums would lose digits.
BLOCKS_MOST, PAGES_MOST, CYCLES_MOST, NS_MOST = 1 << 32, 1 << 20, 10**12, 1e15

Whole = np.ndarray[Any, np.dtype[np.int64]]
Real = np.ndarray[Any, np.dtype[np.float64]]
Truth = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True)
class Batch:
    """Some entries, in the order of the file."""

    first_line: int
    block: Whole
    page: Whole  # NONE for erases
    operation: Whole
    cycle: Whole  # from 1
    busy_ns: Real
    failed: Truth
    errors: Whole  # wrong bits; NONE where nothing was compared
    bits: Whole  # bits read; NONE where the log does not say
    clock_ns: Real | None

    def __len__(self) -> int:
        return len(self.block)


def batches(head: Head) -> Iterator[Batch]:
    """Read the log below its head, a batch at a time.

    Raises InputError with file, line, value and expectation for a field that is missing or impossible.
    """
    wrong: list[csv.InvalidRow] = []

    def refuse(row: csv.InvalidRow) -> Literal["error"]:
        wrong.append(row)
        return "error"

    line = head.lines + 1
    try:
        reader = csv.open_csv(
            str(head.path),
            csv.ReadOptions(
                use_threads=False,
                block_size=BATCH_BYTES,
                skip_rows=head.lines,
                column_names=list(head.columns),
            ),
            csv.ParseOptions(ignore_empty_lines=False, invalid_row_handler=refuse),
            csv.ConvertOptions(
                column_types=dict.fromkeys(head.columns, pa.string()), strings_can_be_null=False
            ),
        )
        for table in reader:
            if table.num_rows:
                yield _Fields(head.path, line, table).batch(head)
                line += table.num_rows
    except (pa.ArrowInvalid, OSError) as error:
        if wrong:
            row = wrong[0]
            number = head.lines + row.number - 1 if row.number is not None else line
            raise InputError(
                f"{head.path}:{number}: {row.actual_columns} fields: expected {row.expected_columns}: "
                f"{','.join(head.columns)}"
            ) from error
        if str(error).startswith("Empty CSV"):
            return
        raise InputError(f"{head.path}:{line}: {one_line(error)}: expected lines of CSV in UTF-8") from error


@dataclass(frozen=True)
class _Fields:
    """The text of a batch, with what it takes to say where a field stands."""

    path: Path
    line: int
    table: "pa.RecordBatch"

    def batch(self, head: Head) -> Batch:
        operation = self._words("operation", {name: place for place, name in enumerate(OPERATIONS)})
        page = self._whole("page", optional=True)
        self._first((page == NONE) != (operation == ERASE), "page", "a page, and none for an erase")
        cycle = self._whole("cycle")
        self._first((cycle < 1) | (cycle > CYCLES_MOST), "cycle", f"1 to {CYCLES_MOST}")
        self._first(page >= PAGES_MOST, "page", f"less than {PAGES_MOST}")
        block = self._whole("block")
        self._first(block >= BLOCKS_MOST, "block", f"less than {BLOCKS_MOST}")
        busy_ns = np.rint(self._real(head.latency) * unit_ns(head.latency))
        self._first(busy_ns > NS_MOST, head.latency, "less than twelve days")
        columns = set(head.columns)
        errors = self._whole("error_bits", optional=True) if "error_bits" in columns else None
        bits = self._whole("bits_read", optional=True) if "bits_read" in columns else None
        nothing = np.full(len(cycle), NONE, dtype=np.int64)
        if bits is not None:
            self._first(bits == 0, "bits_read", "1 or more")
        if bits is not None and errors is not None:
            self._first((errors > bits) & (bits != NONE), "error_bits", "no more than bits_read")
        if "pulses" in columns:
            self._whole("pulses", optional=True)
        return Batch(
            self.line,
            block,
            page,
            operation,
            cycle,
            busy_ns,
            self._words("status", STATUS) == 1,
            nothing if errors is None else errors,
            nothing if bits is None else bits,
            None if head.clock is None else self._real(head.clock) * unit_ns(head.clock),
        )

    def _column(self, name: str) -> Any:
        return pc.utf8_trim_whitespace(self.table.column(self.table.schema.get_field_index(name)))

    def _first(self, bad: Any, name: str, expected: str) -> None:
        """Refuse the first field of a column that `bad` points to."""
        place = int(np.argmax(bad))
        if not bad[place]:
            return
        value = self._column(name)[place].as_py()
        shown = one_line(value)[:40] or "nothing"
        raise InputError(f"{self.path}:{self.line + place}: {name} = {shown}: expected {expected}")

    def _numbers(self, name: str, pattern: str, expected: str, kind: Any, *, optional: bool) -> Any:
        text = self._column(name)
        good = pc.match_substring_regex(text, pattern)
        empty = pc.equal(text, pa.scalar(""))
        if optional:
            good = pc.or_(good, empty)
        self._first(~good.to_numpy(zero_copy_only=False), name, expected)
        text = pc.if_else(empty, pa.scalar(str(NONE)), text)
        return pc.cast(text, kind).to_numpy(zero_copy_only=False)

    def _whole(self, name: str, *, optional: bool = False) -> Whole:
        return self._numbers(name, r"^[0-9]{1,18}$", "a whole number", pa.int64(), optional=optional)  # type: ignore[no-any-return]

    def _real(self, name: str) -> Real:
        pattern = r"^[0-9]{1,18}(\.[0-9]*)?([eE][-+]?[0-9]{1,2})?$"
        return self._numbers(name, pattern, "a number, 0 or more", pa.float64(), optional=False)  # type: ignore[no-any-return]

    def _words(self, name: str, known: dict[str, int]) -> Whole:
        text = self._column(name)
        found = pc.index_in(text, pa.array(list(known)))
        self._first(found.is_null().to_numpy(zero_copy_only=False), name, f"one of {', '.join(known)}")
        numbers: Whole = np.array(list(known.values()), dtype=np.int64)[found.to_numpy(zero_copy_only=False)]
        return numbers
