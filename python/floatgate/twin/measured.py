"""What is written and shown of a twin: the table of a simulated drive, parameters, the folder of a check."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from floatgate.errors import InputError
from floatgate.results.folder import write_json
from floatgate.twin.compared import Checked
from floatgate.twin.evaluate import Simulator
from floatgate.twin.fitting import Twin
from floatgate.twin.measurements import CAPACITY, COLUMNS, SIDES, Measurements, Row
from floatgate.twin.page import page
from floatgate.twin.parameters import PARAMETERS, Values
from floatgate.twin.steps import Step, steps
from floatgate.twin.write import shown
from floatgate.values import quantities as q

UNITS = {"iops": "IOPS", "bandwidth": "MB/s", "write_amplification": "ratio"}  # else us


def measure(
    simulator: Simulator,
    seed: int,
    progress: Callable[[str, int], None],
    values: Values = MappingProxyType({}),
) -> Measurements:
    """Measure a drive on the base of a simulator with all steps. Raises InputError where it runs none."""
    asked = [row for number, step in enumerate(steps(simulator.capacity), 1) for row in _rows(number, step)]
    progress("measuring", 0)
    (found,) = simulator.simulate(asked, [values], seed)
    rows = [replace(row, value=one) for row, one in zip(asked, found, strict=True) if one]
    if not rows:
        raise InputError(f"{simulator.base.drive}: {simulator.refusal(asked, values, seed)}")
    return Measurements(Path(simulator.base.drive).stem, tuple(rows), simulator.capacity)


def _rows(number: int, step: Step) -> Iterator[Row]:
    """Yield the rows of a step, without their values."""
    pattern = step.setting.pattern
    for taken in step.takes:
        side, _, what = taken.rpartition(" ")
        side = side or ("write" if pattern.is_write and not pattern.is_mixed else "read")
        yield Row(f"step {number}", what, step.setting, side, 1.0, UNITS.get(what, "us"), step.role)


def csv(of: Measurements) -> str:
    """Return the table of measurements, as `read_measurements` reads it."""
    lines = [f"# drive: {of.name}", ",".join(COLUMNS)]
    if of.capacity:
        lines.append(f"{CAPACITY},,,,{of.capacity:.0f},B,calibrate")
    for row in of.rows:
        setting = row.setting
        usual = "write" if setting.pattern.is_write else "read"
        what = row.what if row.side == usual or row.side not in SIDES else f"{row.side} {row.what}"
        in_unit = row.in_unit(row.value)
        cells = (
            what,
            setting.pattern,
            f"{setting.size // 1024}KiB",
            setting.depth,
            f"{in_unit:.6g}",
            row.unit,
            row.role,
        )
        lines.append(",".join(map(str, cells)))
    return "\n".join(lines) + "\n"


def parameter_rows(twin: Twin) -> list[tuple[str, ...]]:
    """Return the parameters as rows of text: what they are, value, interval, what reveals them."""
    rows: list[tuple[str, ...]] = []
    for name, parameter in PARAMETERS.items():
        found = twin.found.get(name)
        if found is None:
            rows.append((parameter.means, "undetermined", "", f"to measure: {parameter.revealed_by}"))
            continue
        low, high = (None if end is None else shown(name, end) for end in (found.low, found.high))
        interval = f"{low or 'less'} to {high or 'more'}" if low or high else q.NOTHING
        rows.append(
            (parameter.means, shown(name, found.value), interval, "; ".join(row.name for row in found.rows))
        )
    return rows


def document(twin: Twin) -> dict[str, Any]:
    """Return every number of a twin, for programs."""
    return {
        "measurements": twin.measurements.name,
        "base": twin.base,
        "capacity_bytes": twin.capacity,
        "parameters": {
            name: {
                "value": found.value,
                "low": found.low,
                "high": found.high,
                "unit": PARAMETERS[name].unit,
                "revealed_by": [row.name for row in found.rows],
            }
            for name, found in twin.found.items()
        },
        "undetermined": {name: PARAMETERS[name].revealed_by for name in twin.undetermined},
        "alike": [list(pair) for pair in twin.alike],
        "deviations": {row.name: deviation for row, deviation in twin.deviations},
        "runs": twin.runs,
    }


def write_check(folder: Path, found: Checked) -> None:
    """Write check.json and report.html into a folder."""
    write_json(folder / "check.json", found.document())
    (folder / "report.html").write_text(page(found), encoding="utf-8")
