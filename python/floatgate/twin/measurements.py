"""Measurements of a drive: a table of numbers, each with what was asked of the drive and its role."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path

from floatgate.errors import InputError
from floatgate.files.table import read_table
from floatgate.twin.pattern import Setting, read_pattern
from floatgate.values.units import BLOCKS, RATES, SIZES

COLUMNS = ("what", "pattern", "size", "depth", "value", "unit", "role")
OPTIONAL = ("used", "offered", "error", "note")
EXPECTED = "measurements of a drive (docs/how-to/twin.md)"
CALIBRATE, CHECK = ROLES = ("calibrate", "check")

TIMES = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
IOPS = {"IOPS": 1.0, "kIOPS": 1e3}
#: What can be measured, and the units that its values may have.
LATENCIES = ("mean", "p50", "p90", "p95", "p99", "p99.9", "p99.99")
QUANTITIES = {
    "iops": IOPS,
    "bandwidth": RATES,
    **dict.fromkeys(LATENCIES, TIMES),
    "write_amplification": {"ratio": 1.0},
}
CAPACITY = "capacity"  # a row of its own: bytes that the host sees
SIDES = ("read", "write", "flush")
#: How far a measurement may be from what the drive does, where its row says nothing.
ERROR = 0.01


@dataclass(frozen=True)
class Row:
    """One number of a drive."""

    place: str  # of the row: `FILE:LINE`
    what: str
    setting: Setting
    side: str  # which requests: read, write
    value: float  # in bytes, seconds, requests or bytes a second
    unit: str  # as it was given
    role: str
    error: float = ERROR
    note: str = ""

    @property
    def name(self) -> str:
        """What is measured, in a few words."""
        is_usual = self.side == ("write" if self.setting.pattern.is_write else "read")
        side = "" if is_usual and not self.setting.pattern.is_mixed else f"{self.side} "
        return f"{side}{self.what.replace('_', ' ')}, {self.setting}"

    def in_unit(self, value: float) -> float:
        """Return a value in the row's own unit."""
        return value / QUANTITIES[self.what][self.unit]

    def shown(self, value: float | None) -> str:
        """Write a value in the row's own unit."""
        if value is None:
            return "-"
        scaled = self.in_unit(value)
        digits = f"{scaled:,.0f}" if scaled >= 1000 else f"{scaled:.4g}"  # a rate without an exponent
        return digits if self.unit == "ratio" else f"{digits} {self.unit}"


@dataclass(frozen=True)
class Measurements:
    """What is known of a drive."""

    name: str
    rows: tuple[Row, ...]
    capacity: float | None = None  # bytes that the host sees

    def of_role(self, role: str) -> list[Row]:
        """Return the rows of a role."""
        return [row for row in self.rows if row.role == role]


def read_measurements(path: Path) -> Measurements:
    """Read a table, or a folder of fio's and nvme-cli's files. Raises InputError, naming the row."""
    from floatgate.twin.recorded import read_folder

    found = read_folder(path) if path.is_dir() else _read_csv(path)
    if not found.rows:
        raise InputError(f"{path}: no measurements: expected {EXPECTED}")
    refuse_contradictions(found.rows)
    return found


def _read_csv(path: Path) -> Measurements:
    table = read_table(path, EXPECTED, COLUMNS, optional=OPTIONAL, has_comments=True)
    absent = dict.fromkeys(OPTIONAL, "")
    rows, capacity = [], None
    for place, cells in table.rows:
        if cells["what"] == CAPACITY:
            capacity = _value(place, cells, SIZES)
        else:
            rows.append(_row(place, {**absent, **cells}))
    return Measurements(path.stem, tuple(rows), capacity)


def _refusal(place: str, cells: Mapping[str, str], column: str, expected: str) -> InputError:
    return InputError(f"{place}: {column} = {cells[column] or 'nothing'}: expected {expected}")


def _value(place: str, cells: Mapping[str, str], units: Mapping[str, float]) -> float:
    if cells["unit"] not in units:
        raise _refusal(place, cells, "unit", f"one of {', '.join(units)} for {cells['what']}")
    value = _number(cells["value"])
    if value is None:
        raise _refusal(place, cells, "value", "a number above 0")
    return value * units[cells["unit"]]


