"""Real drives: the page says of every measurement what `floatgate twin check` says."""

from pathlib import Path

import pytest

from floatgate.twin.compared import Checked, check
from floatgate.twin.evaluate import Simulator
from floatgate.twin.measurements import Row, read_measurements
from floatgate.twin.page import row as cells_of
from floatgate.twin.parameters import read_base
from floatgate.workers import crew

ROOT = Path(__file__).parents[2]
DRIVES = sorted((ROOT / "drives" / "measured").glob("*.toml"))
PAGE = ROOT / "docs" / "explanation" / "real-drives.md"


def _table(drive: Path) -> dict[str, list[str]]:
    """Return the cells of a drive's table on the page, by the first."""
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(f"<!-- table: {drive.stem} -->")
    lines = rest.partition("<!-- end of table -->")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return {first: others for first, *others in rows if len(others) == 4}


def _checked(drive: Path, rows: list[Row]) -> Checked:
    base = read_base(str(drive))
    with crew(workers=1) as workers:
        simulator = Simulator(base, read_measurements(drive.with_suffix(".csv")).capacity or 0, workers)
        return check(simulator, drive.stem, rows, lambda _stage, _runs: None)


@pytest.mark.parametrize("drive", DRIVES, ids=lambda drive: drive.stem)
def test_the_page_has_every_measurement_and_what_is_simulated(drive: Path) -> None:
    rows = list(read_measurements(drive.with_suffix(".csv")).rows)
    table = _table(drive)
    # Quick: uniform writes of the fullest drive, and one share that stays untouched.
    wanted = [one for one in rows if _is_quick(one)]
    assert wanted
    for one in _checked(drive, wanted).rows:
        name, measured, simulated, deviation, _, verdict = cells_of(one)
        assert table[name] == [measured, simulated, deviation, verdict]
    names = [f"{one.name} ({one.note})" if one.note else one.name for one in rows]
    assert set(names) == {name for name in table if not name.startswith(("Held out", "Calibrated"))}


def _is_quick(row: Row) -> bool:
    pattern, used = row.setting.pattern, row.setting.used or 1e15
    is_plain = pattern.rw == "randwrite" and not pattern.distribution and used > 7.9e11
    return is_plain and pattern.part in (1.0, 0.2)


def test_real_drives_have_twins() -> None:
    assert DRIVES
