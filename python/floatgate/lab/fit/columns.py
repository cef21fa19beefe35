"""What the columns of a rig's log are: their names, their units, and what its head declares.

    # chip: mt29f8g08maawc            optional: the part, as `floatgate chips` names it
    # sampled: changes                optional: which cycles are logged, see `sampling.py`
    block,page,operation,cycle,latency_us,status,error_bits,bits_read

Columns may stand in any order. A time carries its unit in its name: `latency_ns`, `latency_us`,
`latency_ms` or `latency_s`; `busy_ns`, as the laboratory writes it, is the same. `time_ns` to `time_s`,
optional, is the rig's clock.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from floatgate.errors import InputError, meant, one_line
from floatgate.files import regular
from floatgate.files.table import said_in

UNITS_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
REQUIRED = ("block", "page", "operation", "cycle", "status")
OPTIONAL = ("error_bits", "bits_read", "pulses")
LATENCIES = tuple(f"{name}_{unit}" for name in ("latency", "busy") for unit in UNITS_NS)
CLOCKS = tuple(f"time_{unit}" for unit in UNITS_NS)
_KNOWN = (*REQUIRED, *OPTIONAL, *LATENCIES, *CLOCKS)
_HEAD_MOST = 1 << 16  # bytes in which the head must end


@dataclass(frozen=True)
class Head:
    """What stands above the entries of a log."""

    path: Path
    said: Mapping[str, str]  # the lines of `# key: value`
    columns: tuple[str, ...]
    lines: int  # of the head, the columns' line included

    @property
    def latency(self) -> str:
        """The column of busy times."""
        return next(name for name in self.columns if name in LATENCIES)

    @property
    def clock(self) -> str | None:
        """The column of the rig's clock; None where it wrote none."""
        return next((name for name in self.columns if name in CLOCKS), None)


def unit_ns(column: str) -> float:
    """Return how many ns a column's unit is."""
    return UNITS_NS[column.rpartition("_")[2]]


def read_head(path: Path) -> Head:
    """Read the head of a log, plain or compressed.

    Raises InputError for a file that is none, and for columns that are missing, unknown or given twice.
    """
    regular(path, "a log of a test rig")
    try:
        with pa.input_stream(str(path), compression="detect") as file:
            text = file.read(_HEAD_MOST).decode("utf-8", errors="replace")
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(f"{path}: {one_line(error)}: expected a log of a test rig") from error
    lines = text.splitlines()
    first = next((index for index, line in enumerate(lines) if not line.startswith("#")), len(lines))
    if first == len(lines):
        raise InputError(f"{path}: no columns: expected {','.join(REQUIRED)} and latency_us")
    said = dict(said_in(f"{path}:{number}", line) for number, line in enumerate(lines[:first], 1))
    columns = tuple(name.strip() for name in lines[first].split(","))
    _check(f"{path}:{first + 1}", columns)
    return Head(path, said, columns, first + 1)


def _check(place: str, columns: Sequence[str]) -> None:
    for name in columns:
        if columns.count(name) > 1:
            raise InputError(f"{place}: column {name}: given twice: expected once")
        if name not in _KNOWN:
            hint = meant(name, _KNOWN)
            raise InputError(
                f"{place}: column {one_line(name)[:40] or 'without a name'}: unknown: "
                f"expected {', '.join(REQUIRED)}, latency_us, or {', '.join(OPTIONAL)}{hint}"
            )
    for name in REQUIRED:
        if name not in columns:
            raise InputError(f"{place}: column {name}: missing: expected {', '.join(REQUIRED)}")
    for what, names in (("latency", LATENCIES), ("time", CLOCKS)):
        found = [name for name in columns if name in names]
        if len(found) > 1:
            raise InputError(f"{place}: columns {' and '.join(found)}: two of a kind: expected one")
        if not found and what == "latency":
            raise InputError(f"{place}: column latency: missing: expected one of {', '.join(names[:4])}")