def _row(place: str, cells: Mapping[str, str]) -> Row:
    side, what = _what(cells["what"])
    if what not in QUANTITIES:
        near = get_close_matches(what, QUANTITIES, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise _refusal(place, cells, "what", f"one of {', '.join([*QUANTITIES, CAPACITY])}{hint}")
    if cells["role"] not in ROLES:
        raise _refusal(place, cells, "role", " or ".join(ROLES))
    value = _value(place, cells, QUANTITIES[what])
    error = _number(cells["error"]) if cells["error"] else ERROR
    if not error or error >= 1:
        raise _refusal(place, cells, "error", "a part of the value between 0 and 1, such as 0.02")
    setting = _setting(place, cells)
    side = side or ("write" if setting.pattern.is_write else "read")
    return Row(place, what, setting, side, value, cells["unit"], cells["role"], error, cells["note"])


def _setting(place: str, cells: Mapping[str, str]) -> Setting:
    try:
        pattern = read_pattern(cells["pattern"])
    except ValueError as error:
        raise _refusal(place, cells, "pattern", str(error).removeprefix("expected ")) from None
    size, depth = _with_unit(cells["size"], BLOCKS), cells["depth"]
    if not size or size % 512:
        raise _refusal(place, cells, "size", "the size of a request with its unit, such as 4KiB")
    if not depth.isdecimal() or int(depth) < 1:
        raise _refusal(place, cells, "depth", "the number of requests in flight")
    used, offered = _with_unit(cells["used"], SIZES), _number(cells["offered"])
    if cells["used"] and not used:
        raise _refusal(place, cells, "used", "a size with its unit, such as 500GB")
    if cells["offered"] and not offered:
        raise _refusal(place, cells, "offered", "requests a second")
    return Setting(pattern, int(size), int(depth), used, offered)


def _what(text: str) -> tuple[str, str]:
    first, _, rest = text.strip().partition(" ")
    return (first, rest) if first in SIDES and rest else ("", text.strip())


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value < 1e30 else None


def _with_unit(text: str, units: Mapping[str, float]) -> float | None:
    digits = text.rstrip("kKmMgGTtiB ")
    value = _number(digits)
    unit = text[len(digits) :].strip()
    return None if value is None or unit not in units else value * units[unit]


#: Parts by which measurements of one run may differ before they contradict each other.
LITTLE, SAME = 0.1, 0.05


def refuse_contradictions(rows: Sequence[Row]) -> None:
    """Raise InputError where rows of one run cannot all be true, naming both."""
    runs: dict[object, dict[str, Row]] = {}
    for row in rows:
        if row.what == "write_amplification" and row.value < 0.9:
            raise InputError(f"{row.place}: write_amplification = {row.value:g}: expected 1 or more")
        of_run = runs.setdefault((row.setting, row.side), {})
        if row.what in of_run:
            first = of_run[row.what].place
            raise InputError(f"{row.place}: measured in {first} already: expected one row for a number")
        of_run[row.what] = row
    for of_run in runs.values():
        _refuse_in_run(of_run)


def _refuse_in_run(found: dict[str, Row]) -> None:
    """Check bandwidth beside requests, Little's law, and percentiles, which rise."""
    iops, bandwidth, mean = (found.get(name) for name in ("iops", "bandwidth", "mean"))
    if iops and bandwidth:
        moved = iops.value * iops.setting.size
        if abs(moved / bandwidth.value - 1) > SAME:
            raise InputError(
                f"{iops.place}: {iops.shown(iops.value)} of {iops.setting.size // 1024} KiB are"
                f" {moved / 1e6:.4g} MB/s, and {bandwidth.place} has {bandwidth.value / 1e6:.4g} MB/s:"
                f" expected both to agree within {SAME:.0%}"
            )
    rate = iops.value if iops else None
    if bandwidth and rate is None:
        rate = bandwidth.value / bandwidth.setting.size
    if rate is not None and mean is not None:
        _refuse_by_little(mean, rate)
    ordered = [found[name] for name in LATENCIES[1:] if name in found]
    for low, high in pairwise(ordered):
        if low.value > high.value:
            raise InputError(
                f"{high.place}: {high.what} = {high.shown(high.value)} lies below {low.what}"
                f" in {low.place}, {low.shown(low.value)}: expected percentiles to rise"
            )


def _refuse_by_little(mean: Row, rate: float) -> None:
    """Check that a rate and a mean latency keep as many requests in flight as the depth says."""
    setting = mean.setting
    if setting.pattern.is_mixed or mean.side == "flush":
        return
    in_flight = rate * mean.value
    least = 0.0 if setting.offered or setting.pattern.burst_bytes else setting.depth * (1 - LITTLE)
    if not least <= in_flight <= setting.depth * (1 + LITTLE):
        raise InputError(
            f"{mean.place}: {mean.shown(mean.value)} on average at {rate:.4g} requests a second are"
            f" {in_flight:.3g} in flight, and depth is {setting.depth}: expected them to agree within"
            f" {LITTLE:.0%} (Little's law)"
        )
