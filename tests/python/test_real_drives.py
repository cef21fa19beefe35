"""Twins of real drives: the page shows the record, and the twins still give what the record has."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from floatgate.twin.evaluate import Simulator
from floatgate.twin.measurements import read_measurements
from floatgate.twin.parameters import read_base
from floatgate.workers import crew

BENCH = Path(__file__).parents[2] / "benches" / "real_drives.py"
MICRON = "micron-7450-max-800"
DRIVES = sorted(path.stem for path in (BENCH.parents[1] / "drives" / "measured").glob("*.toml"))


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    spec = spec_from_file_location("real_drives", BENCH)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_shows_the_record(bench: ModuleType) -> None:
    assert bench.text() == bench.PAGE.read_text(encoding="utf-8"), "python benches/real_drives.py page"


@pytest.mark.parametrize("drive", DRIVES)
def test_a_twin_gives_what_the_record_has(bench: ModuleType, drive: str) -> None:
    quick = [one for one in bench.recorded(drive) if bench.is_quick(one.row)]
    table = read_measurements(bench.FOLDER / f"{drive}.csv")
    assert quick
    assert table.capacity
    with crew(workers=1) as workers:
        simulator = Simulator(read_base(str(bench.FOLDER / f"{drive}.toml")), table.capacity, workers)
        (found,) = simulator.simulate([one.row for one in quick], [{}])
    assert found == pytest.approx([one.simulated for one in quick], rel=1e-9)


def test_five_fills_are_predicted_from_one(bench: ModuleType) -> None:
    fills = [one for one in bench.recorded(MICRON) if one.row.setting.used]
    copied = [one for one in fills if one.row.what == "write_amplification"]
    assert [one.row.role for one in copied].count("check") == 5
    for one in copied:
        assert one.simulated / one.row.value == pytest.approx(1.0, abs=0.02), one
    assert all(one.verdict == "within" for one in fills)
