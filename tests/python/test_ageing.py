"""Does a drive's life end where its blocks' lives say, and is what cannot be aged refused?"""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from floatgate.ageing import Life, age
from floatgate.ageing_compare import values_of
from floatgate.cli import app
from floatgate.errors import InputError

TINY = str(Path(__file__).parents[1] / "drives" / "tiny.toml")
MORTAL = [
    "nand.blocks_per_plane=128",
    "nand.tables.pe_cycles=[0]",
    'nand.tables.t_prog=["200us", "400us"]',
    'nand.tables.t_bers=["1ms"]',
    "nand.tables.endurance.cycles=[150, 200, 210, 220, 290]",
    "ftl.op_ratio=0.4",
]


@pytest.fixture(scope="module")
def life() -> Life:
    return age(TINY, MORTAL)


def test_a_life_ends_with_its_blocks(life: Life) -> None:
    assert life.ended
    assert life.rows[-1].pe_cycles_max <= 290 * 1.02
    assert life.bytes_written == pytest.approx(life.rows[-1].drive_writes * life.capacity_bytes)
    assert life.dwpd(5) == pytest.approx(life.rows[-1].drive_writes / (5 * 365.25))
    assert life.document(5)["ended"] is True


def test_a_life_is_measured_on_its_way(life: Life) -> None:
    speeds = life.speeds()
    assert len(speeds) > 10
    assert speeds[0][0] == 0.0
    assert life.over_life("program_ns_mean") == pytest.approx(300_000, rel=0.01)
    assert life.over_life("erase_ns_mean") == pytest.approx(1e6)
    assert age(TINY, MORTAL, measure=0.0).speeds() == []
    assert life.years_at_one_a_day == pytest.approx(life.rows[-1].drive_writes / 365.25)


def test_hot_data_keep_write_amplification_other_than_uniform(life: Life) -> None:
    hot = age(TINY, MORTAL, hot="0.9/0.1")
    assert hot.rows[0].waf != pytest.approx(life.rows[0].waf, rel=0.02)


def test_ageing_can_be_stopped() -> None:
    assert not age(TINY, MORTAL, stopped=lambda: True).ended


@pytest.mark.parametrize("hot", ["0.9", "2/0.1", "a/b", "0.9/1"])
def test_shares_that_are_none_are_refused(hot: str) -> None:
    with pytest.raises(InputError, match="expected shares"):
        age(TINY, MORTAL, hot=hot)


def test_a_drive_without_endurance_is_refused() -> None:
    with pytest.raises(InputError, match=r"nand\.tables\.endurance: missing"):
        age("tlc")


def test_the_command_writes_a_report(tmp_path: Path) -> None:
    out = tmp_path / "age.html"
    changes = [part for change in MORTAL for part in ("--set", change)]
    done = CliRunner().invoke(app, ["age", TINY, *changes, "--out", str(out), "--format", "json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["ended"] is True
    assert "TBW" in out.read_text()


def test_lives_are_compared(tmp_path: Path) -> None:
    out = tmp_path / "compare.html"
    changes = [part for change in MORTAL for part in ("--set", change)]
    asked = ["--compare", "ftl.wear.name=dynamic,static,wear-out", "--hot", "1/0.1", "--format", "json"]
    done = CliRunner().invoke(app, ["age", TINY, *changes, *asked, "--out", str(out)])
    assert done.exit_code == 0, done.output
    lives = json.loads(done.stdout)
    assert list(lives) == ["dynamic", "static", "wear-out"]
    assert lives["static"]["drive_writes"] > 1.5 * lives["dynamic"]["drive_writes"]
    assert "static lives longest" in out.read_text()


@pytest.mark.parametrize("asked", ["ftl.wear.name", "ftl.wear.name=static", "=a,b", "k=a,,b", "k=a,a"])
def test_a_comparison_of_nothing_is_refused(asked: str) -> None:
    with pytest.raises(InputError, match="two different values"):
        values_of(asked)
